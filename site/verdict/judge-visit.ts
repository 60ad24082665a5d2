/**
 * What is the verdict on a visit: may the traveller board, and what has to be obtained first?
 *
 * The one place where the page makes a verdict, and it is the engine's: the outcome is that of `decide`. The look adds which kind of outcome
 * it is. Dates of a passport that are not given are assumed to be sufficient, and the verdict says so; a purpose is always given.
 */
import {
  type Dataset,
  type Decision,
  dateEvidence,
  decide,
  type Evidence,
  easeRank,
  formatCivilDate,
  type Gap,
  type GivenPassport,
  type HeldDocument,
  judgeEvidence,
  type Outcome,
  parseCivilDate,
  type Requirement,
  type Source,
} from "landfall"
import type { Purpose } from "../ask/question.ts"
import { type Look, OUTCOMES_OF, rankOf } from "./looks.ts"

/** Who travels. */
export interface Visitor {
  readonly passports: readonly GivenPassport[]
  readonly held?: readonly HeldDocument[]
  /** The country that he lives in; his passport's where it is not given. */
  readonly residence?: string | null
  /** The country that he leaves from; the one that he lives in where it is not given. */
  readonly departure?: string
}

/** A stay in one place. Both days count. */
interface Visit {
  readonly destination: string
  readonly from: string
  readonly to: string
  readonly purpose?: Purpose
}

export interface Verdict {
  /** That of the engine; `unknown` where it has no record of the passports. */
  readonly outcome: Outcome
  readonly look: Look
  /** Null where the engine has no record of the passports. */
  readonly decision: Decision | null
  /** What an entry takes, as far as it is recorded. */
  readonly requirement: Requirement | null
  /** The days that are allowed; null if they are no fixed number. */
  readonly stayDays: number | null
  /** How the deciding rule is known. */
  readonly evidence: Evidence | null
  /** What says so. */
  readonly source: Source | null
  /** Whether dates of the passports were assumed to be sufficient. */
  readonly isAssumed: boolean
}

const NONE: Verdict = {
  outcome: "unknown",
  look: "unknown",
  decision: null,
  requirement: null,
  stayDays: null,
  evidence: null,
  source: null,
  isAssumed: false,
}

const YEAR_DAYS = 365

/** Fills in the dates of a passport that are not given: enough for every rule, as a passport of ten years has them. */
function assumeDates(given: GivenPassport, { from, to }: Visit): GivenPassport {
  const { passportExpiry, passportIssued } = given
  if (passportExpiry != null && passportIssued != null) return given
  const [fromDay, toDay] = [parseCivilDate(from), parseCivilDate(to)]
  if (fromDay === null || toDay === null) return given
  const expiryDay = parseCivilDate(passportExpiry) ?? toDay + 5 * YEAR_DAYS
  const issuedDay = Math.min(fromDay - YEAR_DAYS, expiryDay - 9 * YEAR_DAYS)
  return {
    ...given,
    passportExpiry: passportExpiry ?? formatCivilDate(expiryDay),
    passportIssued: passportIssued ?? formatCivilDate(issuedDay),
  }
}

/** Rules ask where a traveller was in the last days; what he did there is not said, so the days count for nothing else. */
const DAYS_BEFORE = 7

function stayBefore(departure: string | undefined, { destination, from }: Visit) {
  const day = parseCivilDate(from)
  if (!departure || departure === destination || day === null) return []
  return [{ destination: departure, from: formatCivilDate(day - DAYS_BEFORE), to: from, permit: "residence" as const }]
}

/** Judges a visit of one traveller. Cannot fail: what the engine refuses is unknown. */
export function judgeVisit(dataset: Dataset, visitor: Visitor, visit: Visit): Verdict {
  const { destination, from, to, purpose = "tourism" } = visit
  const passports = visitor.passports.map(given => assumeDates(given, visit))
  const request = {
    passports,
    stops: [{ destination, from, to }],
    held: visitor.held ?? [],
    residence: visitor.residence ?? null,
    earlierStays: stayBefore(visitor.departure, visit),
    purpose,
  }
  const result = decide(dataset, request)
  if (!result.ok || result.value.kind !== "decided") return NONE
  const isAssumed = passports.some((given, at) => given !== visitor.passports[at])
  const verdict = readVerdict(dataset, result.value, isAssumed)
  if (verdict.look !== "consulate" || request.held.length === 0 || purpose === "transit") return verdict
  // A document may open the country on the way to a third one only.
  const passing = decide(dataset, { ...request, stops: [{ destination, from, to: from }], purpose: "transit" })
  const way = passing.ok && passing.value.kind === "decided" ? passing.value.steps[0]?.requirement : undefined
  const isEased =
    way?.status === "known" && way.because !== undefined && easeRank(way.value) < easeRank("visa_required")
  return isEased ? { ...verdict, look: "transit" } : verdict
}

