/**
 * What can a traveller do about what blocks a journey?
 *
 * Leave by a day, enter no earlier than a day, shorten an earlier stop, use another passport, renew one, obtain a visa. Nothing is offered
 * that was not tried: a remedy is one only when the journey, decided again with it applied, has this blocker no more and no other in its
 * place; where several travel together and it changes the days, it blocks none of the others either. Days are searched by halving, the
 * longest stay and the earliest entry that help.
 *
 * What may be done for all blockers of a question is bounded (work.ts), and each has an equal part of it: of a traveller with very many
 * passports and documents who is blocked everywhere, some remedies are not found.
 */
import { type EpochDay, FIRST_DAY, formatCivilDate, isEpochDay, LAST_DAY, parseCivilDate } from "../civil-date.ts"
import { addCivilMonths } from "../civil-months.ts"
import type { Dataset, NoRecord } from "../dataset/open.ts"
import type { InputError, InputIssue, Result } from "../errors.ts"
import { giveBack } from "../fields/give-back.ts"
import type { HeldDocument } from "../requirement/held-documents.ts"
import { answerInput, isPlainObject, readDataset } from "../requirement/question.ts"
import type { Blocker, Decision, Remedy } from "./answer-fields.ts"
import { judge } from "./decide.ts"
import { ITINERARY, type ItineraryRequest, type ReadItinerary, readItinerary } from "./request-fields.ts"
import { WORK_OF_DECISION, WORK_OF_REMEDIES, type Work } from "./work.ts"

/** How many days later an entry is tried at most: no window that is common is longer. */
const MAX_DELAY_DAYS = 400
/** Which delays are tried first, those between them where one of these frees the stay. */
const DELAY_STEP_DAYS = 8
/** How many earlier stops are tried to be shortened. */
const MAX_SHORTENED = 3
/** How long a renewed passport is taken to be valid. */
const RENEWED_MONTHS = 120

/**
 * Decides as {@link decide} does, and gives each blocker the remedies that help against it.
 *
 * Fails as it does. Costs some tens of decisions a blocker, and nothing where there is none; what all of them together may cost is bounded.
 *
 * @example
 * ```ts
 * const trip = { passport: "USA", passportExpiry: "2027-02-01", stops: [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }] }
 * const judged = decideWithRemedies(embeddedDataset(), trip)
 * judged.ok && judged.value.kind === "decided" && judged.value.blockers[0].remedies?.[0] // => { "action": "renew_before", "step": 0, "value": "2026-12-01", "passport": "USA" }
 * ```
 */
export function decideWithRemedies(
  dataset: Dataset,
  request: ItineraryRequest,
): Result<Decision | NoRecord, InputError> {
  return answerInput(issues => {
    const known = readDataset(dataset, issues)
    const itinerary = readItinerary(request, issues)
    return () => {
      const decisions = judgeWithRemedies(known, [itinerary], WORK_OF_DECISION)
      return "kind" in decisions ? decisions : decisions[0]!
    }
  })
}

/**
 * Judges what each of some travellers asks of one journey, with the remedies of their blockers; `work` is what may be done for one
 * decision, `left` for all remedies.
 */
export function judgeWithRemedies(
  dataset: Dataset,
  itineraries: readonly ReadItinerary[],
  work: number,
  left: Work = { left: WORK_OF_REMEDIES },
): readonly Decision[] | NoRecord {
  const travellers: Judged[] = []
  let blockersLeft = 0
  for (const itinerary of itineraries) {
    const decision = judge(dataset, itinerary, { left: work })
    if (decision.kind !== "decided") return decision
    blockersLeft += decision.blockers.length
    travellers.push({ request: giveBack(ITINERARY, itinerary, "engine"), decision })
  }
  return travellers.map(traveller => {
    const { decision } = traveller
    if (decision.blockers.length === 0) return decision
    const others = travellers.filter(other => other !== traveller)
    const search = new RemedySearch(dataset, traveller, others, work)
    const blockers = decision.blockers.map(blocker => ({
      ...blocker,
      remedies: search.find(blocker, left, left.left / blockersLeft--),
    }))
    return { ...decision, blockers }
  })
}

/**
 * Changes a request as a remedy says. Cannot fail: what is no remedy of the request, such as one for a stop or a passport that it has not,
 * leaves it as it is.
 *
 * @example
 * ```ts
 * const stops = [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }]
 * applyRemedy({ passport: "USA", stops }, { action: "leave_by", step: 0, value: "2026-12-10" })?.stops[0].to // => "2026-12-10"
 * ```
 */
export function applyRemedy(request: ItineraryRequest, remedy: Remedy): ItineraryRequest {
  if (!isPlainObject(remedy) || !isPlainObject(request)) return request
  const { stops, held } = request as ItineraryRequest
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
    case "obtain":
      return { ...request, held: [...(Array.isArray(held) ? held : []), remedy.value] }
    case "renew_before":
      return renew(request, remedy.passport, parseCivilDate(remedy.value))
    default:
      return request
  }
}

