/**
 * Deliveries that survive everything: events for some subscriptions, a receiver that fails, hangs and resets by a seeded plan, dispatchers
 * that are killed at seeded moments, and a clock that is moved on whenever nothing is left to do.
 *
 * Everything is real but the time: processes, sockets, signatures, the database. Claims hold for seconds instead of half a minute and a
 * receiver has less than one to answer, because a killed process's claims have to run out by the real clock; the schedule is the real one.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Webhooks } from "../../adapters/delivery/webhooks/webhooks.ts"
import { DeploymentSecret } from "../../adapters/platform/secrets/deployment-secret.ts"
import { layerStorage } from "../../adapters/platform/storage/migrations.ts"
import { Storage } from "../../adapters/platform/storage/storage.ts"
import { seededRandom } from "../../bench/measure.ts"
import { type FinalRow, judge, type Verdict } from "./judge.ts"
import { ASKED_SECONDS } from "./plan.ts"
import type { ReceivedDelivery } from "./receiver-process.ts"

/** What is soaked. */
export interface SoakOptions {
  readonly databaseUrl: string
  readonly events: number
  readonly subscriptions: number
  readonly dispatchers: number
  readonly kills: number
  readonly seed: number
  /** How long a claim holds and how long the receiver has, in milliseconds. */
  readonly leaseMs: number
  readonly timeoutMs: number
}

/** What came out. */
export interface SoakReport extends Verdict {
  readonly kills: number
  readonly seconds: number
  /** How far the clock was moved in all. */
  readonly movedHours: number
}

const LOOK_MS = 50
/** What is due within this time after the next one is waited for together. */
const TOGETHER_MS = 60_000
/** After so many requests for each delivery, about nine of ten of those that come, the last process is killed. */
const REQUESTS_FOR_ONE = 1.25

const SECRET = Buffer.alloc(32, 7).toString("base64")

interface Child {
  readonly process: ChildProcess
  readonly read: () => Promise<string>
  readonly tell: (line: string) => void
}

function startChild(script: string, args: readonly string[]): Child {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  // A killed process does not listen any more.
  child.stdin.on("error", () => undefined)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const read = async () => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error(`${script} ended before it was told to`)
    return value
  }
  return { process: child, read, tell: line => void child.stdin.write(`${line}\n`) }
}

async function endChild({ process: child }: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  child.kill("SIGKILL")
  await ended
}

const nameEvent = (at: number): string => `evt_${at.toString(16).padStart(32, "0")}`

