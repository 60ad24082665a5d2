/** The built page on a port of its own, sent as `landfall serve` sends it: with its headers, with gzip, and with 304 for what is known. */
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { openSiteFiles, type SiteAsset, type SiteFiles, type SiteOptions } from "../../adapters/http/page/assets.ts"

/** Files of a test that stand beside the page's own, by path. */
export type FurtherFiles = Readonly<
  Record<string, { readonly type: string; readonly bytes: Uint8Array | string; readonly status?: number }>
>

/** The service worker, which keeps of the files of single countries, of which there are 250, only those of some. */
export function keepFewCountries(folder: string, codes: readonly string[] = []): FurtherFiles {
  const bytes = readFileSync(join(folder, "service-worker.js"), "utf8").replace(
    /"parts\/([A-Z]{3})-[a-z0-9]{8}\.js",/g,
    (file, code) => (codes.includes(code) ? file : ""),
  )
  return { "/service-worker.js": { type: "text/javascript; charset=utf-8", bytes } }
}

/** A server that is listening. */
export interface SiteServer {
  readonly url: string
  readonly server: Server
  readonly close: () => Promise<void>
}

/** Each file is read and compressed once a worker, whichever tests ask for it. */
const opened = new Map<string, SiteFiles>()
const packed = new WeakMap<SiteAsset, Buffer>()

function packOnce(asset: SiteAsset): Buffer {
  const bytes = packed.get(asset) ?? gzipSync(asset.bytes)
  packed.set(asset, bytes)
  return bytes
}

function findSiteFiles(folder: string, options: SiteOptions): SiteFiles {
  const key = JSON.stringify([folder, options])
  const files = opened.get(key) ?? openSiteFiles(folder, options)
  opened.set(key, files)
  return files
}

/** Serves a built folder on a free port of this machine. */
export async function serveSite(
  folder: string,
  further: FurtherFiles = {},
  options: SiteOptions = {},
): Promise<SiteServer> {
  const assets = findSiteFiles(folder, options)
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname
    const file = further[path]
    const asset = assets.find(path)
    if (file !== undefined)
      return void response.writeHead(file.status ?? 200, { "content-type": file.type }).end(file.bytes)
    if (asset === undefined)
      return void response.writeHead(404, { "content-type": "text/plain" }).end("There is no such path.")
    const takesGzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "")
    const etag = `W/"${hash("sha256", asset.bytes, "base64url")}"`
    const headers = {
      ...asset.headers,
      "x-content-type-options": "nosniff",
      "content-type": asset.type,
      "cache-control": asset.cacheControl,
      vary: "accept-encoding",
      etag,
    }
    if (request.headers["if-none-match"] === etag) return void response.writeHead(304, headers).end()
    response.writeHead(200, { ...headers, ...(takesGzip ? { "content-encoding": "gzip" } : {}) })
    response.end(takesGzip ? packOnce(asset) : asset.bytes)
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    server,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
