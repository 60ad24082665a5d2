/**
 * What does a history say about a pair on a day before the dataset's first?
 *
 * A dataset has no such days. Decisions use the history that was added to it, through a function of these types, so programs without a
 * history do not load it.
 */
import type { EpochDay } from "../civil-date.ts"
import type { Found } from "./pair-table.ts"

/** The contents of a past list. */
export interface PastTerms {
  readonly word: string
  /** Visa-free stay in days; null where no number is given. */
  readonly days: number | null
}

/** The requirement on a past day, according to past lists. */
export interface PastRule extends PastTerms {
  readonly kind: "found"
  /** The answer, imported and never verified; null where the word of the list does not name a requirement, or where two lists name two. */
  readonly answer: Found | null
  /** The last day with another answer, or null, and the first and the last day with this one (`YYYY-MM-DD`). */
  readonly after: string | null
  readonly by: string
  readonly until: string
  /** For a day between two lists that differ: what the later one says, and its day. The day had one of both. */
  readonly or: (PastTerms & { readonly by: string }) | null
  readonly source: string
}

/** Nothing is known about the pair on the day. */
export interface PastGap {
  readonly kind: "no_record"
  readonly reason: "no_rule" | "unknown_passport" | "unknown_destination" | "before_history" | "after_history"
  readonly message: string
}

/** Says what was needed with a passport at a destination on a past day. */
export type FindPast = (passport: string, destination: string, day: EpochDay) => PastRule | PastGap
