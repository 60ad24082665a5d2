/**
 * Which fields does a decision have?
 *
 * This is the one table of an answer. The engine's types, the writers, the schemas of the reference and of the tools for language models,
 * and the columns of a batch are made from it. Fields of the wire with another form in the engine are made here. Fields that do not apply
 * to a journey (a zone whose rule does not bind, documents that were not given) are left out.
 */
import { PASSPORT_KINDS, REQUIREMENTS, type Requirement } from "../codes.ts"
import { type Found, isReviewed } from "../dataset/open.ts"
import type { Fields, Scalar } from "../fields/read-fields.ts"
import type { RuleCondition, StayRule, TransitTerms, ValidityTerms, Waiver } from "../rules/provisions.ts"
import type { Because, KnownRequirement } from "./documents.ts"
import type { HeldPassport } from "./journey.ts"
import { BLOCKER_CODES, CONDITION_CODES, type ReasonCode, type ReasonParams, type Weight } from "./reasons.ts"
import { type HeldDocument, TOLD_DOCUMENT, TOLD_PASSPORT } from "./request-fields.ts"

// ---- Kinds of fields

// How is the shape of an answer declared once, so that its types, its writers and its schemas come from one table?
//
// A row has the engine's name (its key), the wire's name, the kind of value, when it is left out and a description. The order of rows is the order
// on the wire. A field with another form in the engine has a function that makes it from its object.

/** The kind of a value: one of requests, without its bounds, or one that only answers have. Codes, days and words need no escaping as JSON. */
type AnswerKind =
  | { readonly kind: "code" | "day" | "flag" | "number" | "text" }
  /** The path of a field: on the wire it has wire names. */
  | { readonly kind: "path" }
  /** A whole number, or one word for another answer. */
  | { readonly kind: "count"; readonly word?: string }
  | { readonly kind: "word"; readonly words: readonly string[] | null }
  /** Plain values by names that are no fields, such as the parameters of a sentence. */
  | { readonly kind: "values" }
  /** A record of the data, written with the names of the wire; `without` names what is not written. */
  | { readonly kind: "record"; readonly without: readonly string[] }
  | { readonly kind: "list"; readonly of: Out }
  | {
      readonly kind: "object"
      readonly name: string | null
      readonly fields: AnswerFields
      /** Which values, if frozen, may be written once; null for none. */
      readonly isShared: ((value: never) => boolean) | null
      /** Whether fields inside it treat it as the whole answer. */
      readonly isWhole: boolean
    }
  /** One of several objects, named by one of its fields. */
  | { readonly kind: "variants"; readonly by: string; readonly of: { readonly [word: string]: Out } }
  /** A known value with further fields, or the reason why it is unknown. */
  | { readonly kind: "finding"; readonly known: Out; readonly unknown: Out }

/** A kind with the engine's type of its value, and the type that it has on the wire. */
export interface Out<V = unknown, J = unknown> {
  readonly is: AnswerKind
  readonly inEngine?: V
  readonly onWire?: J
}

/** Whether a field is always present; null or absent on the wire if the engine has null; absent in both; or absent if empty. */
type Presence = "always" | "nullable" | "left_out" | "optional" | "unless_empty"

/** A field of an answer. */
export interface AnswerRow<
  W extends string = string,
  O extends Out = Out,
  P extends Presence = Presence,
  D extends boolean = boolean,
> {
  readonly wire: W
  readonly is: O
  readonly presence: P
  readonly about: string
  readonly isDerived: D
  /** Makes a field that the engine has in another form, from its object and the whole decision. */
  readonly from: ((value: never, whole: never) => unknown) | null
}

/** The fields of an object, by the engine's names. */
export type AnswerFields = { readonly [name: string]: AnswerRow }

type InEngine<O> = O extends Out<infer V, unknown> ? V : never
type OnWire<O> = O extends Out<unknown, infer J> ? J : never
type Flat<T> = { readonly [N in keyof T]: T[N] }
type Named<F extends AnswerFields, N extends keyof F, P> = F[N]["isDerived"] extends true
  ? never
  : F[N]["presence"] extends P
    ? N
    : never

