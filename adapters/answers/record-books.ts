/**
 * Where are the books that records are assembled from?
 *
 * One book a language and dataset, opened at its first use. Facts, missions and languages are loaded once and serve every dataset:
 * when the day changes, the new view's book is there at once.
 */

import type { Dataset } from "../../src/engine.ts"
import {
  type BookParts,
  continueHistory,
  type Language,
  type ListInstalled,
  loadRecordBook,
  openRecordBook,
  type RecordBook,
} from "../../src/full.ts"

/** All books. */
export class RecordBooks {
  readonly #listInstalled: ListInstalled | undefined
  readonly #parts = new Map<Language, BookParts>()
  readonly #books = new WeakMap<Dataset, Map<Language, RecordBook>>()

  /** `listInstalled`: what installed datasets have changed, for the history that records show; nothing where it is left out. */
  constructor(listInstalled?: ListInstalled) {
    this.#listInstalled = listInstalled
  }

  /** Gives a book without waiting; undefined says nothing: ask {@link load}. */
  peek(dataset: Dataset, language: Language): RecordBook | undefined {
    const known = this.#books.get(dataset)?.get(language)
    if (known !== undefined) return known
    const parts = this.#parts.get(language)
    return parts === undefined ? undefined : this.#shelve({ ...parts, dataset })
  }

  /** Gives a book, and loads its language first if it has to. Rejects where a language cannot be loaded. */
  async load(dataset: Dataset, language: Language): Promise<RecordBook> {
    const known = this.peek(dataset, language)
    if (known !== undefined) return known
    const parts = await loadRecordBook(dataset, language)
    this.#parts.set(language, parts)
    return this.#shelve(parts)
  }

  #shelve(parts: BookParts): RecordBook {
    const { dataset, history, locale } = parts
    const isContinued = this.#listInstalled !== undefined && history !== undefined
    const book = openRecordBook(
      isContinued ? { ...parts, history: continueHistory(history, this.#listInstalled, dataset.asOf) } : parts,
    )
    const books = this.#books.get(dataset) ?? new Map<Language, RecordBook>()
    this.#books.set(dataset, books.set(locale.language, book))
    return book
  }
}
