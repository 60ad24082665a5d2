/**
 * The service as a listener of node:http: the fast lane first, the routes for everything else.
 *
 * When it exists all routes are built, so that no request can come too early.
 */
import type { RequestListener } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { Clock, Effect, type Scope } from "effect"
import { COMPRESSED_FROM_BYTES, makeApp } from "./app.ts"
import { Backend } from "./backend.ts"
import type { ServiceConfig } from "./config.ts"
import { makeFastLane } from "./fast-lane.ts"

/** What the listener depends on beside the backend. */
export interface ListenerOptions {
  /** Requests run in this scope; when it closes they are interrupted. */
  readonly scope: Scope.Scope
  /** Whether every request goes through the routes. */
  readonly withoutFastLane?: boolean
}

/** Builds the listener. */
export const makeListener = Effect.fnUntraced(function* (
  { surfaces, logLevel }: Pick<ServiceConfig, "surfaces" | "logLevel">,
  { scope, withoutFastLane = false }: ListenerOptions,
) {
  const app = yield* makeApp(surfaces)
  const handle = yield* NodeHttpServer.makeHandler(app, { scope })
  // Only the routes write a line for each request.
  if (withoutFastLane || logLevel === "debug" || !surfaces.includes("visa")) return handle as RequestListener
  const answerFast = makeFastLane(yield* Backend, yield* Clock.Clock, COMPRESSED_FROM_BYTES)
  const listener: RequestListener = (request, response) => {
    if (!answerFast(request, response)) handle(request, response)
  }
  return listener
})
