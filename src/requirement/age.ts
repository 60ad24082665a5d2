/**
 * How old is an answer, and may it no longer hold?
 *
 * An answer is as old as the last look at it: the day on which its page was read, its table was copied, or a second source said the same. It is
 * stale where a rule had an announced end that has passed and nothing newer settles what holds since, where an official log names a change
 * that nobody has looked at since, and where the last look is longer ago than {@link LONGEST_AGE_DAYS}.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import type { EvidenceLevel } from "./evidence.ts"

/** Why an answer may no longer hold, the weightiest first. */
export const STALE_REASONS = ["ended", "changed_since", "unchecked"] as const

/** One of {@link STALE_REASONS}. */
export type StaleReason = (typeof STALE_REASONS)[number]

/** After how many days nobody may rely on the last look: tables of all pairs are published every few months, and pages are read once a year. */
export const LONGEST_AGE_DAYS: Readonly<Record<EvidenceLevel, number>> = Object.freeze({
  read: 365,
  cited: 365,
  table: 180,
})

/** How old an answer is. */
export interface AnswerAge {
  /** Days since the last look; null where no day of it is known. A look after the day that was asked about counts as one on it. */
  readonly ageDays: number | null
  /** Null where there is no reason against it. */
  readonly stale: StaleReason | null
}

/** What the age of an answer follows from. */
export interface AgedAnswer {
  readonly evidence: { readonly level: EvidenceLevel; readonly on: string | null } | null
  readonly corroboration: { readonly agrees: boolean; readonly checkedOn: string } | null
  readonly afterExpiry: unknown
  readonly changedSince: unknown
}

/** The day of the last look at an answer; null where none is known. Cannot fail. */
export function findLastLook({
  evidence,
  corroboration,
}: Pick<AgedAnswer, "evidence" | "corroboration">): EpochDay | null {
  const looks = [evidence?.on, corroboration?.agrees ? corroboration.checkedOn : null].map(day => parseCivilDate(day))
  const lastDay = Math.max(...looks.map(day => day ?? Number.NEGATIVE_INFINITY))
  return Number.isFinite(lastDay) ? lastDay : null
}

/** Judges the age of an answer on a day. Cannot fail. */
export function judgeAge(answer: AgedAnswer, onDay: EpochDay): AnswerAge {
  const { evidence, afterExpiry, changedSince } = answer
  const lastDay = findLastLook(answer)
  const ageDays = lastDay === null ? null : Math.max(0, onDay - lastDay)
  const isUnchecked = evidence !== null && ageDays !== null && ageDays > LONGEST_AGE_DAYS[evidence.level]
  const stale = afterExpiry ? "ended" : changedSince ? "changed_since" : isUnchecked ? "unchecked" : null
  return { ageDays, stale }
}
