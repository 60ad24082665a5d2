/**
 * How did the requirement of a pair change, as far as dated tables show?
 *
 * The day of a change is the day of the first table that shows it, not the day of a law. The bans of the pandemic are left
 * out: what was seen before one and after it is one change, marked as such.
 */
import type { Requirement } from "../requirement/requirement.ts"

/** One change of a pair. */
export interface HistoryChange {
  /** The day of the first table that shows it (`YYYY-MM-DD`). */
  readonly on: string
  readonly from: Requirement
  readonly to: Requirement
  /** Visa-free days before and after, where only they changed. */
  readonly daysBefore: number | null
  readonly daysAfter: number | null
  /** True where a ban of the pandemic lay between. */
  readonly afterBan: boolean
}

/** The opened history. */
export interface HistoryIndex {
  /** Id of the source record. */
  readonly source: string
  readonly asOf: string
  /** Lists the changes of a pair, the oldest first. */
  readonly listChanges: (passport: string, destination: string) => readonly HistoryChange[]
}
