/**
 * What do all records of one language over one dataset share?
 *
 * A book holds a dataset, the facts and a language, and remembers what it has worked out for an answer and a destination, so
 * that assembling a record is little more than copying. It never changes what it answers; a new dataset or another
 * language takes another book.
 */
import { codeKey } from "../codes.ts"
import { type Dataset, type Found, UNKNOWN_SLOT } from "../dataset/open.ts"
import { type LookupOptions, lookupRequirement } from "../requirement/lookup.ts"
import type { Case } from "./checklist.ts"
import type { FullFacts } from "./full-facts.ts"
import type { HistoryIndex } from "./history.ts"
import type { Locale } from "./localise.ts"
import type { MissionIndex } from "./missions.ts"

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
  /** Remembers a value for each answer and destination, and for each passport that facts single out. */
  readonly remember: <Value>(shelf: string, situation: Case, compute: (situation: Case) => Value) => Value
}

/** Finds the inner map of a key, made at first use. */
function openInner<Key, InnerKey, Value>(outer: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  const found = outer.get(key)
  if (found !== undefined) return found
  const made = new Map<InnerKey, Value>()
  outer.set(key, made)
  return made
}

/** Opens a book; its memory is filled as records are asked for, at most one entry an answer, destination and shelf. */
export function openRecordBook(parts: BookParts): RecordBook {
  const shelves = new Map<string, Map<Found, Map<string, unknown>>>()
  function remember<Value>(shelf: string, situation: Case, compute: (situation: Case) => Value): Value {
    const known = openInner(openInner(shelves, shelf), situation.answer)
    const { destination, passport } = situation
    const key = parts.facts.isSingledOut(destination, passport) ? `${destination}${passport}` : destination
    const found = known.get(key)
    if (found !== undefined) return found as Value
    const value = compute(situation)
    known.set(key, value)
    return value
  }
  return Object.freeze({ ...parts, remember })
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
  return { answer, passport, destination, facts: book.facts.factsOf(destination) }
}
