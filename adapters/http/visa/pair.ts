/** What the two endpoints about one pair have in common. */
import { type Answer, answerError } from "../answer.ts"

/** A question about one pair. Whether a code is spelled as one is the business of whoever asks. */
export interface PairQuestion {
  readonly passport: string
  readonly destination: string
  readonly wantsMarkdown: boolean
}

/** The same resource has two renderings; what is left of a quota makes each answer one of a kind. */
export const PAIR_HEADERS = ["cache-control", "no-store", "vary", "Accept, Accept-Encoding", "x-powered-by", "Landfall"]

/** Answers 404, where a pair has no record. */
export function answerNoRecord(): Answer {
  return answerError(
    404,
    "No record for this passport and destination. That means unknown, not that no visa is needed.",
  )
}
