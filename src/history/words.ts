/**
 * Which words did tables of the past use, and which of today's requirements do they mean?
 *
 * Some words do not name a requirement of today: a ban of the pandemic, an entry card that existed for weeks, and one word for e-visa and eTA. They are kept unchanged. A word becomes a
 * requirement only if it can mean no other.
 */
import { REQUIREMENTS, type Requirement } from "../dataset/requirement.ts"

/**
 * The words of the past: the six requirements, `covid_ban` (no admission in the pandemic), `e_visa_or_eta` (tables before 2025-01-12 write
 * "e-visa" for both) and `hayya_permit` (the entry card of Qatar, end of 2022). New words are added at the end: their places are stored.
 */
export const PAST_WORDS = /* @__PURE__ */ Object.freeze([
  ...REQUIREMENTS,
  "covid_ban",
  "e_visa_or_eta",
  "hayya_permit",
] as const)

/** The word of a past table: one of {@link PAST_WORDS}. */
export type PastWord = (typeof PAST_WORDS)[number]

/** The requirement on a past day. One frozen value is shared by all equal answers. */
export interface PastValue {
  /** The requirement; null where the word of the table does not say which. */
  readonly requirement: Requirement | null
  /** The word in the table. */
  readonly word: PastWord
  /** Visa-free stay in days; null where no number is given. */
  readonly days: number | null
  /** Why nobody was admitted, if that is known. */
  readonly reason: "covid_ban" | null
}

/** Makes the value of a word. */
export function pastValue(word: PastWord, days: number | null): PastValue {
  const isBan = word === "covid_ban"
  const requirement = isBan ? "no_admission" : word === "e_visa_or_eta" || word === "hayya_permit" ? null : word
  return Object.freeze({ requirement, word, days, reason: isBan ? "covid_ban" : null })
}

/** Says whether two words of different vocabularies can mean the same: then no change was seen between them. */
export function canBeSame(a: PastWord, b: PastWord): boolean {
  const isPart = (word: PastWord) => word === "e_visa" || word === "eta"
  return (a === "e_visa_or_eta" && isPart(b)) || (b === "e_visa_or_eta" && isPart(a))
}

// ---- Its first bytes

// What do the writer and the reader of a history share, besides the order of the numbers?

/** The first letters of the bytes: the format and its version. */
export const HISTORY_MAGIC = "LFH1"

/** The most pasts times days of a series: it bounds what a reader lays out in memory (8 MB). */
export const MOST_MARKS = 2 ** 21
