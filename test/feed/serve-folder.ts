/** A static host on this machine: it serves a folder with ETags to every origin, and counts what it is asked. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"

export interface ServedFolder {
  readonly url: string
  /** The paths and statuses of what it has answered. */
  readonly asked: { readonly path: string; readonly status: number }[]
  readonly close: () => Promise<void>
}

const TYPES: Readonly<Record<string, string>> = { html: "text/html", js: "text/javascript" }

export async function serveFolder(folder: string): Promise<ServedFolder> {
  const asked: { path: string; status: number }[] = []
  const server = createServer(({ url = "/", headers }, response) => {
    const answer = (status: number, body?: Uint8Array, more: Record<string, string> = {}) => {
      asked.push({ path: url, status })
      response.writeHead(status, { "access-control-allow-origin": "*", ...more }).end(body)
    }
    let bytes: Uint8Array
    try {
      bytes = readFileSync(join(folder, url))
    } catch {
      return answer(404)
    }
    const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`
    const type = TYPES[url.split(".").at(-1) as string] ?? "application/octet-stream"
    return headers["if-none-match"] === etag
      ? answer(304, undefined, { etag })
      : answer(200, bytes, { etag, "content-type": type })
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
