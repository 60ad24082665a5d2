/**
 * What can a traveller do about a blocker?
 *
 * Leave by a day, enter on or after a day, shorten an earlier stop, use another passport, renew one, obtain a visa, change planes
 * elsewhere. Every remedy was tried: the journey, decided again with it applied, no longer has this blocker and is nowhere worse
 * (below). If several travel together and the remedy changes the days, this is true for the others too. A remedy for several
 * blockers is returned with the first of them. The longest stay and the earliest entry are found by bisection.
 *
 * The work for all blockers of a question is bounded (`WORK_OF_REMEDIES`), and each has an equal part of it. For a traveller with very many passports
 * and documents and many blockers, some remedies are not found.
 */

import {
  addCivilMonths,
  type EpochDay,
  FIRST_DAY,
  formatCivilDate,
  isEpochDay,
  LAST_DAY,
  parseCivilDate,
} from "../civil-date.ts"
import { effortRank } from "../codes.ts"
import { isPlainObject } from "../collections.ts"
import type { Dataset, NoRecord } from "../dataset/open.ts"
import type { InputError, InputIssue, Result } from "../errors.ts"
import { giveBack } from "../fields/read-fields.ts"
import { answerInput, readDataset } from "../requirement/question.ts"
import type { Blocker, Decision, Remedy, Step } from "../trip/answer-fields.ts"
import { WORK_OF_DECISION, WORK_OF_REMEDIES, type Work } from "../trip/choose.ts"
import { refuseOtherClasses } from "../trip/documents.ts"
import { judge } from "../trip/judge.ts"
import { weigh } from "../trip/reasons.ts"
import {
  type HeldDocument,
  ITINERARY,
  type ItineraryRequest,
  type ReadItinerary,
  readItinerary,
} from "../trip/request-fields.ts"

/** By how many days an entry is delayed at most: no usual window is longer. */
const MAX_DELAY_DAYS = 400
/** By how many days a delay exceeds the previous one at most. */
const DELAY_STEP_DAYS = 64
/** How many earlier stops may be shortened. */
const MAX_SHORTENED = 3

/**
 * Decides like {@link decide}, and adds the remedies of each blocker.
 *
 * Fails like `decide`. It costs some tens of decisions for each blocker, and nothing without one; the total cost is bounded.
 *
 * @example
 * ```ts
 * const trip = { passport: "USA", passportExpiry: "2029-02-01", stops: [{ destination: "FRA", from: "2028-12-01", to: "2028-12-20" }] }
 * const judged = decideWithRemedies(embeddedDataset(), trip)
 * judged.ok && judged.value.kind === "decided" && judged.value.blockers[0].remedies?.[0] // => { "action": "renew_before", "step": 0, "value": "2028-12-01", "passport": "USA" }
 * ```
 */
export function decideWithRemedies(
  dataset: Dataset,
  request: ItineraryRequest,
): Result<Decision | NoRecord, InputError> {
  return answerInput(issues => {
    const known = readDataset(dataset, issues)
    const itinerary = readItinerary(request, issues)
    refuseOtherClasses(known, itinerary.held, issues)
    return () => {
      const decisions = finish(judgeWithRemedies(known, [itinerary], WORK_OF_DECISION))
      return "kind" in decisions ? decisions : decisions[0]!
    }
  })
}

/** Work that may be interrupted after each decision. */
export type InPieces<Value> = Generator<void, Value, void>

/** Does all pieces of work at once. */
export function finish<Value>(pieces: InPieces<Value>): Value {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}

/**
 * Judges each traveller's request for one journey, with the remedies of the blockers. `work` is the limit of one
 * decision, `left` that of all remedies.
 */