/** The engine's type of an object. */
type Made<F extends AnswerFields> = Flat<
  {
    readonly [N in keyof F as Named<F, N, "always" | "unless_empty">]: InEngine<F[N]["is"]>
  } & { readonly [N in keyof F as Named<F, N, "nullable" | "left_out">]: InEngine<F[N]["is"]> | null } & {
    readonly [N in keyof F as Named<F, N, "optional">]?: InEngine<F[N]["is"]>
  }
>
/** Its type on the wire. */
type Written<F extends AnswerFields> = Flat<
  {
    readonly [N in keyof F as F[N]["presence"] extends "always" ? F[N]["wire"] : never]: OnWire<F[N]["is"]>
  } & {
    readonly [N in keyof F as F[N]["presence"] extends "nullable" ? F[N]["wire"] : never]: OnWire<F[N]["is"]> | null
  } & {
    readonly [N in keyof F as F[N]["presence"] extends "always" | "nullable" ? never : F[N]["wire"]]?: OnWire<
      F[N]["is"]
    >
  }
>

const out = <V, J = V>(is: AnswerKind): Out<V, J> => ({ is })

const CODE = out<string>({ kind: "code" })
const DAY = out<string>({ kind: "day" })
const NUMBER = out<number>({ kind: "number" })
const TEXT = out<string>({ kind: "text" })
const PATH = out<string>({ kind: "path" })
const INTEGER = out<number>({ kind: "count" })

/** Plain values by names that are no fields. */
const values = <V>() => out<V, Readonly<Record<string, unknown>>>({ kind: "values" })

/** A whole number, or a word in its place. */
const integerOr = <const W extends string>(word: W) => out<number | W>({ kind: "count", word })

/** A word of a list. */
const word = <const W extends string>(words: readonly W[]) => out<W>({ kind: "word", words })

/** A word of a list that is defined elsewhere. */
const anyWord = <W extends string>() => out<W>({ kind: "word", words: null })

/** A record of the data. */
const record = <V>(without: readonly (keyof V & string)[] = []) =>
  out<V, Readonly<Record<string, unknown>>>({ kind: "record", without })

/** A list of values. */
const listOf = <V, J>(of: Out<V, J>) => out<readonly V[], readonly J[]>({ kind: "list", of })

/** An object; those that `isShared` says are written once, if they are frozen. */
const answer = <const F extends AnswerFields>(
  name: string | null,
  fields: F,
  isShared: ((value: never) => boolean) | null = null,
) => out<Made<F>, Written<F>>({ kind: "object", name, fields, isShared, isWhole: false })

/** An object that the engine has in another form. */
const answerOf =
  <V>(isShared: ((value: V) => boolean) | null = null) =>
  <const F extends AnswerFields>(name: string | null, fields: F) =>
    out<V, Written<F>>({ kind: "object", name, fields, isShared, isWhole: false })

/** An object by the names of its two types, so that declarations name them instead of repeating their fields. */
const named = <V, J>(name: string, fields: AnswerFields, { isWhole = false } = {}) =>
  out<V, J>({ kind: "object", name, fields, isShared: null, isWhole })

/** A known value, or the reason why it is unknown. */
const either = <V, J, U, K>(known: Out<V, J>, unknown: Out<U, K>) =>
  out<V | U, J | K>({ kind: "finding", known, unknown })

/** The rows of input fields, for an answer that repeats them: those of a table of single values. */
function rowsOfGiven<V>(fields: Fields, find: (value: V) => object, leftOut: Presence = "optional"): AnswerFields {
  const rows = Object.entries(fields).map(([name, { wire, is, about = "", need }]) => {
    const from = (value: V) => (find(value) as Readonly<Record<string, unknown>>)[name]
    return [name, derived<V>()(wire, out(is as Scalar), about, from, need === "required" ? "always" : leftOut)]
  })
  return Object.fromEntries(rows)
}

