/**
 * Where are the books that records are assembled from?
 *
 * One book a language and dataset, opened at its first use. A dataset that has facts of its own is told of by these, any other by those of
 * the program, which are loaded once, as languages are: when the day changes, or another dataset is installed, its book is there at once.
 */

import type { Dataset } from "../../src/engine.ts"
import {
  type BookParts,
  continueHistory,
  type Language,
  type ListInstalled,
  type Locale,
  loadFullFacts,
  loadHistory,
  loadLocale,
  loadMissions,
  openRecordBook,
  type RecordBook,
  readDatasetFacts,
} from "../../src/full.ts"

type Told = Required<Pick<BookParts, "facts" | "missions" | "history">>

/** All books. */
export class RecordBooks {
  readonly #listInstalled: ListInstalled | undefined
  readonly #locales = new Map<Language, Locale>()
  readonly #books = new WeakMap<Dataset, Map<Language, RecordBook>>()
  /** What the program itself has to tell; null until it is loaded. */
  #own: Told | null = null

  /** `listInstalled`: what installed datasets have changed, for the history that records show; nothing where it is left out. */
  constructor(listInstalled?: ListInstalled) {
    this.#listInstalled = listInstalled
  }

  /** Gives a book without waiting; undefined says nothing: ask {@link load}. */
  peek(dataset: Dataset, language: Language): RecordBook | undefined {
    const known = this.#books.get(dataset)?.get(language)
    if (known !== undefined) return known
    const locale = this.#locales.get(language)
    return locale === undefined ? undefined : this.#shelve(dataset, locale)
  }

  /** Gives a book, and loads its language first if it has to. Rejects where a language cannot be loaded. */
  async load(dataset: Dataset, language: Language): Promise<RecordBook> {
    const known = this.peek(dataset, language)
    if (known !== undefined) return known
    const [locale, facts, missions, history] = await Promise.all([
      loadLocale(language),
      loadFullFacts(),
      loadMissions(),
      loadHistory(),
    ])
    this.#own = { facts, missions, history }
    this.#locales.set(language, locale)
    return this.#shelve(dataset, locale)
  }

  #shelve(dataset: Dataset, locale: Locale): RecordBook {
    const { facts, missions, history } = this.#factsOf(dataset)
    const listInstalled = this.#listInstalled
    const continued =
      listInstalled === undefined || history === undefined
        ? history
        : continueHistory(history, listInstalled, dataset.asOf)
    const book = openRecordBook({ dataset, facts, locale, missions, history: continued })
    const books = this.#books.get(dataset) ?? new Map<Language, RecordBook>()
    this.#books.set(dataset, books.set(locale.language, book))
    return book
  }

  #factsOf(dataset: Dataset): Told {
    const read = readDatasetFacts(dataset)
    if (!read.ok) throw new Error(read.error.message)
    const told = read.value ?? this.#own
    if (told === null) throw new Error("a book was opened before its facts were loaded")
    return told
  }
}
