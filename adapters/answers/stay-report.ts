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
  // The stays that do not count are told once.
  const { notCounted: _, ...longest } = longestStayFromThen.value
  const { notCounted: __, ...measured } = breach.value
  const value = {
    zone: zone.id,
    on,
    ...used.value,
    lastLegalDayOn: lastLegalDayOn.value,
    longestStayFromThen: longest,
    breach: measured,
    ...(earliest === null ? {} : { earliestEntryOn: earliest.value }),
  }
  return { ok: true, value } satisfies Result<object, InputError>
}
