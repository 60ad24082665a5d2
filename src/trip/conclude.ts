/**
 * What is the result of a decision, and what has to be done for the journey?
 *
 * The outcome is read off the weights of the issues: whether anything blocks the journey, has to be obtained before departure, or is not known
 * and decides an entry. `clear` means none of these. A past journey, an unknown country or a passport without a record is never clear.
 *
 * One visa opens all stops of a zone whose visas are uniform. The state of the longest stay issues it; of equal ones, and if a last day is
 * not given, the state of the first entry (Regulation (EC) No 810/2009, Art. 2(3) and Art. 5(1)). Facts of `landfall/full` (names of
 * programmes, pages, fees, processing times) are null here, and `completeToDo` adds them.
 */
import { type EpochDay, formatCivilDate, isEpochDay, parseCivilDate } from "../civil-date.ts"
import { NOTHING } from "../collections.ts"
import { type Dataset, type Found, type NoRecord, UNKNOWN_INDEX } from "../dataset/open.ts"
import { isRequirement } from "../dataset/requirement.ts"
import type { Blocker, ChangeAhead, Condition, Due, Gap, Outcome, ToDo } from "../itinerary/answer-fields.ts"
import type { Money } from "../rules/conditions.ts"
import { isInHand } from "./documents.ts"
import type { Entry } from "./entry.ts"
import { leavesPurposeOpen } from "./entry.ts"
import { type Issue, type PlacedIssue, sayIssue } from "./issues.ts"
import type { Journey, Stay } from "./journey.ts"
import { isPast } from "./passport.ts"

/** Outcomes from the worst to the best, and the place of the one that an issue of each weight comes to. */
const OUTCOMES: readonly Outcome[] = ["blocked", "obtain", "unknown", "clear"]

/** Returns the worst of some outcomes. */
export function findWorst(outcomes: readonly Outcome[]): Outcome {
  return OUTCOMES.find(each => outcomes.includes(each)) ?? "clear"
}

const RANKS = { blocks: 0, obtain: 1, check: 2, unknown: 2, info: 3 } as const

/** Finds the outcome of a journey by the weights of its issues: those of its entries, and `others`. */
export function weighAll(journey: Journey, entries: readonly Entry[], others: readonly PlacedIssue[]): Outcome {
  const isOpen = journey.stops[0]!.firstDay < journey.dataset.sinceDay || leavesPurposeOpen(journey, entries)
  let worst: number = isOpen ? RANKS.unknown : RANKS.info
  for (const { issues } of entries) for (const { weight } of issues) worst = Math.min(worst, RANKS[weight])
  for (const { issue } of others) worst = Math.min(worst, RANKS[issue.weight])
  return OUTCOMES[worst]!
}

/** The issues of a decision as the answer lists them. */
interface Conclusion {
  /** What has to be obtained or done, in the order of the first stops that it is for. */
  readonly toDo: readonly ToDo[]
  readonly blockers: readonly Blocker[]
  readonly conditions: readonly Condition[]
  readonly unknowns: readonly Gap[]
}

/** Puts the issues of a journey into words. */
export function conclude(journey: Journey, entries: readonly Entry[], others: readonly PlacedIssue[]): Conclusion {
  const { stops } = journey
  const blockers: Blocker[] = []
  const conditions: Condition[] = []
  const unknowns: Gap[] = []
  const listed: Listed[] = []
  const add = (issue: Issue, step: number | null) => {
    const { weight, code, params, field, granularity } = issue
    const message = sayIssue(issue)
    if (weight === "blocks") {
      // Empty fields are left out.
      blockers.push({ code: code as Blocker["code"], step, message, granularity, ...issue.more, params })
    } else if (field !== null) unknowns.push({ field, step, reason: message, granularity, code, params })
    else {
      conditions.push({ code: code as Condition["code"], step: step!, message, granularity: "pair", params })
      const isOnArrival = code === "visa_on_arrival" || code === "arrival_form_paper"
      if (weight !== "obtain" && !isOnArrival) return
      addToDo(listed, entries, issue, step!, isOnArrival ? "on_arrival" : "before_departure", message)
    }
  }
  for (let step = 0; step < entries.length; step++) for (const issue of entries[step]!.issues) add(issue, step)
  for (const { issue, step } of others) add(issue, step)
  // The blocker of a last exit may belong before blockers of later stops. A transit belongs to no stop and comes last.
  if (blockers.length > 1) blockers.sort((a, b) => (a.step ?? stops.length) - (b.step ?? stops.length))
  return { toDo: nameIssuers(listed, entries), blockers, conditions, unknowns }
}

// ---- What has to be done

/** An entry of the list, to which further stops may be added. */
interface Listed extends ToDo {
  readonly steps: number[]
  destination: string
}

/** Conditions that nobody can meet while visas are suspended. */
const NOT_ISSUED: ReadonlySet<string> = /* @__PURE__ */ new Set(["visa_required", "e_visa", "sponsor", "bond"])

function addToDo(
  listed: Listed[],
  entries: readonly Entry[],
  issue: Issue,
  step: number,
  due: Due,
  message: string,
): void {
  const { code } = issue
  if (NOT_ISSUED.has(code) && entries[step]!.issues.some(({ code }) => code === "visa_suspended")) return
  const isNew =
    due === "on_arrival" || !(isRequirement(code) || code === "insurance") || !servesAgain(listed, entries, code, step)
  if (isNew) listed.push(startToDo(entries[step]!, step, issue, due, message))
}

function nameIssuers(listed: readonly Listed[], entries: readonly Entry[]): readonly ToDo[] {
  for (const each of listed) if (each.steps.length > 1) each.destination = findIssuer(entries, each.steps)
  return listed
}

