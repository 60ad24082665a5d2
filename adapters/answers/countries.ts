/** Which countries and zones does a dataset have, with their names and number of records? */
import { type Dataset, formatCivilDate } from "../../src/engine.ts"
import type { LocalisedFacts } from "../../src/full.ts"

/** A country as a passport's issuer or as a destination, and how many pairs of it have a record. */
export interface CountryRecord {
  readonly code: string
  readonly name: string
  readonly pairs: number
}

interface Counts {
  readonly byPassport: readonly number[]
  readonly byDestination: readonly number[]
}

const counts = new WeakMap<Dataset, Counts>()

function countPairsOf(dataset: Dataset): Counts {
  const known = counts.get(dataset)
  if (known !== undefined) return known
  const { answers, destinations, pairs, passports } = dataset
  const byPassport = passports.map(() => 0)
  const byDestination = destinations.map(() => 0)
  pairs.forEach((answer, at) => {
    if (answers[answer]?.kind !== "found") return
    const row = Math.floor(at / destinations.length)
    const column = at % destinations.length
    byPassport[row] = (byPassport[row] as number) + 1
    byDestination[column] = (byDestination[column] as number) + 1
  })
  const counted = { byPassport, byDestination }
  counts.set(dataset, counted)
  return counted
}

const listCountries = ({ locale }: LocalisedFacts, codes: readonly string[], pairs: readonly number[]) =>
  codes.map((code, at): CountryRecord => ({ code, name: locale.nameCountry(code), pairs: pairs[at] ?? 0 }))

/** Every passport, in the order of the codes, named in the language of the facts. */
export function describePassports(localised: LocalisedFacts) {
  const { passports } = localised.dataset
  const { byPassport } = countPairsOf(localised.dataset)
  return { count: passports.length, passports: listCountries(localised, passports, byPassport) }
}

/** Every destination, in the order of the codes, named in the language of the facts. */
export function describeDestinations(localised: LocalisedFacts) {
  const { destinations } = localised.dataset
  const { byDestination } = countPairsOf(localised.dataset)
  return { count: destinations.length, destinations: listCountries(localised, destinations, byDestination) }
}

const writeDay = (day: number | null): string | null => (day === null ? null : formatCivilDate(day))

/** The zones whose members share one allowance of days, with the law that says so. */
export function describeZones({ zones }: Dataset) {
  const described = zones.map(({ id, name, rule, members, instrument, sourceUrl, verifiedOn }) => ({
    id,
    name,
    rule:
      rule.kind === "rolling"
        ? { kind: "rolling" as const, allowance_days: rule.allowanceDays, window_days: rule.windowDays }
        : { kind: "single_permission" as const, allowance_days: rule.allowanceDays, window_days: null },
    members: members.map(({ code, fromDay, untilDay }) => ({
      code,
      from: writeDay(fromDay),
      until: writeDay(untilDay),
    })),
    instrument,
    source_url: sourceUrl,
    verified_on: verifiedOn,
  }))
  return { count: described.length, zones: described }
}
