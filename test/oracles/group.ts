/**
 * The slow, obvious group: ask for every member at every destination, keep what all may enter, and sort with a comparator that
 * reads like the rule. Uses lookups only; imports nothing of what it judges.
 */
import { type Dataset, type Found, lookupRequirement } from "../../src/index.ts"

const EASE = ["visa_free", "eta", "visa_on_arrival", "e_visa", "visa_required", "no_admission"]
/** A passport is chosen by what has to be done: a visa that is issued on arrival leaves nothing to obtain before. */
const EFFORTS = ["visa_free", "visa_on_arrival", "eta", "e_visa", "visa_required", "no_admission"]
const KINDS = ["unlimited", "freedom_of_movement", "days", "unknown"]

interface PermittedStay {
  readonly kind: string
  readonly days: number | null
}

const stayOf = (answer: Found): PermittedStay => {
  if (answer.home) return { kind: "unlimited", days: null }
  if (answer.days !== null) return { kind: "days", days: answer.days }
  if (answer.basis === "freedom_of_movement" && !answer.uncertain) return { kind: "freedom_of_movement", days: null }
  return { kind: "unknown", days: null }
}

const groupStay = (answers: readonly Found[]): PermittedStay => {
  const stays = answers.map(stayOf)
  const has = (kind: string) => stays.some(stay => stay.kind === kind)
  if (has("unknown")) return { kind: "unknown", days: null }
  if (has("days")) return { kind: "days", days: Math.min(...stays.map(stay => stay.days ?? Number.POSITIVE_INFINITY)) }
  return { kind: has("freedom_of_movement") ? "freedom_of_movement" : "unlimited", days: null }
}

const compareStays = (a: PermittedStay, b: PermittedStay) =>
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (b.days ?? 0) - (a.days ?? 0)

const easeOf = (requirement: string) => EASE.indexOf(requirement)

export function intersectByLookups(
  dataset: Dataset,
  passports: readonly string[],
  allow: readonly string[],
  on?: string,
) {
  return dataset.destinations
    .flatMap(destination => {
      const answers = passports.map(passport => lookupRequirement(dataset, passport, destination, { on }))
      const found = answers.filter(answer => answer.kind === "found")
      if (found.length < passports.length || !found.every(answer => allow.includes(answer.requirement))) return []
      const worst = found.map(answer => answer.requirement).sort((a, b) => easeOf(b) - easeOf(a))[0] as string
      const members = found.map((answer, place) => ({ passport: passports[place], ...answer }))
      return [{ destination, worst, stay: groupStay(found), members }]
    })
    .sort(
      (a, b) =>
        easeOf(a.worst) - easeOf(b.worst) ||
        compareStays(a.stay, b.stay) ||
        (a.destination < b.destination ? -1 : a.destination > b.destination ? 1 : 0),
    )
}

const zoneOf = (dataset: Dataset, code: string | null) =>
  dataset.zones.find(zone => zone.members.some(member => member.code === code))?.id ?? null

export function chooseByLookups(dataset: Dataset, passports: readonly string[], on?: string) {
  return dataset.destinations.map(destination => {
    // In a territory whoever is at home in the country that it follows has that stay, and whoever moves freely there where both share a zone.
    const rankedStay = (answer: Found & { readonly passport: string }): PermittedStay => {
      const followed =
        answer.follows === null ? null : lookupRequirement(dataset, answer.passport, answer.follows, { on })
      const stay = followed?.kind === "found" ? stayOf(followed) : null
      const isShared = zoneOf(dataset, destination) === zoneOf(dataset, answer.follows)
      return stay?.kind === "unlimited" || (isShared && stay?.kind === "freedom_of_movement") ? stay : stayOf(answer)
    }
    const candidates = passports.flatMap(passport => {
      const answer = lookupRequirement(dataset, passport, destination, { on })
      return answer.kind === "found" ? [{ passport, ...answer }] : []
    })
    // Sorting is stable: of two that are equally good the one named first stays first.
    const [best] = candidates.sort(
      (a, b) =>
        EFFORTS.indexOf(a.requirement) - EFFORTS.indexOf(b.requirement) || compareStays(rankedStay(a), rankedStay(b)),
    )
    return { destination, best: best ?? null, stay: best === undefined ? "unknown" : rankedStay(best).kind }
  })
}
