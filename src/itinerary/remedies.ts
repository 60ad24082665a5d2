/**
 * What can a traveller do about what blocks a journey?
 *
 * Leave by a day, enter no earlier than a day, shorten an earlier stop, use another passport, renew one, obtain a visa. Nothing is offered
 * that was not tried: a remedy is one only when the journey, decided again with it applied, has this blocker no more and no other in its
 * place. Days are searched by halving, the longest stay and the earliest entry that help. A search ends after a number of decisions, so
 * that a journey that is blocked everywhere costs some milliseconds.
 */
import { formatCivilDate, LAST_DAY, parseCivilDate } from "../civil-date.ts"
import { addCivilMonths } from "../civil-months.ts"
import type { Dataset, NoRecord } from "../dataset/open.ts"
import type { InputError, Result } from "../errors.ts"
import type { HeldDocument } from "../requirement/held-documents.ts"
import { answerInput, readDataset } from "../requirement/question.ts"
import { decide, judge } from "./decide.ts"
import type { Blocker, Decision, Remedy } from "./decision.ts"
import { type ItineraryRequest, type ReadItinerary, readItinerary } from "./itinerary-input.ts"

/** The most decisions that are made to find the remedies of one. */
const MAX_TRIALS = 1_500
/** How many days later an entry is tried at most: no window that is common is longer. */
const MAX_DELAY_DAYS = 400
/** How many earlier stops are tried to be shortened. */
const MAX_SHORTENED = 3
/** How long a renewed passport is taken to be valid. */
const RENEWED_MONTHS = 120

/**
 * Decides as {@link decide} does, and gives each blocker the remedies that help against it.
 *
 * Fails as it does. Costs some tens of decisions a blocker, and nothing where none is found.
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
    const itinerary = readItinerary(known, request, issues)
    return () => judgeWithRemedies(known, itinerary)
  })
}

/** Judges an itinerary that was read, with the remedies of its blockers. */
export function judgeWithRemedies(dataset: Dataset, itinerary: ReadItinerary): Decision | NoRecord {
  const decision = judge(dataset, itinerary)
  if (decision.kind !== "decided" || decision.blockers.length === 0) return decision
  const search = new RemedySearch(dataset, describeRequest(itinerary), decision)
  const blockers = decision.blockers.map(blocker => ({ ...blocker, remedies: search.find(blocker) }))
  return { ...decision, blockers }
}

/**
 * Changes a request as a remedy says. Cannot fail; a remedy of another request changes what it fits.
 *
 * @example
 * ```ts
 * const stops = [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }]
 * applyRemedy({ passport: "USA", stops }, { action: "leave_by", step: 0, value: "2026-12-10" })?.stops[0].to // => "2026-12-10"
 * ```
 */
export function applyRemedy(request: ItineraryRequest, remedy: Remedy): ItineraryRequest {
  const { step } = remedy
  const changeStop = (change: (stop: ItineraryRequest["stops"][number]) => object) => ({
    ...request,
    stops: request.stops.map((stop, index) => (index === step ? { ...stop, ...change(stop) } : stop)),
  })
  switch (remedy.action) {
    case "leave_by":
      return changeStop(() => ({ to: remedy.value }))
    case "shorten":
      return changeStop(({ from }) => ({ to: moveDate(from, remedy.value - 1) }))
    case "use_passport":
      return changeStop(() => ({ passport: remedy.value }))
    case "enter_from": {
      const delay = dayOf(remedy.value) - dayOf(request.stops[step]?.from ?? remedy.value)
      const stops = request.stops.map((stop, index) =>
        index < step ? stop : { ...stop, from: moveDate(stop.from, delay), to: moveDate(stop.to, delay) },
      )
      return { ...request, stops }
    }
    case "obtain":
      return { ...request, held: [...(request.held ?? []), remedy.value] }
    case "renew_before":
      return renew(request, remedy.passport, dayOf(remedy.value))
  }
}

const dayOf = (date: string) => parseCivilDate(date) ?? 0

const moveDate = (date: string, days: number) => formatCivilDate(dayOf(date) + days)

function renew(request: ItineraryRequest, passport: string, beforeDay: number): ItineraryRequest {
  const dates = {
    passportIssued: formatCivilDate(beforeDay - 1),
    passportExpiry: formatCivilDate(Math.min(LAST_DAY, addCivilMonths(beforeDay, RENEWED_MONTHS) - 2)),
  }
  if (request.passports == null) return { ...request, ...dates }
  const passports = request.passports.map(held => {
    const given = typeof held === "string" ? { passport: held } : held
    return given.passport === passport ? { ...given, ...dates } : held
  })
  return { ...request, passports }
}

