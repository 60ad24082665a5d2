/**
 * How many requests a second does a server answer, and how long does each take?
 *
 * A closed loop over plain sockets: some connections, each with one request under way, in the same order of paths at every run. The
 * requests are bytes that are made beforehand and answers are only measured for their length, so that the client is busy for less
 * time than the server. Latencies are kept in microseconds.
 */
import { readFileSync } from "node:fs"
import { connect } from "node:net"

/** What is sent, and for how long. */
export interface Load {
  readonly port: number
  readonly requests: readonly Buffer[]
  readonly connections: number
  readonly durationMs: number
}

/** What was measured. */
export interface LoadResult {
  readonly requestsPerSecond: number
  readonly p50Us: number
  readonly p99Us: number
  /** Answers that were no 200. */
  readonly failures: number
}

const LONGEST_US = 1_000_000

/** Builds a request as bytes: a GET, or a POST of JSON where there is a body. */
export function makeRequest(path: string, headers: Readonly<Record<string, string>>, body?: string): Buffer {
  const content =
    body === undefined ? {} : { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(body)) }
  const all = { Host: "127.0.0.1", ...headers, ...content }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`)
}

/** The length of the first answer in some bytes; 0 while it is not whole. */
function measureAnswer(bytes: Buffer): number {
  const end = bytes.indexOf("\r\n\r\n")
  if (end < 0) return 0
  const head = bytes.toString("latin1", 0, end)
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  return bytes.length >= end + 4 + length ? end + 4 + length : 0
}

/** Sends requests for a while and measures. */
export async function runLoad({ port, requests, connections, durationMs }: Load): Promise<LoadResult> {
  const histogram = new Uint32Array(LONGEST_US + 1)
  let next = 0
  let answers = 0
  let failures = 0
  const startedAt = performance.now()
  const endsAt = startedAt + durationMs
  const runConnection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true })
      let sentAt = 0
      let pending: Buffer | null = null
      const send = () => {
        sentAt = performance.now()
        if (sentAt >= endsAt) {
          socket.destroy()
          resolve()
          return
        }
        socket.write(requests[next++ % requests.length] as Buffer)
      }
      socket.on("connect", send)
      socket.on("error", reject)
      socket.on("data", chunk => {
        const bytes: Buffer = pending === null ? chunk : Buffer.concat([pending, chunk])
        if (measureAnswer(bytes) === 0) {
          pending = bytes
          return
        }
        pending = null
        const tookUs = Math.min(LONGEST_US, Math.round((performance.now() - sentAt) * 1_000))
        histogram[tookUs] = (histogram[tookUs] as number) + 1
        answers++
        if (bytes.toString("latin1", 9, 12) !== "200") failures++
        send()
      })
    })
  await Promise.all(Array.from({ length: connections }, runConnection))
  const seconds = (performance.now() - startedAt) / 1_000
  const percentile = (share: number) => {
    let below = 0
    return histogram.findIndex(count => {
      below += count
      return below >= answers * share
    })
  }
  return { requestsPerSecond: answers / seconds, p50Us: percentile(0.5), p99Us: percentile(0.99), failures }
}

/** What a process has cost so far: seconds of CPU, and resident bytes now. Linux only; elsewhere zeros. */
export function readProcessCost(pid: number): { readonly cpuSeconds: number; readonly residentBytes: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const [userTicks, systemTicks] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13)
    const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    return { cpuSeconds: (Number(userTicks) + Number(systemTicks)) / 100, residentBytes: Number(resident) * 1_024 }
  } catch {
    return { cpuSeconds: 0, residentBytes: 0 }
  }
}
