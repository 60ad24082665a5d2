/** Joins the operator's endpoints to their answers. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { type Answer, answerJson, NOT_STORED, toResponse } from "../answer.ts"
import { landfallApi } from "../api.ts"
import { Backend, type BackendShape } from "../backend.ts"

const UNAVAILABLE = { error: "The service cannot answer now.", status: "unavailable" }
const RETRY_AFTER_SECONDS = 1
const DATABASE_TIMEOUT = "1 second"

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

function answerMetrics({ metrics, activity, meter }: BackendShape): Answer {
  const body = metrics.format([
    {
      name: "landfall_live_listeners",
      help: "Clients that listen to the live stream.",
      value: activity.listenerCount,
    },
    {
      name: "landfall_fast_lane_answers",
      help: "Requests since the start that the fast lane answered.",
      value: metrics.fastLaneAnswers,
    },
    {
      name: "landfall_metered_accounts",
      help: "Accounts whose counts are in memory.",
      value: meter.countLoadedAccounts(),
    },
    {
      name: "process_resident_memory_bytes",
      help: "Resident memory of the process.",
      value: process.memoryUsage.rss(),
    },
    { name: "process_uptime_seconds", help: "Time since the process started.", value: process.uptime() },
  ])
  return { status: 200, contentType: METRICS_TYPE, headers: NOT_STORED, body }
}

/** The handlers of the operations. */
export const operationsLayer = HttpApiBuilder.group(
  landfallApi,
  "operations",
  Effect.fnUntraced(function* (handlers) {
    const backend = yield* Backend
    const sql = yield* SqlClient.SqlClient

    // A statement that names no table never touches the file.
    const askDatabase = Effect.isSuccess(Effect.timeout(sql`SELECT name FROM deployment LIMIT 1`, DATABASE_TIMEOUT))
    const answerReady = Effect.gen(function* () {
      const isReady = !backend.lifecycle.isStopping() && (yield* askDatabase)
      if (!isReady) return answerJson(503, UNAVAILABLE, [...NOT_STORED, "retry-after", String(RETRY_AFTER_SECONDS)])
      const dataset = backend.today(yield* Clock.currentTimeMillis)
      return answerJson(200, { status: "ready", dataset_version: dataset.version }, NOT_STORED)
    })

    return handlers
      .handle("healthz", () => Effect.succeed(toResponse(answerJson(200, { status: "ok" }, NOT_STORED))))
      .handle("readyz", () => Effect.map(answerReady, toResponse))
      .handle("metrics", () => Effect.sync(() => toResponse(answerMetrics(backend))))
  }),
)
