/**
 * What does the service log?
 *
 * One JSON object a line on stderr: time, level, message, and its subject. The log never receives a header, a query, an address or a key,
 * so none can appear in it.
 */
import { Effect, type LogLevel as EffectLogLevel, Logger, References } from "effect"
import type { LogLevel } from "../settings/settings.ts"

const LEVELS: Readonly<Record<LogLevel, EffectLogLevel.LogLevel>> = {
  debug: "Debug",
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
