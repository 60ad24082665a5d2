/**
 * Which stops are one stay?
 *
 * Consecutive stops in one destination without a day between them, such as two hotels, are one presence: the traveller enters once, on the
 * first day of the first one. They are judged as one stop. The findings are then given for each of them: those about the entry with the
 * first stop, those about the end of the stay with the last. Two stops that name different passports are two entries.
 */
import type { Blocker, Decision } from "./answer-fields.ts"
import type { Finding } from "./findings.ts"
import type { ReadItinerary, ReadStop } from "./request-fields.ts"
import type { Step } from "./step-fields.ts"

/** An itinerary with joined stops. By stay: the index of its first given stop. */
export interface JoinedStops {
  readonly read: ReadItinerary
  readonly firstOf: readonly number[]
}

/** Joins the stops that are one stay; null if there are none to join. */
export function joinStops(read: ReadItinerary): JoinedStops | null {
  const { stops } = read
  if (!hasJoined(stops)) return null
  const joined: ReadStop[] = []
  const firstOf: number[] = []
  stops.forEach((stop, place) => {
    const before = joined[joined.length - 1]
    if (before !== undefined && isOneStay(before, stop)) {
      const { passport, passportKey } = before.passport === null ? stop : before
      joined[joined.length - 1] = { ...before, to: stop.to, toDay: stop.toDay, passport, passportKey }
    } else {
      joined.push(stop)
      firstOf.push(place)
    }
  })
  return { read: { ...read, stops: joined }, firstOf }
}

function hasJoined(stops: readonly ReadStop[]): boolean {
  for (let at = 1; at < stops.length; at++) if (isOneStay(stops[at - 1]!, stops[at]!)) return true
  return false
}

function isOneStay(before: ReadStop, stop: ReadStop): boolean {
  if (before.destinationKey !== stop.destinationKey || before.toDay === null || stop.fromDay > before.toDay + 1)
    return false
  return before.passport === null || stop.passport === null || before.passport === stop.passport
}

/** Converts a decision on joined stops to one on the given stops. Everything before the first joined stop stays as it is. */
export function splitStays(decision: Decision, { stops }: ReadItinerary, firstOf: readonly number[]): Decision {
  // Findings of no stop come last.
  const orderOf = ({ step }: Blocker) => step ?? stops.length
  return {
    ...decision,
    steps: splitSteps(decision.steps, stops, firstOf),
    toDo: decision.toDo.map(each => ({
      ...each,
      step: firstOf[each.step]!,
      steps: listPlaces(each.steps, firstOf, stops.length),
    })),
    blockers: decision.blockers
      .map(blocker => moveBlocker(blocker, firstOf, stops.length))
      .sort((a, b) => orderOf(a) - orderOf(b)),
    conditions: decision.conditions.map(each => moveTo(each, firstOf[each.step]!)),
    unknowns: decision.unknowns.map(each => (each.step === null ? each : moveTo(each, firstOf[each.step]!))),
    held: decision.held.map(use => ({ ...use, steps: listPlaces(use.steps, firstOf, stops.length) })),
    changes: decision.changes.map(each => moveTo(each, firstOf[each.step]!)),
  }
}

function lastOf(stay: number, firstOf: readonly number[], count: number): number {
  return (firstOf[stay + 1] ?? count) - 1
}

function listPlaces(stays: readonly number[], firstOf: readonly number[], count: number): number[] {
  const places: number[] = []
  for (const stay of stays) {
    const last = lastOf(stay, firstOf, count)
    for (let place = firstOf[stay]!; place <= last; place++) places.push(place)
  }
  return places
}

function splitSteps(judged: readonly Step[], stops: readonly ReadStop[], firstOf: readonly number[]): Step[] {
  const steps: Step[] = []
  for (let stay = 0; stay < judged.length; stay++) {
    const step = judged[stay]!
    const end = lastOf(stay, firstOf, stops.length)
    if (end === stay) {
      steps.push(step)
      continue
    }
    for (let index = firstOf[stay]!; index <= end; index++) {
      const { from, fromDay, to, toDay } = stops[index]!
      const days = toDay === null ? null : toDay - fromDay + 1
      const { daysAccumulated } = step
      const isEnd = index === end
      const accumulated = isEnd ? daysAccumulated : takeDays(daysAccumulated, (stops[end]!.toDay ?? 0) - (toDay ?? 0))
      steps.push({ ...step, index, from, to, days, daysAccumulated: accumulated })
    }
  }
  return steps
}

function moveBlocker(blocker: Blocker, firstOf: readonly number[], count: number): Blocker {
  if (blocker.step === null) return blocker
  const step = isOfEnd(blocker) ? lastOf(blocker.step, firstOf, count) : firstOf[blocker.step]!
  return moveTo(blocker, step)
}

function moveTo<Found extends { readonly step: number | null }>(found: Found, step: number): Found {
  return step === found.step ? found : { ...found, step }
}

// The days up to a stop are those up to the end of its stay, less the days after it.
function takeDays(days: Finding<number>, after: number): Finding<number> {
  return days.status === "known" ? { ...days, value: days.value - after } : days
}

// Says whether a blocker is about the end of a stay.
function isOfEnd({ code }: Blocker): boolean {
  return code === "stay_exceeded" || code === "zone_stay_exceeded" || code === "passport_expires_before_exit"
}
