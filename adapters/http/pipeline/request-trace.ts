/**
 * How is a request traced?
 *
 * As one span named by its route, with method, route and status. Below it are the spans of what the answer waits for (statements of the
 * database). A request that is not sampled has no trace.
 */
import { Effect } from "effect"
import type { Traces } from "../../telemetry/tracing.ts"
import type { ServiceRequest } from "./request.ts"

/** A request as it is named outside: by routes of the service, never by a client's text. */
export interface NamedRequest {
  readonly method: string
  readonly route: string
  readonly status: number
}

export interface RequestTrace {
  /** The same work as a part of the trace. */
  readonly within: <Value>(work: Effect.Effect<Value, unknown>) => Effect.Effect<Value, unknown>
  /** Ends with the answer, or with null where the client has left. */
  readonly end: (answered: NamedRequest | null) => void
}

export const traceRequests =
  (traces: Traces) =>
  (request: ServiceRequest): RequestTrace | undefined => {
    const readCaller = () => request.header("traceparent")
    const span = traces.begin({ name: "request", kind: "server", readCaller })
    if (span === undefined) return undefined
    return {
      within: work => Effect.withParentSpan(work, span),
      end: answered => {
        if (answered === null) return traces.end(span, "failed")
        const { method, route, status } = answered
        Object.assign(span, { name: `${method} ${route}` })
        span.attribute("http.request.method", method)
        span.attribute("http.route", route)
        span.attribute("http.response.status_code", status)
        traces.end(span, status >= 500 ? "failed" : "ok")
      },
    }
  }
