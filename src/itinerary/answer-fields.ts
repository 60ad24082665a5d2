/**
 * Which fields does a decision have?
 *
 * This is the one table of an answer. The engine's types, the writers, the schemas of the reference and of the tools for language models,
 * and the columns of a batch are made from it. Fields of the wire with another form in the engine are made here. Fields that do not apply
 * to a journey (a zone whose rule does not bind, documents that were not given) are left out.
 */

import { PASSPORT_KINDS } from "../codes.ts"
import type { Found } from "../dataset/open.ts"
import {
  answer,
  answerOf,
  CODE,
  DAY,
  derived,
  INTEGER,
  listOf,
  type Made,
  NUMBER,
  named,
  type Out,
  PATH,
  row,
  rowsOfGiven,
  TEXT,
  variants,
  type Written,
  word,
} from "../fields/answer-kinds.ts"
import { type HeldDocument, TOLD_DOCUMENT } from "../requirement/held-documents.ts"
import { CONDITION_KINDS } from "../rules/condition-words.ts"
import type { HeldPassport } from "../trip/journey.ts"
import { TOLD_PASSPORT } from "./request-fields.ts"
import { GRANULARITY, originOf, PARAMS, PLACE, REASON, REQUIREMENT, STEPS, TRANSIT_STEPS } from "./step-fields.ts"

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
    },
  },
)

// ---- Decisions

const BLOCKER = {
  code: row(
    "code",
    word([
      "no_admission",
      "visa_suspended",
      "purpose_not_covered",
      "entry_point_closed",
      "own_passport_needed",
      "barred",
      "stay_exceeded",
      "zone_stay_exceeded",
      "passport_expired",
      "passport_validity_short",
      "passport_expires_before_exit",
      "transit_not_permitted",
    ]),
    "Why the journey is blocked, as a code of the reference.",
  ),
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
  code: row(
    "code",
    word([
      "eta",
      "visa_on_arrival",
      "e_visa",
      "visa_required",
      ...CONDITION_KINDS,
      "check_permitted_stay",
      "check_held_document",
      "check_exemption",
      "visa_instead",
      "earlier_overstay",
      "arrival_form",
      "arrival_form_paper",
      "insurance",
      "authorisation_announced",
      "own_passport",
    ]),
    "What has to be obtained or checked, as a code of the reference.",
  ),
  step: row("step", INTEGER, PLACE),
  message: row("message", TEXT, "The sentence of the code and its parameters, in English."),
  granularity: row("granularity", word(["pair"]), "Always `pair`: it is about this passport at this destination."),
  params: PARAMS,
}

/** Something to obtain or check, before travel or at the border. It blocks nothing. */
export interface Condition extends Made<typeof CONDITION> {}
/** {@link Condition} as written on the wire. */
interface ConditionOnWire extends Written<typeof CONDITION> {}

const TO_DO = {
  code: row("code", CONDITION.code.is, "What it is, as the code of its condition."),
  step: row("step", INTEGER, "The first stop that it is for."),
  steps: row("steps", listOf(INTEGER), "All stops that it is for."),
  destination: row("destination", CODE, "The destination that issues or requires it."),
  passport: row("passport", CODE, "The passport that it is for."),
  due: row("due", word(["before_departure", "on_arrival"]), "When it has to be done."),
  name: row("name", TEXT, "Its official name; null if none is recorded.", "nullable"),
  url: row("url", TEXT, "The official page; null if none is recorded.", "nullable"),
  applyBy: row("apply_by", DAY, "The latest day to apply; null if none is recorded.", "nullable"),
  applyFrom: row("apply_from", DAY, "The first day to apply.", "optional"),
  backBy: row("back_by", DAY, "The day on which the passport is back.", "optional"),
  fee: feeOf("The fee; null if none is recorded."),
  message: row("message", TEXT, "What it is, in English."),
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
  granularity: GRANULARITY,
  ...REASON,
}

/** A gap: which field is unknown, at which stop, and why. */
export interface Gap extends Made<typeof GAP> {}
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

/** The reasons why a journey can be impossible as planned. */
export type BlockerCode = Blocker["code"]
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
