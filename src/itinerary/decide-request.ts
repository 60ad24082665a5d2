/**
 * How is a request in wire format answered, step by step?
 *
 * First it is read, which is cheap, bounded and needs no dataset. Then its cost is computed, and only then it is judged: a service with
 * quotas checks the quota in between. The functions for one traveller and for several do all steps at once.
 */
import { codeKey } from "../codes.ts"
import { type Dataset, type NoRecord, UNKNOWN_INDEX } from "../dataset/open.ts"
import { type InputError, type InputIssue, type Result, success } from "../errors.ts"
import { refuseInput } from "../requirement/question.ts"
import { isRecordedPassport } from "../trip/journey.ts"
import { judge } from "../trip/judge.ts"
import type { Decision, GroupDecision } from "./answer-fields.ts"
import { judgeGroup } from "./decide-group.ts"
import { finish, judgeWithRemedies } from "./remedies.ts"
import { listPassports, type ReadItinerary, type ReadRequest, readRequest } from "./request-fields.ts"
import { WORK_OF_DECISION } from "./work.ts"

/**
 * Reads a request with wire names: `passport_expiry`, not `passportExpiry`. With `travellers` it is about several.
 *
 * Fails with `InputRefused`, which lists up to 50 mistakes, each with its path. Looks nothing up.
 *
 * @example
 * ```ts
 * const read = readDecisionRequest({ passport: "FRA", stops: [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }] })
 * const answer = read.ok ? judgeRequest(embeddedDataset(), read.value) : null
 * answer?.kind // => "decided"
 * const refused = readDecisionRequest({ passport: "FRA", stops: [], passport_expirey: "2027-01-01" })
 * refused.ok ? [] : refused.error.issues.map(({ path }) => path) // => ["passport_expirey","stops"]
 * ```
 */
export function readDecisionRequest(request: unknown): Result<ReadRequest, InputError> {
  const issues: InputIssue[] = []
  const read = readRequest(request, issues)
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
 * const read = readDecisionRequest({ passport: "FRA", stops: [{ destination: "JPN", from: "2026-12-01", to: "2026-12-20" }] })
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
 * const read = readDecisionRequest({ passport: "FRA", stops: [{ destination: "JPN", from: "2026-12-01", to: "2026-12-20" }] })
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
 * const read = readDecisionRequest({ passport: "FRA", stops: [{ destination: "JPN", from: "2026-12-01", to: "2026-12-20" }] })
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
