/**
 * One process of `npm run bench -- growth`: a large database, and a service over it.
 *
 * `fill CHANGES URL WHAT COUNT` makes one: subscriptions or devices with the undelivered events of one installation, or many installations, accounts or deliveries. `serve CHANGES URL` is
 * a service without workers. Commands on standard input: `fan out` makes the deliveries in the same process, `push` writes the pushes, each for a second at a time; the others ask and
 * change deliveries.
 * All output is lines of JSON.
 */
import { createInterface } from "node:readline"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../adapters/accounts/accounts.ts"
import { makeFanOut, makePushWriter, PushedPlatforms } from "../adapters/events/followers/fan-out.ts"
import { comparePolicies, openSide } from "../adapters/events/install-dataset.ts"
import { writePage } from "../adapters/events/installed-changes.ts"
import { runServer } from "../adapters/http/server/http-server.ts"
import { makeWorker } from "../adapters/queue/queue-worker.ts"
import { DeploymentSecret } from "../adapters/secrets/deployment-secret.ts"
import { sealText } from "../adapters/secrets/sealing.ts"
import { readConfig } from "../adapters/settings/config.ts"
import { layerService, openConfigured } from "../adapters/start/layers.ts"
import { layerStorage } from "../adapters/storage/migrations.ts"
import { makePostgresClient } from "../adapters/storage/postgres-client.ts"
import { Storage } from "../adapters/storage/storage.ts"
import { AreIdsCounted } from "../adapters/storage/table-statements.ts"
import type { ClaimedDelivery, DeliveryNote } from "../adapters/storage/webhooks-repository.ts"
import { openDataset } from "../src/engine.ts"
import { makeAccount } from "../test/storage/account-row.ts"
import { CODES, encodeDays } from "./encode-days.ts"
import { amount, SECRET, say, startClock, takeValue } from "./measure.ts"

const readAge = startClock()
const [mode = "", changes = "0", databaseUrl = "", what = "", count = "0"] = process.argv.slice(2)
/** How many policies an installation changes, and how many rows are filled in. */
const [CHANGES, COUNT] = [Number(changes), Number(count)]
const secret = Redacted.make(SECRET)
const WEEK_MS = 7 * 86_400_000
const AT = "2026-11-21T00:00:00Z"

// The log must not mix with the lines of output.
console.log = console.error
const megabytes = () => Math.round(process.memoryUsage.rss() / 2 ** 20)

/** Does something for each index, in transactions of a thousand. */
const inThousands = <E, R>(most: number, work: (at: number) => Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const { transact } = yield* Storage
    for (let from = 0; from < most; from += 1_000) {
      const some = Array.from({ length: Math.min(1_000, most - from) }, (_, at) => from + at)
      yield* transact(Effect.forEach(some, work, { discard: true }), { isDurable: false })
    }
  })

const insertAccount = Effect.gen(function* () {
  const { accounts } = yield* Storage
  yield* accounts.insertUnique(makeAccount(yield* accounts.nextAccountId))
})

const open = (bytes: Uint8Array) => openSide(takeValue(openDataset(bytes)))

/** The due events of an installation. */
const makeEventsOf = Effect.gen(function* () {
  const [before, after] = [
    yield* open(encodeDays("growth.1", 90, CHANGES)),
    yield* open(encodeDays("growth.2", 30, CHANGES)),
  ]
  return comparePolicies({ before, after, isCorrection: false, nowMs: Date.now() - 1_000 }).makeEvents
})

const pairOf = (at: number): readonly [passport: string, destination: string] => {
  const [destination, other] = [at % CODES.length, Math.floor(at / CODES.length) % (CODES.length - 1)]
  return [CODES[(destination + 1 + other) % CODES.length] as string, CODES[destination] as string]
}

