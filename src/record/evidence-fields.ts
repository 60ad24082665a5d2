/** How is an answer known, how old is it, and may it no longer hold? These fields are in every answer about a pair. */
import type { StaleReason } from "../requirement/age.ts"
import type { PairDescription } from "../requirement/describe-pair.ts"
import type { EvidenceLevel } from "../requirement/evidence.ts"
import type { Phrase } from "./localise.ts"

/** A field with nothing to say is absent. */
export interface EvidenceFields {
  /** How the answer is known, and the day on which the page was last read. */
  readonly evidence?: { readonly level: EvidenceLevel; readonly on?: string }
  /** Days since the last look at it. */
  readonly age_days?: number
  /** Why it may no longer hold. */
  readonly stale?: StaleReason
}

export function writeEvidence({ evidence, ageDays, stale }: PairDescription): EvidenceFields {
  return {
    ...(evidence === null
      ? undefined
      : { evidence: evidence.on === null ? { level: evidence.level } : { level: evidence.level, on: evidence.on } }),
    ...(ageDays === null ? undefined : { age_days: ageDays }),
    ...(stale === null ? undefined : { stale }),
  }
}

const READINGS = { read: "label.verified_on", cited: "label.cited_on", table: "label.copied_on" } as const

/** Says who read the page of a rule, and when, or the day of a table without pages; null if no day is known. */
export function sayReading(evidence: EvidenceFields["evidence"]): Phrase | null {
  return evidence?.on === undefined ? null : { key: READINGS[evidence.level], values: { date: { on: evidence.on } } }
}