/** Runs a soak on a new database; answers what came out, whatever it is. */
export const soak = Effect.fnUntraced(function* (options: SoakOptions) {
  const { databaseUrl, events, subscriptions, dispatchers, kills, seed, leaseMs, timeoutMs } = options
  const startedAt = performance.now()
  const random = seededRandom(seed)
  let aheadMs = 0
  const readMs = () => Date.now() + aheadMs
  const services = yield* Layer.build(
    Webhooks.layer.pipe(
      Layer.provideMerge(DeploymentSecret.layer({ databaseUrl, secret: Redacted.make(SECRET) })),
      Layer.provideMerge(layerStorage(databaseUrl)),
    ),
  )
  const storage = Context.get(services, Storage)
  const webhooks = Context.get(services, Webhooks)
  const sql = Context.get(services, SqlClient.SqlClient)

  const receiver = yield* Effect.acquireRelease(
    Effect.sync(() => startChild("receiver-process.ts", [String(seed)])),
    child => Effect.promise(() => endChild(child)),
  )
  const { url } = JSON.parse(yield* Effect.promise(receiver.read)) as { readonly url: string }
  const ask = <Value>(question: string) =>
    Effect.promise(async () => {
      receiver.tell(question)
      return JSON.parse(await receiver.read()) as Value
    })

  // Subscriptions without their pings, which are no events of the soak.
  const secrets: Record<string, string> = {}
  const terms = { types: ["visa.policy_changed" as const], passports: [], destinations: [], severity: null }
  const subscribe = Effect.gen(function* () {
    for (let at = 0; at < subscriptions; at++) {
      const account = Math.floor(at / 100) + 1
      if (at % 100 === 0) {
        yield* storage.accounts.insertAccount({
          id: account,
          name: "Soak",
          email: `${account}@example.org`,
          email_folded: `${account}@example.org`,
          plan: "business",
          is_confirmed: true,
          is_disabled: false,
          api_version: null,
          created_at: "2026-11-21T00:00:00Z",
        })
      }
      const made = yield* webhooks.create(account, { url: `${url}/${at}`, terms, description: "" })
      secrets[`/${at}`] = made.secret
    }
    yield* sql`DELETE FROM deliveries`
  })
  yield* storage.transact(subscribe)
  receiver.tell(JSON.stringify(secrets))

  const nowMs = readMs()
  yield* storage.transact(
    storage.events.insertAll(
      Array.from({ length: events }, (_, at) => ({
        id: nameEvent(at),
        installation_id: 1,
        type: "visa.policy_changed",
        passport: "FRA",
        destination: "JPN",
        severity: "major",
        effective_from: "2026-11-21",
        is_correction: 0,
        body: JSON.stringify({ destination: "JPN", passport: "FRA", at }),
        created_at: nowMs,
        due_at: nowMs,
        fanned_out_at: null,
      })),
    ),
  )

  const args = [databaseUrl, SECRET, String(leaseMs), String(timeoutMs)]
  const running: Child[] = []
  const startDispatcher = Effect.gen(function* () {
    const child = startChild("dispatcher-process.ts", args)
    running.push(child)
    child.tell(`ahead ${aheadMs}`)
    yield* Effect.promise(child.read)
  })
  yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(running.map(child => endChild(child)))))
  for (let at = 0; at < dispatchers; at++) yield* startDispatcher

  const requestsInAll = events * subscriptions * REQUESTS_FOR_ONE
  const moments = Array.from({ length: kills }, () => random() * requestsInAll).sort((a, b) => a - b)
  const killedAtSeconds: number[] = []
  const killOne = Effect.gen(function* () {
    const [victim] = running.splice(Math.floor(random() * running.length), 1) as [Child]
    // Not at a moment that a turn of a dispatcher would tend to.
    yield* Effect.sleep(random() * LOOK_MS)
    yield* Effect.promise(() => endChild(victim))
    killedAtSeconds.push(readMs() / 1_000)
    yield* startDispatcher
  })

  /** When the next delivery that waits is due; null where something is to be done now, undefined where nothing is left. */
  const findNext = Effect.gen(function* () {
    const now = readMs()
    const [state] = yield* sql<{ pending: number; busy: number; next: number | null }>`SELECT
      COUNT(*) AS pending,
      COALESCE(SUM(CASE WHEN due_at <= ${now} OR lease_until > ${now} THEN 1 ELSE 0 END), 0) AS busy,
      MIN(due_at) AS next FROM deliveries WHERE state = 'pending'`
    const isFannedOut = (yield* storage.events.countDue(now)) === 0
    if (!isFannedOut || Number(state!.busy) > 0) return null
    if (Number(state!.pending) === 0) return undefined
    const [last] = yield* sql<{ due: number }>`SELECT MAX(due_at) AS due FROM deliveries
      WHERE state = 'pending' AND due_at <= ${state!.next! + TOGETHER_MS}`
    return last!.due
  })

  let movedMs = 0
  for (;;) {
    yield* Effect.sleep(LOOK_MS)
    const { requests } = yield* ask<{ requests: number }>("count")
    if (moments[0] !== undefined && requests >= moments[0]) {
      moments.shift()
      yield* killOne
      continue
    }
    const next = yield* findNext
    if (next === undefined) break
    if (next === null) continue
    movedMs += next - readMs()
    aheadMs += next - readMs()
    for (const child of [receiver, ...running]) child.tell(`ahead ${aheadMs}`)
  }

  const rows = yield* sql<FinalRow>`SELECT w.url AS path, d.event_id, d.state, d.attempt FROM deliveries d
    JOIN webhooks w ON w.id = d.webhook_id`
  const report = yield* ask<{ faults: readonly string[]; deliveries: readonly ReceivedDelivery[] }>("report")
  const verdict = judge({
    rows: rows.map(row => ({ ...row, path: new URL(row.path).pathname })),
    received: report.deliveries,
    expected: Array.from({ length: events * subscriptions }, (_, at) => ({
      path: `/${at % subscriptions}`,
      eventId: nameEvent(Math.floor(at / subscriptions)),
    })),
    killedAtSeconds,
    askedSeconds: ASKED_SECONDS,
    timeoutSeconds: timeoutMs / 1_000,
    startedSeconds: nowMs / 1_000,
  })
  const soaked: SoakReport = {
    ...verdict,
    faults: [...report.faults, ...verdict.faults],
    kills: killedAtSeconds.length,
    seconds: (performance.now() - startedAt) / 1_000,
    movedHours: movedMs / 3_600_000,
  }
  return soaked
}, Effect.scoped)
