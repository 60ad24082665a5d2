/** `/api/v1/visa/jobs`: a million itineraries in one request, judged in the background; `/api/v1/visa/bulk`: many records of one passport. */

import { Effect, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { Language } from "../../../../src/full.ts"
import type { Caller } from "../../../accounts/account.ts"
import { DEFAULT_LANGUAGE } from "../../../answers/answer-languages.ts"
import { DECISION_EXAMPLE } from "../../../answers/decision.ts"
import { type WeighedBulk, weighBulk, writeBulk } from "../../../answers/visa-answers.ts"
import {
  type Handed,
  type JobCost,
  Jobs,
  MAXIMUM_JOB_BYTES,
  MAXIMUM_JOBS,
  MAXIMUM_LINES,
} from "../../../batch/jobs/jobs.ts"
import { Plans } from "../../../plans/plans.ts"
import type { JobRow } from "../../../storage/jobs-repository.ts"
import { JOB_STATES } from "../../../storage/tables.ts"
import { formatInstant } from "../../../time/utc-calendar.ts"
import { fieldsFrom, makeBody } from "../../pipeline/describe-row.ts"
import {
  type AnswerContext,
  type ContextOf,
  choice,
  endpoint,
  optional,
  pattern,
  whole,
} from "../../pipeline/endpoint.ts"
import {
  type Answer,
  answerError,
  answerJson,
  type DownloadBody,
  JSON_TYPE,
  NOT_STORED,
  REVALIDATED,
  streamText,
} from "../../pipeline/http-message.ts"
import { answerWithout, destinations, lang, localisedFactsOf, passport } from "./visa-endpoints.ts"
import { answerVisaRefusal } from "./visa-key-rules.ts"
import { BulkAnswer } from "./visa-schemas.ts"

// Which part of a body does a client want?
// One part in bytes (RFC 9110, section 14.2). A malformed range, or several, means all of it; a part that begins after the end is refused.

/** From a byte up to another, the second one excluded. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/**
 * Reads a `Range` header; null asks for all.
 *
 * @example
 * ```ts
 * readRange("bytes=2-4", 10) // => {"from": 2, "to": 5}
 * readRange("bytes=-3", 10) // => {"from": 7, "to": 10}
 * readRange("bytes=10-", 10) // => "not_satisfiable"
 * readRange("lines=1-2", 10) // => null
 * ```
 */
export function readRange(header: string | undefined, size: number): ByteRange | "not_satisfiable" | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? []
  if (first === "" && last === "") return null
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? "not_satisfiable" : { from: size - length, to: size }
  }
  const from = Number(first)
  const to = last === "" ? size : Math.min(Number(last) + 1, size)
  if (last !== "" && Number(last) < from) return null
  return from >= size ? "not_satisfiable" : { from, to }
}

// The bodies of jobs. The contract tests compare real answers with them.

const lines = (description: string) =>
  Schema.String.annotate({ description }).pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))

const JobLines = lines("One itinerary a line, at most 1,000,000 lines.")
const JobResult = lines("One answer a line, in the order of the submitted lines.")
const JobPart = lines("The requested part.").pipe(HttpApiSchema.status(206))

const PATH = "/api/v1/visa/jobs"
const NDJSON = "application/x-ndjson"
const shared = { surface: "visa", access: { kind: "key", feature: "bulk", scope: "jobs" } } as const
const id = pattern("the id of a job, such as job_ and 32 digits", /^job_[0-9a-f]{32}$/, {
  description: "The id of the job.",
  example: "job_0123456789abcdef0123456789abcdef",
})
const answers = optional(
  choice(["whole", "summary"], {
    description: "`whole`: each decision as from `/decision`; `summary`: verdict, codes and counts.",
    default: "whole",
  }),
)

const max_pairs = optional(
  whole(1, 1_000_000_000, {
    description: "The most pairs that the job may cost; a job that costs more is refused.",
    example: 50_000,
  }),
)

