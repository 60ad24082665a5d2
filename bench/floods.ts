/**
 * `npm run bench -- floods`: how long does a paying caller wait while somebody else floods the service?
 *
 * The service runs as a process of its own with a heap of 320 MB, and trusts this machine as a proxy. Each of the floods comes from another process, in rounds that alternate with quiet ones. Forty times a second
 * the paying caller checks a pair. A stranger floods from a machine of his own, so the source has only the processor time that service and caller leave (`nice`). On cores of their own the collector of the
 * service would have no core beside its loop. Printed are the medians of the rounds: the caller's p50 and p99, quiet and under the flood, and the ratio of p99 of neighbouring
 * rounds; the same from the arrival of a request in the service to the end of its answer; the p99 of how late the service's event loop is; the processor time that the loop used until the answer came; how many of the
 * flood's requests were answered in a second; and the most memory that the service ever had. Everything is bounded in count and time, and goes to 127.0.0.1. Arguments: `--rounds N`, `--seconds N`, `--only NAME`,
 * `--cli FILE` for another build, and `--flags "…"` for flags of its Node.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { MAXIMUM_HELD_REQUESTS } from "../adapters/http/server/held-bytes.ts"
import { embeddedDataset } from "../src/index.ts"
import { readPeakMb } from "../test/attacks/peak-memory.ts"
import { startVictim, type Victim } from "../test/attacks/start-victim.ts"
import { bundleCli } from "../test/cli/bundle.ts"
import { PAYING_ADDRESS, type Probed } from "./floods-probe.ts"
import { describeRun, median, option, percentile } from "./measure.ts"

const { values } = parseArgs({
  options: {
    rounds: option(5, 1),
    seconds: option(4, 0.2),
    only: { type: "string" },
    cli: { type: "string" },
    flags: { type: "string", default: "" },
    /** For the process of a flood. */
    flood: { type: "string" },
  },
})
/** Windows has no `nice`. */
const hasNice = process.platform !== "win32"
const ROUNDS = Number(values.rounds)
const ROUND_MS = Number(values.seconds) * 1_000
const PAYING_EVERY_MS = 25
const V1 = "/api/v1/visa"
const PLACES = ["FRA", "GBR", "USA", "CAN", "DEU", "JPN", "AUS", "CHN", "THA", "ZAF", "ITA", "ESP"]

