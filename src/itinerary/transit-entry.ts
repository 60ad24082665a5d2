/**
 * What does the entry ask, beside the requirement, of who leaves the international area of an airport?
 *
 * That the passport is valid for as long as the country asks, and that the days which are allowed there, and in its zone, are not used up (Regulation
 * (EU) 2016/399, Art. 6(1), knows no entry for a change alone). What is known to fall short hinders, and days that may be used up leave it open;
 * dates that were not given, and rules that nobody recorded, are said at the stops. Who is at home, moves freely or has a permit is no visitor.
 */
import type { EpochDay } from "../civil-date.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import type { EntryTerms } from "./entry-terms.ts"
import { judgeValidityOn } from "./judge-passport.ts"
import { ACCUMULATION_DAYS } from "./stay-counting.ts"
import { NO, sayUnknown, type TransitVerdict, YES } from "./transit-rules.ts"
import type { PassportState } from "./traveller-state.ts"
import { findWindowStart } from "./zones.ts"

/** Judges what an entry as a visitor on a day asks beside the requirement; `YES` where nothing hinders it. */
export function judgeVisitor(
  state: DecisionState,
  place: StopState,
  passport: PassportState,
  terms: EntryTerms,
): TransitVerdict {
  const { slot, firstDay, destination } = place
  const { requirement, isHome, movesFreely, counting } = terms
  if (isHome || movesFreely || counting === "permit" || requirement.status === "unknown") return YES
  const validity = judgeValidityOn(state, slot, passport, terms, firstDay)
  if (validity.status === "known" && validity.value !== "met") return NO
  if (!isUsedUp(state, place, terms.maxDays)) return YES
  return sayUnknown("transit_needs_entry", { destination, requirement: requirement.value })
}

// Whether the days of other stays there, or in its zone, may leave none for this one. A day is counted once, whoever it belongs to.
function isUsedUp(
  { earlierStays, stops }: DecisionState,
  { slot, zonePlace, firstDay }: StopState,
  most: number | null,
) {
  if (most === null) return false
  const rule = zonePlace?.zone.rule
  const zone = rule?.kind === "rolling" ? zonePlace!.zone : null
  const begin = findWindowStart(rule?.kind === "rolling" ? rule.windowDays : ACCUMULATION_DAYS, firstDay)
  const days = new Set<EpochDay>([firstDay])
  for (const stay of [...earlierStays, ...stops]) {
    if (stay.counting === "permit" || !(stay.slot === slot || (zone !== null && stay.zonePlace?.zone === zone)))
      continue
    for (let day = Math.max(begin, stay.firstDay); day <= Math.min(firstDay, stay.lastDay); day++) days.add(day)
  }
  return days.size > most
}