const JOB = fieldsFrom<JobRow>()({
  id: Schema.String,
  state: Schema.Literals(JOB_STATES),
  answers: Schema.Literals(["whole", "summary"]),
  as_of: Schema.String.annotate({ description: "The day of all answers, YYYY-MM-DD." }),
  lines: Schema.Int,
  lines_done: Schema.Int,
  failed: Schema.Int.annotate({ description: "The number of lines with a mistake instead of a decision." }),
  verdicts: [
    Schema.Struct({ blocked: Schema.Int, no_blocker_found: Schema.Int }),
    ({ blocked, failed, lines_done }) => ({ blocked, no_blocker_found: lines_done - failed - blocked }),
  ],
  pairs_charged: Schema.Int,
  created_at: [Schema.String, job => formatInstant(job.created_at)],
  completed_at: [Schema.NullOr(Schema.String), job => formatInstant(job.completed_at)],
  expires_at: [
    Schema.String.annotate({ description: "When the job and its answers are deleted." }),
    job => formatInstant(job.expires_at),
  ],
  result: [
    Schema.NullOr(Schema.Struct({ path: Schema.String, bytes: Schema.Int })),
    ({ id, state, result_bytes: bytes }) => (state === "completed" ? { path: `${PATH}/${id}/result`, bytes } : null),
  ],
})

const JobAnswer = makeBody("Job", "A job and its progress.", { job: Schema.Struct(JOB.schemas) })

const writeJob = (job: JobRow) => ({ job: JOB.write(job) })

const answerNoJob = () => answerError(404, "There is no job of this id.")

const explainCost = ({ lines, pairs }: JobCost): string =>
  `The ${lines === 1 ? "line" : `${lines} lines`} read so far cost ${pairs} pairs: a line costs one for each different country of its stops and transits, for each traveller.`

/** The answer to submitted lines. */
function answerHanded(
  handed: Handed,
  { max_pairs = 0 }: { readonly max_pairs?: number | undefined },
  context: AnswerContext,
): Answer {
  switch (handed.kind) {
    case "accepted":
      return answerJson(202, writeJob(handed.job), NOT_STORED)
    case "too_many_jobs":
      return answerError(409, `An account may have at most ${MAXIMUM_JOBS} jobs at a time: delete one that is done.`)
    case "too_many_lines":
      return answerError(413, `A job may have at most ${MAXIMUM_LINES.toLocaleString("en")} lines.`)
    case "too_large":
      return answerError(413, `A body may have at most ${MAXIMUM_JOB_BYTES} bytes.`)
    case "empty":
      return answerError(400, "The body has no lines: an itinerary on each, as JSON, is expected.")
    case "cut_off":
      return answerError(400, "The body was cut off.")
    case "too_dear":
      return answerError(400, `max_pairs: The job would cost more than ${max_pairs} pairs. ${explainCost(handed.cost)}`)
    case "too_often":
      return answerError(429, handed.refusal.message, ["retry-after", String(handed.refusal.retryAfterSeconds)])
    case "refused":
      return answerVisaRefusal(handed.refusal, context.caller as Caller, context.nowMs, ` ${explainCost(handed.cost)}`)
  }
}

/** Submits lines. */
const createJob = endpoint("POST /api/v1/visa/jobs", {
  ...shared,
  name: "createJob",
  needs: { jobs: Jobs },
  parameters: { answers, max_pairs },
  uploadBytes: MAXIMUM_JOB_BYTES,
  answer: ({ answers = "whole", max_pairs }, context) => {
    const body = context.request.openBody?.()
    if (body === undefined) throw new Error("a host without uploads has mounted jobs")
    const { jobs } = context
    const request = { answers, dataset: context.dataset, body, mostPairs: max_pairs }
    return Effect.map(jobs.create(context.caller as Caller, request), handed =>
      answerHanded(handed, { max_pairs }, context),
    )
  },
  summary: "Judge up to a million itineraries",
  description:
    "One itinerary a line, as for `/decision`, with an `id` that is repeated. Costs the same as single requests; a line without a decision costs nothing. When the job is completed, `job.completed` is sent to the account's webhooks.",
  payload: JobLines,
  example: `${JSON.stringify({ id: "trip-1", ...DECISION_EXAMPLE })}\n`,
  success: JobAnswer.pipe(HttpApiSchema.status(202)),
})

/** One job of the account, or the answer that there is none. */
const answerOne = (context: ContextOf<{ jobs: typeof Jobs }>, id: string, answer: (job: JobRow) => Answer) =>
  Effect.map(context.jobs.find(context.caller as Caller, id), job => (job === undefined ? answerNoJob() : answer(job)))

const one = { ...shared, needs: { jobs: Jobs }, parameters: { id } } as const

/** Says how far a job is. */
const showJob = endpoint("GET /api/v1/visa/jobs/:id", {
  ...one,
  name: "showJob",
  answer: ({ id }, context) => answerOne(context, id, job => answerJson(200, writeJob(job), NOT_STORED)),
  summary: "The progress of a job",
  success: JobAnswer,
  errors: [404],
})

