/**
 * One process of `npm run bench -- webhooks`: a sender or the receiver.
 *
 * `bare` is the limit: the same bodies, signed the same way, sent by a loop of `fetch` with a fixed number of requests under way, without a database. `dispatch` puts deliveries into a new
 * database and lets the dispatcher of the service send them. `install` installs a dataset that changes thousands of policies, and waits for the last delivery. It prints its figures as one
 * line of JSON. `receive` reads every delivery whole, accepts it and counts it: it is the same for every case and does as little as a receiver can.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createInterface } from "node:readline"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { writeEnvelope } from "../adapters/events/events.ts"
import { installDataset } from "../adapters/events/install-dataset.ts"
import { DeploymentSecret } from "../adapters/secrets/deployment-secret.ts"
import { layerStorage } from "../adapters/storage/migrations.ts"
import { Storage } from "../adapters/storage/storage.ts"
import { makeDispatcher } from "../adapters/webhooks/dispatcher.ts"
import { Webhooks } from "../adapters/webhooks/webhooks.ts"
import { openDataset, signDelivery } from "../src/engine.ts"
import { makeAccount } from "../test/storage/account-row.ts"
import { encodeDays } from "./encode-days.ts"
import { SECRET, say, startClock, takeValue } from "./measure.ts"

const [mode = "", receiverUrl = "", databaseUrl = "", givenDeliveries = "0", givenSubscriptions = "0"] =
  process.argv.slice(2)
const DELIVERIES = Number(givenDeliveries)
const SUBSCRIPTIONS = Number(givenSubscriptions)
/** How many policies an installation changes, with `install`. */
const CHANGES = DELIVERIES
/** How many requests the bare loop has under way: more did not make it faster. */
const BARE_REQUESTS = 64
/** How often it checks whether everything was delivered. */
const LOOK_MS = 20

/** A body of the size that events have. */
const writeBody = (id: string): string =>
  writeEnvelope({
    id,
    type: "visa.policy_changed",
    atMs: Date.now(),
    isLive: true,
    data: {
      destination: "THA",
      passport: "FRA",
      previous: { requirement: "visa_free", stay_days: 60, fee_usd: null },
      current: { requirement: "visa_free", stay_days: 30, fee_usd: null },
      effective_from: "2026-11-21T00:00:00Z",
      sources: [{ name: "Ministry of Foreign Affairs of Thailand", url: "https://www.mfa.go.th/en/page/visa" }],
      severity: "major",
      fields: ["days"],
    },
  })

const nameEvent = (at: number): string => `evt_${at.toString(16).padStart(32, "0")}`

/** Measures what a piece of work takes, with its highest memory. */
async function measure(work: () => Promise<number>): Promise<void> {
  let residentBytes = 0
  const look = () => {
    residentBytes = Math.max(residentBytes, process.memoryUsage.rss())
  }
  const timer = setInterval(look, 50)
  const readClock = startClock()
  const deliveries = await work()
  const taken = readClock()
  clearInterval(timer)
  look()
  say({ deliveries, ...taken, residentBytes })
}

async function sendBare(): Promise<number> {
  const secrets = [`whsec_${SECRET}`]
  let next = 0
  const sendOn = async () => {
    while (next < DELIVERIES) {
      const at = next++
      const id = nameEvent(at)
      const body = writeBody(id)
      const signed = signDelivery({ id, timestampSeconds: Math.floor(Date.now() / 1_000), body, secrets })
      const headers = { ...takeValue(signed), "content-type": "application/json", "user-agent": "landfall" }
      const response = await fetch(`${receiverUrl}/${at % SUBSCRIPTIONS}`, { method: "POST", headers, body })
      await response.arrayBuffer()
      if (response.status !== 204) throw new Error(`the receiver answered ${response.status}`)
    }
  }
  await Promise.all(Array.from({ length: BARE_REQUESTS }, sendOn))
  return DELIVERIES
}

const layer = Webhooks.layer.pipe(
  Layer.provideMerge(DeploymentSecret.layer({ databaseUrl, secret: Redacted.make(SECRET) })),
  Layer.provideMerge(layerStorage(databaseUrl)),
)