export function* judgeWithRemedies(
  dataset: Dataset,
  itineraries: readonly ReadItinerary[],
  work: number,
  left: Work = { left: WORK_OF_REMEDIES },
): InPieces<readonly Decision[] | NoRecord> {
  const travellers: Judged[] = []
  let blockersLeft = 0
  for (const itinerary of itineraries) {
    const decision = judge(dataset, itinerary, { left: work })
    if (decision.kind !== "decided") return decision
    blockersLeft += decision.blockers.length
    travellers.push({ request: giveBack(ITINERARY, itinerary), decision })
    yield
  }
  const decisions: Decision[] = []
  for (const traveller of travellers) {
    const { decision } = traveller
    const search = new RemedySearch(dataset, traveller, travellers, work)
    const given = new Set<string>()
    const blockers: Blocker[] = []
    for (const blocker of decision.blockers) {
      const found = yield* search.find(blocker, left, left.left / blockersLeft--)
      const remedies = found.filter(remedy => {
        const key = keyOf(remedy)
        return !given.has(key) && given.add(key)
      })
      blockers.push({ ...blocker, remedies })
    }
    decisions.push(blockers.length === 0 ? decision : { ...decision, blockers })
  }
  return decisions
}

/** A traveller and his decision. */
interface Judged {
  readonly request: ItineraryRequest
  readonly decision: Decision
}

/** The result of trying a remedy: whether the blocker is gone, and whether it causes no other one. */
interface Trial {
  readonly isGone: boolean
  readonly helps: boolean
}

/** Remedies that apply to all who travel together. */
const CHANGES_DAYS: ReadonlySet<Remedy["action"]> = /* @__PURE__ */ new Set<Remedy["action"]>([
  "leave_by",
  "enter_from",
  "shorten",
])

const FAILED: Trial = { isGone: false, helps: false }

/** A blocker at a stop, not at a transit. */
interface BlockerAtStop extends Blocker {
  readonly step: number
}

class RemedySearch {
  readonly #dataset: Dataset
  readonly #request: ItineraryRequest
  readonly #decision: Decision
  /** Others who make the same journey. */
  readonly #others: readonly Judged[]
  readonly #workOfDecision: number
  #work: Work = { left: 0 }
  /** The remedies that were tried, with the decision; null if the request with the remedy is refused. */
  readonly #tried = new Map<string, Decision | null>()
  /** The work that is reserved for other blockers. */
  #reserved = 0

  constructor(dataset: Dataset, traveller: Judged, all: readonly Judged[], workOfDecision: number) {
    this.#dataset = dataset
    this.#request = traveller.request
    this.#decision = traveller.decision
    this.#others = all.filter(other => other !== traveller)
    this.#workOfDecision = workOfDecision
  }

