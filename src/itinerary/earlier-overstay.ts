/**
 * Was a stay before the journey too long by today's rules?
 *
 * A traveller who overstayed before may be refused or fined at the next entry. An officer decides, so it is a reported risk and not a
 * blocker. Earlier stays count as a visitor's without a visa. Days that add up only because no stay rule is recorded are ignored.
 */
import { type DecisionState, noteCondition, type StopState } from "./decision-state.ts"
import { findRule, measureVisits } from "./judge-stay.ts"
import { countZoneDays, isVisit } from "./presence.ts"
import { findLastMemberDay } from "./zones.ts"

/** At each first stop in a country or zone, reports the earlier stay there that exceeded the limit most. */
export function noteEarlierOverstays(state: DecisionState): void {
  const { stops, earlierStays } = state
  const seen = new Set<StopState>()
  for (let index = 0; index < stops.length; index++) {
    const stop = stops[index]!
    const isInZone = stop.zonePlace !== null && stop.firstInZone!.order < earlierStays.length
    const first = isInZone ? stop.firstInZone! : stop.firstHere!
    if (first.order >= earlierStays.length || seen.has(first)) continue
    seen.add(first)
    const { movesFreely, requirement } = stop.terms!
    if (movesFreely || requirement.status === "unknown" || stop.counting === "permit") continue
    let worst: Overstay | null = null
    for (let stay: StopState | null = first; stay !== null && stay.order < earlierStays.length; ) {
      const found = isInZone ? measureInZone(stay) : measureInCountry(state, stop, stay)
      if (found !== null && (worst === null || found.days - found.allowed > worst.days - worst.allowed)) worst = found
      stay = isInZone ? stay.nextInZone : stay.nextHere
    }
    if (worst !== null) noteCondition(state, index, "earlier_overstay", { destination: stop.destination, ...worst })
  }
}

interface Overstay {
  readonly days: number
  readonly allowed: number
  readonly by: string
}

function measureInZone(stay: StopState): Overstay | null {
  const place = stay.zonePlace!
  const day = findLastMemberDay(place.memberships, stay.firstDay, stay.lastDay)
  if (day === null || stay.counting !== "certain") return null
  const { certain: days } = countZoneDays(stay, place, day)
  const allowed = place.zone.rule.allowanceDays
  return days > allowed ? { days, allowed, by: stay.to } : null
}

function measureInCountry(state: DecisionState, stop: StopState, stay: StopState): Overstay | null {
  const { requirement, maxDays } = stop.terms!
  const isFree = requirement.status === "known" && (requirement.value === "visa_free" || requirement.value === "eta")
  if (!isFree || !isVisit(stay)) return null
  const measured = measureVisits(state, stay, findRule(state, stop), maxDays)
  if (measured === null || measured.counting === "accumulated" || measured.days <= measured.allowed) return null
  return { days: measured.days, allowed: measured.allowed, by: stay.to }
}