/** Subscriptions, a hundred an account. Each follows a pair; every thousandth follows everything. */
const fillSubscriptions = (most: number) =>
  Effect.gen(function* () {
    const { webhooks } = yield* Storage
    yield* Effect.all(Array.from({ length: Math.ceil(most / 100) }, () => insertAccount))
    const sealed = sealText((yield* DeploymentSecret).deriveKey("webhook secret seal"), "bench", "whsec_")
    yield* inThousands(most, at => {
      const [passport, destination] = pairOf(at)
      const [passports, destinations] = at % 1_000 === 999 ? [[], []] : [[passport], [destination]]
      return Effect.flatMap(webhooks.nextId, id =>
        webhooks.insert({
          id,
          account_id: Math.floor(at / 100) + 1,
          url: "https://receiver.example/",
          terms: JSON.stringify({ types: [], passports, destinations, severity: null }),
          description: "",
          sealed_secret: sealed,
          sealed_old_secret: null,
          old_secret_until: 0,
          disabled_because: null,
          created_at: AT,
        }),
      )
    })
  })

const insertEvents = Effect.gen(function* () {
  const { events, transact } = yield* Storage
  yield* transact(events.insertAll((yield* makeEventsOf)(1).now))
})

const fills = {
  subscriptions: Effect.andThen(fillSubscriptions(COUNT), insertEvents),
  /** Each follows everything. */
  devices: Effect.gen(function* () {
    const { devices } = yield* Storage
    yield* insertAccount
    yield* inThousands(COUNT, at =>
      Effect.flatMap(devices.nextId, id => {
        const row = {
          id,
          account_id: 1,
          platform: "apns",
          token_hash: String(at),
          sealed_token: "",
          lang: "en",
        } as const
        return devices.insert({ ...row, registered_at: 0 }, { passports: [], destinations: [] })
      }),
    )
    yield* insertEvents
  }),
  /** One a week, each fully delivered. */
  installs: Effect.gen(function* () {
    const { datasets, events, installations, installedChanges, transact } = yield* Storage
    const makeEvents = yield* makeEventsOf
    const contents = [90, 30].map(days => Buffer.from(encodeDays(`growth.${days}`, days, CHANGES)).toString("base64"))
    const firstMs = Date.now() - COUNT * WEEK_MS
    for (let at = 0; at < COUNT; at++) {
      const atMs = firstMs + at * WEEK_MS
      const install = Effect.gen(function* () {
        const [id, dataset_id] = [yield* datasets.nextInstallationId, yield* datasets.nextDatasetId]
        const content = contents[at % 2] as string
        yield* datasets.insert({ id: dataset_id, version: `growth.${at}`, as_of: "2026-11-21", content })
        const replaces_id = id === 1 ? null : id - 1
        const installed_at = new Date(atMs).toISOString()
        yield* installations.insert({ id, dataset_id, replaces_id, kind: "install", installed_at })
        const rows = makeEvents(id).now
        yield* installedChanges.insert({ installation_id: id, content: writePage(rows) })
        yield* events.insertAll(rows.map(row => ({ ...row, created_at: atMs, due_at: atMs, fanned_out_at: atMs })))
      })
      yield* transact(install, { isDurable: false })
    }
  }),
  accounts: inThousands(COUNT, () => insertAccount),
  /** Of the last 29 days, to a thousand subscriptions. One in a hundred is pending, and nine in ten of those wait for a later attempt; one in a thousand was given up. */
  deliveries: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* fillSubscriptions(1_000)
    const number = (value: number) => sql.literal(String(value))
    const nowMs = number(Date.now())
    const steps = 100_000
    for (let from = 0; from < COUNT; from += steps) {
      const [first, last] = [number(from + 1), number(Math.min(COUNT, from + steps))]
      const numbers = sql.onDialectOrElse({
        pg: () => sql`SELECT n FROM generate_series(CAST(${first} AS BIGINT), ${last}) AS g (n)`,
        orElse: () =>
          sql`WITH RECURSIVE g (n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM g WHERE n < ${last}) SELECT n FROM g`,
      })
      yield* sql`INSERT INTO deliveries
        (id, webhook_id, event_id, type, state, attempt, due_at, is_deferred, lease_until, created_at, last_at, last_status)
        SELECT n, n / 1000 % 1000 + 1, 'evt_' || n, 'visa.policy_changed',
          CASE WHEN n % 100 = 0 THEN 'pending' WHEN n % 1000 = 7 THEN 'undelivered' ELSE 'delivered' END, 1,
          ${nowMs} + CASE WHEN n % 1000 <> 0 THEN 3600000 ELSE -1000 END,
          CASE WHEN n % 1000 <> 0 AND n % 100 = 0 THEN 1 ELSE 0 END, 0,
          ${nowMs} - 2500000000 * (${number(COUNT)} - n) / ${number(COUNT)}, ${nowMs} - ${number(COUNT)} + n, 204
        FROM (${numbers}) AS numbers`
    }
    yield* sql`INSERT INTO counters (name, value) VALUES ('deliveries_id', ${COUNT})`
    // As PostgreSQL does by itself, some time later.
    yield* sql.onDialectOrElse({ pg: () => sql`VACUUM ANALYZE deliveries`, orElse: () => sql`ANALYZE deliveries` })
  }),
}