type Variants<By extends string, V extends { readonly [word: string]: AnswerFields }, S> = {
  [N in keyof V]: S extends "engine"
    ? Flat<{ readonly [B in By]: N } & Made<V[N]>>
    : Flat<{ readonly [B in By]: N } & Written<V[N]>>
}[keyof V]

/** One of several objects, by the word in one of their fields. */
const variants = <const By extends string, const V extends { readonly [word: string]: AnswerFields }>(
  by: By,
  about: string,
  of: V,
) => {
  const named = Object.entries(of).map(
    ([name, fields]) => [name, answer(null, { [by]: row(by, word([name]), about), ...fields })] as const,
  )
  return out<Variants<By, V, "engine">, Variants<By, V, "wire">>({
    kind: "variants",
    by,
    of: Object.fromEntries(named),
  })
}

/** Makes a row. */
function row<const W extends string, O extends Out>(wire: W, is: O, about: string): AnswerRow<W, O, "always", false>
function row<const W extends string, O extends Out, const P extends Presence>(
  wire: W,
  is: O,
  about: string,
  presence: P,
): AnswerRow<W, O, P, false>
function row(wire: string, is: Out, about: string, presence: Presence = "always"): AnswerRow {
  return { wire, is, about, presence, isDerived: false, from: null }
}

/** Makes the row of a field that the engine has in another form, made from its object and the whole decision. */
const derived =
  <V, Whole = unknown>() =>
  <const W extends string, O extends Out, const P extends Presence>(
    wire: W,
    is: O,
    about: string,
    from: (value: V, whole: Whole) => unknown,
    presence: P,
  ): AnswerRow<W, O, P, true> => ({ wire, is, about, presence, isDerived: true, from })

// ---- Steps

// Which fields does the answer for one stop have, and that for one transit country?
//
// The rows of these answers, and those of findings that other answers have too: the requirement, its source, and the reason for a gap.

const REQUIREMENT = word<Requirement>(REQUIREMENTS)
const ALWAYS = () => true as const
const PLACE = "The index of the stop."