// A document or an insurance may be on the list already, for an earlier stop; then this one is added. Other things are done again for each arrival.
function servesAgain(listed: readonly Listed[], entries: readonly Entry[], code: string, step: number): boolean {
  for (const each of listed) {
    if (each.code !== code || !isSameDocument(entries[each.step]!, entries[step]!)) continue
    each.steps.push(step)
    return true
  }
  return false
}

function startToDo({ arrival }: Entry, step: number, issue: Issue, due: Due, message: string): Listed {
  const { stop, passport } = arrival
  const { code } = issue
  // A visa or an authorisation has none of these.
  const { name, url, hours, amount, currency } = issue.params
  return {
    code: code as ToDo["code"],
    step,
    steps: [step],
    destination: stop.destination,
    passport: passport.held.passport,
    due,
    name: readText(name),
    url: readText(url),
    applyBy: typeof hours === "number" ? countBack(stop.firstDay, hours) : null,
    fee: code === "registration" && amount !== null ? ({ amount, currency } as Money) : null,
    message,
  }
}

function readText(value: unknown): string | null {
  return typeof value === "string" ? value : null
}

const HOURS_OF_DAY = 24

function countBack(day: EpochDay, hours: number): string | null {
  const latest = day - Math.ceil(hours / HOURS_OF_DAY)
  return isEpochDay(latest) ? formatCivilDate(latest) : null
}

// A document that is obtained before departure also serves later visits, with as many entries. A document that is
// issued on arrival is issued each time.
function isSameDocument({ arrival: a }: Entry, { arrival: b }: Entry): boolean {
  if (a.passport !== b.passport) return false
  const zone = a.stop.zonePlace?.zone
  return a.stop.here === b.stop.here || (zone?.rule.kind === "rolling" && zone === b.stop.zonePlace?.zone)
}

// Returns the state of the longest stay; of equal ones, that of the first entry.
function findIssuer(entries: readonly Entry[], steps: readonly number[]): string {
  const stops = steps.map(step => entries[step]!.arrival.stop)
  const [entered] = stops as [Stay]
  // If no main destination can be determined, it is the state of the first entry.
  if (stops.some(({ isOpen }) => isOpen)) return entered.destination
  let issuer = entered
  let most = 0
  for (const stop of stops) {
    let days = 0
    for (const { key, firstDay, lastDay } of stops) if (key === stop.key) days += lastDay - firstDay + 1
    if (days <= most) continue
    most = days
    issuer = stop
  }
  return issuer.destination
}

// ---- How old it is, and what will change

/**
 * Returns the age in days of the information behind a decision; null if no day of a check is known, or if nothing was looked up.
 *
 * It is as old as the oldest answer behind it. The age of each stop's answer counts from the last check before the
 * first day of the stop, as in `describePair`. If a held document changes the requirement, the age is that of the rule
 * about the document. Citizens, and visas of the destination itself, depend on no answer.
 */
export function findAge({ dataset }: Journey, entries: readonly Entry[]): number | null {
  let oldest = -1
  for (const { arrival } of entries) {
    const { stop, way, law } = arrival
    const { requirement, held, isHome } = way
    if (requirement.status === "unknown" || isHome || isInHand(way)) continue
    const waiver = held?.waiver ?? null
    const lookDay = isPast(dataset, stop)
      ? null
      : waiver !== null
        ? parseCivilDate(waiver.verifiedOn ?? waiver.citedOn)
        : law.lookDay
    if (lookDay === undefined) continue
    if (lookDay === null) return null
    oldest = Math.max(oldest, stop.firstDay - lookDay, 0)
  }
  return oldest < 0 ? null : oldest
}

/**
 * Lists the scheduled changes that concern a journey.
 *
 * A dated rule changes the requirement of a passport from a day on, and a destination may join or leave a zone. The
 * list has changes after the dataset's own day and not after the end of a stop: before the stop, because today's answer
 * will then no longer be right, or during it. The requirement of a stop is that of its first day in any case.
 */
export function listChangesAhead({ dataset, provisions }: Journey, entries: readonly Entry[]): readonly ChangeAhead[] {
  let changes: ChangeAhead[] | null = null
  for (let step = 0; step < entries.length; step++) {
    const { stop, passport } = entries[step]!.arrival
    const { destination, column, lastDay } = stop
    if (column >= UNKNOWN_INDEX || lastDay <= dataset.asOfDay) continue
    if (provisions.hasChanges[column] === 1 && passport.row < UNKNOWN_INDEX) {
      const steps = dataset.timelines.get(passport.row * dataset.destinations.length + column) ?? []
      for (let at = 2; at < steps.length && steps[at]! <= lastDay; at += 2) {
        if (steps[at]! <= dataset.asOfDay) continue
        changes ??= []
        const on = formatCivilDate(steps[at]!)
        const before = foundAt(dataset, steps[at - 1]!)
        const after = foundAt(dataset, steps[at + 1]!)
        changes.push({ step, on, destination, passport: passport.held.passport, before, after, zone: null })
      }
    }
    const place = provisions.zonePlaces[column]
    if (!place?.isChanging) continue
    for (const { fromDay, untilDay } of place.memberships) {
      for (const day of [fromDay, untilDay]) {
        if (day === null || day <= dataset.asOfDay || day > lastDay) continue
        changes ??= []
        const zone = place.zone.id
        changes.push({ step, on: formatCivilDate(day), destination, passport: null, before: null, after: null, zone })
      }
    }
  }
  return changes ?? NOTHING
}

function foundAt(dataset: Dataset, place: number): Found | null {
  const answer = dataset.answers[place] as Found | NoRecord
  return answer.kind === "found" ? answer : null
}