function moveDate(date: unknown, days: number): string | null {
  const day = parseCivilDate(date)
  return day === null || !isEpochDay(day + days) ? null : formatCivilDate(day + days)
}

// Everything from a stop on is as many days later.
function enterFrom(request: ItineraryRequest, step: number, from: string): ItineraryRequest {
  const [day, firstDay] = [parseCivilDate(from), parseCivilDate(request.stops[step]?.from)]
  if (day === null || firstDay === null) return request
  const stops: ItineraryRequest["stops"][number][] = []
  for (const [index, stop] of request.stops.entries()) {
    if (index < step) {
      stops.push(stop)
      continue
    }
    const moved = isPlainObject(stop) ? [stop.from, stop.to].map(date => moveDate(date, day - firstDay)) : [null]
    if (moved.includes(null)) return request
    stops.push({ ...stop, from: moved[0]!, to: moved[1]! })
  }
  return { ...request, stops }
}

function renew(request: ItineraryRequest, passport: string, beforeDay: EpochDay | null): ItineraryRequest {
  if (beforeDay === null || beforeDay === FIRST_DAY) return request
  const dates = {
    passportIssued: formatCivilDate(beforeDay - 1),
    passportExpiry: formatCivilDate(Math.min(LAST_DAY, addCivilMonths(beforeDay, RENEWED_MONTHS) - 2)),
  }
  if (request.passports == null) return request.passport === passport ? { ...request, ...dates } : request
  if (!Array.isArray(request.passports)) return request
  const passports = request.passports.map(held => {
    const given = typeof held === "string" ? { passport: held } : held
    return given?.passport === passport ? { ...given, ...dates } : held
  })
  return { ...request, passports }
}

/** A traveller with the decision on him. */
interface Judged {
  readonly request: ItineraryRequest
  readonly decision: Decision
}

/** What trying a remedy shows: whether the blocker is gone, and whether no other has come in its place. */
interface Trial {
  readonly isGone: boolean
  readonly helps: boolean
}

const FAILED: Trial = { isGone: false, helps: false }

const isSame = (a: Blocker, b: Blocker) => a.code === b.code && a.step === b.step && a.zone === b.zone

class RemedySearch {
  readonly #dataset: Dataset
  readonly #request: ItineraryRequest
  readonly #decision: Decision
  /** Those who make the same journey. */
  readonly #others: readonly Judged[]
  readonly #workOfDecision: number
  #work: Work = { left: 0 }
  /** What has to be left for other blockers. */
  #reserved = 0

  constructor(dataset: Dataset, { request, decision }: Judged, others: readonly Judged[], workOfDecision: number) {
    this.#dataset = dataset
    this.#request = request
    this.#decision = decision
    this.#others = others
    this.#workOfDecision = workOfDecision
  }