const dayAt = (days: number) => new Date(Date.UTC(2026, 11, 1 + days)).toISOString().slice(0, 10)
const stops = PLACES.map((destination, at) => ({ destination, from: dayAt(at * 25), to: dayAt(at * 25 + 25) }))
const held = PLACES.slice(0, 5).map(issuer => ({ kind: "visa", issuer, entries: 1, duration_of_stay_days: 9 }))
const passports = ["IND", "NGA", "PAK"]
/** Blocked everywhere, with many ways through it. */
const HEAVY = JSON.stringify({ passports, held, stops })
/** Refused at the limits: as many travellers and earlier stays as may be, each stay with a mistake. */
const REFUSED = JSON.stringify({
  travellers: Array.from({ length: 10 }, () => ({
    passport: "FRA",
    earlier_stays: Array.from({ length: 60 }, () => ({ destination: "JPN", from: "2026-02-30", to: "x" })),
  })),
  stops,
})
/** A request as bytes: a GET, or a POST where there is a body. */
function makeRequest(path: string, headers: Readonly<Record<string, string>>, body?: string): Buffer {
  const all = {
    Host: "x",
    ...headers,
    ...(body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(all).map(header => `${header.join(": ")}\r\n`)
  return Buffer.from(`${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`)
}

const MCP_HEADERS = { accept: "application/json, text/event-stream", "content-type": "application/json" }
const call = (id: number, method: string, params: object) => ({ jsonrpc: "2.0", id, method, params })
const HEAVY_CALL = JSON.stringify(call(1, "tools/call", { name: "check_itinerary", arguments: JSON.parse(HEAVY) }))
const BATCH = JSON.stringify(
  Array.from({ length: 20 }, (_, at) => call(at, "resources/read", { uri: "visa://country-codes" })),
)

const ipv4 = (at: number) => `198.${18 + ((at >> 16) & 1)}.${(at >> 8) & 255}.${at & 255}`
const ipv6 = (at: number) => `2001:db8:${(at >> 8).toString(16)}:${(at & 255).toString(16)}::1`
const from = (address: string) => ({ "X-Forwarded-For": address })

/** A source that sends its next request when the last was answered, on each of some connections. */
interface Asking {
  readonly connections: number
  readonly makeAsked: (at: number, keys: Victim["keys"]) => Buffer
}
/** A source that opens connections, sends some bytes on each, and reads nothing. */
interface Holding {
  readonly connections: number
  readonly makeBytes: (at: number) => Buffer
}

const FLOODS: Readonly<Record<string, Asking | Holding>> = {
  "refused decisions": {
    connections: 8,
    makeAsked: (_, { free = "" }) => makeRequest(`${V1}/decision`, { "X-Api-Key": free, ...from(ipv4(1)) }, REFUSED),
  },
  "dear calls without a key": {
    connections: 8,
    makeAsked: at => makeRequest("/mcp", { ...MCP_HEADERS, ...from(ipv4(at)) }, HEAVY_CALL),
  },
  "15 KB of Accept-Language": {
    connections: 16,
    makeAsked: () => makeRequest("/account", { "Accept-Language": "cy-Latn;q=0.1,".repeat(1_070), ...from(ipv4(1)) }),
  },
  "registrations, a /64 each": {
    connections: 32,
    makeAsked: at => {
      const body = JSON.stringify({ name: "Flood", email: `flood${at}@example.org` })
      return makeRequest("/register", from(ipv6(at)), body)
    },
  },
  "heavy decisions with a free key": {
    connections: 24,
    makeAsked: (_, { free = "" }) => makeRequest(`${V1}/decision`, { "X-Api-Key": free, ...from(ipv4(1)) }, HEAVY),
  },
  "score/compare": {
    connections: 32,
    makeAsked: at => {
      const { passports: all } = embeddedDataset()
      const [first, second] = [all[at % all.length], all[(at * 7 + 1) % all.length]]
      return makeRequest(`${V1}/score/compare?passport1=${first}&passport2=${second}`, from(ipv4(1)))
    },
  },
  "half bodies": {
    connections: 4_000,
    makeBytes: () =>
      Buffer.from(
        `POST /mcp HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${ipv4(1)}\r\nContent-Length: 65000\r\n\r\n${"x".repeat(60_000)}`,
      ),
  },
  // As many as a connection may have, so that it is not closed for them.
  "unread answers": {
    connections: 400,
    makeBytes: () =>
      Buffer.from(
        `GET /openapi.json HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${ipv4(1)}\r\n\r\n`.repeat(
          1 + MAXIMUM_HELD_REQUESTS,
        ),
      ),
  },
  "pipelined requests": {
    connections: 1_000,
    makeBytes: () =>
      Buffer.from(`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${ipv4(1)}\r\n\r\n`.repeat(1_000)),
  },
  "headers that never end": {
    connections: 4_000,
    makeBytes: at =>
      Buffer.from(`GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${ipv4(at)}\r\nA: ${"x".repeat(15_000)}`),
  },
  // As many as there may be of an address, and in all.
  "listeners of /live": {
    connections: 1_000,
    makeBytes: at => makeRequest(`${V1}/live`, from(ipv4(Math.floor(at / 20)))),
  },
  "/mcp from many addresses": {
    connections: 64,
    makeAsked: at => makeRequest("/mcp", { ...MCP_HEADERS, ...from(ipv4(at % 300)) }, BATCH),
  },
}

/** How many connections a holding source opens in a second at most. */
const OPENED_A_SECOND = 1_000
/** How many requests a source sends in a second at most. */
const SENT_A_SECOND = 20_000

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    socket.once("connect", () => resolve(socket.off("error", reject).on("error", () => {})))
    socket.once("error", reject)
  })
}

/** The end of a body without a length. */
const LAST_CHUNK = "0\r\n\r\n"

