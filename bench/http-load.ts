/**
 * Which requests does the bench send, how many a second does a server answer, and how long does each take?
 *
 * The questions are the same in every run, drawn with a seed. The load is a closed loop over plain sockets: a number of connections, each with one request under way. Requests are built
 * beforehand, and answers are only measured for their length and read into one buffer, so that the client is busy for less time than the server. Latencies are in microseconds.
 */
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { embeddedDataset } from "landfall"
import { seededRandom } from "./measure.ts"
import { drawPairs } from "./pairs.ts"
import { readCpu } from "./processes.ts"

const dataset = embeddedDataset()
const random = seededRandom(11)
const pick = (codes: readonly string[]) => codes[Math.floor(random() * codes.length)] as string
/** The queries of a thousand pairs with a record. */
export const pairs: readonly string[] = drawPairs(dataset, random, 1_000).map(
  ([p, d]) => `passport=${dataset.passports[p]}&destination=${dataset.destinations[d]}`,
)

/** A request: a path, and a body for a POST. */
export interface Question {
  readonly path: string
  readonly body?: string
  /** Headers beside the key of the demo account. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The start of the paths of the visa service. */
export const V1 = "/api/v1/visa"
const times = <Value>(count: number, make: () => Value): Value[] => Array.from({ length: count }, make)

/** Distinct passports. */
function pickDistinct(codes: readonly string[], count: number): string[] {
  const chosen = new Set<string>()
  while (chosen.size < count) chosen.add(pick(codes))
  return [...chosen]
}

/** Twelve consecutive stops of a week each. */
function makeTrip(): string {
  const day = (offset: number) => new Date(Date.UTC(2026, 11, 1 + offset)).toISOString().slice(0, 10)
  const stops = pickDistinct(dataset.destinations, 12).map((destination, at) => ({
    destination,
    from: day(at * 7),
    to: day(at * 7 + 7),
  }))
  return JSON.stringify({ passport: pick(dataset.passports), passport_expiry: "2030-01-01", stops, transit: ["ARE"] })
}

/** An endpoint and its questions. */
export interface Scenario {
  readonly name: string
  readonly title: string
  readonly questions: readonly Question[]
  /** Whether the service caches its answers. */
  readonly isKept: boolean
  /** Whether the caller has each answer already, and revalidates it. */
  readonly isRevalidated?: boolean
}

/** Makes the scenarios; the lookup uses these keys in turn, because each has a limit a second. */
export function makeScenarios(lookupKeys: readonly string[]): readonly Scenario[] {
  const lookups = pairs.map((pair, at) => ({
    path: `/visa?${pair}`,
    headers: { authorization: `Bearer ${lookupKeys[at % lookupKeys.length]}` },
  }))
  return [
    {
      name: "check",
      title: `GET ${V1}/check`,
      questions: pairs.map(pair => ({ path: `${V1}/check?${pair}` })),
      isKept: true,
    },
    { name: "visa", title: `GET ${V1}`, questions: pairs.map(pair => ({ path: `${V1}?${pair}` })), isKept: true },
    { name: "lookup", title: "GET /visa (the lookup)", questions: lookups, isKept: true },
    {
      name: "lookup304",
      title: "GET /visa with If-None-Match",
      questions: lookups,
      isKept: true,
      isRevalidated: true,
    },
    {
      name: "score",
      title: `GET ${V1}/score`,
      questions: dataset.passports.map(code => ({ path: `${V1}/score?passport=${code}` })),
      isKept: true,
    },
    {
      name: "compare",
      title: `GET ${V1}/score/compare`,
      questions: times(300, () => {
        const [first, second] = pickDistinct(dataset.passports, 2)
        return { path: `${V1}/score/compare?passport1=${first}&passport2=${second}` }
      }),
      isKept: true,
    },
    {
      name: "group",
      title: `GET ${V1}/group of four`,
      questions: times(200, () => ({ path: `${V1}/group?passports=${pickDistinct(dataset.passports, 4).join(",")}` })),
      isKept: true,
    },
    ...[5, 25].map(count => ({
      name: `bulk${count}`,
      title: `GET ${V1}/bulk of ${count}`,
      questions: times(200, () => {
        const destinations = pickDistinct(dataset.destinations, count).join(",")
        return { path: `${V1}/bulk?passport=${pick(dataset.passports)}&destination=${destinations}` }
      }),
      isKept: false,
    })),
    {
      name: "decision",
      title: `POST ${V1}/decision of 12 stops`,
      questions: times(300, () => ({ path: `${V1}/decision`, body: makeTrip() })),
      isKept: false,
    },
  ]
}

/** What to send, and for how long. */
export interface Load {
  readonly port: number
  readonly requests: readonly Buffer[]
  readonly connections: number
  readonly durationMs: number
  /** The expected status; 200 if it is left out. */
  readonly status?: number
}

/** What was measured. */
export interface LoadResult {
  readonly requestsPerSecond: number
  readonly p50Us: number
  readonly p99Us: number
  /** Answers of another status. */
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

/** The number of bytes of the answer that begins with these bytes; null while its head is incomplete. */
function measureAnswer(bytes: Buffer): number | null {
  const end = bytes.indexOf("\r\n\r\n")
  if (end < 0) return null
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(bytes.toString("latin1", 0, end))?.[1] ?? 0)
  return end + 4 + length
}

/** Sends requests for a while and measures. */
export async function runLoad({ port, requests, connections, durationMs, status = 200 }: Load): Promise<LoadResult> {
  const histogram = new Uint32Array(LONGEST_US + 1)
  // One for all connections: the bytes read are processed before the next read.
  const shared = Buffer.allocUnsafe(256 * 1_024)
  let next = 0
  let answers = 0
  let failures = 0
  const startedAt = performance.now()
  const endsAt = startedAt + durationMs
  const runConnection = () =>
    new Promise<void>((resolve, reject) => {
      let sentAt = 0
      let head = Buffer.alloc(0)
      /** How much of the answer is still to come; null before its head is whole. */
      let missing: number | null = null
      let isGood = true
      const send = () => {
        sentAt = performance.now()
        if (sentAt >= endsAt) {
          socket.destroy()
          resolve()
          return
        }
        head = Buffer.alloc(0)
        missing = null
        socket.write(requests[next++ % requests.length] as Buffer)
      }
      const read = (size: number, buffer: Uint8Array) => {
        if (missing === null) {
          const piece = Buffer.from(buffer.buffer, buffer.byteOffset, size)
          const bytes = head.length === 0 ? piece : Buffer.concat([head, piece])
          const length = measureAnswer(bytes)
          if (length === null) {
            head = Buffer.from(bytes)
            return true
          }
          isGood = bytes.toString("latin1", 9, 12) === String(status)
          missing = length - bytes.length
        } else missing -= size
        if (missing > 0) return true
        const tookUs = Math.min(LONGEST_US, Math.round((performance.now() - sentAt) * 1_000))
        histogram[tookUs] = (histogram[tookUs] as number) + 1
        answers++
        if (!isGood) failures++
        send()
        return true
      }
      const socket = connect({ port, host: "127.0.0.1", noDelay: true, onread: { buffer: shared, callback: read } })
      socket.on("connect", send)
      socket.on("error", reject)
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

/** The cost of a process and its children so far: seconds of CPU, and resident bytes now. Linux only; elsewhere zeros. */
export function readProcessCost(pid: number): { readonly cpuSeconds: number; readonly residentBytes: number } {
  try {
    const [, cpuSeconds] = readCpu(`/proc/${pid}`)
    const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)
    const costs = children.map(readProcessCost)
    return {
      cpuSeconds: costs.reduce((sum, one) => sum + one.cpuSeconds, cpuSeconds),
      residentBytes: costs.reduce((sum, one) => sum + one.residentBytes, Number(resident) * 1_024),
    }
  } catch {
    return { cpuSeconds: 0, residentBytes: 0 }
  }
}
