/**
 * The service that is measured, in a process of its own, so that the processor time of its main thread is that of its event loop and nothing else.
 *
 * Run as a program it starts the service and tells its parent where it listens; each message is an instant to which its clock is set, or 0, and is answered with the time that the thread
 * has used, in milliseconds.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { bundleProgram } from "../cli/bundle.ts"
import { type Ask, type Reply, send } from "../http/service.ts"

/** What the parent is told at the start. */
interface Start {
  readonly url: string
  readonly keys: Readonly<Record<string, string>>
  readonly sessions: Readonly<Record<string, string>>
}

/** The answer to a request, with the processor time that it took; null for none within {@link HANG_MS} of processor time. */
export interface Measured {
  readonly ms: number
  readonly reply: Reply | null
}

/** A request that uses the processor for so long hangs. */
const HANG_MS = 5_000
/** How often a waiting parent looks at the clock of the process. */
const LOOK_MS = 500
/** Without `/proc`, a request that is not answered for so long hangs. */
const LONGEST_WAIT_MS = 120_000
/** Linux counts the processor time of a process in these. */
const TICK_MS = 10

const START_AT = Date.parse("2026-11-28T10:00:00Z")

/** How much processor time a process has used, or how much time has passed where that is not known, as a share of what makes a hang. */
function readHangShare(pid: number): number {
  try {
    const [, ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")
    const [utime = 0, stime = 0] = (fields.join(") ").split(" ").slice(11, 13) ?? []).map(Number)
    return ((utime + stime) * TICK_MS) / HANG_MS
  } catch {
    return performance.now() / LONGEST_WAIT_MS
  }
}

/** A running service whose processor time is measured; it is started again after a hang. */
export interface FuzzedService extends AsyncDisposable {
  /** Sends a request with every key; a limit that is reached is waited for, on the service's own clock. */
  readonly ask: (ask: Ask & { readonly path: string }) => Promise<Measured>
}

/** Starts the service. */
export async function startFuzzedService(): Promise<FuzzedService> {
  let running = await launch()
  let now = START_AT
  let clients = 0
  const askOnce = async ({ path, headers, ...rest }: Ask & { readonly path: string }): Promise<Measured> => {
    const { url, keys, sessions } = running.start
    const key = keys[path.includes("/simulate") ? "test" : "business"] as string
    const client = ++clients
    const given = {
      "x-api-key": key,
      authorization: `Bearer ${key}`,
      cookie: `svc_token=${sessions.pro}`,
      "x-forwarded-for": `2001:db8:${(client >> 12).toString(16)}:${(client & 4_095).toString(16)}::1`,
      ...headers,
    }
    const watch = watchForHang(running.child)
    const answer = send(url, path, { ...rest, headers: given }).catch(() => NO_REPLY)
    const reply = await Promise.race([answer, watch.hung])
    watch.stop()
    if (reply !== null) return { ms: await running.readUsedMs(), reply }
    await end(running.child)
    running = await launch()
    return { ms: HANG_MS, reply }
  }
  return {
    ask: async ask => {
      const first = await askOnce(ask)
      if (first.reply?.status !== 429) return first
      now += (Number(first.reply.headers["retry-after"] ?? 3_600) + 1) * 1_000
      await running.readUsedMs(now)
      return askOnce(ask)
    },
    [Symbol.asyncDispose]: () => end(running.child),
  }
}

async function launch() {
  const child = fork(bundleProgram("fuzzed-service"), { stdio: ["ignore", "ignore", "inherit", "ipc"] })
  const [start] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => Promise.reject(new Error("The service did not start."))),
  ])
  let before = 0
  /** How much processor time the event loop has used since the last call, in milliseconds; sets its clock. */
  const readUsedMs = async (instant = 0): Promise<number> => {
    child.send(instant)
    const [used] = await once(child, "message")
    const ms = used - before
    before = used
    return ms
  }
  await readUsedMs()
  return { child, start: start as Start, readUsedMs }
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  child.kill("SIGKILL")
  await once(child, "exit")
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

// Resolves to null once the process has worked for too long, or has ended.
function watchForHang(child: ChildProcess): { readonly hung: Promise<null>; readonly stop: () => void } {
  const pid = child.pid as number
  const before = readHangShare(pid)
  const { promise: hung, resolve } = Promise.withResolvers<null>()
  const timer = setInterval(() => {
    if (hasEnded(child) || readHangShare(pid) - before > 1) resolve(null)
  }, LOOK_MS)
  return { hung, stop: () => clearInterval(timer) }
}

/** A connection that was closed without an answer. */
const NO_REPLY: Reply = { status: 0, headers: {}, text: "", bytes: new Uint8Array(), read: () => undefined }

if (import.meta.main) {
  const { startWithPersonas } = await import("../http/personas.ts")
  const { url, keys, sessions, setTime } = await startWithPersonas({
    env: {
      LANDFALL_TRUSTED_PROXIES: "127.0.0.1",
      LANDFALL_X402_PAY_TO: "0x1111111111111111111111111111111111111111",
      LANDFALL_X402_FACILITATOR_URL: "http://127.0.0.1:1",
      LANDFALL_STRIPE_SECRET_KEY: "sk_test_1",
      LANDFALL_STRIPE_WEBHOOK_SECRET: "whsec_1",
      LANDFALL_STRIPE_API_BASE: "http://127.0.0.1:1",
    },
    stoppedAt: START_AT,
  })
  process.on("message", instant => {
    if (instant !== 0) setTime(instant as number)
    const { user, system } = process.threadCpuUsage()
    process.send?.((user + system) / 1_000)
  })
  process.on("disconnect", () => process.exit())
  process.send?.({ url, keys, sessions } satisfies Start)
}
