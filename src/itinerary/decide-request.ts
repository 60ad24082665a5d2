/**
 * How is a request of the wire answered, step by step?
 *
 * It is read (cheap, bounded, without a dataset), what it costs is known, and only then is it judged: a caller that counts requests checks the
 * quota in between. The functions of one traveller and of several do the same at once.
 */
import { codeKey } from "../codes.ts"
import { type Dataset, type NoRecord, UNKNOWN_SLOT } from "../dataset/open.ts"
import { type InputError, type InputIssue, type Result, success } from "../errors.ts"
import { refuseInput } from "../requirement/question.ts"
import type { Decision, GroupDecision } from "./answer-fields.ts"
import { judge } from "./decide.ts"
import { judgeGroup } from "./decide-group.ts"
import { judgeWithRemedies } from "./remedies.ts"
import { listPassports, type ReadItinerary, type ReadRequest, readRequest } from "./request-fields.ts"
import { isRecordedPassport } from "./traveller-state.ts"
import { WORK_OF_DECISION } from "./work.ts"

/**
 * Reads a request with the names of the wire: `passport_expiry`, not `passportExpiry`; with `travellers` it is about several.
 *
 * Fails with `InputRefused`, which lists every mistake with its path. Looks nothing up.
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

/** What a request asks for: pairs to be counted, and what is looked up. */
export interface RequestCost {
  /** The countries of the dataset that are resolved, once for each traveller; 1 where nothing can be decided. */
  readonly pairsCharged: number
  readonly passports: readonly string[]
  readonly destinations: readonly string[]
}

const COST_OF_NOTHING: RequestCost = Object.freeze({ pairsCharged: 1, passports: [], destinations: [] })

/**
 * Says what a request costs, before it is judged.
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
      isRecordedPassport(dataset.passportSlots[passportKey] as number, passport),
    )
  }
  const [first] = itineraries as readonly [ReadItinerary]
  if (!isDecided) return COST_OF_NOTHING
  const destinations = first.stops.map(({ destination }) => destination)
  const known = [...destinations, ...(first.transit ?? []).map(({ country }) => country)].filter(
    code => (dataset.destinationSlots[codeKey(code)] as number) < UNKNOWN_SLOT,
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
  { isGroup, itineraries }: ReadRequest,
  { remedies = true }: { readonly remedies?: boolean } = {},
): Decision | GroupDecision | NoRecord {
  if (isGroup) return judgeGroup(dataset, itineraries, remedies)
  const [itinerary] = itineraries as readonly [ReadItinerary]
  if (!remedies) return judge(dataset, itinerary)
  const decisions = judgeWithRemedies(dataset, [itinerary], WORK_OF_DECISION)
  return "kind" in decisions ? decisions : (decisions[0] as Decision)
}
