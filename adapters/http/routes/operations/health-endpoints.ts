/**
 * `GET /healthz`, `/readyz` and `/metrics`: is the process up, can it answer, and how is it doing?
 *
 * They have no access control: block them at the proxy if necessary.
 */

import { Effect, Result, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { LiveDataset } from "../../../events/live-dataset.ts"
import { Storage } from "../../../storage/storage.ts"
import { describeReason, UNAVAILABLE_REASONS, type UnavailableReason } from "../../../storage/storage-errors.ts"
import type { Family } from "../../../telemetry/families.ts"
import { makeBody } from "../../pipeline/describe-row.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { answerJson, answerText, NOT_STORED } from "../../pipeline/http-answer.ts"
import { combineFamilies, formatFamilies, Lifecycle, RequestMetrics } from "../../pipeline/process-state.ts"
import { FAMILY_NEEDS, listFamilies } from "./metric-families.ts"

const RETRY_AFTER_SECONDS = 1
const answerNotReady = (reason: UnavailableReason | "stopping", why: string) =>
  answerJson(503, { error: `The service cannot answer now: ${why}.`, status: "unavailable", reason }, [
    ...NOT_STORED,
    ...["retry-after", String(RETRY_AFTER_SECONDS)],
  ])
const STOPPING = answerNotReady("stopping", "it is about to stop")
const OK = answerJson(200, { status: "ok" }, NOT_STORED)

/** What an operator should know of a process that answers. */
const DEGRADED = {
  dataset_passed_over: "The installed dataset cannot be opened. Answers are from another one; the log says why.",
  tables_newer:
    "A newer version has added to the tables. This process works with them; replace it by one of that version.",
} as const
type Degradation = keyof typeof DEGRADED
const degradedBy = (reason: Degradation) => ({ status: "degraded", reason, message: DEGRADED[reason] }) as const

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

const healthz = endpoint({
  name: "healthz",
  method: "GET",
  path: "/healthz",
  surface: "operations",
  access: { kind: "public" },
  parameters: {},
  answer: () => OK,
  summary: "Is the process up?",
  success: Schema.Struct({ status: Schema.Literal("ok") }).annotate({ description: "The process is up." }),
})

const NotReady = makeBody("NotReady", "The service is about to stop, or its database does not answer.", {
  error: Schema.String,
  status: Schema.Literal("unavailable"),
  reason: Schema.Literals([...UNAVAILABLE_REASONS, "stopping"]),
}).pipe(HttpApiSchema.status(503))

const readyz = endpoint({
  name: "readyz",
  method: "GET",
  path: "/readyz",
  surface: "operations",
  access: { kind: "public" },
  needs: { lifecycle: Lifecycle, live: LiveDataset, storage: Storage },
  parameters: {},
  answer: (_, context) => {
    const { lifecycle, live, storage } = context
    if (lifecycle.isStopping()) return STOPPING
    // Of the same moment as the dataset of the request, which may be another one after the wait.
    const isPassedOver = live.isPassedOver()
    return Effect.map(Effect.result(lifecycle.liveness), result => {
      if (Result.isFailure(result)) return answerNotReady(result.failure.reason, describeReason(result.failure.reason))
      const { known, applied } = storage.readState().steps
      const state = isPassedOver
        ? degradedBy("dataset_passed_over")
        : applied > known
          ? degradedBy("tables_newer")
          : { status: "ready" }
      return answerJson(200, { ...state, dataset_version: context.dataset.version }, NOT_STORED)
    })
  },
  summary: "Can the process answer?",
  success: Schema.Struct({
    status: Schema.Literals(["ready", "degraded"]).annotate({
      description:
        "Degraded: the process answers, but not from the dataset that was installed last, or it is older than the tables.",
    }),
    reason: Schema.optionalKey(Schema.Literals(Object.keys(DEGRADED) as Degradation[])),
    message: Schema.optionalKey(Schema.String),
    dataset_version: Schema.String,
  }).annotate({ description: "The dataset is loaded and the database answers." }),
  errors: [NotReady],
})

const metrics = endpoint({
  name: "metrics",
  method: "GET",
  path: "/metrics",
  surface: "operations",
  access: { kind: "public" },
  needs: { ...FAMILY_NEEDS, metrics: RequestMetrics },
  parameters: {},
  answer: (_, context) => {
    const { metrics } = context
    const own = [metrics.listRequests(), ...listFamilies(context, context.dataset.version)]
    const say = (families: readonly Family[]) => answerText(METRICS_TYPE, formatFamilies(families), NOT_STORED)
    if (metrics.readOthers === null) return say(own)
    return Effect.map(metrics.readOthers, others => say(combineFamilies([own, ...others])))
  },
  summary: "Requests, refusals, the database and the process as numbers",
  success: Schema.String.annotate({ description: "Prometheus text format." }).pipe(
    HttpApiSchema.asText({ contentType: "text/plain" }),
  ),
})

export const healthEndpoints = [healthz, readyz, metrics] as const
