/**
 * `GET /api/v1/visa/check`: is a visa needed, and how long may one stay?
 *
 * The record's fields stand at the top of the body and once more in `data`: the specification lists them flat, and published
 * clients of this interface read `data`.
 */
import { buildCheckRecord, type RecordBook, renderCheckMarkdown } from "../../../src/full.ts"
import { type Answer, answerJson, MARKDOWN_TYPE } from "../answer.ts"
import { type Site, upgradeUrl } from "../backend.ts"
import { describeAnswer } from "./meta.ts"
import { answerNoRecord, PAIR_HEADERS, type PairQuestion } from "./pair.ts"

export const CHECK_PATH = "/api/v1/visa/check"

/** Answers 200 with the record, or 404. */
export function answerCheck(
  book: RecordBook,
  { passport, destination, wantsMarkdown }: PairQuestion,
  site: Site,
): Answer {
  const record = buildCheckRecord(book, passport, destination, { upgradeUrl: upgradeUrl(site) })
  if (record === null) return answerNoRecord()
  if (wantsMarkdown) {
    const body = renderCheckMarkdown(record, book.locale)
    return { status: 200, contentType: MARKDOWN_TYPE, headers: PAIR_HEADERS, body }
  }
  return answerJson(200, { ...record, data: record, meta: describeAnswer(book.dataset) }, PAIR_HEADERS)
}
