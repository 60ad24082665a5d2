/** The reference of what is mounted, made when it is first asked for: as a document for programs, and as a page for people. */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import type { Surface } from "../../../platform/settings/settings.ts"
import type { Site } from "../../../platform/settings/site-links.ts"
import type { Reference } from "../pipeline/services.ts"
import { declareApi } from "./api.ts"

/** The reference of some surfaces, for a site. */
export function makeReference(surfaces: readonly Surface[], site: Site): Reference {
  const declare = () => declareApi(surfaces, [site.publicUrl])
  const render = Effect.suspend(() => {
    const route = HttpApiScalar.layer(declare(), { path: "/docs", scalar: { withDefaultFonts: false } })
    return Effect.scoped(Effect.flatten(HttpRouter.toHttpEffect(route))).pipe(
      Effect.provideService(
        HttpServerRequest.HttpServerRequest,
        HttpServerRequest.fromWeb(new Request("http://localhost/docs")),
      ),
      Effect.map(({ body }) => new TextDecoder().decode(body._tag === "Uint8Array" ? body.body : undefined)),
      Effect.orDie,
    )
  })
  let rendered: Promise<string> | undefined
  return {
    describe: () => OpenApi.fromApi(declare()),
    render: () => {
      rendered ??= Effect.runPromise(render)
      return rendered
    },
  }
}
