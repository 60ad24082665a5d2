/**
 * Which work is traced?
 *
 * A request or an attempt is traced completely or not at all: {@link Traces.begin} decides at random, and its span is the parent of
 * everything below. Without tracing there is no tracer and no random draw. The exporter (`otlp.ts`) is loaded only if a collector is set.
 */
import { Context, Effect, Option, type Tracer } from "effect"

// Which trace does a request belong to?
// The header `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context/, level 1, section 3.2), read from callers and given
// to receivers. Anything that is not spelled exactly so is passed over, as the recommendation asks; `tracestate` is not read.

/** A span of another program or process. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/** The longest header of a later version that is read. */
const LONGEST = 128

/**
 * Reads a `traceparent`; null for any other text. Of a later version than 00 what follows the flags is passed over.
 *
 * @example
 * ```ts
 * readTraceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")?.spanId // => "00f067aa0ba902b7"
 * readTraceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more") // => null
 * ```
 */
export function readTraceparent(text: string | null | undefined): TraceContext | null {
  if (text === null || text === undefined || text.length > LONGEST) return null
  const [, traceId, spanId, more] = TRACEPARENT.exec(text) ?? []
  if (traceId === undefined || spanId === undefined) return null
  return more !== undefined && text.startsWith("00") ? null : { traceId, spanId }
}

/**
 * Writes the `traceparent` of a span that is sampled.
 *
 * @example
 * ```ts
 * writeTraceparent({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" })
 * // => "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
 * ```
 */
export const writeTraceparent = ({ traceId, spanId }: TraceContext): string => `00-${traceId}-${spanId}-01`

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

/** Makes an effect a part of a traced work; nothing else is traced (`telemetry.ts` turns it off). */
export const traceBelow = <A, E, R>(work: Effect.Effect<A, E, R>, span: Tracer.Span) =>
  Effect.withTracerEnabled(Effect.withParentSpan(work, span), true)

/** How this process traces; null where it does not. */
export const Tracing = Context.Reference<Traces | null>("landfall/telemetry/Tracing", { defaultValue: () => null })

/** The `traceparent` of the traced work that an effect is a part of; null where there is none. */
export const currentTraceparent: Effect.Effect<string | null> = Effect.map(
  Effect.option(Effect.currentParentSpan),
  Option.match({ onNone: () => null, onSome: span => (span.sampled ? writeTraceparent(span) : null) }),
)