  /** Finds what helps against a blocker with no more than a part of the work that is left. */
  find(blocker: Blocker, work: Work, part: number): readonly Remedy[] {
    this.#work = work
    this.#reserved = work.left - part
    const remedies: Remedy[] = []
    const { step, code } = blocker
    const isPassports = code.startsWith("passport")
    const isStay = code === "stay_exceeded" || code === "zone_stay_exceeded"
    if (isStay || (isPassports && code !== "passport_expired")) remedies.push(...this.#leaveEarlier(blocker))
    if (isStay) remedies.push(...this.#shortenEarlier(blocker))
    if (isStay || code === "no_admission") remedies.push(...this.#enterLater(blocker))
    remedies.push(...this.#usePassport(blocker))
    const passport = this.#decision.steps[step]?.passport
    const firstUse = this.#decision.steps.find(each => each.passport === passport)
    if (isPassports && firstUse !== undefined && passport !== undefined) {
      const renewal: Remedy = { action: "renew_before", step, value: firstUse.from, passport }
      if (this.#try(blocker, renewal).helps) remedies.push(renewal)
    }
    if (isStay) remedies.push(...this.#obtainVisa(blocker))
    return remedies
  }

  #try(blocker: Blocker, remedy: Remedy): Trial {
    if (this.#work.left <= this.#reserved) return FAILED
    const after = this.#decide(applyRemedy(this.#request, remedy))
    if (after === null || after.some(other => isSame(other, blocker))) return FAILED
    const helps = after.length < this.#decision.blockers.length
    return { isGone: true, helps: helps && this.#blocksNobodyElse(remedy) }
  }

  // What changes the days of the journey changes them for all.
  #blocksNobodyElse(remedy: Remedy): boolean {
    if (remedy.action === "use_passport" || remedy.action === "renew_before" || remedy.action === "obtain") return true
    return this.#others.every(({ request, decision }) => {
      const after = this.#decide(applyRemedy(request, remedy))
      return after?.every(blocker => decision.blockers.some(other => isSame(other, blocker))) === true
    })
  }

  #decide(request: ItineraryRequest): readonly Blocker[] | null {
    const work = { left: this.#workOfDecision }
    const issues: InputIssue[] = []
    const itinerary = readItinerary(request, issues)
    const decision = issues.length > 0 ? null : judge(this.#dataset, itinerary, work)
    this.#work.left -= this.#workOfDecision - work.left + workOfReading(request)
    return decision?.kind === "decided" ? decision.blockers : null
  }

  // The least of some numbers, the greatest of which helps, with those below it failing and those above it helping.
  #findLeast(failing: number, helping: number, helps: (value: number) => boolean): number {
    let [below, least] = [failing, helping]
    while (least - below > 1) {
      const middle = (below + least) >> 1
      if (helps(middle)) least = middle
      else below = middle
    }
    return least
  }

  // The most of some numbers that helps, when the least does.
  #findMost(least: number, most: number, blocker: Blocker, remedyOf: (value: number) => Remedy): readonly Remedy[] {
    const helps = (value: number) => this.#try(blocker, remedyOf(value)).helps
    if (most < least || !helps(least)) return []
    return [remedyOf(-this.#findLeast(-most - 1, -least, value => helps(-value)))]
  }

  #leaveEarlier(blocker: Blocker): readonly Remedy[] {
    const { step } = blocker
    const { from, to } = this.#request.stops[step]!
    return this.#findMost(dayOf(from), dayOf(to) - 1, blocker, day => ({
      action: "leave_by",
      step,
      value: formatCivilDate(day),
    }))
  }

  #shortenEarlier(blocker: Blocker): readonly Remedy[] {
    const { steps } = this.#decision
    const { destination, zoneStay } = steps[blocker.step]!
    let tried = 0
    for (let step = blocker.step - 1; step >= 0 && tried < MAX_SHORTENED; step--) {
      const earlier = steps[step]!
      const isInZone = zoneStay !== null && earlier.zoneStay?.zone === zoneStay.zone
      if (earlier.destination !== destination && !isInZone) continue
      tried++
      const found = this.#findMost(1, earlier.days - 1, blocker, value => ({ action: "shorten", step, value }))
      if (found.length > 0) return found
    }
    return []
  }

  // The longer the delay, the fewer days count; but a passport or a document may end, and a rule may change. So delays are tried one after
  // the other, and where one frees the stay, the first day on which it does so.
  #enterLater(blocker: Blocker): readonly Remedy[] {
    const { step } = blocker
    const first = dayOf(this.#request.stops[step]!.from)
    const last = Math.min(MAX_DELAY_DAYS, LAST_DAY - first)
    const remedyOf = (delay: number): Remedy => ({
      action: "enter_from",
      step,
      value: formatCivilDate(first + delay),
    })
    const tryDelay = (delay: number) => this.#try(blocker, remedyOf(delay))
    let before = FAILED
    for (let tried = 0; tried < last; ) {
      const delay = Math.min(last, tried + DELAY_STEP_DAYS)
      const trial = tryDelay(delay)
      let since = tried
      if (trial.isGone && !before.isGone) {
        since = this.#findLeast(tried, delay, day => tryDelay(day).isGone)
        if (tryDelay(since).helps) return [remedyOf(since)]
      }
      if (trial.helps) return [remedyOf(this.#findLeast(since, delay, day => tryDelay(day).helps))]
      before = trial
      tried = delay
    }
    return []
  }

  #usePassport(blocker: Blocker): readonly Remedy[] {
    const { step } = blocker
    const { passport } = this.#request.stops[step]!
    if (passport == null) return []
    for (const other of this.#decision.passports) {
      const remedy: Remedy = { action: "use_passport", step, value: other.passport }
      if (other.passport !== passport && this.#try(blocker, remedy).helps) return [remedy]
    }
    return []
  }

  // In a zone a short visa is bound by the zone's rule, so that a long-stay visa may be what helps.
  #obtainVisa(blocker: Blocker): readonly Remedy[] {
    const { step, code } = blocker
    const { destination, zoneStay } = this.#decision.steps[step]!
    const visa: HeldDocument = { kind: "visa", issuer: destination }
    const longStay: HeldDocument = { ...visa, type: "D" }
    const visas = code === "zone_stay_exceeded" ? [longStay] : zoneStay === null ? [visa] : [visa, longStay]
    for (const value of visas) {
      const permission: Remedy = { action: "obtain", step, value }
      if (this.#try(blocker, permission).helps) return [permission]
    }
    return []
  }
}

const dayOf = (date: string) => parseCivilDate(date) ?? 0

// What reading and judging a request takes beside the choice among ways.
function workOfReading({ stops, transit, held, earlierStays }: ItineraryRequest): number {
  const stays = stops.length + (transit?.length ?? 0) + (earlierStays?.length ?? 0) + (held?.length ?? 0)
  return 200 + 20 * stays
}
