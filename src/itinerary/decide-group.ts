/**
 * May several travellers make one journey together?
 *
 * Each traveller is decided by himself, with his own passports, documents and earlier stays. The journey is blocked if
 * any of them is blocked. Blockers, conditions and gaps are listed for all, each with its traveller. A remedy that
 * changes the days of the journey blocks none of the others.
 */
import type { Dataset, NoRecord } from "../dataset/open.ts"
import { describe, type InputError, type Result } from "../errors.ts"
import { answerInput, fieldsOf, readDataset, readObject, refuseOtherFields } from "../requirement/question.ts"
import { findWorst } from "../trip/conclude.ts"
import { judge } from "../trip/judge.ts"
import type { Decision, GroupDecision, OfTraveller } from "./answer-fields.ts"
import { finish, type InPieces, judgeWithRemedies } from "./remedies.ts"
import { type GroupItineraryRequest, type ReadItinerary, readGroupItinerary } from "./request-fields.ts"
import { workOfTraveller } from "./work.ts"

/**
 * Decides on one itinerary of 1 to 10 travellers.
 *
 * Fails with `InputRefused`, which lists up to 50 mistakes, each with its path, for example `travellers[1].passport`. The
 * answer's `kind` is `no_record` if none of a traveller's passports is in the dataset. It costs one decision for each
 * traveller; with `remedies`, the cost of `decideWithRemedies` for each, bounded for all of them together.
 *
 * @example
 * ```ts
 * const stops = [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }]
 * const travellers = [{ passport: "USA", passportExpiry: "2027-02-01" }, { passport: "DEU", passportExpiry: "2027-02-01" }]
 * const together = decideGroup(embeddedDataset(), { travellers, stops })
 * const decision = together.ok && together.value.kind === "decided" ? together.value : null
 * decision?.verdict // => "blocked"
 * decision?.blockers.map(({ traveller, code }) => [traveller, code]) // => [[0, "passport_validity_short"]]
 * ```
 */
export function decideGroup(
  dataset: Dataset,
  request: GroupItineraryRequest,
  options?: { readonly remedies?: boolean | undefined },
): Result<GroupDecision | NoRecord, InputError> {
  return answerInput(issues => {
    const opened = readDataset(dataset, issues)
    const { remedies } = readOptions(options, issues)
    if (remedies !== undefined && typeof remedies !== "boolean") {
      issues.push({ path: "options.remedies", message: `${describe(remedies)} is neither true nor false.` })
    }
    const itineraries = readGroupItinerary(request, issues)
    return () => finish(judgeGroup(opened, itineraries, remedies === true))
  })
}

const OPTIONS_FIELDS = /* @__PURE__ */ fieldsOf("remedies")

function readOptions(options: unknown, issues: Parameters<typeof readObject>[2]) {
  const given = readObject(options === undefined ? {} : options, "options", issues)
  refuseOtherFields(given, OPTIONS_FIELDS, "options.", issues)
  return given
}

/** Judges itineraries that were read, one for each traveller. */
export function* judgeGroup(
  dataset: Dataset,
  itineraries: readonly ReadItinerary[],
  withRemedies: boolean,
): InPieces<GroupDecision | NoRecord> {
  const work = workOfTraveller(itineraries.length)
  const travellers = withRemedies
    ? yield* judgeWithRemedies(dataset, itineraries, work)
    : judgeEach(dataset, itineraries, work)
  if ("kind" in travellers) return travellers
  const listAll = <Notice>(select: (decision: Decision) => readonly Notice[]): OfTraveller<Notice>[] =>
    travellers.flatMap((decision, traveller) => select(decision).map(notice => ({ traveller, ...notice })))
  return {
    kind: "decided",
    outcome: findWorst(travellers.map(({ outcome }) => outcome)),
    verdict: travellers.some(({ verdict }) => verdict === "blocked") ? "blocked" : "no_blocker_found",
    toDo: listAll(decision => decision.toDo),
    travellers,
    blockers: listAll(decision => decision.blockers),
    conditions: listAll(decision => decision.conditions),
    unknowns: listAll(decision => decision.unknowns),
    pairsCharged: travellers.reduce((sum, decision) => sum + decision.pairsCharged, 0),
    datasetVersion: dataset.version,
  }
}

function judgeEach(
  dataset: Dataset,
  itineraries: readonly ReadItinerary[],
  work: number,
): readonly Decision[] | NoRecord {
  const travellers: Decision[] = []
  for (const itinerary of itineraries) {
    const decision = judge(dataset, itinerary, { left: work })
    if (decision.kind !== "decided") return decision
    travellers.push(decision)
  }
  return travellers
}
