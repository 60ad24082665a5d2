/**
 * How is a request in wire format answered, step by step?
 *
 * First it is read, which is cheap, bounded and needs no dataset. Then its cost is computed, and only then it is judged: a service with
 * quotas checks the quota in between. The functions for one traveller and for several do all steps at once.
 */
import { codeKey } from "../codes.ts"
import { type Dataset, type NoRecord, UNKNOWN_INDEX } from "../dataset/open.ts"
import { describe, type InputError, type InputIssue, type Result, success } from "../errors.ts"
import {
  answerInput,
  fieldsOf,
  readDataset,
  readObject,
  refuseInput,
  refuseOtherFields,
} from "../requirement/question.ts"
import type { Decision, GroupDecision, OfTraveller } from "../trip/answer-fields.ts"
import { WORK_OF_DECISION, workOfTraveller } from "../trip/choose.ts"
import { refuseOtherClasses } from "../trip/documents.ts"
import { isRecordedPassport } from "../trip/journey.ts"
import { findWorst, judge } from "../trip/judge.ts"
import {
  type GroupItineraryRequest,
  listPassports,
  type ReadItinerary,
  type ReadRequest,
  readGroupItinerary,
  readRequest,
} from "../trip/request-fields.ts"
import { finish, type InPieces, judgeWithRemedies } from "./remedies.ts"

/**
 * Reads a request with wire names: `passport_expiry`, not `passportExpiry`. With `travellers` it is about several.
 *
 * Fails with `InputRefused`, which lists up to 50 mistakes, each with its path. Looks nothing up but the classes of held documents, if a dataset is
 * given.
 *
 * @example
 * ```ts
 * const read = readDecisionRequest({ passport: "FRA", stops: [{ destination: "THA", from: "2028-12-01", to: "2028-12-20" }] })
 * const answer = read.ok ? judgeRequest(embeddedDataset(), read.value) : null
 * answer?.kind // => "decided"
 * const refused = readDecisionRequest({ passport: "FRA", stops: [], passport_expirey: "2029-01-01" })
 * refused.ok ? [] : refused.error.issues.map(({ path }) => path) // => ["passport_expirey","stops"]
 * ```
 */
export function readDecisionRequest(request: unknown, dataset?: Dataset): Result<ReadRequest, InputError> {
  const issues: InputIssue[] = []
  const read = readRequest(request, issues)
  read.itineraries.forEach(({ held }, at) => {
    if (dataset !== undefined) refuseOtherClasses(dataset, held, issues, read.isGroup ? `travellers[${at}].` : "")
  })
  return issues.length === 0 ? success(read) : refuseInput(issues)
}

/** The cost of a request, in pairs, and the pairs that it looks up. */
export interface RequestCost {
  /** The number of the dataset's countries that are resolved, once for each traveller; 1 if nothing can be decided. */
  readonly pairsCharged: number
  readonly passports: readonly string[]
  readonly destinations: readonly string[]
}

const COST_OF_NOTHING: RequestCost = Object.freeze({ pairsCharged: 1, passports: [], destinations: [] })

/**
 * Computes the cost of a request before it is judged.
 *
 * @example
 * ```ts
 * const read = readDecisionRequest({ passport: "FRA", stops: [{ destination: "JPN", from: "2028-12-01", to: "2028-12-20" }] })
 * read.ok && costOfRequest(embeddedDataset(), read.value).pairsCharged // => 1
 * ```
 */
export function costOfRequest(dataset: Dataset, { itineraries }: ReadRequest): RequestCost {
  const passports = new Set<string>()
  let isDecided = true
  for (const itinerary of itineraries) {
    const held = listPassports(itinerary)
    for (const { passport } of held) passports.add(passport)
    isDecided &&= held.some(({ passport, passportKey }) =>
      isRecordedPassport(dataset.passportIndices[passportKey] as number, passport),
    )
  }
  const [first] = itineraries as readonly [ReadItinerary]
  if (!isDecided) return COST_OF_NOTHING
  const destinations = first.stops.map(({ destination }) => destination)
  const known = [...destinations, ...(first.transit ?? []).map(({ country }) => country)].filter(
    code => (dataset.destinationIndices[codeKey(code)] as number) < UNKNOWN_INDEX,
  )
  return { pairsCharged: new Set(known).size * itineraries.length, passports: [...passports], destinations }
}

/**
 * Judges a request that was read; with remedies unless `remedies` is false. Cannot fail.
 *
 * @example
 * ```ts
 * const read = readDecisionRequest({ passport: "FRA", stops: [{ destination: "JPN", from: "2028-12-01", to: "2028-12-20" }] })
 * read.ok && judgeRequest(embeddedDataset(), read.value).kind // => "decided"
 * ```
 */
export function judgeRequest(
  dataset: Dataset,
  request: ReadRequest,
  options: { readonly remedies?: boolean } = {},
): Decision | GroupDecision | NoRecord {
  return finish(judgeRequestInPieces(dataset, request, options))
}

/**
 * Judges like {@link judgeRequest} in pieces of a few milliseconds, so that a program may do something else in between.
 *
 * @example
 * ```ts
 * const read = readDecisionRequest({ passport: "FRA", stops: [{ destination: "JPN", from: "2028-12-01", to: "2028-12-20" }] })
 * const pieces = read.ok ? judgeRequestInPieces(embeddedDataset(), read.value) : null
 * let piece = pieces?.next()
 * while (piece?.done === false) piece = pieces?.next()
 * piece?.value?.kind // => "decided"
 * ```
 */
export function* judgeRequestInPieces(
  dataset: Dataset,
  { isGroup, itineraries }: ReadRequest,
  { remedies = true }: { readonly remedies?: boolean } = {},
): Generator<void, Decision | GroupDecision | NoRecord, void> {
  if (isGroup) return yield* judgeGroup(dataset, itineraries, remedies)
  const [itinerary] = itineraries as readonly [ReadItinerary]
  if (!remedies) return judge(dataset, itinerary)
  const decisions = yield* judgeWithRemedies(dataset, [itinerary], WORK_OF_DECISION)
  return "kind" in decisions ? decisions : (decisions[0] as Decision)
}

// ---- Several travellers

// May several travellers make one journey together?
//
// Each traveller is decided by himself, with his own passports, documents and earlier stays. The journey is blocked if
// any of them is blocked. Blockers, conditions and gaps are listed for all, each with its traveller. A remedy that
// changes the days of the journey blocks none of the others.

/**
 * Decides on one itinerary of 1 to 10 travellers.
 *
 * Fails with `InputRefused`, which lists up to 50 mistakes, each with its path, for example `travellers[1].passport`. The
 * answer's `kind` is `no_record` if none of a traveller's passports is in the dataset. It costs one decision for each
 * traveller; with `remedies`, the cost of `decideWithRemedies` for each, bounded for all of them together.
 *
 * @example
 * ```ts
 * const stops = [{ destination: "FRA", from: "2028-12-01", to: "2028-12-20" }]
 * const travellers = [{ passport: "USA", passportExpiry: "2029-02-01" }, { passport: "DEU", passportExpiry: "2029-02-01" }]
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
    itineraries.forEach(({ held }, at) => {
      refuseOtherClasses(opened, held, issues, `travellers[${at}].`)
    })
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
function* judgeGroup(
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
