/**
 * Runs inside the service that `floods.ts` measures (`node --import`): how late is its event loop, and how long does it have a request of the paying caller before it has sent the answer?
 *
 * It answers each connection to the path in `FLOODS_PROBE` with a line of JSON: what it has measured since the connection before.
 */
import { subscribe } from "node:diagnostics_channel"
import { rmSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { createServer } from "node:net"
import { createHistogram, monitorEventLoopDelay } from "node:perf_hooks"
import { isMainThread } from "node:worker_threads"

/** The address from which the paying caller asks. */
export const PAYING_ADDRESS = "192.0.2.1"
/** How often the delay of the loop is measured; rarely, because the loop may be idle otherwise. */
const RESOLUTION_MS = 10

/** What the service itself sees, in milliseconds. */
export interface Probed {
  readonly delayP99Ms: number
  readonly servedP50Ms: number
  readonly servedP99Ms: number
}

function startProbe(path: string): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  const served = createHistogram()
  const arrived = new WeakMap<IncomingMessage, bigint>()
  subscribe("http.server.request.start", message => {
    const { request } = message as { readonly request: IncomingMessage }
    if (request.headers["x-forwarded-for"] === PAYING_ADDRESS) arrived.set(request, process.hrtime.bigint())
  })
  subscribe("http.server.response.finish", message => {
    const at = arrived.get((message as { readonly request: IncomingMessage }).request)
    if (at !== undefined) served.record(process.hrtime.bigint() - at)
  })
  const server = createServer(socket => {
    const probed: Probed = {
      delayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS),
      servedP50Ms: served.percentile(50) / 1e6,
      servedP99Ms: served.percentile(99) / 1e6,
    }
    delay.reset()
    served.reset()
    socket.on("error", () => {}).end(JSON.stringify(probed))
  })
  delay.enable()
  // The service has replaced itself at its start, and the one before did not end by itself.
  rmSync(path, { force: true })
  server.listen(path).unref()
}

const { FLOODS_PROBE: path } = process.env
if (isMainThread && path !== undefined) startProbe(path)
