/**
 * How old is an answer, and may it no longer be right?
 *
 * An answer is as old as its last check: the day on which its page was read, its table was copied, or a second source
 * said the same. It is stale if an announced end has passed and no newer rule settles what applies, if an official log
 * names a change since the last check, or if the last check is longer ago than {@link LONGEST_AGE_DAYS}.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import type { EvidenceLevel } from "./evidence.ts"

/** Why an answer may no longer be right, the most important reason first. */
export const STALE_REASONS = ["ended", "changed_since", "unchecked"] as const

/** One of {@link STALE_REASONS}. */
export type StaleReason = (typeof STALE_REASONS)[number]

/**
 * The number of days for which a check is sufficient: tables of all pairs are published every few months, and pages are read once a year.
 */
export const LONGEST_AGE_DAYS: Readonly<Record<EvidenceLevel, number>> = /* @__PURE__ */ Object.freeze({
  read: 365,
  cited: 365,
  table: 180,
})

/** How old an answer is. */
export interface AnswerAge {
  /** Days since the last check; null if no day of one is known. A check after the day in question counts as one on that day. */
  readonly ageDays: number | null
  /** Null if there is no reason for doubt. */
  readonly stale: StaleReason | null
}

/** The facts that determine the age of an answer. */
export interface AgedAnswer {
  readonly evidence: { readonly level: EvidenceLevel; readonly on: string | null } | null
  readonly corroboration: { readonly agrees: boolean; readonly checkedOn: string } | null
  readonly afterExpiry: unknown
  readonly changedSince: unknown
}

/** Returns the later of two days; the other one if one is not known. */
export function findLatest(one: EpochDay | null, other: EpochDay | null): EpochDay | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}

/** Returns the day on which a second source said the same; null if none does. */
export function findCheckedDay({ corroboration }: Pick<AgedAnswer, "corroboration">): EpochDay | null {
  return corroboration?.agrees ? parseCivilDate(corroboration.checkedOn) : null
}

/** Says whether the rule of an answer has ended, or has changed since the last check. Cannot fail. */
export function findChangeOf({
  afterExpiry,
  changedSince,
}: Pick<AgedAnswer, "afterExpiry" | "changedSince">): Exclude<StaleReason, "unchecked"> | null {
  return afterExpiry ? "ended" : changedSince ? "changed_since" : null
}

/** Returns the day on which an answer was last checked; null if none is known. */
export function findLook(answer: Pick<AgedAnswer, "evidence" | "corroboration">): EpochDay | null {
  return findLatest(parseCivilDate(answer.evidence?.on), findCheckedDay(answer))
}

/** Judges the age of an answer on a day. Cannot fail. */
export function judgeAge(answer: AgedAnswer, onDay: EpochDay): AnswerAge {
  const { evidence } = answer
  const lastDay = findLook(answer)
  const ageDays = lastDay === null ? null : Math.max(0, onDay - lastDay)
  const isUnchecked = evidence !== null && ageDays !== null && ageDays > LONGEST_AGE_DAYS[evidence.level]
  return { ageDays, stale: findChangeOf(answer) ?? (isUnchecked ? "unchecked" : null) }
}
