/**
 * Which fields does the answer for one stop have, and that for one transit country?
 *
 * The rows of these answers, and those of findings that other answers have too: the requirement, its source, and the reason for a gap.
 */

import { PASSPORT_KINDS } from "../codes.ts"
import type { Found } from "../dataset/open.ts"
import { REQUIREMENTS, type Requirement } from "../dataset/requirement.ts"
import {
  type AnswerFields,
  answer,
  answerOf,
  anyWord,
  CODE,
  DAY,
  derived,
  either,
  INTEGER,
  integerOr,
  listOf,
  type Made,
  named,
  type Out,
  record,
  row,
  TEXT,
  values,
  type Written,
  word,
} from "../fields/answer-kinds.ts"
import type { HeldDocument } from "../requirement/held-documents.ts"
import type { RuleCondition, StayRule, TransitTerms, ValidityTerms, Waiver } from "../rules/provisions.ts"
import type { Because, KnownRequirement } from "../trip/documents.ts"
import type { ReasonCode, ReasonParams } from "./reasons.ts"

export const REQUIREMENT = word<Requirement>(REQUIREMENTS)
const ALWAYS = () => true as const
export const PLACE = "The index of the stop."

export const GRANULARITY = row(
  "granularity",
  word(["pair", "destination"]),
  "`pair`: about this passport at this destination; `destination`: about the destination, for every passport.",
)
export const PARAMS = row("params", values<ReasonParams>(), "The parameters of the sentence.")
export const REASON = {
  code: row("code", anyWord<ReasonCode>(), "The meaning of the sentence, as a code of the reference."),
  params: PARAMS,
}
const known = <O extends Out>(value: O) => ({
  granularity: GRANULARITY,
  status: row("status", word(["known"]), "The value is known."),
  value: row("value", value, "The value."),
})
const UNKNOWN = {
  granularity: GRANULARITY,
  status: row("status", word(["unknown"]), "The value is not known."),
  reason: row("reason", TEXT, "Why, in English."),
  ...REASON,
}

// Nearly all are shared: numbers of days with all journeys, the reasons for gaps with the pair.
const finding = <O extends Out>(value: O) => either(answer(null, known(value), ALWAYS), answer(null, UNKNOWN, ALWAYS))
/** A finding with further fields, known or unknown. */
const findingWith = <O extends Out, const F extends AnswerFields>(value: O, more: F, isShared: (() => true) | null) =>
  either(answer(null, { ...known(value), ...more }, isShared), answer(null, { ...UNKNOWN, ...more }, ALWAYS))

type Origin = Pick<Found, "source" | "verifiedOn">

// A person did not look up this pair in an imported table, so the table is not given as the page of the rule.
const citedOf = ({ source }: Origin) => (source === null || source.imported ? null : source)
export const originOf = <V>(answerOf: (value: V) => Origin) => ({
  sourceUrl: derived<V>()(
    "source_url",
    TEXT,
    "The page on which a person read the rule; null if nobody did.",
    value => citedOf(answerOf(value))?.url ?? null,
    "nullable",
  ),
  lastVerified: derived<V>()(
    "last_verified",
    DAY,
    "The day on which a person last read it there.",
    value => (citedOf(answerOf(value)) === null ? null : answerOf(value).verifiedOn),
    "nullable",
  ),
})

const WAIVER = answerOf<Waiver>(ALWAYS)(null, {
  requirement: row("requirement", REQUIREMENT, "The requirement with the document."),
  days: row("days", INTEGER, "The days allowed with it.", "nullable"),
  conditions: row("conditions", listOf(record<RuleCondition>(["source"])), "Further conditions of the rule."),
  note: row("note", TEXT, "A remark of the rule.", "nullable"),
  sourceUrl: row("source_url", TEXT, "The page where the rule was read.", "nullable"),
  verifiedOn: row("last_verified", DAY, "The day on which a person last read it there.", "nullable"),
})

/** The values from which a document's fields are made. */
interface DocumentsGiven {
  readonly held: readonly { readonly document: HeldDocument }[]
  readonly residence: string | null
}
const usedOf = ({ document }: Because, { held }: DocumentsGiven) =>
  document === null ? undefined : held[document]?.document

const BECAUSE = answerOf<Because>()("Because", {
  document: row("document", INTEGER, "Its index in `held`; null for the residence.", "nullable"),
  kind: derived<Because, DocumentsGiven>()(
    "kind",
    word(["visa", "residence_permit"]),
    "The kind of document.",
    (because, whole) => usedOf(because, whole)?.kind ?? "residence_permit",
    "always",
  ),
  issuer: derived<Because, DocumentsGiven>()(
    "issuer",
    CODE,
    "The issuer, an ISO 3166-1 alpha-3 code.",
    (because, whole) => usedOf(because, whole)?.issuer ?? whole.residence,
    "always",
  ),
  waiver: row("rule", WAIVER, "The rule that names it; null for a document of the destination itself.", "nullable"),
})