// The question that was asked, as plain values.
function describeRequest({
  passports,
  stops,
  transit,
  residence,
  purpose,
  documents,
  earlierStays,
}: ReadItinerary): ItineraryRequest {
  return {
    passports: passports.map(({ held }) => held),
    stops: stops.map(({ destination, from, to, wantedPassport }) => ({
      destination,
      from,
      to,
      passport: wantedPassport,
    })),
    transit: transit.map(({ country }) => country),
    residence,
    purpose,
    held: documents.flatMap(({ document, place }) => (place === null ? [] : [document])),
    earlierStays: earlierStays.map(({ destination, firstDay, lastDay, counting }) => ({
      destination,
      from: formatCivilDate(firstDay),
      to: formatCivilDate(lastDay),
      ...(counting === "permit" ? { permit: "residence" as const } : undefined),
    })),
  }
}

class RemedySearch {
  readonly #dataset: Dataset
  readonly #request: ItineraryRequest
  readonly #decision: Decision
  #trials = 0

  constructor(dataset: Dataset, request: ItineraryRequest, decision: Decision) {
    this.#dataset = dataset
    this.#request = request
    this.#decision = decision
  }

  find(blocker: Blocker): readonly Remedy[] {
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
      if (this.#helps(blocker, renewal)) remedies.push(renewal)
    }
    if (isStay) {
      const { destination } = this.#decision.steps[step] as Decision["steps"][number]
      const visa: HeldDocument = { kind: "visa", issuer: destination }
      const obtained = code === "zone_stay_exceeded" ? { ...visa, type: "D" } : visa
      const permission: Remedy = { action: "obtain", step, value: obtained }
      if (this.#helps(blocker, permission)) remedies.push(permission)
    }
    return remedies
  }

  // The journey with the remedy has this blocker no more, and no other in its place.
  #helps({ code, step, zone }: Blocker, remedy: Remedy): boolean {
    if (this.#trials++ >= MAX_TRIALS) return false
    const result = decide(this.#dataset, applyRemedy(this.#request, remedy))
    if (!result.ok || result.value.kind !== "decided") return false
    const { blockers } = result.value
    const isLeft = blockers.some(other => other.code === code && other.step === step && other.zone === zone)
    return !isLeft && blockers.length < this.#decision.blockers.length
  }

  // The most of some numbers that helps, when the least does.
  #findMost(least: number, most: number, blocker: Blocker, remedyOf: (value: number) => Remedy): readonly Remedy[] {
    if (most < least || !this.#helps(blocker, remedyOf(least))) return []
    let [helping, tried] = [least, most + 1]
    while (tried - helping > 1) {
      const middle = (helping + tried) >> 1
      if (this.#helps(blocker, remedyOf(middle))) helping = middle
      else tried = middle
    }
    return [remedyOf(helping)]
  }

  #leaveEarlier(blocker: Blocker): readonly Remedy[] {
    const { step } = blocker
    const { from, to } = this.#request.stops[step] as ItineraryRequest["stops"][number]
    return this.#findMost(dayOf(from), dayOf(to) - 1, blocker, day => ({
      action: "leave_by",
      step,
      value: formatCivilDate(day),
    }))
  }

  #shortenEarlier(blocker: Blocker): readonly Remedy[] {
    const { steps } = this.#decision
    const { destination, zoneStay } = steps[blocker.step] as Decision["steps"][number]
    let tried = 0
    for (let step = blocker.step - 1; step >= 0 && tried < MAX_SHORTENED; step--) {
      const earlier = steps[step] as Decision["steps"][number]
      const isInZone = zoneStay !== null && earlier.zoneStay?.zone === zoneStay.zone
      if (earlier.destination !== destination && !isInZone) continue
      tried++
      const found = this.#findMost(1, earlier.days - 1, blocker, value => ({ action: "shorten", step, value }))
      if (found.length > 0) return found
    }
    return []
  }

  #enterLater(blocker: Blocker): readonly Remedy[] {
    const { step } = blocker
    const first = dayOf((this.#request.stops[step] as ItineraryRequest["stops"][number]).from)
    // The least delay that helps is what the greatest delay that is left over leaves.
    const delayed = (left: number): Remedy => ({
      action: "enter_from",
      step,
      value: formatCivilDate(first + MAX_DELAY_DAYS - left),
    })
    return this.#findMost(0, MAX_DELAY_DAYS - 1, blocker, delayed)
  }

  #usePassport(blocker: Blocker): readonly Remedy[] {
    const { step } = blocker
    const { passport } = this.#request.stops[step] as ItineraryRequest["stops"][number]
    if (passport == null) return []
    for (const other of this.#decision.passports) {
      const remedy: Remedy = { action: "use_passport", step, value: other.passport }
      if (other.passport !== passport && this.#helps(blocker, remedy)) return [remedy]
    }
    return []
  }
}