const fill = Effect.suspend(
  (): Effect.Effect<unknown, unknown, Effect.Services<(typeof fills)[keyof typeof fills]>> =>
    fills[what as keyof typeof fills],
).pipe(
  Effect.provide(Layer.provideMerge(DeploymentSecret.layer({ databaseUrl, secret }), layerStorage(databaseUrl))),
  // Rows name each other by 1, 2, 3.
  Effect.provideService(AreIdsCounted, true),
)

/** The milliseconds of each of several turns, for as long as there are more, or for some milliseconds; and whether there are more. */
const timeTurns = <E, R>(turn: Effect.Effect<boolean, E, R>, mostMs = Number.POSITIVE_INFINITY) =>
  Effect.gen(function* () {
    const turns: number[] = []
    const startedAt = performance.now()
    let isMore = true
    for (let since = startedAt; isMore && since - startedAt < mostMs; ) {
      isMore = yield* turn
      const nowMs = performance.now()
      turns.push(nowMs - since)
      since = nowMs
    }
    return { turns, isMore }
  })

const PHASE_MS = 1_000
const fanOut = Effect.runSync(makeFanOut)
const writePushes = Effect.runSync(makePushWriter(["apns"]))

const deliverAll = Effect.gen(function* () {
  const { deliveries, transact } = yield* Storage
  const webhookIds = Array.from({ length: amount(1_000, 100) }, (_, at) => at + 1)
  const nowMs = Date.now()
  for (let at = 0; at < amount(20, 1); at++) {
    const event = { event_id: `deliver ${nowMs} ${at}`, type: "visa.policy_changed", body: "{}", webhookIds }
    yield* transact(deliveries.insertAll([event], nowMs), { isDurable: false })
  }
  const note = { last_at: nowMs, last_status: 204, last_error: null, last_body: null }
  let since = performance.now()
  const turns: number[] = []
  const { drain } = yield* makeWorker<ClaimedDelivery, ClaimedDelivery, DeliveryNote>({
    name: "deliveries",
    table: deliveries,
    leaseMs: 60_000,
    attemptMs: 1_000,
    stopMs: 1_000,
    inFlight: 256,
    ahead: 256,
    settleAt: 256,
    idleMs: 100,
    retries: { waitsMs: [], longestAskedMs: 0 },
    keepsMs: null,
    find: claimed => Effect.succeed(claimed),
    attempt: (_, done) => setImmediate(done, { kind: "done", note } as const),
    settled: () =>
      Effect.sync(() => {
        turns.push(performance.now() - since)
        since = performance.now()
      }),
  })
  yield* drain
  return { turns, isMore: false }
}).pipe(Effect.scoped)

