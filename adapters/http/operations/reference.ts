/**
 * The reference: `/openapi.json` for programs, `/docs` for people.
 *
 * Both are made at the first request. The rendered reference is one page of three megabytes with its program inside, so that it works
 * without any network; it is not loaded before somebody wants it.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { answerJson, toResponse } from "../answer.ts"
import type { LandfallApi } from "../api.ts"

/** The paths of this file and their methods. */
export const REFERENCE_ROUTES = [
  ["/openapi.json", "GET"],
  ["/docs", "GET"],
] as const

const CACHE_CONTROL = "public, max-age=300"

// The page may load nothing from anywhere else, and talk to nobody but this service.
const DOCS_HEADERS = {
  "cache-control": CACHE_CONTROL,
  "content-security-policy":
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'",
}

/** The two routes, for an interface definition. */
export const addReferenceRoutes = (api: LandfallApi) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const describe = Effect.sync(() =>
        toResponse(answerJson(200, OpenApi.fromApi(api), ["cache-control", CACHE_CONTROL])),
      )
      const page = HttpApiScalar.layer(api, { path: "/docs", scalar: { withDefaultFonts: false } })
      const renderPage = yield* Effect.cached(Effect.scoped(HttpRouter.toHttpEffect(page)))
      yield* router.add("GET", "/openapi.json", yield* Effect.cached(describe))
      yield* router.add(
        "GET",
        "/docs",
        Effect.map(Effect.flatten(renderPage), HttpServerResponse.setHeaders(DOCS_HEADERS)),
      )
    }),
  )
