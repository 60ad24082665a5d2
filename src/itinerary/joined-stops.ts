/**
 * Which stops are one stay?
 *
 * Stops in one destination that follow one another without a day between them, such as two hotels, are one presence: the traveller enters once,
 * on the first day of the first one. They are judged as one stop, and what was found is then given for each of them: what is about the entry with
 * the first, what is about the end of the stay with the last. Two stops that name different passports are two entries.
 */
import type { Blocker, Decision, ToDo } from "./answer-fields.ts"
import type { Finding } from "./findings.ts"
import type { ReadItinerary, ReadStop } from "./request-fields.ts"
import type { Step } from "./step-fields.ts"

/** An itinerary whose stops were joined: by stay, the place of its first stop as it was given. */
export interface JoinedStops {
  readonly read: ReadItinerary
  readonly firstOf: readonly number[]
}

/** Joins the stops that are one stay; null where none are. */
export function joinStops(read: ReadItinerary): JoinedStops | null {
  const { stops } = read
  let isAny = false
  for (let at = 1; at < stops.length; at++) isAny ||= isOneStay(stops[at - 1]!, stops[at]!)
  if (!isAny) return null
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

function isOneStay(before: ReadStop, stop: ReadStop): boolean {
  if (before.destinationKey !== stop.destinationKey || before.toDay === null || stop.fromDay > before.toDay + 1)
    return false
  return before.passport === null || stop.passport === null || before.passport === stop.passport
}

/** Gives a decision on joined stops as one on the stops that were given. */
export function splitStays(decision: Decision, { stops }: ReadItinerary, firstOf: readonly number[]): Decision {
  const first = (stay: number) => firstOf[stay]!
  const last = (stay: number) => (firstOf[stay + 1] ?? stops.length) - 1
  const all = (stays: readonly number[]) => {
    const places: number[] = []
    for (const stay of stays) for (let place = first(stay); place <= last(stay); place++) places.push(place)
    return places
  }
  const toFirst = <Found extends { readonly step: number }>(found: Found): Found => ({
    ...found,
    step: first(found.step),
  })
  const placeBlocker = (blocker: Blocker): Blocker => {
    const { step } = blocker
    if (step === null) return blocker
    return { ...blocker, step: isOfEnd(blocker) ? last(step) : first(step) }
  }
  // What is of no stop comes last.
  const orderOf = ({ step }: Blocker) => step ?? stops.length
  const steps: Step[] = []
  for (let stay = 0; stay < decision.steps.length; stay++) {
    const step = decision.steps[stay]!
    const end = last(stay)
    for (let index = first(stay); index <= end; index++) {
      const { from, fromDay, to, toDay } = stops[index]!
      const days = toDay === null ? null : toDay - fromDay + 1
      const { daysAccumulated } = step
      const isEnd = index === end
      const accumulated = isEnd ? daysAccumulated : takeDays(daysAccumulated, (stops[end]!.toDay ?? 0) - (toDay ?? 0))
      steps.push({ ...step, index, from, to, days, daysAccumulated: accumulated })
    }
  }
  const toDo = decision.toDo.map((each): ToDo => ({ ...each, step: first(each.step), steps: all(each.steps) }))
  return {
    ...decision,
    steps,
    toDo,
    blockers: decision.blockers.map(placeBlocker).sort((a, b) => orderOf(a) - orderOf(b)),
    conditions: decision.conditions.map(toFirst),
    unknowns: decision.unknowns.map(gap => (gap.step === null ? gap : { ...gap, step: first(gap.step) })),
    held: decision.held.map(use => ({ ...use, steps: all(use.steps) })),
    changes: decision.changes.map(toFirst),
  }
}

// The days up to a stop are those up to the end of its stay but for those after it.
function takeDays(days: Finding<number>, after: number): Finding<number> {
  return days.status === "known" ? { ...days, value: days.value - after } : days
}

// What is exceeded at the end of a stay.
function isOfEnd({ code }: Blocker): boolean {
  return code === "stay_exceeded" || code === "zone_stay_exceeded" || code === "passport_expires_before_exit"
}