/** Sends a request and waits for the end of its answer; rejects if the connection closes before. */
function ask(socket: Socket, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let head = ""
    let tail = ""
    let missing: number | null = null
    const end = (then: () => void) => {
      socket.off("data", read).off("close", fail)
      then()
    }
    const fail = () => end(() => reject(new Error("the connection was closed")))
    const read = (piece: Buffer) => {
      tail = (tail + piece.toString("latin1", Math.max(0, piece.length - LAST_CHUNK.length))).slice(-LAST_CHUNK.length)
      if (missing === null) {
        head += piece.toString("latin1")
        const at = head.indexOf("\r\n\r\n")
        if (at < 0) return
        const length = /\r\ncontent-length: *(\d+)/i.exec(head.slice(0, at))?.[1]
        missing = length === undefined ? Number.POSITIVE_INFINITY : Number(length) - (head.length - at - 4)
      } else missing -= piece.length
      if (missing <= 0 || (missing === Number.POSITIVE_INFINITY && tail === LAST_CHUNK))
        end(() => resolve(Number(head.slice(9, 12))))
    }
    socket.on("data", read)
    socket.once("close", fail)
    socket.write(request)
  })
}

/** The process of a flood: begins and ends by lines on its standard input. */
async function runFlood(name: string, { port, keys }: Pick<Victim, "port" | "keys">): Promise<void> {
  const flood = FLOODS[name] as Asking | Holding
  const sockets = new Set<Socket>()
  let isOn = false
  let answered = 0
  let asked = 0
  const keepAsking = async ({ makeAsked }: Asking) => {
    let socket: Socket | null = null
    while (isOn) {
      try {
        socket ??= await open(port)
        sockets.add(socket)
        await ask(socket, makeAsked(asked++, keys))
        answered++
        if (asked > SENT_A_SECOND * (ROUND_MS / 1_000)) return
      } catch {
        socket?.destroy()
        socket = null
        await sleep(10)
      }
    }
  }
  const keepHolding = async ({ connections, makeBytes }: Holding) => {
    for (let at = 0; isOn && at < connections; at++) {
      const socket = await open(port).catch(() => null)
      if (socket === null) continue
      sockets.add(socket)
      socket.pause().write(makeBytes(at))
      answered++
      if (at % 10 === 9) await sleep(10_000 / OPENED_A_SECOND)
    }
  }
  const lines = createInterface({ input: process.stdin })
  console.log("ready")
  for await (const line of lines) {
    if (line === "begin") {
      isOn = true
      answered = 0
      asked = 0
      if ("makeBytes" in flood) void keepHolding(flood)
      else for (let at = 0; at < flood.connections; at++) void keepAsking(flood)
    } else {
      isOn = false
      for (const socket of sockets) socket.destroy()
      sockets.clear()
      console.log(answered)
    }
  }
}

interface Latencies extends Probed {
  readonly p50Ms: number
  readonly p99Ms: number
  /** The processor time that the service's event loop used until the answer came: what the caller waited for, whatever else the machine did. */
  readonly cpuP50Ms: number
  readonly cpuP99Ms: number
  readonly failures: number
}

/** The processor time of the main thread of a process; 0 where the system does not say it (Linux does). */
function readLoopMs(pid: number): number {
  if (process.platform !== "linux") return 0
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6
}

const PROBE = join(tmpdir(), `landfall-floods-${process.pid}.sock`)

/** What the service has measured since this was asked last. */
async function readProbe(): Promise<Probed> {
  const socket = connect(PROBE)
  let text = ""
  for await (const piece of socket.setEncoding("utf8")) text += piece
  return JSON.parse(text)
}

/** Checks a pair forty times a second, whether or not the last answer is there. */
async function pay({ port, keys, pid }: Victim): Promise<Latencies> {
  const { passports: all, destinations } = embeddedDataset()
  const free: Socket[] = []
  const took: number[] = []
  const used: number[] = []
  let failures = 0
  const check = async (at: number) => {
    const path = `${V1}/check?passport=${all[at % all.length]}&destination=${destinations[(at * 13) % destinations.length]}`
    const request = makeRequest(path, { "X-Api-Key": keys.business ?? "", ...from(PAYING_ADDRESS) })
    const [startedAt, usedBefore] = [performance.now(), readLoopMs(pid)]
    const socket = free.pop() ?? (await open(port))
    const status = await ask(socket, request).catch(() => 0)
    took.push(performance.now() - startedAt)
    used.push(readLoopMs(pid) - usedBefore)
    if (status === 200 || status === 404) free.push(socket)
    else failures++
  }
  const checks: Promise<void>[] = []
  await readProbe()
  const startedAt = performance.now()
  for (let at = 0; performance.now() - startedAt < ROUND_MS; at++) {
    checks.push(check(at))
    await sleep(Math.max(0, startedAt + (at + 1) * PAYING_EVERY_MS - performance.now()))
  }
  await Promise.all(checks)
  for (const socket of free) socket.destroy()
  return {
    p50Ms: percentile(took, 0.5),
    p99Ms: percentile(took, 0.99),
    cpuP50Ms: percentile(used, 0.5),
    cpuP99Ms: percentile(used, 0.99),
    ...(await readProbe()),
    failures,
  }
}

