/**
 * What do all records of one language over one dataset share?
 *
 * A book holds a dataset, the facts and a language, and remembers what it has worked out for an answer and a destination, so
 * that assembling a record is little more than copying. It never changes what it answers; a new dataset or another
 * language takes another book.
 */
import { codeKey } from "../codes.ts"
import { type Answer, type Dataset, type Found, UNKNOWN_SLOT } from "../dataset/open.ts"
import { type LookupOptions, lookupRequirement } from "../requirement/lookup.ts"
import type { Case } from "./checklist.ts"
import { type DestinationRules, indexDestinationRules } from "./destination-rules.ts"
import type { FullFacts } from "./full-facts.ts"
import type { HistoryIndex } from "./history.ts"
import type { Locale } from "./localise.ts"
import type { MissionIndex } from "./missions.ts"
import type { SharedFields } from "./record-fields.ts"

/** What a book is made of. */
export interface BookParts {
  readonly dataset: Dataset
  readonly facts: FullFacts
  readonly locale: Locale
  /** Absent where the caller does without the missions' bytes. */
  readonly missions?: MissionIndex | undefined
  readonly history?: HistoryIndex | undefined
}

/** Records of one language over one dataset. */
export interface RecordBook extends BookParts {
  readonly rulesOf: (destination: string) => DestinationRules
  /** Gives the fields that a case shares with others of its answer and destination, worked out at most once. */
  readonly remember: (situation: Case, compute: (situation: Case) => SharedFields) => SharedFields
}

/**
 * Opens a book.
 *
 * Its memory fills as records are asked for: at most one entry for each answer and destination, one more for those who move freely in a
 * territory, and one for each passport that a fact of the destination singles out.
 */
export function openRecordBook(parts: BookParts): RecordBook {
  const byAnswer = new Map<Found, Map<string, SharedFields>>()
  function remember(situation: Case, compute: (situation: Case) => SharedFields): SharedFields {
    const { answer, destination, passport, movesFreely } = situation
    let known = byAnswer.get(answer)
    if (known === undefined) {
      known = new Map()
      byAnswer.set(answer, known)
    }
    let key = parts.facts.isSingledOut(destination, passport) ? `${destination}${passport}` : destination
    // A territory's answer is shared by those who move freely there and those who do not.
    if (movesFreely && answer.follows !== null) key += "*"
    let shared = known.get(key)
    if (shared === undefined) {
      shared = compute(situation)
      known.set(key, shared)
    }
    return shared
  }
  return Object.freeze({ ...parts, rulesOf: indexDestinationRules(parts.dataset), remember })
}

/**
 * Finds the case of a pair: its answer and the facts of its destination; null where nothing is recorded, or where what was
 * asked is no pair. Cannot fail.
 */
export function findCase(
  book: RecordBook,
  passport: string,
  destination: string,
  options?: LookupOptions,
): Case | null {
  if ((book.dataset.passportSlots[codeKey(passport)] as number) >= UNKNOWN_SLOT) return null
  const answer = lookupRequirement(book.dataset, passport, destination, options)
  if (answer.kind !== "found") return null
  const facts = book.facts.factsOf(destination)
  const rules = book.rulesOf(destination)
  // A territory's answer does not say that the passport is at home, or moves freely, in the country that it follows.
  const { follows } = answer
  const followed = follows === null ? answer : lookupRequirement(book.dataset, passport, follows, options)
  // A treaty does not reach a territory that is kept out of its country's zone: Greenland and the Faroe Islands are in neither
  // Schengen nor the Union.
  const isReached = follows === null || book.rulesOf(follows).zone === rules.zone
  return { answer, passport, destination, movesFreely: isFree(followed, isReached), facts, rules }
}

function isFree(answer: Answer, byTreaty: boolean): boolean {
  return answer.kind === "found" && (answer.home || (byTreaty && answer.basis === "freedom_of_movement"))
}
