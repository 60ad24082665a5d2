/**
 * How is the explorer page served beside the endpoints?
 *
 * Each file of the built page is a row, so unknown paths are still 404. `/` belongs to the index, which uses this file if a browser calls.
 * If the page was not built, there are no rows, and the service works without it.
 *
 * The page contains the embedded dataset. If the service uses another one, the page gets that as a file, revalidated each time.
 */

import type { Dataset } from "../../../../src/engine.ts"
import { DEFAULT_LANGUAGE } from "../../../answers/answer-languages.ts"
import { findDatasetBytes } from "../../../answers/dataset-file.ts"
import { makeAsset, openSiteFiles, type SiteAsset, type SiteFiles } from "../../page/assets.ts"
import { WORLD_PICTURE } from "../../page/world-picture.ts"
import { chooseEncoding } from "../../pipeline/compression.ts"
import { type EdgeRow, endpoint } from "../../pipeline/endpoint.ts"
import type { Answer } from "../../pipeline/http-answer.ts"
import { MountedSite } from "../../pipeline/mounted-site.ts"
import type { ServiceRequest } from "../../pipeline/request.ts"
import { namesValidator } from "../../pipeline/revalidation.ts"
import { listPictureRows } from "./picture.ts"
import { listWrittenRows, PICTURE, writeOpenGraph } from "./written-page.ts"

const PAGE = "/"
/** The path of the service's dataset, relative to the page. */
const DATASET = "dataset.landfall"
/** The `vary` header of `/`, which is a page for browsers and an index for programs. */
export const VARY_OF_PAGE = "Accept, Accept-Encoding, User-Agent"

/** Only gzip is kept ready. */
const KEPT_ENCODINGS = ["gzip", "identity"]

let opened: SiteFiles | undefined

/** The built page of this installation, looked for once. */
const openFiles = (): SiteFiles => {
  opened ??= openSiteFiles(undefined, { dataset: DATASET, writesAddresses: true })
  return opened
}

/** Answers a file: with 304 if the client has it, and compressed if it accepts gzip. */
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
  if (namesValidator(request.header("if-none-match"), etag))
    return { status: 304, contentType: asset.type, headers, body: "" }
  return { status: 200, contentType: asset.type, headers, body: isSmall ? gzip : bytes, sharesBody: true }
}

let shared: { readonly publicUrl: string; readonly asset: SiteAsset } | undefined

/** The page with the fields for messengers. They get it for every address after `#`, which they do not send. */
function sharePage(page: SiteAsset, publicUrl: string): SiteAsset {
  if (shared?.publicUrl === publicUrl) return shared.asset
  const text = Buffer.from(page.bytes).toString("utf8")
  const description = /<meta name="description" content="([^"]*)">/.exec(text)?.[1] ?? ""
  const [address, picture] = [`${publicUrl}/`, `${publicUrl}/${PICTURE}`]
  const head = writeOpenGraph({ address, picture, title: "Landfall", description, language: DEFAULT_LANGUAGE })
  const asset = makeAsset(PAGE, "index.html", Buffer.from(text.replace("</head>", () => `  ${head.text}\n  </head>`)))
  shared = { publicUrl, asset }
  return asset
}

/** The page itself, at the address of its service; null where it was never built. */
export function answerPage(request: ServiceRequest, publicUrl: string): Answer | null {
  const page = openFiles().find(PAGE)
  return page === undefined ? null : answerFile(sharePage(page, publicUrl), request)
}

const rowOfFile = (path: string): EdgeRow =>
  endpoint({
    method: "GET",
    surface: "operations",
    access: { kind: "public" },
    parameters: {},
    name: `page ${path}`,
    path: path as `/${string}`,
    answer: (_, { request }) => answerFile(openFiles().find(path) as SiteAsset, request),
  })

const datasetAssets = new WeakMap<Uint8Array, SiteAsset>()

const NO_OTHER_DATASET: Answer = {
  status: 204,
  contentType: "application/octet-stream",
  headers: ["cache-control", "no-store"],
  body: "",
}

const NOT_SENT: Answer = {
  status: 403,
  contentType: "text/plain; charset=utf-8",
  headers: ["cache-control", "no-store"],
  body: "This service keeps its dataset to itself.",
}

/** Answers with the dataset as a file; 204 where it is the one that is part of the page. */
export function answerDataset(dataset: Dataset, request: ServiceRequest, isSent: boolean): Answer {
  const bytes = findDatasetBytes(dataset)
  if (bytes === null) return NO_OTHER_DATASET
  if (!isSent) return NOT_SENT
  const asset = datasetAssets.get(bytes) ?? makeAsset(`/${DATASET}`, DATASET, bytes)
  datasetAssets.set(bytes, asset)
  return answerFile(asset, request)
}

const datasetRow = endpoint({
  method: "GET",
  surface: "operations",
  access: { kind: "public" },
  needs: { site: MountedSite },
  parameters: {},
  name: `page /${DATASET}`,
  path: `/${DATASET}`,
  answer: (_, context) => answerDataset(context.dataset, context.request, context.site.pageSendsDataset),
})

type PageRow =
  | EdgeRow
  | typeof datasetRow
  | ReturnType<typeof listWrittenRows>[number]
  | ReturnType<typeof listPictureRows>[number]

/** A row for each file but `/`, and one for the dataset, and those of addresses that the service writes. The reference does not list them. */
export const listPageRows = (): readonly PageRow[] => {
  const files = openFiles()
  const [page, world] = [files.find(PAGE), files.find(WORLD_PICTURE)]
  if (page === undefined || world === undefined) return []
  const rows = files.paths.filter(path => path !== PAGE).map(rowOfFile)
  return [...rows, datasetRow, ...listWrittenRows(page), ...listPictureRows(world)]
}
