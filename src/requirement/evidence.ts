/**
 * How is an answer known?
 *
 * There are three levels, from the strongest: `read`, by us on the official page on a named day; `cited`, by a compiler
 * who names the official page; `table`, from a table of all pairs that names no page. An answer without a source, one
 * whose page has no date, and a citizen's right to enter have no level.
 */
import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import type { Dataset, Found, PairsDataset } from "../dataset/open.ts"

/** The levels, the strongest first. */
export const EVIDENCE_LEVELS = ["read", "cited", "table"] as const

/** One of {@link EVIDENCE_LEVELS}. */
export type EvidenceLevel = (typeof EVIDENCE_LEVELS)[number]

/** How an answer is known, and the day on which its page was last read (`YYYY-MM-DD`), or null if it is not recorded. */
export interface Evidence {
  readonly level: EvidenceLevel
  readonly on: string | null
}

/**
 * Returns how an answer is known, or null. Cannot fail.
 *
 * @example
 * ```ts
 * const answer = lookup("FRA", "JPN")
 * answer.kind === "found" && judgeEvidence(answer)?.level // => "table"
 * ```
 */
export function judgeEvidence(answer: Pick<Found, "home" | "source" | "verifiedOn" | "citedOn">): Evidence | null {
  try {
    return readEvidence(answer)
  } catch {
    return null
  }
}

/** Returns how one of our own answers is known. Throws for another value. */
export function readEvidence({
  home,
  source,
  verifiedOn,
  citedOn,
}: Parameters<typeof judgeEvidence>[0]): Evidence | null {
  if (home || source === null) return null
  if (source.imported) return Object.freeze({ level: "table", on: verifiedOn })
  if (source.compiled) return Object.freeze({ level: "cited", on: citedOn })
  return verifiedOn === null ? null : Object.freeze({ level: "read", on: verifiedOn })
}

/**
 * Returns how an answer is known, or null. If the page has no date, the day is that on which the source was fetched: a
 * table is as old as its copy. Embedded pairs without conditions do not have that day. Cannot fail.
 *
 * @example
 * ```ts
 * const answer = lookup("FRA", "JPN")
 * answer.kind === "found" && dateEvidence(embeddedDataset(), answer)?.on // => "2026-02-17"
 * ```
 */
export function dateEvidence(dataset: SourcesOf, answer: Found): Evidence | null {
  try {
    return readDatedEvidence(dataset, answer)
  } catch {
    return judgeEvidence(answer)
  }
}

/** The parts of a dataset that say when its sources were fetched. */
type SourcesOf = Pick<PairsDataset, "sources"> & Partial<Pick<Dataset, "terms">>

/** Returns the same for one of our own datasets and answers. Throws for other values. */
export function readDatedEvidence({ terms, sources }: SourcesOf, answer: Found): Evidence | null {
  const evidence = readEvidence(answer)
  if (evidence?.on !== null || answer.source === null || !terms) return evidence
  const retrievedDay = terms.retrievedDays[sources.indexOf(answer.source)] ?? null
  return retrievedDay === null ? evidence : Object.freeze({ ...evidence, on: formatCivilDate(retrievedDay) })
}

// ---- Age

// How old is an answer, and may it no longer be right?
//
// An answer is as old as its last check: the day on which its page was read, its table was copied, or a second source
// said the same. It is stale if an announced end has passed and no newer rule settles what applies, if an official log
// names a change since the last check, or if the last check is longer ago than {@link LONGEST_AGE_DAYS}.

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
