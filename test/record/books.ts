import { assembleFullRecord, type FullRecord, type Language, loadRecordBook, type RecordBook } from "../../src/full.ts"
import { embeddedDataset, type Found, lookup } from "../../src/index.ts"
import { frozenDataset } from "../frozen-dataset.ts"

const books = new Map<Language, Promise<RecordBook>>()

/** The book of a language over the embedded dataset, opened once for all tests of a file. */
export function openBook(language: Language = "en"): Promise<RecordBook> {
  const known = books.get(language) ?? loadRecordBook(embeddedDataset(), language)
  books.set(language, known)
  return known
}

/** The book of a language over the dataset as it was on 2026-11-21: pairs that are corrected change nothing in it. */
export const openFrozenBook = (language: Language = "en"): Promise<RecordBook> =>
  loadRecordBook(frozenDataset(), language)

/** The record of a pair that is known to have one. */
export function recordOf(book: RecordBook, passport: string, destination: string): FullRecord {
  const record = assembleFullRecord(book, passport, destination)
  if (record === null) throw new Error(`${passport} ${destination} has no record`)
  return record
}

/** The answer of a pair that is known to have one. */
export function answerOf(passport: string, destination: string): Found {
  const answer = lookup(passport, destination)
  if (answer.kind !== "found") throw new Error(`${passport} ${destination} has no answer`)
  return answer
}
