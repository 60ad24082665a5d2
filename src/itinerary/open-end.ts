/**
 * How is the last stop judged if its last day is not given?
 *
 * It is judged as a stay of its first day only, which every traveller who arrives has: a blocker of that day also blocks every longer stay.
 * Findings that depend on the length of the stay, or on the day of leaving, are unknown (`end_not_given`). No day is invented.
 */
import { type Unknown, unknown } from "./findings.ts"
import { NO_PARAMS } from "./reasons.ts"
import type { ReadItinerary, ReadStop } from "./request-fields.ts"
import type { Step } from "./step-fields.ts"

/** Reads a stop without a last day as a stay of its first day. */
export function endOnArrival(stop: ReadStop): EndedStop {
  return stop.to === null ? { ...stop, to: stop.from, toDay: stop.fromDay } : (stop as EndedStop)
}

type EndedStop = ReadStop & { readonly to: string; readonly toDay: number }

/** Says whether the last day of an itinerary is not given. */
export function hasOpenEnd({ stops }: ReadItinerary): boolean {
  return stops[stops.length - 1]!.to === null
}

const END_NOT_GIVEN: Unknown = /* @__PURE__ */ unknown("pair", "end_not_given", NO_PARAMS)
const ZONE_END_NOT_GIVEN = /* @__PURE__ */ unknown("destination", "end_not_given", NO_PARAMS)

/** Makes the findings of a step unknown that depend on its last day. */
export function openEnd(step: Step): Step {
  const { passportValidity: validity, zoneStay } = step
  const isOpen = validity.status === "known" && validity.value === "met" && validity.rule?.anchor === "departure"
  return {
    ...step,
    to: null,
    days: null,
    daysAccumulated: END_NOT_GIVEN,
    countedStay: null,
    passportValidity: isOpen ? { ...ZONE_END_NOT_GIVEN, rule: validity.rule } : validity,
    zoneStay:
      zoneStay?.status === "known"
        ? { ...ZONE_END_NOT_GIVEN, zone: zoneStay.zone, allowanceDays: zoneStay.allowanceDays }
        : zoneStay,
  }
}
