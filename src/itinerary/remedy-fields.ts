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

const AT_STEP = "The stop that has to be changed."
const remedyOf = <O extends Out>(value: O, about: string) => ({
  step: row("step", INTEGER, AT_STEP),
  value: row("value", value, about),
})
const daysOf = <O extends Out>(value: O, about: string) => ({
  ...remedyOf(value, about),
  gapDays: row("gap_days", INTEGER, "How many days it leaves open between two stops; left out for none.", "optional"),
})
/** A fee. */
export const feeOf = (about: string) =>
  row(
    "fee",
    answer(null, {
      amount: row("amount", NUMBER, "How much."),
      currency: row("currency", CODE, "Of which money, by ISO 4217."),
    }),
    about,
    "nullable",
  )
/** The kinds of remedies, with their changes. */
export const REMEDY = variants("action", "What helps: it holds when the journey is decided again with it applied.", {
  leave_by: daysOf(DAY, "Leave this stop by this day."),
  enter_from: daysOf(DAY, "Enter it no earlier than on this day, and go on as much later."),
  shorten: daysOf(INTEGER, "Stay no more than so many days."),
  use_passport: remedyOf(CODE, "Use this passport."),
  renew_before: {
    ...remedyOf(DAY, "Renew the passport before this day, for ten years."),
    passport: row("passport", CODE, "The passport to renew."),
    passportKind: row("passport_kind", word(PASSPORT_KINDS), "Its kind, where it was given.", "optional"),
  },
  obtain: {
    step: row("step", INTEGER, "The stop that it is for; null for a transit.", "nullable"),
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
    transit: row("transit", INTEGER, "Place of the transit country."),
    value: row("value", CODE, "Change in another country than this one."),
  },
  extend: {
    ...remedyOf(
      INTEGER,
      "Have this stay extended by so many days. It has to be granted, so nothing was tried, and applying it changes nothing.",
    ),
    maxDays: row("max_days", INTEGER, "By how many days at most; null where that is not recorded.", "nullable"),
    applyBy: row("apply_by", DAY, "The latest day to apply; null where none is recorded.", "nullable"),
    where: row(
      "where",
      word(["immigration_office", "online"]),
      "Where to apply; null where that is not recorded.",
      "nullable",
    ),
    fee: feeOf("What it costs; null where no fee is recorded."),
    url: row("url", TEXT, "The page that says so; null where none is recorded.", "nullable"),
  },
})
