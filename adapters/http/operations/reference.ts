/**
 * The reference: `/openapi.json` for programs, `/docs` for people.
 *
 * Both are made at the first request. The rendered reference is one page of three megabytes with its program inside, so that it works
 * without any network; it is not loaded before somebody wants it.
 */
import { promisify } from "node:util"
import { gzip } from "node:zlib"
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
  vary: "Accept-Encoding",
  "content-security-policy":
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'",
}

/** The page, made once, and made small once: three megabytes are too many to compress for each visitor. */
const makePages = (api: LandfallApi) =>
  Effect.gen(function* () {
    const route = HttpApiScalar.layer(api, { path: "/docs", scalar: { withDefaultFonts: false } })
    const page = yield* Effect.scoped(Effect.flatten(HttpRouter.toHttpEffect(route)))
    const html = page.body._tag === "Uint8Array" ? page.body.body : new Uint8Array()
    const small = yield* Effect.promise(() => compress(html))
    const answer = (body: Uint8Array, headers: Record<string, string>) =>
      HttpServerResponse.uint8Array(body, {
        contentType: "text/html; charset=utf-8",
        headers: { ...DOCS_HEADERS, ...headers },
      })
    return {
      plain: answer(html, { "content-encoding": "identity" }),
      small: answer(small, { "content-encoding": "gzip" }),
    }
  })

const compress = promisify(gzip)

/** Says whether a client takes gzip. */
const takesGzip = (acceptEncoding: string | undefined): boolean =>
  acceptEncoding !== undefined && /(^|,)\s*(gzip|\*)\s*(;\s*q=(1|0?\.\d*[1-9]\d*)[\d.]*\s*)?(,|$)/i.test(acceptEncoding)

/** The two routes, for an interface definition. */
export const addReferenceRoutes = (api: LandfallApi) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const describe = Effect.sync(() =>
        toResponse(answerJson(200, OpenApi.fromApi(api), ["cache-control", CACHE_CONTROL])),
      )
      const pages = yield* Effect.cached(makePages(api))
      yield* router.add("GET", "/openapi.json", yield* Effect.cached(describe))
      yield* router.add("GET", "/docs", request =>
        Effect.map(pages, ({ plain, small }) => (takesGzip(request.headers["accept-encoding"]) ? small : plain)),
      )
    }),
  )
