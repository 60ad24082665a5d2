/**
 * `GET /api/v1/visa/changes`: withdrawn.
 *
 * The feed comes back only when every event carries a named, verified official source. Until then it answers that it is not there,
 * which says nothing about whether anything has changed.
 */
import { type Answer, answerJson, NOT_STORED } from "../answer.ts"
import type { Site } from "../backend.ts"

const RETRY_AFTER_SECONDS = 86_400

/** Answers 503, whatever is asked. */
export function answerChanges({ contact }: Site): Answer {
  const body = {
    error: "The feed of policy changes is withdrawn. That is no evidence that nothing has changed.",
    status: "unavailable",
    contact,
  }
  return answerJson(503, body, [...NOT_STORED, "retry-after", String(RETRY_AFTER_SECONDS)])
}
