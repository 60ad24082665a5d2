/** How many days of a zone's allowance has a visitor used, what is left, and was it exceeded? */
import {
  countStayDays,
  type Dataset,
  findEarliestEntry,
  findLastLegalDay,
  findLongestStay,
  type InputError,
  measureBreach,
  type Result,
  type Stay,
  type Zone,
} from "../../src/engine.ts"

/** A question about stays in one zone. */
export interface StayQuestion {
  readonly zone: Zone
  readonly stays: readonly Stay[]
  /** The day of the count (`YYYY-MM-DD`). */
  readonly on: string
  /** Also find the earliest entry for a stay of so many days. */
  readonly days?: number | undefined
}

/** Finds the zone of an id; undefined where the dataset has none. */
export const findZone = (dataset: Dataset, id: string): Zone | undefined => dataset.zones.find(zone => zone.id === id)

/**
 * Finds the index of the first stay in an unknown country, or -1.
 *
 * The zone alone cannot distinguish a misspelt country from one outside it.
 */
export const findUnknownStay = (dataset: Dataset, stays: readonly Stay[]): number =>
  stays.findIndex(({ destination }) => !dataset.destinations.includes(destination))

/** Reports on stays; fails with the first calculator that refuses them. */
export function reportStays({ zone, stays, on, days }: StayQuestion) {
  const used = countStayDays(zone, stays, on)
  if (!used.ok) return used
  const lastLegalDayOn = findLastLegalDay(zone, stays, on)
  if (!lastLegalDayOn.ok) return lastLegalDayOn
  const longestStayFromThen = findLongestStay(zone, stays, on)
  if (!longestStayFromThen.ok) return longestStayFromThen
  const breach = measureBreach(zone, stays)
  if (!breach.ok) return breach
  const earliest = days === undefined ? null : findEarliestEntry(zone, stays, { days, notBeforeOn: on })
  if (earliest !== null && !earliest.ok) return earliest
  const value = {
    zone: zone.id,
    on,
    ...used.value,
    lastLegalDayOn: lastLegalDayOn.value,
    longestStayFromThen: longestStayFromThen.value,
    breach: breach.value,
    ...(earliest === null ? {} : { earliestEntryOn: earliest.value }),
  }
  return { ok: true, value } satisfies Result<object, InputError>
}