const isOfStop = (at: number) => (each: { readonly step: number | null }) => each.step === at || each.step === null

/** The part of a decision that is about one stop: what blocks it, what it takes, and what is not known of it or of the whole journey. */
export function decisionOnStop(decision: Decision, at: number): Decision {
  const steps = decision.steps.slice(at, at + 1)
  return {
    ...decision,
    outcome: steps[0]?.outcome ?? decision.outcome,
    blockers: decision.blockers.filter(isOfStop(at)),
    toDo: decision.toDo.filter(each => each.steps.includes(at)),
    conditions: decision.conditions.filter(({ step }) => step === at),
    unknowns: decision.unknowns.filter(isOfStop(at)),
    steps,
  }
}

/** Reads the verdict off a decision on one stop. */
export function readVerdict(dataset: Dataset, decision: Decision, isAssumed = false): Verdict {
  const step = decision.steps[0]
  if (step === undefined) return NONE
  const { requirement, maxStay } = step
  const isHome = requirement.status === "known" && requirement.answer.home
  const look = isHome && OUTCOMES_OF.home.includes(decision.outcome) ? "home" : lookOf(decision)
  // What lies under a rule that has ended is the answer to nothing, and evidence of nothing.
  const decides = requirement.status === "known" && look !== "ended" ? requirement : null
  return {
    outcome: decision.outcome,
    look,
    decision,
    requirement: decides?.value ?? null,
    stayDays:
      look !== "ended" && maxStay.status === "known" && typeof maxStay.value === "number" ? maxStay.value : null,
    evidence: decides === null ? null : evidenceOf(dataset, decides),
    source: decides === null ? null : (waiverOf(decides) ?? decides.answer).source,
    isAssumed: isAssumed && !isHome,
  }
}

/** What is filled in online before the journey by those who need no permission. */
const FORMS: readonly string[] = ["arrival_form", "registration"]

function lookOf(decision: Decision): Look {
  const { outcome, toDo, conditions } = decision
  const has = (code: string) => toDo.some(each => each.code === code)
  const hasEnded = () => decision.unknowns.some(isEnd)
  switch (outcome) {
    case "blocked":
      return "stopped"
    case "obtain":
      if (has("visa_required")) return "consulate"
      if (has("e_visa") || has("eta")) return "online"
      if (hasEnded()) return "ended"
      return toDo.every(({ code, due }) => due === "on_arrival" || FORMS.includes(code)) ? "online" : "condition"
    case "unknown":
      if (hasEnded()) return "ended"
      return listDeciding(decision).length === 0 && conditions.length > 0 ? "condition" : "unknown"
    case "clear":
      return has("visa_on_arrival") ? "border" : "clear"
  }
}

/** Says whether something that is not known may change the outcome. */
const isDeciding = ({ weight }: Gap): boolean => weight === "unknown"
const isEnd = ({ code }: Gap): boolean => code === "answer_ended"

const listEnded = ({ unknowns }: Decision): ReadonlySet<number | null> =>
  new Set(unknowns.filter(isEnd).map(({ step }) => step))

/** Lists what is not known and decides an entry; of a rule that has ended only that it has. */
export function listDeciding(decision: Decision): readonly Gap[] {
  const ended = listEnded(decision)
  return decision.unknowns.filter(gap => isDeciding(gap) && (isEnd(gap) || !ended.has(gap.step)))
}

/** Lists what is not known and changes no outcome. A disputed rule that has ended is no further question. */
export function listFurther(decision: Decision): readonly Gap[] {
  const ended = listEnded(decision)
  return decision.unknowns.filter(gap => !isDeciding(gap) && !(gap.code === "disputed" && ended.has(gap.step)))
}

type KnownRequirement = Extract<Decision["steps"][number]["requirement"], { readonly status: "known" }>

/** The rule about a document that eases the entry. */
const waiverOf = ({ because }: KnownRequirement) => because?.find(each => each.waiver !== null)?.waiver ?? null

/** How the deciding rule is known: that about a document where one eases the entry, or that of the pair. */
function evidenceOf(dataset: Dataset, known: KnownRequirement): Evidence | null {
  const waiver = waiverOf(known)
  if (known.because !== undefined && waiver === null) return null
  if (waiver === null) return dateEvidence(dataset, known.answer)
  return judgeEvidence({ ...waiver, home: false })
}

/** Returns the worst of some verdicts: what a group is told. The list has at least one. */
export function findHardest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce((worst, each) => (rankOf(each) > rankOf(worst) ? each : worst), verdicts[0] ?? NONE)
}