  /** Finds the remedies of a blocker within a part of the remaining work. */
  *find(blocker: Blocker, work: Work, part: number): InPieces<readonly Remedy[]> {
    this.#work = work
    this.#reserved = work.left - part
    if (blocker.step === null) return yield* this.#changeElsewhere(blocker)
    return (yield* this.#findAtStop(blocker as BlockerAtStop)).map(remedy => this.#sayGap(remedy))
  }

  #sayGap(remedy: Remedy): Remedy {
    const gap = countGap(this.#dataset, this.#request, remedy) ?? 0
    return gap > 0 ? ({ ...remedy, gapDays: gap } as Remedy) : remedy
  }

  *#findAtStop(blocker: BlockerAtStop): InPieces<readonly Remedy[]> {
    const remedies: Remedy[] = []
    const { step, code } = blocker
    const isPassports = code.startsWith("passport")
    const isStay = code === "stay_exceeded" || code === "zone_stay_exceeded"
    if (isStay || (isPassports && code !== "passport_expired")) remedies.push(...(yield* this.#leaveEarlier(blocker)))
    if (isStay) remedies.push(...(yield* this.#shortenEarlier(blocker)))
    if (isStay || code === "no_admission") remedies.push(...(yield* this.#enterLater(blocker)))
    remedies.push(...(yield* this.#usePassport(blocker)))
    const { passport, passportKind } = this.#decision.steps[step]!
    const firstUse = this.#decision.steps.find(each => each.passport === passport && each.passportKind === passportKind)
    if (isPassports && firstUse !== undefined) {
      const kind = passportKind === null ? {} : { passportKind }
      const renewal: Remedy = { action: "renew_before", step, value: firstUse.from, passport, ...kind }
      if (yield* this.#has("helps", blocker, renewal)) remedies.push(renewal)
    }
    if (isStay) remedies.push(...(yield* this.#obtainVisa(blocker)))
    return remedies
  }

  // First another route, then the visa that the country issues for a transit.
  *#changeElsewhere(blocker: Blocker): InPieces<readonly Remedy[]> {
    const transit = blocker.transit!
    const { country, area } = this.#decision.transit[transit]!
    const visa: HeldDocument = { kind: "visa", issuer: country }
    const remedies: readonly Remedy[] = [
      { action: "avoid_transit", transit, value: country },
      { action: "obtain", step: null, value: area === "airside" ? { ...visa, type: "A" } : visa },
    ]
    const helping: Remedy[] = []
    for (const remedy of remedies) if (yield* this.#has("helps", blocker, remedy)) helping.push(remedy)
    return helping
  }

  *#try(blocker: Blocker, remedy: Remedy): InPieces<Trial> {
    const after = yield* this.#apply(remedy)
    if (after === null || after.blockers.some(other => isSameBlocker(other, blocker))) return FAILED
    const helps = isNoWorse(after, this.#decision) && countGap(this.#dataset, this.#request, remedy) !== null
    return { isGone: true, helps: helps && (yield* this.#troublesNobodyElse(remedy)) }
  }

  *#has(what: keyof Trial, blocker: Blocker, remedy: Remedy): InPieces<boolean> {
    return (yield* this.#try(blocker, remedy))[what]
  }

  // Blockers of one stop share remedies, so each is tried once.
  *#apply(remedy: Remedy): InPieces<Decision | null> {
    const key = keyOf(remedy)
    const known = this.#tried.get(key)
    if (known !== undefined) return known
    if (this.#work.left <= this.#reserved) return null
    const after = yield* this.#decide(applyRemedy(this.#request, remedy))
    this.#tried.set(key, after)
    return after
  }

  // A remedy that changes the days of the journey changes them for all travellers.
  *#troublesNobodyElse(remedy: Remedy): InPieces<boolean> {
    if (!CHANGES_DAYS.has(remedy.action)) return true
    for (const { request, decision } of this.#others) {
      const after = yield* this.#decide(applyRemedy(request, remedy))
      if (after === null || !isNoWorse(after, decision)) return false
    }
    return true
  }

  *#decide(request: ItineraryRequest): InPieces<Decision | null> {
    const work = { left: this.#workOfDecision }
    const issues: InputIssue[] = []
    const itinerary = readItinerary(request, issues)
    const decision = issues.length > 0 ? null : judge(this.#dataset, itinerary, work, false)
    this.#work.left -= this.#workOfDecision - work.left + workOfReading(request)
    yield
    return decision?.kind === "decided" ? decision : null
  }

  // Returns the least number that helps, between one below that fails and one above that helps.
  *#findLeast(failing: number, helping: number, helps: (value: number) => InPieces<boolean>): InPieces<number> {
    let [below, least] = [failing, helping]
    while (least - below > 1) {
      const middle = (below + least) >> 1
      if (yield* helps(middle)) least = middle
      else below = middle
    }
    return least
  }

  // Returns the greatest number that helps, if the least does.
  *#findMost(
    least: number,
    most: number,
    blocker: Blocker,
    remedyOf: (value: number) => Remedy,
  ): InPieces<readonly Remedy[]> {
    const helps = (value: number) => this.#has("helps", blocker, remedyOf(value))
    if (most < least || !(yield* helps(least))) return []
    return [remedyOf(-(yield* this.#findLeast(-most - 1, -least, value => helps(-value))))]
  }

  *#leaveEarlier(blocker: BlockerAtStop): InPieces<readonly Remedy[]> {
    const { step } = blocker
    const { from, to } = this.#request.stops[step]!
    if (to == null) return []
    return yield* this.#findMost(dayOf(from), dayOf(to) - 1, blocker, day => ({
      action: "leave_by",
      step,
      value: formatCivilDate(day),
    }))
  }

  *#shortenEarlier(blocker: BlockerAtStop): InPieces<readonly Remedy[]> {
    const { steps } = this.#decision
    const { destination, zoneStay } = steps[blocker.step]!
    let tried = 0
    for (let step = blocker.step - 1; step >= 0 && tried < MAX_SHORTENED; step--) {
      const earlier = steps[step]!
      const isInZone = zoneStay !== null && earlier.zoneStay?.zone === zoneStay.zone
      if (earlier.destination !== destination && !isInZone) continue
      tried++
      const found = yield* this.#findMost(1, (earlier.days ?? 0) - 1, blocker, value => ({
        action: "shorten",
        step,
        value,
      }))
      if (found.length > 0) return found
    }
    return []
  }

  // A longer delay means fewer counted days, but a passport or a document may end, and a rule may change. So delays are tried that double,
  // up to a step. Between the last that fails and the first that helps, the first day that helps is searched.
  *#enterLater(blocker: BlockerAtStop): InPieces<readonly Remedy[]> {
    const { step } = blocker
    const first = dayOf(this.#request.stops[step]!.from)
    const last = Math.min(MAX_DELAY_DAYS, LAST_DAY - first)
    const remedyOf = (delay: number): Remedy => ({
      action: "enter_from",
      step,
      value: formatCivilDate(first + delay),
    })
    if (last < 1 || countGap(this.#dataset, this.#request, remedyOf(1)) === null) return []
    let before = FAILED
    for (let tried = 0; tried < last; ) {
      const delay = Math.min(last, Math.max(8, tried + Math.min(tried, DELAY_STEP_DAYS)))
      const trial = yield* this.#try(blocker, remedyOf(delay))
      let since = tried
      if (trial.isGone && !before.isGone) {
        since = yield* this.#findLeast(tried, delay, day => this.#has("isGone", blocker, remedyOf(day)))
        if (yield* this.#has("helps", blocker, remedyOf(since))) return [remedyOf(since)]
      }
      if (trial.helps) {
        return [remedyOf(yield* this.#findLeast(since, delay, day => this.#has("helps", blocker, remedyOf(day))))]
      }
      before = trial
      tried = delay
    }
    return []
  }

  *#usePassport(blocker: BlockerAtStop): InPieces<readonly Remedy[]> {
    const { step } = blocker
    const { passport } = this.#request.stops[step]!
    if (passport == null) return []
    for (const other of this.#decision.passports) {
      const remedy: Remedy = { action: "use_passport", step, value: other.passport }
      if (other.passport !== passport && (yield* this.#has("helps", blocker, remedy))) return [remedy]
    }
    return []
  }

  // In a zone the zone's rule limits a short-stay visa, so a long-stay visa may help.
  *#obtainVisa(blocker: BlockerAtStop): InPieces<readonly Remedy[]> {
    const { step, code } = blocker
    const { destination, zoneStay } = this.#decision.steps[step]!
    const visa: HeldDocument = { kind: "visa", issuer: destination }
    const longStay: HeldDocument = { ...visa, type: "D" }
    const visas = code === "zone_stay_exceeded" ? [longStay] : zoneStay === null ? [visa] : [visa, longStay]
    for (const value of visas) {
      const permission: Remedy = { action: "obtain", step, value }
      if (yield* this.#has("helps", blocker, permission)) return [permission]
    }
    return []
  }
}

const dayOf = (date: string) => parseCivilDate(date) ?? 0

// Equal remedies have one key. A visa, a renewed passport or another route serves wherever it is needed.
function keyOf(remedy: Remedy): string {
  const isAnywhere = !CHANGES_DAYS.has(remedy.action) && remedy.action !== "use_passport"
  return JSON.stringify(isAnywhere ? { ...remedy, step: null, transit: null } : remedy)
}

// The work of reading and judging a request, without the choice among ways.
function workOfReading({ stops, transit, held, earlierStays }: ItineraryRequest): number {
  const stays = stops.length + (transit?.length ?? 0) + (earlierStays?.length ?? 0) + (held?.length ?? 0)
  return 200 + 20 * stays
}

// ---- Judging one remedy

// Does a remedy make anything worse?
//
// With a remedy applied, there must be no new blocker, no stop may need more or something else to be obtained or checked, and nothing that
// decides an entry may become unknown. A remedy may not depend on an exit that was not planned: between consecutive stops inside a country
// or a zone, a gap would be a day outside that only the remedy invents.

/** Says whether two blockers are the same. */
function isSameBlocker(a: Blocker, b: Blocker): boolean {
  return (
    a.code === b.code &&
    a.step === b.step &&
    a.zone === b.zone &&
    (a.step !== null || a.params.destination === b.params.destination)
  )
}

/** Says whether a decision is nowhere worse than another one on the same stops. */
function isNoWorse(after: Decision, before: Decision): boolean {
  // A stay can be too long for a visa in two ways, which are of one code: by its last day and by its days.
  const countSame = ({ blockers }: Decision, blocker: Blocker) =>
    blockers.filter(other => isSameBlocker(other, blocker)).length
  if (!after.blockers.every(each => countSame(after, each) <= countSame(before, each))) return false
  if (after.steps.some((step, at) => isHarder(step, before.steps[at]!))) return false
  const nameAsked = ({ step, code, params }: Decision["conditions"][number]) => `${step ?? params.destination} ${code}`
  const asked = new Set(before.conditions.map(nameAsked))
  if (!after.conditions.every(each => asked.has(nameAsked(each)))) return false
  const open = new Set(listOpen(before))
  return listOpen(after).every(each => open.has(each))
}

function isHarder({ requirement: after }: Step, { requirement: before }: Step): boolean {
  if (before.status === "unknown") return false
  return after.status === "unknown" || effortRank(after.value) > effortRank(before.value)
}

// A transit is identified by its country, because its index may change.
function listOpen({ unknowns, transit }: Decision): readonly string[] {
  return unknowns
    .filter(({ code }) => weigh(code) === "unknown")
    .map(({ field, step, code }) => {
      const named = field.replace(/^transit\[(\d+)\]/, (_, place: string) => transit[Number(place)]?.country ?? place)
      return `${step} ${named} ${code}`
    })
}

/** Counts the days between two stops that a remedy leaves open; null if they would be an invented exit. */
function countGap(dataset: Dataset, { stops }: ItineraryRequest, remedy: Remedy): number | null {
  const pair = placeOfGap(remedy)
  if (pair === null) return 0
  const [before, after] = [stops[pair - 1], stops[pair]]
  if (before === undefined || after === undefined) return 0
  if (before.to == null) return null
  const left = dayOf(before.to)
  const next = dayOf(after.from)
  const days =
    remedy.action === "enter_from"
      ? dayOf(remedy.value) - next
      : left - (remedy.action === "shorten" ? dayOf(before.from) + remedy.value - 1 : dayOf(remedy.value as string))
  const follows = next <= left + 1
  return follows && days > 0 && isInside(dataset, before.destination, after.destination) ? null : days
}

// Returns the index of the stop that begins after the gap.
function placeOfGap(remedy: Remedy): number | null {
  if (remedy.action === "enter_from") return remedy.step
  return remedy.action === "leave_by" || remedy.action === "shorten" ? remedy.step + 1 : null
}

function isInside({ zones }: Dataset, one: string, other: string): boolean {
  const has = (members: Dataset["zones"][number]["members"], destination: string) =>
    members.some(({ code }) => code === destination)
  return one === other || zones.some(({ members }) => has(members, one) && has(members, other))
}

// ---- Applying a remedy

// Which request results from applying a remedy? The search for remedies applies them with this function, so a program
// makes exactly the change that was tried.

/** The assumed validity of a renewed passport. */
const RENEWED_MONTHS = 120

/**
 * Returns the request with a remedy applied. Cannot fail: a remedy that does not fit the request, such as one for a
 * stop or a passport that it does not have, leaves it unchanged.
 *
 * @example
 * ```ts
 * const stops = [{ destination: "FRA", from: "2028-12-01", to: "2028-12-20" }]
 * applyRemedy({ passport: "USA", stops }, { action: "leave_by", step: 0, value: "2028-12-10" })?.stops[0].to // => "2028-12-10"
 * ```
 */
export function applyRemedy(request: ItineraryRequest, remedy: Remedy): ItineraryRequest {
  try {
    return apply(request, remedy)
  } catch {
    // Only a getter or a proxy of the caller can throw.
    return request
  }
}

function apply(request: ItineraryRequest, remedy: Remedy): ItineraryRequest {
  if (!isPlainObject(remedy) || !isPlainObject(request)) return request
  const { held, transit } = request as ItineraryRequest
  switch (remedy.action) {
    case "obtain":
      return { ...request, held: [...(Array.isArray(held) ? held : []), remedy.value] }
    case "avoid_transit":
      return Array.isArray(transit)
        ? { ...request, transit: transit.filter(each => codeOf(each) !== remedy.value) }
        : request
    default:
      return applyAtStop(request, remedy)
  }
}

function codeOf(transit: unknown): unknown {
  return isPlainObject(transit) ? transit.country : transit
}

function applyAtStop(
  request: ItineraryRequest,
  remedy: Exclude<Remedy, { readonly action: "obtain" | "avoid_transit" }>,
): ItineraryRequest {
  const { stops } = request
  const { step } = remedy
  const stop = Array.isArray(stops) ? (stops[step] as unknown) : null
  if (!isPlainObject(stop)) return request
  const changeStop = (change: object) => ({
    ...request,
    stops: stops.map((each, index) => (index === step ? { ...each, ...change } : each)),
  })
  switch (remedy.action) {
    case "leave_by":
      return changeStop({ to: remedy.value })
    case "shorten": {
      const to = moveDate(stop.from, remedy.value - 1)
      return to === null ? request : changeStop({ to })
    }
    case "use_passport":
      return changeStop({ passport: remedy.value })
    case "enter_from":
      return enterFrom(request, step, remedy.value)
    case "renew_before":
      return renew(request, remedy, parseCivilDate(remedy.value))
    default:
      return request
  }
}

function moveDate(date: unknown, days: number): string | null {
  const day = parseCivilDate(date)
  return day === null || !isEpochDay(day + days) ? null : formatCivilDate(day + days)
}

// Moves a stop and everything after it by the same number of days.
function enterFrom(request: ItineraryRequest, step: number, from: string): ItineraryRequest {
  const [day, firstDay] = [parseCivilDate(from), parseCivilDate(request.stops[step]?.from)]
  if (day === null || firstDay === null) return request
  const stops: ItineraryRequest["stops"][number][] = []
  for (const [index, stop] of request.stops.entries()) {
    if (index < step) {
      stops.push(stop)
      continue
    }
    if (!isPlainObject(stop)) return request
    const [movedFrom, movedTo] = [stop.from, stop.to].map(date => moveDate(date, day - firstDay))
    // The last stop may have no last day.
    if (movedFrom == null || (movedTo == null && stop.to != null)) return request
    stops.push({ ...stop, from: movedFrom, ...(movedTo == null ? {} : { to: movedTo }) })
  }
  return { ...request, stops }
}

function renew(
  request: ItineraryRequest,
  { passport, passportKind }: Extract<Remedy, { readonly action: "renew_before" }>,
  beforeDay: EpochDay | null,
): ItineraryRequest {
  if (beforeDay === null || beforeDay === FIRST_DAY) return request
  const dates = {
    passportIssued: formatCivilDate(beforeDay - 1),
    passportExpiry: formatCivilDate(Math.min(LAST_DAY, addCivilMonths(beforeDay, RENEWED_MONTHS) - 2)),
  }
  if (request.passports == null) return request.passport === passport ? { ...request, ...dates } : request
  if (!Array.isArray(request.passports)) return request
  const passports = request.passports.map(held => {
    const given = typeof held === "string" ? { passport: held } : held
    const isMeant = given?.passport === passport && (given.passportKind ?? "ordinary") === (passportKind ?? "ordinary")
    return isMeant ? { ...given, ...dates } : held
  })
  return { ...request, passports }
}
