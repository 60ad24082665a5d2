/**
 * What is searched in, and how? The index is made while the pages are built and opened in the browser by the same options.
 *
 * A word is found by its beginning, and with a letter wrong in a long one; all words of a question have to be there.
 */
import type { Options, SearchOptions } from "minisearch"

/** A part of a page, to be found. */
export interface Entry {
  /** Where it stands: the page's file, with the anchor. */
  readonly id: string
  readonly page: string
  readonly heading: string
  readonly text: string
}

export const INDEX_OPTIONS: Options<Entry> = {
  fields: ["heading", "page", "text"],
  storeFields: ["page", "heading"],
}

export const SEARCH_OPTIONS: SearchOptions = {
  boost: { heading: 4, page: 2 },
  prefix: true,
  fuzzy: term => (term.length > 5 ? 1 : false),
  combineWith: "AND",
}
