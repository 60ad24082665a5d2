/**
 * `GET /healthz`, `/readyz` and `/metrics`: is the process up, can it answer, and how is it doing?
 *
 * They have no access control: block them at the proxy if necessary.
 */

import { Effect, Result, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { LiveDataset } from "../../../events/live-dataset.ts"
import { describeReason, UNAVAILABLE_REASONS, type UnavailableReason } from "../../../storage/storage-errors.ts"
import type { Family } from "../../../telemetry/families.ts"
import { describe } from "../../pipeline/describe-row.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { answerJson, answerText, NOT_STORED } from "../../pipeline/http-answer.ts"
import { Lifecycle } from "../../pipeline/lifecycle.ts"
import { combineFamilies, formatFamilies, RequestMetrics } from "../../pipeline/metrics.ts"
import { makeBody } from "../../pipeline/named-body.ts"
import { FAMILY_NEEDS, listFamilies } from "./metric-families.ts"

const RETRY_AFTER_SECONDS = 1
const answerNotReady = (reason: UnavailableReason | "stopping", why: string) =>
  answerJson(503, { error: `The service cannot answer now: ${why}.`, status: "unavailable", reason }, [
    ...NOT_STORED,
    ...["retry-after", String(RETRY_AFTER_SECONDS)],
  ])
const STOPPING = answerNotReady("stopping", "it is about to stop")
const OK = answerJson(200, { status: "ok" }, NOT_STORED)

const PASSED_OVER = {
  status: "degraded",
  reason: "dataset_passed_over",
  message: "The installed dataset cannot be opened. Answers are from another one; the log says why.",
} as const

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

const healthz = endpoint({
  name: "healthz",
  method: "GET",
  path: "/healthz",
  surface: "operations",
  access: { kind: "public" },
  parameters: {},
  answer: () => OK,
})

const readyz = endpoint({
  name: "readyz",
  method: "GET",
  path: "/readyz",
  surface: "operations",
  access: { kind: "public" },
  needs: { lifecycle: Lifecycle, live: LiveDataset },
  parameters: {},
  answer: (_, context) => {
    const { lifecycle, live } = context
    if (lifecycle.isStopping()) return STOPPING
    // Of the same moment as the dataset of the request, which may be another one after the wait.
    const state = live.isPassedOver() ? PASSED_OVER : { status: "ready" }
    return context
      .run(Effect.result(lifecycle.liveness))
      .then(result =>
        Result.isSuccess(result)
          ? answerJson(200, { ...state, dataset_version: context.dataset.version }, NOT_STORED)
          : answerNotReady(result.failure.reason, describeReason(result.failure.reason)),
      )
  },
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
    return context.run(metrics.readOthers).then(others => say(combineFamilies([own, ...others])))
  },
})

const NotReady = /* @__PURE__ */ (() =>
  makeBody("NotReady", "The service is about to stop, or its database does not answer.", {
    error: Schema.String,
    status: Schema.Literal("unavailable"),
    reason: Schema.Literals([...UNAVAILABLE_REASONS, "stopping"]),
  }).pipe(HttpApiSchema.status(503)))()

export const healthEndpoints = /* @__PURE__ */ (() =>
  [
    describe(healthz, {
      summary: "Is the process up?",
      success: Schema.Struct({ status: Schema.Literal("ok") }).annotate({ description: "The process is up." }),
    }),
    describe(readyz, {
      summary: "Can the process answer?",
      success: Schema.Struct({
        status: Schema.Literals(["ready", "degraded"]).annotate({
          description: "Degraded: the process answers, but not from the dataset that was installed last.",
        }),
        reason: Schema.optionalKey(Schema.Literal(PASSED_OVER.reason)),
        message: Schema.optionalKey(Schema.String),
        dataset_version: Schema.String,
      }).annotate({ description: "The dataset is loaded and the database answers." }),
      error: [NotReady],
    }),
    describe(metrics, {
      summary: "Requests, refusals, the database and the process as numbers",
      success: Schema.String.annotate({ description: "Prometheus text format." }).pipe(
        HttpApiSchema.asText({ contentType: "text/plain" }),
      ),
    }),
  ] as const)()