const GRANULARITY = row(
  "granularity",
  word(["pair", "destination"]),
  "`pair`: about this passport at this destination; `destination`: about the destination, for every passport.",
)
const PARAMS = row("params", values<ReasonParams>(), "The parameters of the sentence.")
const REASON = {
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

const originOf = <V>(answerOf: (value: V) => Origin) => ({
  sourceUrl: derived<V>()(
    "source_url",
    TEXT,
    "The page on which a person read the rule; null if nobody did.",
    value => (isReviewed(answerOf(value)) ? (answerOf(value).source?.url ?? null) : null),
    "nullable",
  ),
  lastVerified: derived<V>()(
    "last_verified",
    DAY,
    "The day on which a person last read it there.",
    value => (isReviewed(answerOf(value)) ? answerOf(value).verifiedOn : null),
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
interface CountedStay extends Made<typeof COUNTED_STAY> {}
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
    "Whether the traveller may change there with one of the passports, what is held and what is to do for it.",
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
    "The indices of held documents that waive the required visa, or are what is required.",
    "unless_empty",
  ),
}

/** The findings for one stop. */
export interface Step extends Made<typeof STEP> {
  /** The outcome for this stop alone: of what was found at it, and of what concerns the whole journey except transits. */
  readonly outcome: Outcome
}
/** {@link Step} as written on the wire. */
interface StepOnWire extends Written<typeof STEP> {}
/** The findings for one transit country. */
export interface TransitStep extends Made<typeof TRANSIT_STEP> {}
/** {@link TransitStep} as written on the wire. */
interface TransitStepOnWire extends Written<typeof TRANSIT_STEP> {}

const STEPS = listOf(named<Step, StepOnWire>("DecisionStep", STEP))
const TRANSIT_STEPS = listOf(named<TransitStep, TransitStepOnWire>("TransitStep", TRANSIT_STEP))

// ---- Remedies

const AT_STEP = "The index of the stop to change."
const remedyOf = <O extends Out>(value: O, about: string) => ({
  step: row("step", INTEGER, AT_STEP),
  value: row("value", value, about),
})
const daysOf = <O extends Out>(value: O, about: string) => ({
  ...remedyOf(value, about),
  gapDays: row(
    "gap_days",
    INTEGER,
    "The days without a stop that it leaves between two stops; absent if none.",
    "optional",
  ),
})
/** A fee. */
const feeOf = (about: string) =>
  row(
    "fee",
    answer(null, {
      amount: row("amount", NUMBER, "The amount, in units of the currency."),
      currency: row("currency", CODE, "The currency, an ISO 4217 code."),
    }),
    about,
    "nullable",
  )
/** The kinds of remedies, with their changes. */
const REMEDY = variants(
  "action",
  "A remedy: except for `extend`, a new decision with it applied does not have the blocker.",
  {
    leave_by: daysOf(DAY, "Leave this stop by this day."),
    enter_from: daysOf(DAY, "Enter on this day or later, and move the later stops by as many days."),
    shorten: daysOf(INTEGER, "Stay at most this many days."),
    use_passport: remedyOf(CODE, "Use this passport."),
    renew_before: {
      ...remedyOf(DAY, "Renew the passport before this day, for ten years."),
      passport: row("passport", CODE, "The passport to renew."),
      passportKind: row("passport_kind", word(PASSPORT_KINDS), "Its kind, if it was given.", "optional"),
    },
    obtain: {
      step: row("step", INTEGER, "The index of the stop that it is for; null for a transit.", "nullable"),
      value: row(
        "value",
        answerOf<HeldDocument>()(
          null,
          rowsOfGiven<HeldDocument>(TOLD_DOCUMENT, document => document),
        ),
        "Obtain this document, for the whole stay.",
      ),
    },
    avoid_transit: {
      transit: row("transit", INTEGER, "The index of the transit country."),
      value: row("value", CODE, "Change in a country other than this one."),
    },
    extend: {
      ...remedyOf(INTEGER, "Apply to extend this stay by this many days, which an authority has to grant."),
      maxDays: row("max_days", INTEGER, "The most days of an extension; null if none are recorded.", "nullable"),
      applyBy: row("apply_by", DAY, "The latest day to apply; null if none is recorded.", "nullable"),
      where: row(
        "where",
        word(["immigration_office", "online"]),
        "Where to apply; null if it is not recorded.",
        "nullable",
      ),
      fee: feeOf("The fee; null if none is recorded."),
      url: row("url", TEXT, "The page of the rule; null if none is recorded.", "nullable"),
      agreement: row("agreement", TEXT, "The agreement under which it is asked for.", "optional"),
    },
  },
)

// ---- Decisions

const BLOCKER = {
  code: row("code", word(BLOCKER_CODES), "Why the journey is blocked, as a code of the reference."),
  step: row("step", INTEGER, "The index of the stop; null for a transit.", "nullable"),
  transit: row("transit", INTEGER, "The index of the transit country, with `transit_not_permitted`.", "optional"),
  message: row("message", TEXT, "The sentence of the code and its parameters, in English."),
  granularity: GRANULARITY,
  zone: row("zone", TEXT, "The zone whose stay is exceeded, with `zone_stay_exceeded`.", "optional"),
  basis: row(
    "basis",
    word(["accumulated", "held_document"]),
    "Given with `stay_exceeded`: `accumulated` if only visits that add up without a recorded rule are too long; `held_document` if a held document sets the limit.",
    "optional",
  ),
  params: PARAMS,
  remedies: row("remedies", listOf(REMEDY), "Changes that remove it, or an extension to apply for.", "optional"),
}

/** One reason why the journey is blocked. */
export interface Blocker extends Made<typeof BLOCKER> {}
/** {@link Blocker} as written on the wire. */
export interface BlockerOnWire extends Written<typeof BLOCKER> {}

const CONDITION = {
  code: row("code", word(CONDITION_CODES), "What has to be obtained or checked, as a code of the reference."),
  step: row("step", INTEGER, "The index of the stop; null for a transit.", "nullable"),
  transit: row("transit", INTEGER, "The index of the transit country.", "optional"),
  message: row("message", TEXT, "The sentence of the code and its parameters, in English."),
  granularity: row("granularity", word(["pair"]), "Always `pair`: it is about this passport at this destination."),
  params: PARAMS,
}

/** Something to obtain or check, before travel or at the border. It blocks nothing. */
export interface Condition extends Made<typeof CONDITION> {
  /** What it does to the outcome. */
  readonly weight: Exclude<Weight, "blocks" | "unknown">
}
/** {@link Condition} as written on the wire. */
interface ConditionOnWire extends Written<typeof CONDITION> {}

const TO_DO = {
  code: row("code", CONDITION.code.is, "What it is, as the code of its condition."),
  step: row("step", INTEGER, "The first stop that it is for; null if it is for transits alone.", "nullable"),
  steps: row("steps", listOf(INTEGER), "All stops that it is for."),
  transits: row("transits", listOf(INTEGER), "The indices of the transit countries that it is for.", "optional"),
  destination: row("destination", CODE, "The destination that issues or requires it."),
  passport: row("passport", CODE, "The passport that it is for."),
  due: row("due", word(["before_departure", "on_arrival"]), "When it has to be done."),
  name: row("name", TEXT, "Its official name; null if none is recorded.", "nullable"),
  url: row("url", TEXT, "The official page; null if none is recorded.", "nullable"),
  applyBy: row("apply_by", DAY, "The latest day to apply; null if none is recorded.", "nullable"),
  applyFrom: row("apply_from", DAY, "The first day to apply.", "optional"),
  backBy: row(
    "back_by",
    DAY,
    "The latest day on which the passport is back, for the next visa or the journey.",
    "optional",
  ),
  fee: feeOf("The fee; null if none is recorded."),
  message: row("message", TEXT, "What it is, in English."),
  what: derived<Sentence>()("what", TEXT, "The same sentence.", ({ message }) => message, "always"),
  params: derived<Sentence, { readonly conditions: readonly (Sentence & { readonly params: ReasonParams })[] }>()(
    "params",
    PARAMS.is,
    "The parameters of the sentence, those of its condition.",
    ({ message }, { conditions }) => conditions.find(each => each.message === message)?.params ?? {},
    "always",
  ),
}
interface Sentence {
  readonly message: string
}

/** Something to obtain or to do. */
export interface ToDo extends Made<typeof TO_DO> {}
/** {@link ToDo} as written on the wire. */
export interface ToDoOnWire extends Written<typeof TO_DO> {}
/** When something has to be done. */
export type Due = ToDo["due"]

const GAP = {
  field: row("field", PATH, "The path of the unknown field."),
  step: row("step", INTEGER, "The index of the stop; null if it is not about one stop.", "nullable"),
  reason: row("reason", TEXT, "Why, in English."),
  message: derived<{ readonly reason: string }>()(
    "message",
    TEXT,
    "The same sentence, under the name that it has in blockers and conditions.",
    ({ reason }) => reason,
    "always",
  ),
  granularity: GRANULARITY,
  ...REASON,
}

/** A gap: which field is unknown, at which stop, and why. */
export interface Gap extends Made<typeof GAP> {
  /** `unknown` if it may change the outcome, `info` if it does not. */
  readonly weight: Extract<Weight, "unknown" | "info">
}
/** {@link Gap} as written on the wire. */
interface GapOnWire extends Written<typeof GAP> {}

/** A held document, as it was used. */
export interface HeldUse {
  /** The document, as given. */
  readonly document: HeldDocument
  /** The stops that are entered with it. */
  readonly steps: readonly number[]
}

const HELD_USE = {
  ...rowsOfGiven<HeldUse>(TOLD_DOCUMENT, use => use.document),
  steps: row("steps", listOf(INTEGER), "The indices of the stops that are entered with it."),
}

const DATED_ANSWER = answerOf<Found>()("DatedAnswer", {
  requirement: row("requirement", REQUIREMENT, "What is needed to enter."),
  days: row("days", INTEGER, "The days allowed.", "nullable"),
  ...originOf<Found>(found => found),
})
const CHANGE = {
  step: row("step", INTEGER, PLACE),
  on: row("on", DAY, "First day on which it holds."),
  destination: row("destination", CODE, "Where the stop is."),
  passport: row(
    "passport",
    CODE,
    "The passport whose answer changes; null if the destination joins or leaves a zone.",
    "nullable",
  ),
  before: row("before", DATED_ANSWER, "The answer before; null if there is none.", "nullable"),
  after: row("after", DATED_ANSWER, "The answer after; null if there is none.", "nullable"),
  zone: row("zone", TEXT, "The zone that the destination joins or leaves.", "nullable"),
}

/** A change that is scheduled for a day before a stop ends. */
export interface ChangeAhead extends Made<typeof CHANGE> {}
/** {@link ChangeAhead} as written on the wire. */
export interface ChangeAheadOnWire extends Written<typeof CHANGE> {}

const VERDICT = row("verdict", word(["no_blocker_found", "blocked"]), "Whether a known fact blocks the journey.")

const { passportKind, passportBiometric, passportIdentityNumber, ...DATED_PASSPORT } = TOLD_PASSPORT
const kindOf = <V>(find: (value: V) => HeldPassport) =>
  derived<V>()(
    passportKind.wire,
    word(PASSPORT_KINDS),
    "The kind of passport, as given.",
    value => find(value).passportKind,
    "left_out",
  )

/** The values from which the passports' fields are made. */
interface PassportsGiven {
  /** All passports with their dates, in the order given. */
  readonly passports: readonly HeldPassport[]
}

const OUTCOME = row(
  "outcome",
  word(["blocked", "obtain", "unknown", "clear"]),
  "The first that applies: `blocked`; `obtain`, something has to be had or done before departure; `unknown`, a fact that decides an entry is unknown; `clear`, none of these.",
)
/** The result of a decision: the first that applies. */
export type Outcome = NonNullable<(typeof OUTCOME.is)["inEngine"]>

const ONE = {
  outcome: OUTCOME,
  verdict: VERDICT,
  ageDays: row(
    "age_days",
    INTEGER,
    "The age in days of the oldest answer used, on the first day of its stop; null if no answer has a known date.",
    "nullable",
  ),
  toDo: row(
    "to_do",
    listOf(named<ToDo, ToDoOnWire>("ToDo", TO_DO)),
    "What has to be obtained or done, in the order of the stops.",
  ),
  passport: derived<PassportsGiven>()(
    "passport",
    CODE,
    "The first passport given.",
    one => one.passports[0]!.passport,
    "always",
  ),
  passportExpiry: derived<PassportsGiven>()(
    TOLD_PASSPORT.passportExpiry.wire,
    DAY,
    "The last day on which the passport is valid.",
    one => one.passports[0]!.passportExpiry,
    "nullable",
  ),
  passportKind: kindOf<PassportsGiven>(one => one.passports[0]!),
  passports: derived<PassportsGiven>()(
    "passports",
    listOf(
      answerOf<HeldPassport>()(null, {
        ...rowsOfGiven<HeldPassport>(DATED_PASSPORT, held => held, "nullable"),
        passportKind: kindOf<HeldPassport>(held => held),
        ...rowsOfGiven<HeldPassport>({ passportBiometric, passportIdentityNumber }, held => held, "left_out"),
      }),
    ),
    "All passports with their dates, if several were given.",
    one => (one.passports.length > 1 ? one.passports : null),
    "left_out",
  ),
  steps: row("steps", STEPS, "What was found for each stop."),
  transit: row("transit", TRANSIT_STEPS, "What was found for each transit country."),
  blockers: row(
    "blockers",
    listOf(named<Blocker, BlockerOnWire>("Blocker", BLOCKER)),
    "Why the journey is blocked, in the order of stops.",
  ),
  conditions: row(
    "conditions",
    listOf(named<Condition, ConditionOnWire>("Condition", CONDITION)),
    "What has to be obtained or checked.",
  ),
  unknowns: row(
    "unknowns",
    listOf(named<Gap, GapOnWire>("Gap", GAP)),
    "Every finding that is unknown, and what is uncertain, assumed or not given.",
  ),
  held: row(
    "held",
    listOf(answerOf<HeldUse>()("HeldUse", HELD_USE)),
    "The given documents, each with the stops that are entered with it.",
    "unless_empty",
  ),
  changes: row(
    "changes",
    listOf(named<ChangeAhead, ChangeAheadOnWire>("ChangeAhead", CHANGE)),
    "Scheduled changes before or during a stop, in the order of stops.",
    "unless_empty",
  ),
  notUsed: row(
    "not_used",
    listOf(PATH),
    "Given fields without which all findings are the same. Held documents have `steps` instead.",
    "optional",
  ),
  residence: row("residence", CODE, "Where the traveller lives, as given.", "nullable"),
  purpose: row("purpose", TEXT, "As given.", "nullable"),
}

/** The answer for one traveller. */
export const DECISION_ANSWER = named<Decision, DecisionOnWire>("OneDecision", ONE, { isWhole: true })

const COST = {
  pairsCharged: row(
    "pairs_charged",
    INTEGER,
    "The number of different countries in the request, stops and transit together.",
  ),
}

const TRAVELLER = { traveller: row("traveller", INTEGER, "The index of the traveller.") }
const GROUP = {
  outcome: OUTCOME,
  verdict: VERDICT,
  toDo: row(
    "to_do",
    listOf(named<OfTraveller<ToDo>, OfTraveller<ToDoOnWire>>("ToDoOfTraveller", { ...TRAVELLER, ...TO_DO })),
    "What has to be obtained or done.",
  ),
  travellers: row("travellers", listOf(DECISION_ANSWER), "The decision on each of them, in the order given."),
  blockers: row(
    "blockers",
    listOf(named<OfTraveller<Blocker>, OfTraveller<BlockerOnWire>>("BlockerOfTraveller", { ...TRAVELLER, ...BLOCKER })),
    "Why the journey is blocked.",
  ),
  conditions: row(
    "conditions",
    listOf(
      named<OfTraveller<Condition>, OfTraveller<ConditionOnWire>>("ConditionOfTraveller", {
        ...TRAVELLER,
        ...CONDITION,
      }),
    ),
    "What has to be obtained or checked.",
  ),
  unknowns: row(
    "unknowns",
    listOf(named<OfTraveller<Gap>, OfTraveller<GapOnWire>>("GapOfTraveller", { ...TRAVELLER, ...GAP })),
    "What is not known.",
  ),
}

/** The answer for several travellers. */
export const GROUP_ANSWER = named<GroupDecision, GroupDecisionOnWire>("GroupDecision", GROUP)
/** The cost, which is part of both answers. */
export const DECISION_COST = answer(null, COST)

/** A change that removes a blocker: the journey was decided again with it. */
export type Remedy = NonNullable<Blocker["remedies"]>[number]

/** The decision on an itinerary. */
export interface Decision extends Made<typeof ONE>, PassportsGiven, Made<typeof COST> {
  /** Distinguishes it from {@link NoRecord}. */
  readonly kind: "decided"
  /** The version of the dataset that it was made with. */
  readonly datasetVersion: string
}

/** {@link Decision} as written on the wire. */
export interface DecisionOnWire extends Written<typeof ONE> {}

/** A finding that concerns one of several travellers, with his index. */
export type OfTraveller<Notice> = Notice & Made<typeof TRAVELLER>

/** The decision on one journey of several travellers. It is blocked if any of them is. */
export interface GroupDecision extends Made<typeof GROUP>, Made<typeof COST> {
  /** Distinguishes it from {@link NoRecord}. */
  readonly kind: "decided"
  /** The version of the dataset that it was made with. */
  readonly datasetVersion: string
}
/** {@link GroupDecision} as written on the wire. */
export interface GroupDecisionOnWire extends Written<typeof GROUP> {}