const works = {
  "fan out": timeTurns(
    Effect.map(fanOut(), ({ isMore }) => isMore),
    PHASE_MS,
  ),
  push: timeTurns(
    Effect.gen(function* () {
      const told = yield* Effect.provideService(fanOut(), PushedPlatforms, ["apns"])
      return told.isMore || (yield* writePushes).isMore
    }),
    PHASE_MS,
  ),
  claim: Effect.gen(function* () {
    const { deliveries, transact } = yield* Storage
    let [after, left]: [number | string | null, number] = [null, 20]
    return yield* timeTurns(
      Effect.gen(function* () {
        const nowMs = Date.now()
        yield* deliveries.recall(nowMs)
        const lanes = [...(yield* deliveries.listReady({ nowMs, after, limit: 100 })).keys()]
        after = lanes.at(-1) ?? null
        const claim = { worker: "bench", nowMs, leaseMs: 60_000, lanes, each: 1 }
        yield* transact(deliveries.claim(claim))
        return --left > 0
      }),
    )
  }),
  /** Events for each subscription, claimed as a worker does; with `deliver beside a reader`, while another connection reads in one transaction. */
  deliver: deliverAll,
  "deliver beside a reader": Effect.gen(function* () {
    const reader = yield* makePostgresClient(Redacted.make(databaseUrl), { isLimited: false })
    return yield* Effect.gen(function* () {
      yield* reader`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
      yield* reader`SELECT COUNT(*) FROM deliveries`
      return yield* deliverAll
    }).pipe(reader.withTransaction)
  }).pipe(Effect.scoped),
  list: Effect.gen(function* () {
    const { deliveries } = yield* Storage
    let left = 5
    const hundred = Array.from({ length: 100 }, (_, at) => at + 1)
    return yield* timeTurns(Effect.map(deliveries.listLast(hundred), () => --left > 0))
  }),
  undelivered: Effect.gen(function* () {
    const { deliveries } = yield* Storage
    let webhookId = 0
    const page = { state: "undelivered", beforeId: Number.MAX_SAFE_INTEGER, limit: 100 } as const
    const next = Effect.suspend(() => deliveries.list({ ...page, webhookId: ++webhookId }))
    return yield* timeTurns(Effect.map(next, () => webhookId < 20))
  }),
  receivers: Effect.gen(function* () {
    const { operations } = yield* Storage
    let left = 20
    const page = { beforeId: Number.MAX_SAFE_INTEGER, limit: 50 }
    const question = operations.listReceivers(page, { accountId: null, isFailing: false })
    return yield* timeTurns(Effect.map(question, () => --left > 0))
  }),
  queues: Effect.gen(function* () {
    const { operations } = yield* Storage
    let left = 20
    return yield* timeTurns(Effect.map(operations.countQueues, () => --left > 0))
  }),
  purge: Effect.gen(function* () {
    const { deliveries } = yield* Storage
    let left = 50
    return yield* timeTurns(Effect.map(deliveries.purge(Date.now() - 20 * 86_400_000, 200), () => --left > 0))
  }),
}

const countRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    deliveries: number
    pushes: number
  }>`SELECT (SELECT COUNT(*) FROM deliveries) AS deliveries,
    (SELECT COUNT(*) FROM pushes) AS pushes`
  return row
})

const serve = Effect.gen(function* () {
  const configured = yield* openConfigured({
    ...(yield* readConfig()),
    databaseUrl,
    secret,
    port: 0,
    workers: 0,
  })
  const services = yield* Layer.build(layerService(configured))
  yield* Context.get(services, Storage).moveCheckpoints
  const { url } = yield* Effect.provideContext(runServer(configured.config), services)
  const { seconds: startedSeconds } = readAge()
  const accounts = Context.get(services, Accounts)
  const asked = { name: "Asks", email: "asks@example.org", plan: "business", isConfirmed: true } as const
  const { key } = yield* accounts.createAccount(asked)
  say({ url, key, pair: pairOf(0), startedSeconds, megabytes: megabytes() })
  const commands = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = yield* Effect.promise(() => commands.next())
    if (done === true) return
    const readClock = startClock()
    const work = yield* Effect.provideContext(works[value as keyof typeof works], services)
    const taken = readClock()
    say({ ...taken, ...work, megabytes: megabytes(), ...(yield* Effect.provideContext(countRows, services)) })
  }
}).pipe(Effect.scoped)

if (mode === "fill") await Effect.runPromise(fill)
else await Effect.runPromise(serve)
process.exit()