const REQUIREMENT_FINDING = either(
  // The fields of a document depend on the journey.
  answerOf<KnownRequirement>(({ because }) => because === undefined)(null, {
    ...known(REQUIREMENT),
    ...originOf<KnownRequirement>(({ answer }) => answer),
    because: row("because", listOf(BECAUSE), "The held documents that change the requirement.", "optional"),
  }),
  answer(null, UNKNOWN, ALWAYS),
)

const COUNTED_STAY = {
  ...known(INTEGER),
  allowanceDays: row("allowance_days", INTEGER, "The number of days allowed."),
  counting: row(
    "counting",
    word(["visit", "accumulated", "per_entry", "rolling", "calendar_year", "per_year_of_entry", "admission"]),
    "The kind of the destination's stay rule; `admission`: from an admission on, with visits to neighbours; `accumulated`: no rule is recorded; `visit`: the visit alone.",
  ),
  rule: row("rule", record<StayRule>(["source"]), "The destination's stay rule.", "nullable"),
}

/** Days that count for the longest stay, and how they were counted. */
export interface CountedStay extends Made<typeof COUNTED_STAY> {}
/** {@link CountedStay} as written on the wire. */
interface CountedStayOnWire extends Written<typeof COUNTED_STAY> {}

const STEP = {
  index: row("index", INTEGER, PLACE),
  destination: row("destination", CODE, "Where the stop is."),
  from: row("from", DAY, "First day there."),
  to: row("to", DAY, "Last day there; null if it was not given.", "nullable"),
  days: row(
    "days",
    INTEGER,
    "Days from the first to the last, both counted; null if the last is not known.",
    "nullable",
  ),
  passport: row("passport", CODE, "The passport to use here."),
  passportKind: row("passport_kind", word(PASSPORT_KINDS), "Its kind, if it was given.", "left_out"),
  requirement: row("requirement", REQUIREMENT_FINDING, "What is needed to enter."),
  maxStay: row(
    "max_stay",
    finding(integerOr("unlimited")),
    "The longest permitted stay in days, or `unlimited` at home.",
  ),
  daysAccumulated: row(
    "days_accumulated",
    finding(INTEGER),
    "The days in this country and the territories that follow its rules, over all stops up to the end of this one.",
  ),
  passportValidity: row(
    "passport_validity",
    findingWith(
      word(["met", "not_met"]),
      { rule: row("rule", record<ValidityTerms>(), "The applied rule.", "nullable") },
      ALWAYS,
    ),
    "Whether the passport is valid for long enough.",
  ),
  countedStay: row(
    "counted_stay",
    named<CountedStay, CountedStayOnWire>("CountedStay", COUNTED_STAY),
    "Days that count for the longest stay, if other days count too or a stay rule is recorded.",
    "left_out",
  ),
  zoneStay: row(
    "zone_stay",
    findingWith(
      INTEGER,
      {
        zone: row("zone", TEXT, "The zone."),
        allowanceDays: row("allowance_days", INTEGER, "The days that the zone allows."),
      },
      null,
    ),
    "Days used under the zone's rule at the end of this stay, if a rule binds.",
    "left_out",
  ),
}

const TRANSIT_STEP = {
  country: row("country", CODE, "Where the traveller changes."),
  area: row("area", word(["airside", "landside"]), "Where the transit is, if it was given.", "left_out"),
  rule: row(
    "rule",
    either(answer(null, known(listOf(record<TransitTerms>())), ALWAYS), answer(null, UNKNOWN, ALWAYS)),
    "The rules that are recorded for the country.",
  ),
  permitted: row(
    "permitted",
    finding(word(["yes", "no"])),
    "Whether the traveller may change there with one of the passports and what is held.",
  ),
  decidedBy: row(
    "decided_by",
    INTEGER,
    "The index of the deciding rule among the rules; absent if none decides.",
    "left_out",
  ),
  because: row(
    "because",
    listOf(INTEGER),
    "The indices of held documents that waive the required visa, or are that visa.",
    "unless_empty",
  ),
}

/** The findings for one stop. */
export interface Step extends Made<typeof STEP> {}
/** {@link Step} as written on the wire. */
export interface StepOnWire extends Written<typeof STEP> {}
/** The findings for one transit country. */
export interface TransitStep extends Made<typeof TRANSIT_STEP> {}
/** {@link TransitStep} as written on the wire. */
export interface TransitStepOnWire extends Written<typeof TRANSIT_STEP> {}

export const STEPS = listOf(named<Step, StepOnWire>("DecisionStep", STEP))
export const TRANSIT_STEPS = listOf(named<TransitStep, TransitStepOnWire>("TransitStep", TRANSIT_STEP))
