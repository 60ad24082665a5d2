/**
 * `GET /api/v1/visa/check`: is a visa needed, and how long may one stay?
 *
 * The record's fields stand at the top of the body and once more in `data`: the specification lists them flat, and published
 * clients of this interface read `data`. Whether a code is spelled as one is the business of whoever calls.
 */
import { type Dataset, type Found, lookupRequirement, needsVisa } from "../../../src/index.ts"
import { type Answer, answerError, answerJson, MARKDOWN_TYPE } from "../answer.ts"
import { describeAnswer } from "./meta.ts"

export const CHECK_PATH = "/api/v1/visa/check"

/** A question about one pair. */
export interface PairQuestion {
  readonly passport: string
  readonly destination: string
  readonly wantsMarkdown: boolean
}

/** The record of a quick check. */
export function makeCheckRecord(passport: string, destination: string, found: Found) {
  return {
    passport,
    destination,
    requirement: found.requirement,
    ...(found.uncertain ? { requirement_status: "uncertain" } : {}),
    visa_free_days: found.days,
    visa_required: needsVisa(found.requirement),
    ...(found.home ? { home: true } : {}),
    source_url: found.source?.url ?? null,
    last_verified: found.verifiedOn,
  }
}

const NO_RECORD = "No record for this passport and destination. That means unknown, not that no visa is needed."

/** Answers 404, where a pair has no record. */
export function answerNoRecord(): Answer {
  return answerError(404, NO_RECORD)
}

/** Answers 200 with the record, or 404. */
export function answerCheck(dataset: Dataset, { passport, destination, wantsMarkdown }: PairQuestion): Answer {
  const found = lookupRequirement(dataset, passport, destination)
  if (found.kind !== "found") return answerNoRecord()
  const record = makeCheckRecord(passport, destination, found)
  if (wantsMarkdown) {
    const lines = Object.entries(record).map(([name, value]) => `- **${name}**: ${value ?? "unknown"}`)
    const body = `# ${passport} to ${destination}\n\n${lines.join("\n")}\n`
    return { status: 200, contentType: MARKDOWN_TYPE, headers: PAIR_HEADERS, body }
  }
  return answerJson(200, { ...record, data: record, meta: describeAnswer(dataset) }, PAIR_HEADERS)
}

/** The same resource has two renderings; what is left of a quota makes each answer one of a kind. */
const PAIR_HEADERS = ["cache-control", "no-store", "vary", "Accept, Accept-Encoding", "x-powered-by", "Landfall"]