const RANGE = {
  Range: {
    description: "`bytes=0-999`: a part of the answers; one part at a time.",
    type: "string",
    example: "bytes=0-999",
  },
} as const

/** The answers of a job, or a part of them. */
const readJobResult = endpoint("GET /api/v1/visa/jobs/:id/result", {
  ...one,
  name: "readJobResult",
  answer: ({ id }, context) => answerOne(context, id, job => answerResult(job, context)),
  summary: "The answers of a job",
  description: "A line of JSON for each submitted line, in order, when the job is completed. Kept for seven days.",
  headers: RANGE,
  success: [JobResult, JobPart],
  errors: [404, 409, 416],
})

function answerResult(job: JobRow, { jobs, request }: ContextOf<{ jobs: typeof Jobs }>): Answer {
  if (job.state !== "completed")
    return answerError(409, `The job is not completed: ${job.lines_done} of ${job.lines} lines are answered.`)
  const size = job.result_bytes
  const range = readRange(request.header("range"), size)
  const always = [...NOT_STORED, "accept-ranges", "bytes"]
  if (range === "not_satisfiable") {
    const { headers, ...refusal } = answerError(416, `The result has ${size} bytes.`)
    return { ...refusal, headers: [...headers, "accept-ranges", "bytes", "content-range", `bytes */${size}`] }
  }
  const { from, to } = range ?? { from: 0, to: size }
  const body: DownloadBody = { read: note => jobs.readResult(job, { from, to }, note) }
  const headers = [...always, "content-length", String(to - from)]
  if (range === null) return { status: 200, contentType: NDJSON, headers, body }
  const part = ["content-range", `bytes ${from}-${to - 1}/${size}`]
  return { status: 206, contentType: NDJSON, headers: [...headers, ...part], body }
}

/** Deletes a job in any state. */
const deleteJob = endpoint("DELETE /api/v1/visa/jobs/:id", {
  ...one,
  name: "deleteJob",
  answer: ({ id }, context) =>
    Effect.map(context.jobs.remove(context.caller as Caller, id), isRemoved =>
      isRemoved ? answerJson(200, { deleted: true, id }, NOT_STORED) : answerNoJob(),
    ),
  summary: "Delete a job and its answers",
  success: Schema.Struct({ deleted: Schema.Boolean, id: Schema.String }),
  errors: [404],
})

export const jobEndpoints = [createJob, showJob, readJobResult, deleteJob] as const

// `GET /api/v1/visa/bulk`: the records of one passport, for a list of destinations or for all of them.

const fields = optional(
  choice(["all", "core"], {
    description: "`core` omits the extended fields.",
    example: "core",
    default: "all",
  }),
)

/** Up to this many records are written at once; more are written while they are sent. */
const WHOLE_RECORDS = 25

/** Many destinations of one passport. */
const bulk = endpoint("GET /api/v1/visa/bulk", {
  name: "bulk",
  surface: "visa",
  access: { kind: "key", feature: "bulk" },
  needs: { plans: Plans },
  parameters: { passport, destination: destinations, lang, fields },
  language: ({ lang }): Language => lang ?? DEFAULT_LANGUAGE,
  read: ({ query }, context) => {
    const { passport, destination, fields } = query
    const { bulkCharge } = context.plans
    return {
      ok: true,
      question: weighBulk(context.dataset, { passport, destinations: destination, fields }, bulkCharge),
    }
  },
  // At least one request has to be left, so that a spent quota is noticed before the records are looked up.
  cost: ({ passport, destinations, charge }: WeighedBulk) => ({ charge: Math.max(1, charge), passport, destinations }),
  answer: (weighed, context) => {
    const { plan, upgradeUrl } = context
    const outcome = writeBulk(localisedFactsOf(context), weighed, { plan: plan ?? "free", upgradeUrl })
    const { charge } = weighed
    if (outcome.kind !== "found") return { ...answerWithout(outcome), charge }
    const isLong = weighed.recorded.length > WHOLE_RECORDS
    const body = isLong ? streamText(outcome.body) : [...outcome.body].join("")
    return { status: 200, contentType: JSON_TYPE, headers: REVALIDATED, body, charge }
  },
  summary: "Many destinations of one passport",
  description:
    "At most 25 destinations, separated by commas; every destination by default. `fields=core` omits the extended fields. Costs one request for each pair with a record, or one in all without destinations (`meta.pairs_charged`).",
  success: BulkAnswer,
  errors: [404],
})

export const bulkEndpoints = [bulk] as const
