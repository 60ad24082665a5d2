/**
 * How does the explorer page stand beside the endpoints?
 *
 * Each file of the built page is a row of its own, so that a path which is none stays one. `/` belongs to the index, which asks here for
 * the page when a browser calls. Where the page was never built there are no rows, and the service is complete without it.
 */
import { openSiteFiles, type SiteAsset, type SiteFiles } from "../../site/assets.ts"
import type { Answer } from "../answer.ts"
import { chooseEncoding } from "../compression.ts"
import { type Endpoint, endpoint } from "../endpoint.ts"
import type { ServiceRequest } from "../request.ts"

const PAGE = "/"
/** What `vary` says of `/`, which is a page for browsers and an index for programs. */
const VARY_OF_PAGE = "Accept, Accept-Encoding"

/** Only gzip is kept ready. */
const KEPT_ENCODINGS = ["gzip", "identity"]

let opened: SiteFiles | undefined

/** The built page of this installation, looked for once. */
const openFiles = (): SiteFiles => {
  opened ??= openSiteFiles()
  return opened
}

/** Answers a file: nothing but 304 for whoever has it, and small for whoever takes gzip. */
export function answerFile(asset: SiteAsset, request: ServiceRequest): Answer {
  const { bytes, gzip, cacheControl, path } = asset
  const isSmall = gzip !== null && chooseEncoding(request.header("accept-encoding"), KEPT_ENCODINGS) === "gzip"
  const etag = isSmall ? asset.etag.replace(/"$/, '-gzip"') : asset.etag
  const headers = [
    "cache-control",
    cacheControl,
    "etag",
    etag,
    "vary",
    path === PAGE ? VARY_OF_PAGE : "Accept-Encoding",
  ]
  for (const [name, value] of Object.entries(asset.headers)) headers.push(name, value)
  if (isSmall) headers.push("content-encoding", "gzip")
  if (isKnown(request.header("if-none-match"), etag)) return { status: 304, contentType: asset.type, headers, body: "" }
  return { status: 200, contentType: asset.type, headers, body: isSmall ? gzip : bytes }
}

/** Compares weakly, as `If-None-Match` asks for (RFC 9110, section 13.1.2). */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? "").split(",").some(tag => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag)

/** The page itself; null where it was never built. */
export function answerPage(request: ServiceRequest): Answer | null {
  const page = openFiles().find(PAGE)
  return page === undefined ? null : answerFile(page, request)
}

const rowOfFile = (path: string): Endpoint =>
  endpoint({
    method: "GET",
    surface: "operations",
    access: { kind: "public" },
    parameters: {},
    name: `page ${path}`,
    path: path as `/${string}`,
    answer: (_, { request }) => answerFile(openFiles().find(path) as SiteAsset, request),
  })

/** A row for each file but `/`. The reference does not list them. */
export const listPageRows = (): readonly Endpoint[] =>
  openFiles()
    .paths.filter(path => path !== PAGE)
    .map(rowOfFile)
