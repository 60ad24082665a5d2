/** The reference of what is mounted, made when it is first asked for: as a document for programs, and as a page for people. */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { Reference, type ReferencePage } from "../endpoints/operations/reference.ts"
import { MountedSite } from "../pipeline/mounted-site.ts"
import { declareApi } from "./api.ts"
import { STYLES_BY_SCRIPT } from "./styles-by-script.ts"

/** Where the page finds its program, seen from its own address. */
const SCRIPT = '<script src="docs/reference.js"></script>'
const [OPEN, CLOSE] = ["<script>", "</script>"]

/** Takes the scripts out of a page, because its policy lets in files of this service only: the program, and what starts it. */
function splitPage(html: string): ReferencePage {
  const [program, start] = [html.indexOf(OPEN), html.lastIndexOf(OPEN)]
  const scripts = [html.slice(program, html.lastIndexOf(CLOSE, start)), html.slice(start, html.lastIndexOf(CLOSE))]
  const script = [STYLES_BY_SCRIPT, ...scripts.map(text => text.slice(OPEN.length))].join(";\n")
  return { html: html.slice(0, program) + SCRIPT + html.slice(html.lastIndexOf(CLOSE) + CLOSE.length), script }
}

function makeReference(site: MountedSite["Service"]): Reference["Service"] {
  const declare = () => declareApi(site.surfaces, [site.publicUrl])
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
  let rendered: Promise<ReferencePage> | undefined
  return {
    describe: () => OpenApi.fromApi(declare()),
    render: () => {
      rendered ??= Effect.runPromise(render).then(splitPage)
      return rendered
    },
  }
}

/** The reference of the mounted site. */
export const layerReference = Layer.effect(Reference, Effect.map(MountedSite, makeReference))