/** Subscriptions of some accounts, whose pings have been delivered, and a dispatcher. */
const prepare = Effect.gen(function* () {
  const services = yield* Layer.build(layer)
  const storage = Context.get(services, Storage)
  const webhooks = Context.get(services, Webhooks)
  const terms = { types: ["visa.policy_changed" as const], passports: [], destinations: [], severity: null }
  const webhookIds: number[] = []
  yield* storage.transact(
    Effect.gen(function* () {
      for (let at = 0; at < SUBSCRIPTIONS; at++) {
        // An account may send sixty pings an hour.
        const account = Math.floor(at / 50) + 1
        if (at % 50 === 0) {
          yield* storage.accounts.insertUnique(makeAccount(account))
        }
        const { webhook } = yield* webhooks.create(account, { url: `${receiverUrl}/${at}`, terms, description: "" })
        webhookIds.push(webhook.id)
      }
    }),
  )
  const { drain, run } = yield* Effect.provideContext(makeDispatcher({ allowsPrivate: true }), services)
  yield* drain
  const sql = Context.get(services, SqlClient.SqlClient)
  const countPending = Effect.map(
    sql<{ count: number }>`SELECT COUNT(*) AS count FROM (SELECT 1 FROM deliveries WHERE state = 'pending' LIMIT 1) d`,
    ([row]) => row!.count,
  )
  const countDelivered = Effect.map(
    sql<{ count: number }>`SELECT COUNT(*) AS count FROM deliveries
      WHERE state = 'delivered' AND attempt = 1 AND type <> 'webhook.ping'`,
    ([row]) => row!.count,
  )
  const whenDelivered = Effect.repeat(Effect.delay(countPending, LOOK_MS), { until: count => count === 0 })
  return { services, storage, run, webhookIds, whenDelivered, countDelivered }
})

const dispatch = Effect.gen(function* () {
  const { storage, run, webhookIds, whenDelivered, countDelivered } = yield* prepare
  const rows = Array.from({ length: DELIVERIES }, (_, at) => {
    const id = nameEvent(at)
    const to = webhookIds[at % SUBSCRIPTIONS] as number
    return { event_id: id, type: "visa.policy_changed", body: writeBody(id), webhookIds: [to] }
  })
  yield* storage.transact(storage.deliveries.insertAll(rows, Date.now()))
  const work = Effect.andThen(Effect.forkScoped(run), whenDelivered)
  const context = yield* Effect.context<Effect.Services<typeof work>>()
  yield* Effect.promise(() => measure(() => Effect.runPromiseWith(context)(Effect.as(work, DELIVERIES))))
  if ((yield* countDelivered) !== DELIVERIES) throw new Error("not everything was delivered at the first attempt")
})

const install = Effect.gen(function* () {
  const { services, run, whenDelivered, countDelivered } = yield* prepare
  const older = takeValue(openDataset(encodeDays("bench.1", 90, CHANGES)))
  const newer = encodeDays("bench.2", 30, CHANGES)
  yield* Effect.forkScoped(run)
  const work = Effect.gen(function* () {
    const { changes } = yield* installDataset(older, newer)
    if (changes.length !== CHANGES) return yield* Effect.die(new Error(`${changes.length} policies have changed`))
    const { events } = yield* Storage
    yield* Effect.repeat(Effect.delay(events.countDue(Date.now()), LOOK_MS), { until: count => count === 0 })
    yield* whenDelivered
    return CHANGES * SUBSCRIPTIONS
  })
  yield* Effect.promise(() => measure(() => Effect.runPromiseWith(services)(work)))
  if ((yield* countDelivered) !== CHANGES * SUBSCRIPTIONS) throw new Error("not everything was delivered")
})

/** Prints its address; on `count` it prints how many deliveries came, of how many events, and resets the counts. */
function receive(): void {
  let requests = 0
  let seen = new Set<string>()

  const server = createServer((request, response) => {
    request.resume()
    request.on("end", () => {
      requests++
      seen.add(`${request.url} ${request.headers["webhook-id"]}`)
      response.writeHead(204).end()
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, "127.0.0.1", () => {
    say({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  })

  const commands = createInterface({ input: process.stdin })
  commands.on("line", () => {
    say({ requests, deliveries: seen.size })
    requests = 0
    seen = new Set()
  })
  // The parent process has ended.
  commands.on("close", () => process.exit())
}

if (mode === "receive") receive()
else if (mode === "bare") await measure(sendBare)
else await Effect.runPromise(Effect.scoped(mode === "install" ? install : dispatch))
