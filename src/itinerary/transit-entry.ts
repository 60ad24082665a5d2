/**
 * What does the entry ask, beside the requirement, of who leaves the international area of an airport?
 *
 * That the passport is valid for as long as the country asks, and that the days which are allowed there, and in its zone, are not used up (Regulation
 * (EU) 2016/399, Art. 6(1), knows no entry for a change alone). What is known to fall short hinders, and days that may be used up leave it open;
 * dates that were not given, and rules that nobody recorded, are said at the stops. Who is at home, moves freely or has a permit is no visitor.
 */
import type { EpochDay } from "../civil-date.ts"
import type { DecisionState } from "./decision-state.ts"
import { judgeValidityOn } from "./judge-passport.ts"
import type { PairFindings } from "./pair-table.ts"
import { ACCUMULATION_DAYS } from "./stay-counting.ts"
import { NO, sayUnknown, type TransitVerdict, YES } from "./transit-rules.ts"
import type { PassportState } from "./traveller-state.ts"
import { findWindowStart } from "./zones.ts"

/** Judges what an entry as a visitor on a day asks beside the requirement; `YES` where nothing hinders it. */
export function judgeVisitor(
  state: DecisionState,
  place: Place,
  passport: PassportState,
  pair: PairFindings,
  day: EpochDay,
): TransitVerdict {
  const { terms } = pair
  const { requirement, isHome, movesFreely, counting, maxDays } = terms
  if (isHome || movesFreely || counting === "permit" || requirement.status === "unknown") return YES
  const validity = judgeValidityOn(state, place.slot, passport, terms, day)
  if (validity.status === "known" && validity.value !== "met") return NO
  if (maxDays === null || countDays(state, place, day) <= maxDays) return YES
  pair.mayEnter ??= sayUnknown("transit_needs_entry", {
    destination: place.destination,
    requirement: requirement.value,
  })
  return pair.mayEnter
}

/** Where a change is. */
export interface Place {
  readonly destination: string
  readonly slot: number
}

// The days of stays there, or in its zone, in the window that ends on the day of the change, which is one of them. A day is counted once, whoever
// it belongs to: no stay begins before the one before it, so that one pass counts them.
function countDays({ rules, earlierStays, stops }: DecisionState, { slot }: Place, day: EpochDay): number {
  const zone = rules.zonePlaces[slot]?.zone ?? null
  const rolling = zone?.rule.kind === "rolling" ? zone.rule : null
  const sinceDay = findWindowStart(rolling === null ? ACCUMULATION_DAYS : rolling.windowDays, day)
  const before = earlierStays.length
  let days = 0
  let countedDay = sinceDay - 1
  for (let at = 0; at < before + stops.length; at++) {
    const stay = at < before ? earlierStays[at]! : stops[at - before]!
    if (stay.counting === "permit") continue
    if (stay.slot !== slot && (rolling === null || stay.zonePlace?.zone !== zone)) continue
    const to = Math.min(day, stay.lastDay)
    if (to <= countedDay) continue
    days += to - Math.max(countedDay, stay.firstDay - 1)
    countedDay = to
  }
  return countedDay < day ? days + 1 : days
}
