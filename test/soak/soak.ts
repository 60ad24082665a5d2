/**
 * Deliveries and pushes that survive everything: events of two installations for some subscriptions and devices, a receiver that fails, hangs and
 * resets by a seeded plan, dispatchers that are killed at seeded moments, secrets that are rotated half-way, and a clock that is moved on whenever
 * nothing is left to do.
 *
 * Everything is real but the time: processes, sockets, signatures, the database. Claims hold for seconds instead of half a minute and a
 * receiver has less than one to answer, because a killed process's claims have to run out by the real clock; the schedule is the real one.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { Clock, Context, Effect, flow, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Devices } from "../../adapters/push/devices.ts"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { Webhooks } from "../../adapters/webhooks/webhooks.ts"
import { seededRandom } from "../../bench/measure.ts"
import { bundleProgram } from "../cli/bundle.ts"
import { makeAccount } from "../storage/account-row.ts"
import { makeEvent } from "../storage/event-row.ts"
import { type FinalRow, judge, judgePushes, type Verdict } from "./judge.ts"
import { moveClock } from "./moved-clock.ts"
import { ASKED_SECONDS } from "./plan.ts"
import type { PathSecrets, ReceivedDelivery, TakenPush } from "./receiver-process.ts"

/** What is soaked. */
export interface SoakOptions {
  readonly databaseUrl: string
  readonly events: number
  readonly subscriptions: number
  readonly devices: number
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
  /** Pushes that devices took, at least one for each device and pair. */
  readonly pushes: number
  /** Deliveries after a rotation that both secrets signed, and those that the new one signed alone. */
  readonly rotated: { readonly both: number; readonly newOnly: number }
  /** Deliveries that came first after one of a newer installation to the same path; the envelope's number tells. */
  readonly olderAfterNewer: number
  /** How far the clock was moved in all. */
  readonly movedHours: number
}

/** How many subscriptions an account makes: an account may send sixty pings an hour. */
const OF_AN_ACCOUNT = 50

const LOOK_MS = 50
/** What is due within this time after the next one is waited for together. */
const TOGETHER_MS = 60_000
/** After so many requests for each delivery, about nine of ten of those that come, the last process is killed. */
const REQUESTS_FOR_ONE = 1.25

/** The pairs of the events: of one passport at these. */
const DESTINATIONS = ["JPN", "BRA", "DEU"]

const SECRET = Buffer.alloc(32, 7).toString("base64")

interface Child {
  readonly process: ChildProcess
  readonly read: () => Promise<string>
  readonly tell: (line: string) => void
}

