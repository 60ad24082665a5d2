/**
 * The service as one function from request to response, for any server.
 *
 * Around the routes: a request gets its name; a path that is not there, a method that is not taken, a body that is too large and a
 * fault inside are answered in JSON; every answer is counted, and logged where the log level asks for it. What went wrong inside is
 * for the log, never for the client.
 */
import { ByteSize, Cause, Clock, Effect, Layer } from "effect"
import {
  HttpIncomingMessage,
  HttpMiddleware,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse,
} from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Access } from "./access.ts"
import { type Answer, answerError, answerJson, NOT_STORED, toHeaderRecord, toResponse } from "./answer.ts"
import { mountApi } from "./api.ts"
import { Backend } from "./backend.ts"
import { listCommonHeaders, listPreflightHeaders } from "./common-headers.ts"
import type { Surface } from "./config.ts"
import { listDeprecationHeaders } from "./deprecations.ts"
import { operationsLayer } from "./operations/handlers.ts"
import { addReferenceRoutes, REFERENCE_ROUTES } from "./operations/reference.ts"
import { nameRequest } from "./request-id.ts"
import { type KnownPath, KnownPaths, listRoutes, pathOf } from "./routes.ts"
import { SchemaErrors } from "./schema-errors.ts"
import { visaLayer } from "./visa/handlers.ts"

/** The largest body that is read. */
export const MAXIMUM_BODY_BYTES = 65_536

/** Bodies from this size on are compressed where the client accepts it. */
export const COMPRESSED_FROM_BYTES = 2_048

const TOO_LARGE = answerError(413, `A body may have at most ${MAXIMUM_BODY_BYTES} bytes.`)
const NOT_READABLE = answerError(400, "The request cannot be read.")

/** A path has one spelling: whoever limits access to it in front of the service must not miss another. */
const EXACT_PATHS = { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false }

type Request = HttpServerRequest.HttpServerRequest

const NO_SUCH_PATH = answerError(404, "There is no such path.")

const answerWrongMethod = ({ allow }: KnownPath): Answer =>
  answerError(405, `This path takes ${allow}.`, ["allow", allow])

function findHttpError(cause: Cause.Cause<unknown>): HttpServerError.HttpServerErrorReason | undefined {
  for (const reason of cause.reasons) {
    const thrown = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
    if (HttpServerError.isHttpServerError(thrown)) return thrown.reason
  }
  return undefined
}

/** What the client is told of a failure; the rest goes to the log under the same request id. */
const answerFailure = (cause: Cause.Cause<unknown>, requestId: string) => {
  const reason = findHttpError(cause)
  if (reason?._tag === "RouteNotFound") return Effect.succeed(NO_SUCH_PATH)
  if (reason?._tag === "RequestParseError") {
    return Effect.succeed(reason.reason === "BodyTooLarge" ? TOO_LARGE : NOT_READABLE)
  }
  const answer = answerJson(500, { error: "Something went wrong inside.", request_id: requestId }, NOT_STORED)
  return Effect.as(Effect.annotateLogs(Effect.logError("request failed", cause), { request_id: requestId }), answer)
}

/** Effect answers a content type that an endpoint does not read with text; here it is a mistake in the request like any other. */
function asJsonError(response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse {
  if (response.status !== 415) return response
  return toResponse(answerError(400, "content-type: Expected application/json"))
}

/** Builds all routes and answers the whole service; nothing is left to be built when the first request comes. */
export const makeApp = Effect.fnUntraced(function* (surfaces: readonly Surface[]) {
  const backend = yield* Backend
  const api = mountApi(surfaces)
  const paths = new KnownPaths([...listRoutes(api), ...REFERENCE_ROUTES])
  const routes = yield* HttpRouter.toHttpEffect(
    HttpApiBuilder.layer(api).pipe(
      Layer.provide([visaLayer, operationsLayer]),
      Layer.provide([Access.layer, SchemaErrors.layer]),
      Layer.merge(addReferenceRoutes(api)),
    ),
  ).pipe(Effect.provideService(HttpRouter.RouterConfig, EXACT_PATHS))
  const compressed = HttpMiddleware.compression({
    algorithms: ["br", "zstd", "gzip"],
    minSize: COMPRESSED_FROM_BYTES,
  })(routes)

  const answerRouted = (request: Request, known: KnownPath | undefined, requestId: string) => {
    if (known === undefined) return Effect.succeed(toResponse(NO_SUCH_PATH))
    if (Number(request.headers["content-length"] ?? 0) > MAXIMUM_BODY_BYTES)
      return Effect.succeed(toResponse(TOO_LARGE))
    if (request.method === "OPTIONS") {
      const headers = toHeaderRecord(listPreflightHeaders(known.allow))
      return Effect.succeed(HttpServerResponse.empty({ status: 204, headers }))
    }
    if (!known.methods.has(request.method)) return Effect.succeed(toResponse(answerWrongMethod(known)))
    return compressed.pipe(
      Effect.map(asJsonError),
      Effect.catchCause(cause =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause as Cause.Cause<never>)
          : Effect.map(answerFailure(cause, requestId), toResponse),
      ),
    )
  }

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const clock = yield* Clock.Clock
    const startedAt = clock.monotonicTimeNanosUnsafe()
    const requestId = nameRequest(request.headers["x-request-id"])
    const known = paths.find(pathOf(request.url))
    const response = yield* answerRouted(request, known, requestId)
    const seconds = Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9
    const route = known?.path ?? "(none)"
    const headers = [...listDeprecationHeaders(route, backend.site), ...listCommonHeaders(requestId)]
    backend.metrics.count(
      known?.methods.has(request.method) ? request.method : "other",
      route,
      response.status,
      seconds,
    )
    yield* Effect.annotateLogs(Effect.logDebug("request"), {
      request_id: requestId,
      method: request.method,
      route,
      status: response.status,
      milliseconds: seconds * 1_000,
    })
    return HttpServerResponse.setHeaders(response, toHeaderRecord(headers))
  }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(MAXIMUM_BODY_BYTES)))
})
