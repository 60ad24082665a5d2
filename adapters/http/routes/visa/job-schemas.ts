/** The bodies of jobs, for the reference. The contract tests compare real answers with them. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { JOB_STATES } from "../../../storage/jobs-repository.ts"
import { makeBody } from "../../pipeline/named-body.ts"

const lines = (description: string) =>
  Schema.String.annotate({ description }).pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))

export const JobLines = /* @__PURE__ */ lines("One itinerary a line, at most 1,000,000 lines.")
export const JobResult = /* @__PURE__ */ lines("One answer a line, in the order of the submitted lines.")
export const JobPart = /* @__PURE__ */ (() => lines("The requested part.").pipe(HttpApiSchema.status(206)))()

export const JobAnswer = /* @__PURE__ */ (() =>
  makeBody("Job", "A job and its progress.", {
    job: Schema.Struct({
      id: Schema.String,
      state: Schema.Literals(JOB_STATES),
      answers: Schema.Literals(["whole", "summary"]),
      as_of: Schema.String.annotate({ description: "The day of all answers, YYYY-MM-DD." }),
      lines: Schema.Int,
      lines_done: Schema.Int,
      failed: Schema.Int.annotate({ description: "The number of lines with a mistake instead of a decision." }),
      verdicts: Schema.Struct({ blocked: Schema.Int, no_blocker_found: Schema.Int }),
      pairs_charged: Schema.Int,
      created_at: Schema.String,
      completed_at: Schema.NullOr(Schema.String),
      expires_at: Schema.String.annotate({ description: "When the job and its answers are deleted." }),
      result: Schema.NullOr(Schema.Struct({ path: Schema.String, bytes: Schema.Int })),
    }),
  }))()

export const JobDeleted = /* @__PURE__ */ Schema.Struct({ deleted: Schema.Boolean, id: Schema.String })

const error = (status: number, description: string) =>
  makeBody("Error", description, { error: Schema.String }).pipe(HttpApiSchema.status(status))

export const JobNotReady = /* @__PURE__ */ error(409, "Not now: the job is not completed, or there are too many.")
export const JobRange = /* @__PURE__ */ error(416, "The result has no such bytes.")
