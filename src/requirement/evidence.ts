/**
 * How is an answer known?
 *
 * There are three levels, from the strongest: `read`, by us on the official page on a named day; `cited`, by a compiler
 * who names the official page; `table`, from a table of all pairs that names no page. An answer without a source, one
 * whose page has no date, and a citizen's right to enter have no level.
 */
import { formatCivilDate } from "../civil-date.ts"
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