async function measureFlood(name: string, victim: Victim): Promise<void> {
  const own = [process.execPath, ...process.execArgv, import.meta.filename, ...process.argv.slice(2), "--flood", name]
  const [command = "", ...args] = hasNice ? ["nice", "-n", "19", ...own] : own
  const child = spawn(command, args, {
    env: { ...process.env, FLOODED: JSON.stringify({ port: victim.port, keys: victim.keys }) },
    stdio: ["pipe", "pipe", "inherit"],
  })
  const [quiet, flooded, rates]: [Latencies[], Latencies[], number[]] = [[], [], []]
  await once(child.stdout, "data")
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push(await pay(victim))
    child.stdin.write("begin\n")
    // Until the flood is under way.
    await sleep(ROUND_MS / 8)
    flooded.push(await pay(victim))
    child.stdin.write("end\n")
    const [answered] = (await once(child.stdout, "data")) as [Buffer]
    rates.push(Number(answered) / ((ROUND_MS * 9) / 8_000))
    await sleep(ROUND_MS / 4)
  }
  child.kill()
  await once(child, "exit")
  const middle = (all: readonly Latencies[], of: (one: Latencies) => number) =>
    median(all.map(of)).toFixed(1).padStart(7)
  const ratio = median(flooded.map(({ p99Ms }, at) => p99Ms / (quiet[at] as Latencies).p99Ms))
  const failures = flooded.reduce((sum, one) => sum + one.failures, 0)
  console.log(
    [
      `  ${name.padEnd(32)}`,
      `quiet ${middle(quiet, one => one.p50Ms)} ${middle(quiet, one => one.p99Ms)}`,
      `flooded ${middle(flooded, one => one.p50Ms)} ${middle(flooded, one => one.p99Ms)} ms`,
      `p99 × ${ratio.toFixed(1).padStart(5)}`,
      `in service ${middle(quiet, one => one.servedP99Ms)} → ${middle(flooded, one => one.servedP50Ms)} ${middle(flooded, one => one.servedP99Ms)}`,
      `late ${middle(quiet, one => one.delayP99Ms)} → ${middle(flooded, one => one.delayP99Ms)}`,
      `loop ${middle(quiet, one => one.cpuP99Ms)} → ${middle(flooded, one => one.cpuP50Ms)} ${middle(flooded, one => one.cpuP99Ms)}`,
      `${Math.round(median(rates)).toLocaleString("en-US").padStart(7)}/s`,
      `${(readPeakMb(victim.pid) ?? 0).toFixed(0).padStart(4)} MB`,
      ...(failures > 0 ? [`${failures} FAILED`] : []),
    ].join("  "),
  )
}

if (values.flood !== undefined) {
  await runFlood(values.flood, JSON.parse(process.env.FLOODED ?? "") as Pick<Victim, "port" | "keys">)
} else {
  console.log(describeRun(embeddedDataset().version).join("\n"))
  console.log(
    `${ROUNDS} rounds of ${ROUND_MS / 1_000} s, p50 and p99 of a paying caller with ${1_000 / PAYING_EVERY_MS} checks a second`,
  )
  const landfall = values.cli ?? bundleCli()
  console.log(`source, service and caller share all cores${hasNice ? ", the source at nice 19" : ""}`)
  const start = {
    landfall,
    nodeFlags: ["--import", join(import.meta.dirname, "floods-probe.ts"), ...values.flags.split(" ").filter(Boolean)],
    env: { FLOODS_PROBE: PROBE },
  }
  for (const name of Object.keys(FLOODS)) {
    if (values.only !== undefined && values.only !== name) continue
    const victim = await startVictim(start)
    // Until the code is compiled.
    await pay(victim)
    await measureFlood(name, victim)
    await victim.stop()
  }
}
