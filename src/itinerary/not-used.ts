/**
 * Which given fields have no effect on a decision?
 *
 * The journey is judged again without each of them, and a field has no effect if every finding, blocker and gap is the same without it, and
 * what is said of documents, the residence and the purpose; remedies are not compared. Nothing here knows which rule reads which field. Fields
 * are left out one after another, so the findings are the same without all that are listed: of two equal stays only one is. Not tried are
 * fields whose effect a decision shows (the passport and the last day of a stop, the area of a transit), and those of which it says so
 * itself: held documents, the residence and the purpose.
 */
import type { Dataset } from "../dataset/open.ts"
import { isSame, WORK_OF_DECISION, type Work } from "../trip/choose.ts"
import { judge, omitGiven } from "../trip/judge.ts"
import { PASSPORT, type ReadItinerary, type ReadRequest } from "../trip/request-fields.ts"
import type { InPieces } from "./remedies.ts"

/** What is left out, and the journey without it. */
type Without = readonly [path: string, leaveOut: (journey: ReadItinerary) => ReadItinerary]
type Fields = Readonly<Record<string, unknown>>
type ListName = "passports" | "stops" | "transit"

const OF_PASSPORT = /* @__PURE__ */ Object.keys(PASSPORT).filter(name => name !== "passport")

// A code and a day have parsed forms beside them.
const without = <Given extends object>(given: Given, name: string): Given => ({
  ...given,
  ...Object.fromEntries([name, `${name}Day`, `${name}Key`].flatMap(each => (each in given ? [[each, null]] : []))),
})

// The kind tells two passports of one state apart: without it they would be one, given twice.
const isTold = (each: object, field: string, { passports }: ReadItinerary) =>
  field === "passportKind" && passports?.some(other => other !== each && other.passport === (each as Fields).passport)

function listFields(journey: ReadItinerary, name: ListName, fields: readonly string[]): readonly Without[] {
  return (journey[name] ?? []).flatMap((each, place) =>
    fields
      .filter(field => (each as unknown as Fields)[field] !== null && !isTold(each, field, journey))
      .map((field): Without => {
        const leaveOut = (of: ReadItinerary) => {
          const list = (of[name] as readonly object[]).map((one, at) => (at === place ? without(one, field) : one))
          return { ...of, [name]: list }
        }
        return [`${name}[${place}].${field}`, leaveOut]
      }),
  )
}

function listStays({ earlierStays }: ReadItinerary): readonly Without[] {
  return (earlierStays ?? []).map((stay, place): Without => {
    const leaveOut = (of: ReadItinerary) => ({
      ...of,
      earlierStays: of.earlierStays!.filter(each => each !== stay),
    })
    return [`earlierStays[${place}]`, leaveOut]
  })
}

function listGiven(journey: ReadItinerary): readonly Without[] {
  // The expiry of the only passport is always judged.
  const alone = OF_PASSPORT.filter(name => name !== "passportExpiry")
  return [
    ...alone
      .filter(name => (journey as unknown as Fields)[name] !== null)
      .map((name): Without => [name, of => without(of, name)]),
    ...listFields(journey, "passports", OF_PASSPORT),
    ...listFields(journey, "stops", ["by"]),
    ...listFields(journey, "transit", ["by"]),
    ...listStays(journey),
  ]
}

/**
 * Lists for each traveller the given fields without which the findings are the same, as paths with the engine's names. Cannot fail.
 *
 * It works in pieces, as `judgeRequestInPieces` does, and costs one decision for each given field, up to the work of one large decision;
 * fields beyond it are not listed. Held documents are not among them, because a decision lists their stops.
 *
 * @example
 * ```ts
 * const stops = [{ destination: "GBR", from: "2028-12-01", to: "2028-12-20" }]
 * const read = readDecisionRequest({ passport: "FRA", passport_identity_number: true, stops })
 * const pieces = read.ok ? listNotUsedInPieces(embeddedDataset(), read.value) : null
 * let piece = pieces?.next()
 * while (piece?.done === false) piece = pieces?.next()
 * piece?.value // => [["passportIdentityNumber"]]
 * ```
 */
export function* listNotUsedInPieces(
  dataset: Dataset,
  { itineraries }: ReadRequest,
): InPieces<readonly (readonly string[])[]> {
  const lists: (readonly string[])[] = []
  const budget: Work = { left: WORK_OF_DECISION }
  for (const itinerary of itineraries) lists.push(yield* listOfOne(dataset, itinerary, budget))
  return lists
}

function* listOfOne(dataset: Dataset, given: ReadItinerary, budget: Work): InPieces<readonly string[]> {
  const { held, residence, purpose } = given
  const documents = held?.length ?? 0
  const judgeOnce = (of: ReadItinerary, saysUnused: boolean) => {
    const work = { left: WORK_OF_DECISION }
    const decision = judge(dataset, of, work, saysUnused)
    const stays = of.stops.length + (of.transit?.length ?? 0) + (of.earlierStays?.length ?? 0)
    // What changes nothing is found by judging with each document, with the residence, and without any and without the purpose.
    const times = saysUnused ? documents + 4 : 1
    budget.left -= WORK_OF_DECISION - work.left + WORK_OF_READING * (10 + stays) * times
    return decision.kind === "decided" ? omitGiven(decision) : decision
  }
  const { notUsed, less } = yield* leaveOutAll(given, budget, of => judgeOnce(of, false))
  if (notUsed.length === 0 || (documents === 0 && residence === null && purpose === null)) return notUsed
  yield
  // A field may make a document count, or make up for it. So the same documents have to change nothing without all that is listed.
  if (isSame(judgeOnce(given, true), judgeOnce(less, true))) return notUsed
  return (yield* leaveOutAll(given, budget, of => judgeOnce(of, true))).notUsed
}

/** The fields that were left out, and the journey without them. */
interface LeftOut {
  readonly notUsed: readonly string[]
  readonly less: ReadItinerary
}

function* leaveOutAll(given: ReadItinerary, budget: Work, judgeOnce: (of: ReadItinerary) => object): InPieces<LeftOut> {
  const notUsed: string[] = []
  let decision: object | undefined
  let less = given
  for (const [path, leaveOut] of listGiven(given)) {
    if (budget.left <= 0) break
    decision ??= judgeOnce(given)
    yield
    const tried = leaveOut(less)
    if (!isSame(decision, judgeOnce(tried))) continue
    less = tried
    notUsed.push(path)
  }
  return { notUsed, less }
}

const WORK_OF_READING = 20
