/**
 * Which fields does a remedy of each kind have?
 *
 * All kinds except one are changes of the request that were tried, and that a program can apply. An extension is granted by an authority
 * after the arrival: the facts say what is known about it (extension-remedy.ts), and it changes nothing until it is granted.
 */
import { PASSPORT_KINDS } from "../dataset/passport-kinds.ts"
import {
  answer,
  answerOf,
  CODE,
  DAY,
  INTEGER,
  NUMBER,
  type Out,
  row,
  rowsOfGiven,
  TEXT,
  variants,
  word,
} from "../fields/answer-kinds.ts"
import { type HeldDocument, TOLD_DOCUMENT } from "../requirement/held-documents.ts"

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
export const feeOf = (about: string) =>
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
export const REMEDY = variants(
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
      ...remedyOf(
        INTEGER,
        "Apply to extend this stay by this many days. An authority has to grant it, so it changes nothing in the request.",
      ),
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
