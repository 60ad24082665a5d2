/**
 * Where are the books that records are assembled from?
 *
 * One book a language and dataset, opened at its first use. Facts, missions and languages are loaded once and serve every dataset:
 * when the day changes, the new view's book is there at once.
 */
import { Effect } from "effect"
import { type BookParts, type Language, loadRecordBook, openRecordBook, type RecordBook } from "../../../src/full.ts"
import type { Dataset } from "../../../src/index.ts"

/** All books. */
export class Library {
  readonly #parts = new Map<Language, BookParts>()
  readonly #books = new WeakMap<Dataset, Map<Language, RecordBook>>()

  /** Gives a book without waiting; undefined says nothing: ask {@link load}. */
  peek(dataset: Dataset, language: Language): RecordBook | undefined {
    const known = this.#books.get(dataset)?.get(language)
    if (known !== undefined) return known
    const parts = this.#parts.get(language)
    return parts === undefined ? undefined : this.#shelve(openRecordBook({ ...parts, dataset }))
  }

  /** Gives a book, and loads its language first if it has to. A language that cannot be loaded is a defect. */
  load(dataset: Dataset, language: Language): Effect.Effect<RecordBook> {
    return Effect.suspend(() => {
      const known = this.peek(dataset, language)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.map(
        Effect.promise(() => loadRecordBook(dataset, language)),
        book => this.#shelve(book),
      )
    })
  }

  #shelve(book: RecordBook): RecordBook {
    const { dataset, locale } = book
    const books = this.#books.get(dataset) ?? new Map<Language, RecordBook>()
    this.#books.set(dataset, books.set(locale.language, book))
    this.#parts.set(locale.language, book)
    return book
  }
}
