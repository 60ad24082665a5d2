/**
 * `GET /api/v1/visa`: everything that is known of one pair, as the caller's plan shows it, in one of fifteen languages.
 */
import { assembleFullRecord, gateRecord, type Plan, type RecordBook, renderMarkdown } from "../../../src/full.ts"
import { type Answer, answerJson, MARKDOWN_TYPE } from "../answer.ts"
import { type Site, upgradeUrl } from "../backend.ts"
import { describeAnswer } from "./meta.ts"
import { answerNoRecord, PAIR_HEADERS, type PairQuestion } from "./pair.ts"

export const VISA_PATH = "/api/v1/visa"

/** For whom a record is. */
export interface Reader {
  readonly plan: Plan
  readonly site: Site
}

/** Answers 200 with the record in the book's language, or 404. */
export function answerVisa(
  book: RecordBook,
  { passport, destination, wantsMarkdown }: PairQuestion,
  { plan, site }: Reader,
): Answer {
  const { locale, dataset } = book
  const full = assembleFullRecord(book, passport, destination)
  if (full === null) return answerNoRecord()
  const data = gateRecord(full, { plan, locale, upgradeUrl: upgradeUrl(site) })
  if (wantsMarkdown) {
    return { status: 200, contentType: MARKDOWN_TYPE, headers: PAIR_HEADERS, body: renderMarkdown(data, locale) }
  }
  return answerJson(200, { data, meta: describeAnswer(dataset, locale.language) }, PAIR_HEADERS)
}
