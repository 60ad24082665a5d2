/**
 * Which work is traced?
 *
 * A request or an attempt is traced completely or not at all: {@link Traces.begin} decides at random, and its span is the parent of
 * everything below. Without tracing there is no tracer and no random draw. The exporter (`otlp.ts`) is loaded only if a collector is set.
 */
import { Context, Effect, Option, type Tracer } from "effect"
import { writeTraceparent } from "./trace-context.ts"

export interface BegunWork {
  /** The route or the kind of work; never a text of a client. */
  readonly name: string
  readonly kind: "server" | "client" | "internal"
  /** The `traceparent` of a caller, read only where the work is drawn: who calls does not decide how much is traced. */
  readonly readCaller?: () => string | undefined
  /** The `traceparent` of our own work that caused this: it is traced too. */
  readonly cause?: string | null
}

export interface Traces {
  /** The span of the work; undefined where it is not traced. */
  readonly begin: (work: BegunWork) => Tracer.Span | undefined
  /** Ends a span with the time of now. */
  readonly end: (span: Tracer.Span, outcome: "ok" | "failed") => void
}

/** How this process traces; null where it does not. */
export const Tracing = Context.Reference<Traces | null>("landfall/telemetry/Tracing", { defaultValue: () => null })

/** The `traceparent` of the traced work that an effect is a part of; null where there is none. */
export const currentTraceparent: Effect.Effect<string | null> = Effect.map(
  Effect.option(Effect.currentParentSpan),
  Option.match({ onNone: () => null, onSome: span => (span.sampled ? writeTraceparent(span) : null) }),
)