function startChild(program: "receiver-process" | "dispatcher-process", args: readonly string[]): Child {
  const child = spawn(process.execPath, [bundleProgram(program), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  // A killed process does not listen any more.
  child.stdin.on("error", () => undefined)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const read = async () => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error(`${program} ended before it was told to`)
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

/** The receiver lists deliveries as they came first. */
function countOlderAfterNewer(deliveries: readonly ReceivedDelivery[]): number {
  const newest = new Map<string, number>()
  let count = 0
  for (const { path, installation } of deliveries) {
    if (Number(installation) < (newest.get(path) ?? 0)) count++
    else newest.set(path, Number(installation))
  }
  return count
}

const scopedOrDie = flow(Effect.scoped, Effect.orDie)

/** Runs a soak on a new database; answers what came out, whatever it is. */
export const soak = Effect.fnUntraced(function* (options: SoakOptions) {
  const { databaseUrl, events, subscriptions, devices, dispatchers, kills, seed, leaseMs, timeoutMs } = options
  const startedAt = performance.now()
  const random = seededRandom(seed)
  let aheadMs = 0
  const readMs = () => Date.now() + aheadMs
  const services = yield* Layer.build(
    Layer.merge(Webhooks.layer, Devices.layer(["fcm"])).pipe(
      Layer.provideMerge(DeploymentSecret.layer({ databaseUrl, secret: Redacted.make(SECRET) })),
      Layer.provideMerge(layerStorage(databaseUrl)),
    ),
  )
  const storage = Context.get(services, Storage)
  const webhooks = Context.get(services, Webhooks)
  const sql = Context.get(services, SqlClient.SqlClient)

  const receiver = yield* Effect.acquireRelease(
    Effect.sync(() => startChild("receiver-process", [String(seed)])),
    child => Effect.promise(() => endChild(child)),
  )
  const { url } = JSON.parse(yield* Effect.promise(receiver.read)) as { readonly url: string }
  const ask = <Value>(question: string) =>
    Effect.promise(async () => {
      receiver.tell(question)
      return JSON.parse(await receiver.read()) as Value
    })

  // Subscriptions without their pings, which are no events of the soak.
  const made: { readonly id: number; readonly account: number; readonly path: string; readonly secret: string }[] = []
  const terms = { types: ["visa.policy_changed" as const], passports: [], destinations: [], severity: null }
  const subscribe = Effect.gen(function* () {
    for (let at = 0; at < subscriptions; at++) {
      const account = Math.floor(at / OF_AN_ACCOUNT) + 1
      if (at % OF_AN_ACCOUNT === 0) yield* storage.accounts.insertUnique(makeAccount(account))
      const { webhook, secret } = yield* webhooks.create(account, { url: `${url}/${at}`, terms, description: "" })
      made.push({ id: webhook.id, account, path: `/${at}`, secret })
    }
    yield* sql`DELETE FROM deliveries`
  })
  yield* storage.transact(subscribe)
  const tellSecrets = (secrets: readonly (readonly [path: string, PathSecrets])[]) =>
    receiver.tell(JSON.stringify(Object.fromEntries(secrets)))
  tellSecrets(made.map(({ path, secret }) => [path, { current: secret }]))
  const register = Context.get(services, Devices).register
  const tokens = Array.from({ length: devices }, (_, at) => `device-of-the-soak-${at}`)
  for (const token of tokens)
    yield* register(1, { token, platform: "fcm", lang: "en", codes: { passports: [], destinations: [] } })

  const nowMs = readMs()
  const planned = Array.from({ length: events }, (_, at) => ({
    id: nameEvent(at),
    destination: DESTINATIONS[at % DESTINATIONS.length] as string,
    installation: at < events / 2 ? 1 : 2,
  }))
  yield* storage.transact(
    storage.events.insertAll(
      planned.map(({ id, destination, installation }) =>
        makeEvent(id, {
          installation_id: installation,
          destination,
          created_at: nowMs,
          due_at: nowMs + installation,
        }),
      ),
    ),
  )

  const args = [databaseUrl, SECRET, String(leaseMs), String(timeoutMs), `${url}/push`]
  const running: Child[] = []
  const startDispatcher = Effect.gen(function* () {
    const child = startChild("dispatcher-process", args)
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

  /** Replaces the secret of every second subscription; for a day the old one signs too. */
  const rotate = Effect.gen(function* () {
    const secrets: (readonly [path: string, PathSecrets])[] = []
    for (const { id, account, path, secret } of made.filter((_, at) => at % 2 === 0)) {
      const fromMs = readMs()
      const replaced = yield* webhooks
        .rotateSecret(account, id)
        .pipe(Effect.provideService(Clock.Clock, yield* moveClock(() => Math.floor(readMs()))))
      if (replaced === null) return yield* Effect.die(new Error(`${path} has no subscription`))
      const untilSeconds = replaced.oldUntilMs / 1_000
      secrets.push([path, { current: replaced.secret, before: { secret, fromSeconds: fromMs / 1_000, untilSeconds } }])
    }
    tellSecrets(secrets)
  })
  let isRotated = false

  /** When the next delivery that waits is due; null where something is to be done now, undefined where nothing is left. */
  const findNext = Effect.gen(function* () {
    const now = readMs()
    const [state] = yield* sql<{ pending: number; busy: number; next: number | null }>`SELECT
      COUNT(*) AS pending,
      COALESCE(SUM(CASE WHEN due_at <= ${now} OR lease_until > ${now} THEN 1 ELSE 0 END), 0) AS busy,
      MIN(due_at) AS next FROM deliveries WHERE state = 'pending'`
    const isFannedOut = (yield* storage.events.countDue(now)) === 0
    if (!isFannedOut || Number(state!.busy) > 0 || (yield* storage.events.areToPush)) return null
    if (Number(state!.pending) === 0) {
      // Claims of pushes hold for a minute, which nobody waits for.
      const [pushes] = yield* sql<{ pending: number; next: number | null }>`SELECT COUNT(*) AS pending,
        MIN(CASE WHEN lease_until > due_at THEN lease_until ELSE due_at END) AS next FROM pushes`
      if (Number(pushes!.pending) === 0) return undefined
      return pushes!.next! > now ? pushes!.next! : null
    }
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
    if (!isRotated && requests >= requestsInAll / 2) {
      yield* rotate
      isRotated = true
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
  const report = yield* ask<{
    readonly faults: readonly string[]
    readonly deliveries: readonly ReceivedDelivery[]
    readonly pushes: readonly TakenPush[]
    readonly rotated: SoakReport["rotated"]
  }>("report")
  const verdict = judge({
    rows: rows.map(row => ({ ...row, path: new URL(row.path).pathname })),
    received: report.deliveries,
    expected: planned.flatMap(({ id, installation }) => made.map(({ path }) => ({ path, eventId: id, installation }))),
    killedAtSeconds,
    askedSeconds: ASKED_SECONDS,
    timeoutSeconds: timeoutMs / 1_000,
    startedSeconds: nowMs / 1_000,
  })
  const soaked: SoakReport = {
    ...verdict,
    faults: [...report.faults, ...verdict.faults, ...judgePushes({ tokens, events: planned, taken: report.pushes })],
    pushes: report.pushes.length,
    rotated: report.rotated,
    olderAfterNewer: countOlderAfterNewer(report.deliveries),
    kills: killedAtSeconds.length,
    seconds: (performance.now() - startedAt) / 1_000,
    movedHours: movedMs / 3_600_000,
  }
  return soaked
}, scopedOrDie)
