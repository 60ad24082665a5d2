/**
 * Landfall in React: the engine is synchronous, so that an answer is a value, without an effect, a request or a loading state.
 *
 * Render `<VisaAnswer passport="FRA" destination="JPN" />`, or use the hook in a component of your own.
 */
import { chooseBestPassports, embeddedDataset, lookup } from "landfall"
import { useMemo } from "react"

/** What a passport needs at a destination. */
export function VisaAnswer({ passport, destination }) {
  const answer = lookup(passport, destination)
  if (answer.kind !== "found") return <p role="status">No record: {answer.message}</p>
  const { requirement, days, verifiedOn } = answer
  return (
    <p role="status">
      <strong>{requirement.replaceAll("_", " ")}</strong>
      {days !== null && `, ${days} days`}
      {verifiedOn === null && " (not checked by a person)"}
    </p>
  )
}

/** Which of somebody's passports to use, at every destination: worked out again only when the passports change. */
export function useBestPassports(passports) {
  const codes = passports.join()
  return useMemo(() => {
    const chosen = chooseBestPassports(embeddedDataset(), codes.split(","))
    return chosen.ok && chosen.value.kind === "found" ? chosen.value.destinations : []
  }, [codes])
}

/** For somebody with several passports: the one to show at each destination. */
export function BestPassports({ passports, destinations }) {
  const best = useBestPassports(passports)
  return (
    <ul>
      {best
        .filter(({ destination }) => destinations.includes(destination))
        .map(({ destination, best: use }) => (
          <li key={destination}>
            {destination}: {use === null ? "no record" : `${use.passport}, ${use.requirement.replaceAll("_", " ")}`}
          </li>
        ))}
    </ul>
  )
}
