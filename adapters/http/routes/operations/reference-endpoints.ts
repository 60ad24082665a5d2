/**
 * `/openapi.json` for programs, `/docs` for people, and `/`.
 *
 * The reference is a page of this service with a style sheet and a small script, so that it works without a network. It is made on first
 * use. `/` shows a browser the explorer page, or the reference if that was not built, and gives a program an index.
 */
import { Context } from "effect"
import type { OpenApi } from "effect/http-api"
import { endpoint } from "../../pipeline/endpoint.ts"
import { type Answer, answerJson, answerText } from "../../pipeline/http-answer.ts"
import { MountedSite } from "../../pipeline/mounted-site.ts"
import { isPreviewer, wantsPage } from "../../pipeline/request.ts"
import { answerPage, VARY_OF_PAGE } from "../site/page-endpoints.ts"

// The icon of the service in a browser: a pin on a blue square, 32 x 32 pixels, drawn for this project.

const BASE64 = [
  "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAgMAAAAOFJJnAAAACVBMVEUAAAASTnj///+EiwIZAAAAA3RSTlMA//9EUNYhAAAAZklE",
  "QVR42mNgEA0FghAGBsZQMHBgYIUwAiAyIDk4A0hkrQQSQEbYqlVTwYyoVauWghlZq1atRGWsWhq1CsKYGkaYAVOMaQ7cCriloatW",
  "QZwBdw+CEbUUnRE2FYWB6S+4l+GBAAsWAMnaYYYZGnXWAAAAAElFTkSuQmCC",
].join("")

/** A PNG. */
const FAVICON: Uint8Array = Uint8Array.from(atob(BASE64), letter => letter.charCodeAt(0))

const CACHED = ["cache-control", "public, max-age=300"]

// The page may load nothing from other hosts, run nothing but its script, send requests only to this service, and be framed by no other page.
const DOCS_HEADERS = [
  ...CACHED,
  "content-security-policy",
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy",
  "no-referrer",
]

/** The reference of the mounted surfaces, in both forms. */
export class Reference extends Context.Service<
  Reference,
  {
    readonly describe: () => OpenApi.OpenAPISpec
    readonly render: () => string
    /** The script that the page loads. */
    readonly script: string
    readonly style: string
  }
>()("landfall/http/Reference") {}

const common = { method: "GET", surface: "operations", access: { kind: "public" }, parameters: {} } as const

const openapi = endpoint({
  ...common,
  name: "openapi",
  path: "/openapi.json",
  keepAs: () => "",
  needs: { reference: Reference },
  answer: (_, context) => answerJson(200, context.reference.describe(), CACHED),
})

const docs = endpoint({
  ...common,
  name: "docs",
  path: "/docs",
  keepAs: () => "",
  needs: { reference: Reference },
  answer: (_, context) => answerText("text/html; charset=utf-8", context.reference.render(), DOCS_HEADERS),
})

const docsScript = endpoint({
  ...common,
  name: "docsScript",
  path: "/docs/reference.js",
  needs: { reference: Reference },
  answer: (_, context) => answerText("text/javascript; charset=utf-8", context.reference.script, CACHED),
})

const docsStyle = endpoint({
  ...common,
  name: "docsStyle",
  path: "/docs/reference.css",
  needs: { reference: Reference },
  answer: (_, context) => answerText("text/css; charset=utf-8", context.reference.style, CACHED),
})

const sendTo = (path: string): Answer => ({
  status: 302,
  contentType: "text/plain; charset=utf-8",
  headers: ["location", path, "vary", VARY_OF_PAGE, ...CACHED],
  body: `See ${path}`,
})

const index = endpoint({
  ...common,
  name: "index",
  path: "/",
  needs: { site: MountedSite },
  answer: (_, context) => {
    const { request, site } = context
    const isForReading = wantsPage(request.header("accept")) || isPreviewer(request.header("user-agent"))
    if (isForReading) return answerPage(request, site.publicUrl) ?? sendTo("/docs")
    const body = {
      name: "landfall",
      dataset_version: context.dataset.version,
      surfaces: site.surfaces,
      openapi: `${site.publicUrl}/openapi.json`,
      docs: `${site.publicUrl}/docs`,
      health: `${site.publicUrl}/healthz`,
    }
    const headers = ["vary", VARY_OF_PAGE, ...CACHED]
    if (/\bapplication\/json\b/i.test(request.header("accept") ?? "")) return answerJson(200, body, headers)
    // A person with `curl`.
    const text = `Landfall: what the holder of a passport needs to enter a country. Dataset ${body.dataset_version}.

The page:   open ${site.publicUrl}/ in a browser
Reference:  ${body.docs} for people, ${body.openapi} for programs
Health:     ${body.health}
`
    return answerText("text/plain; charset=utf-8", text, headers)
  },
})

const favicon = endpoint({
  ...common,
  name: "favicon",
  path: "/favicon.ico",
  answer: () => ({
    status: 200,
    contentType: "image/png",
    headers: ["cache-control", "public, max-age=86400"],
    body: FAVICON,
    sharesBody: true,
  }),
})

/** Rows that the reference does not list. */
export const referenceRows = [openapi, docs, docsScript, docsStyle, index, favicon] as const
