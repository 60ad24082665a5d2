/**
 * May this traveller make this journey, as far as is known?
 *
 * The function that an app calls. It reads the request; `trip/judge.ts` judges it. Every blocker and every unknown is listed with its reason;
 * nothing is filled with a default. A visa that can be obtained is a condition and blocks nothing.
 */
import type { Dataset, NoRecord } from "../dataset/open.ts"
import type { InputError, Result } from "../errors.ts"
import { answerInput, readDataset } from "../requirement/question.ts"
import { judge } from "../trip/judge.ts"
import type { Decision } from "./answer-fields.ts"
import { type ItineraryRequest, readItinerary } from "./request-fields.ts"

/**
 * Decides whether anything known blocks an itinerary of up to 12 stops and 12 transit countries.
 *
 * Fails with `InputRefused`, which lists up to 50 mistakes, each with its path, for example `stops[2].to`. The answer's `kind` is `no_record` if none
 * of the passports is in the dataset. The first and last day of a stop both count. Sources: Regulation (EU) 2016/399, Art. 6(1), for
 * Schengen's days and passports; every other rule names its own. A few microseconds.
 *
 * @example
 * ```ts
 * const trip = { passport: "USA", passportExpiry: "2027-02-01", stops: [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }] }
 * const judged = decide(embeddedDataset(), trip)
 * const decision = judged.ok && judged.value.kind === "decided" ? judged.value : null
 * decision?.outcome // => "blocked"
 * decision?.blockers.map(blocker => blocker.code) // => ["passport_validity_short"]
 * const zoneStay = decision?.steps[0].zoneStay
 * zoneStay?.status === "known" && zoneStay.value // => 20
 * const refused = decide(embeddedDataset(), { ...trip, stops: [] })
 * !refused.ok && refused.error.issues[0].path // => "stops"
 * const unknown = decide(embeddedDataset(), { ...trip, passport: "ZZZ" })
 * unknown.ok && unknown.value.kind // => "no_record"
 * ```
 */
export function decide(dataset: Dataset, request: ItineraryRequest): Result<Decision | NoRecord, InputError> {
  return answerInput(issues => {
    const known = readDataset(dataset, issues)
    const itinerary = readItinerary(request, issues)
    return () => judge(known, itinerary)
  })
}
