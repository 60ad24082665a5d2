/**
 * May a stay that is too long be extended far enough?
 *
 * The engine tries changes of a journey. An extension is not such a change, because an authority has to grant it after the arrival. The
 * facts about it become a remedy that changes nothing, so the outcome stays the same. It is given for the days of one admission: it does
 * not extend what a law allows in a year. It is not given if extensions are refused, kept for special needs, or too short, nor
 * for other kinds of passports than ordinary ones, for which there are no facts.
 *
 * What the Schengen states allow together is extended under an agreement of one of them, which the blocker names: on a request there, at the latest on
 * the last working day of the 90 (Convention implementing the Schengen Agreement, Art. 20(2a)). Public holidays are not known here.
 */
import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { needsVisa, type Requirement } from "../dataset/requirement.ts"
import type { Blocker, Decision, Remedy } from "../trip/answer-fields.ts"
import type { SubjectFacts } from "./fact-fields.ts"
import { type FullFacts, selectFact } from "./full-facts.ts"

type Steps = Decision["steps"]

/** How the days of one admission are counted. */
const OF_ONE_ADMISSION: ReadonlySet<unknown> = /* @__PURE__ */ new Set(["visit", "per_entry", "admission"])

/** Finds the extension that would make a stay long enough; null where none is known. Cannot fail. */
export function findExtension(facts: FullFacts, decision: Decision, blocker: Blocker): Remedy | null {
  const { step, code, params } = blocker
  if (step !== null && typeof params.agreement === "string") return extendInZone(step, blocker)
  if (code !== "stay_exceeded" || step === null) return null
  const { destination, to, zoneStay, passportKind, passport } = decision.steps[step]!
  const requirement = requirementOf(decision, step)
  const { days, allowed } = params
  if (requirement === null || zoneStay !== null || (passportKind ?? "ordinary") !== "ordinary") return null
  // A document that ends names no days.
  if (typeof days !== "number" || typeof allowed !== "number" || to === null) return null
  const isOfOneAdmission = blocker.basis === undefined && OF_ONE_ADMISSION.has(params.counting)
  if (!isOfOneAdmission && !(blocker.basis === "held_document" && days <= measureVisit(decision.steps, step)))
    return null
  const found = selectFact(facts.factsOf(destination), "extension", { requirement, passport })
  if (found === null || !isLongEnough(found.value, days, allowed)) return null
  const { maxDays = null, latestDays, where = null, fee = null } = found.value
  const lastDay = dayOf(to) - (days - allowed)
  return {
    action: "extend",
    step,
    value: days - allowed,
    maxDays,
    applyBy: latestDays === undefined ? null : formatCivilDate(lastDay - latestDays),
    where,
    fee,
    url: found.origin.source === null ? null : found.origin.url,
  }
}

function extendInZone(step: number, { params }: Blocker): Remedy {
  const value = (params.days as number) - (params.allowed as number)
  return {
    action: "extend",
    step,
    value,
    maxDays: params.more as number | null,
    applyBy: formatCivilDate(countBack(dayOf(params.by as string) - value + 1, 1, true)),
    where: null,
    fee: null,
    url: null,
    agreement: params.agreement as string,
  }
}

/** Counts days back from a day, or working days, of which the first is before it. Public holidays are not known. */
export function countBack(from: EpochDay, days: number, isWorkingDays: boolean): EpochDay {
  let day = from
  for (let left = days; left > 0; ) {
    day--
    // 1970-01-01 was a Thursday.
    const weekday = (((day + 3) % 7) + 7) % 7
    if (!isWorkingDays || weekday < 5) left--
  }
  return day
}

// The requirement of the entry: a visa of the destination, or the usual one. A stay under a permit is not extended this way.
function requirementOf({ steps, held }: Decision, step: number): Requirement | null {
  const { destination, requirement } = steps[step]!
  if (requirement.status === "unknown") return null
  const own = requirement.because
    ?.map(({ document }) => held[document ?? -1]?.document)
    .find(each => each?.issuer === destination)
  if (own?.kind === "residence_permit") return null
  return own?.kind === "visa" && !needsVisa(requirement.value) ? "visa_required" : requirement.value
}

function isLongEnough(extension: SubjectFacts["extension"], days: number, allowed: number): boolean {
  const { possible, forSpecialNeed, maxDays, totalDays = days, atMostGiven } = extension
  const more = days - allowed
  const most = maxDays ?? (atMostGiven ? allowed : more)
  return possible && !forSpecialNeed && more <= most && days <= totalDays
}

// The days of the stops in one destination, without a day between them, up to the end of one.
function measureVisit(steps: Steps, last: number): number {
  const { destination, to } = steps[last]!
  let first = dayOf(steps[last]!.from)
  for (let at = last - 1; steps[at]?.destination === destination && dayOf(steps[at]!.to!) >= first - 1; at--) {
    first = dayOf(steps[at]!.from)
  }
  return dayOf(to!) - first + 1
}

const dayOf = (date: string) => parseCivilDate(date) ?? 0
