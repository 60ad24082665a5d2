/**
 * Where does a process send its traces and numbers?
 *
 * To the collector in the configuration; without one this does nothing, and the exporters are not loaded. Everything later in a process
 * runs with the result of {@link openTelemetry}, so that it ends last.
 */
import { Clock, Context, Effect, type LogLevel as EffectLogLevel, Logger, References, Tracer } from "effect"
import { LiveDataset } from "../events/live-dataset.ts"
import { RequestMetrics } from "../http/pipeline/process-state.ts"
import { FAMILY_NEEDS, listFamilies } from "../http/routes/operations/metric-families.ts"
import type { ServiceConfig } from "../settings/config.ts"
import type { LogLevel } from "../settings/settings.ts"
import { OutageLog } from "../storage/outage-log.ts"
import type { Family } from "../telemetry/families.ts"
import { Tracing } from "../telemetry/tracing.ts"

/** Reads every number of a process that answers requests. */
export const numbersOfService = Effect.gen(function* () {
  const metrics = yield* RequestMetrics
  const shown = yield* Effect.all(FAMILY_NEEDS)
  const { today } = yield* LiveDataset
  const clock = yield* Clock.Clock
  return () => [metrics.listRequests(), ...listFamilies(shown, today(clock.currentTimeMillisUnsafe()).version)]
})

/** Opens what is configured, until the scope ends: returns the context with which work runs. */
export const openTelemetry = Effect.fnUntraced(function* ({
  otlpEndpoint,
  otlpHeaders,
  otlpSample,
}: Pick<ServiceConfig, "otlpEndpoint" | "otlpHeaders" | "otlpSample">) {
  let read: () => readonly Family[] = () => []
  /** Says what the numbers are, as soon as there are any. */
  const follow = (readFamilies: () => readonly Family[]) => {
    read = readFamilies
  }
  if (otlpEndpoint === null) return { context: Context.empty(), follow }
  const { openOtlp } = yield* Effect.promise(() => import("../telemetry/otlp.ts"))
  const outages = new OutageLog("traces and numbers could not be sent to the collector; those of a minute are dropped")
  const { traces, tracer } = yield* openOtlp({
    endpoint: otlpEndpoint,
    headers: otlpHeaders,
    sample: otlpSample,
    readFamilies: () => read(),
    tell: work => outages.tell(work),
  })
  const context = Context.empty().pipe(
    Context.add(Tracing, traces),
    Context.add(Tracer.Tracer, tracer),
    Context.add(References.TracerEnabled, false),
  )
  return { context, follow }
})

// What does the service log?
// One JSON object a line on stderr: time, level, message, and its subject. The log never receives a header, a query, an address or a key,
// so none can appear in it.

const LEVELS: Readonly<Record<LogLevel, EffectLogLevel.LogLevel>> = {
  info: "Info",
  warn: "Warn",
  error: "Error",
}

const writeLine = Logger.map(Logger.formatStructured, ({ timestamp, level, message, cause, annotations }) => {
  const line = { time: timestamp, level: level.toLowerCase(), message, ...annotations, ...(cause ? { cause } : {}) }
  process.stderr.write(`${JSON.stringify(line)}\n`)
})

export const withLogs =
  (level: LogLevel) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(
      Effect.provideService(Logger.CurrentLoggers, new Set([writeLine])),
      Effect.provideService(References.MinimumLogLevel, LEVELS[level]),
    )
