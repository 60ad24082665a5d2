/**
 * `/openapi.json` for programs, `/docs` for people, and `/`.
 *
 * The rendered reference is one page of three megabytes with its program inside, so that it works without any network; it is made
 * when it is first asked for. `/` shows a browser the explorer page, or the reference where that was never built, and tells a
 * program what there is.
 */
import { wantsPage } from "../../pipeline/accept.ts"
import { type Answer, answerJson, answerText } from "../../pipeline/answer.ts"
import { type Endpoint, endpoint, serviceOf } from "../../pipeline/endpoint.ts"
import { waitFor } from "../../pipeline/later.ts"
import { answerPage } from "../site/page.ts"
import { FAVICON } from "./favicon.ts"

const CACHED = ["cache-control", "public, max-age=300"]

// The page may load nothing from other hosts, and send requests only to this service.
const DOCS_HEADERS = [
  ...CACHED,
  "content-security-policy",
  "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'",
]

const common = { method: "GET", surface: "operations", access: { kind: "public" }, parameters: {} } as const

const openapi = endpoint({
  ...common,
  name: "openapi",
  path: "/openapi.json",
  keepAs: () => "",
  answer: (_, context) => answerJson(200, serviceOf(context).reference.describe(), CACHED),
})

const docs = endpoint({
  ...common,
  name: "docs",
  path: "/docs",
  keepAs: () => "",
  answer: (_, context) =>
    waitFor(serviceOf(context).reference.render(), html => answerText("text/html; charset=utf-8", html, DOCS_HEADERS)),
})

const sendTo = (path: string): Answer => ({
  status: 302,
  contentType: "text/plain; charset=utf-8",
  headers: ["location", path, "vary", "Accept, Accept-Encoding", ...CACHED],
  body: `See ${path}`,
})

const index = endpoint({
  ...common,
  name: "index",
  path: "/",
  answer: (_, context) => {
    if (wantsPage(context.request.header("accept"))) return answerPage(context.request) ?? sendTo("/docs")
    const { site, surfaces } = serviceOf(context)
    const body = {
      name: "landfall",
      dataset_version: context.dataset.version,
      surfaces,
      openapi: `${site.publicUrl}/openapi.json`,
      docs: `${site.publicUrl}/docs`,
      health: `${site.publicUrl}/healthz`,
    }
    return answerJson(200, body, ["vary", "Accept, Accept-Encoding", ...CACHED])
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
export const referenceRows: readonly Endpoint[] = [openapi, docs, index, favicon]
