/**
 * A process that installs a dataset and is killed: `node killed-process.ts DATABASE_URL DATASET installed|fanning-out`. Either right after the installation, before anything was
 * distributed, or in the middle of the transaction that distributes it.
 */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { installDataset } from "../../adapters/events/install-dataset.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { openDataset } from "../../src/engine.ts"
import { encodeWorld } from "./datasets.ts"

const [, , databaseUrl = "", dataset = "", moment] = process.argv
const configured = openDataset(encodeWorld({ version: "world.1", days: 90 }))
if (!configured.ok) throw new Error(configured.error.message)

const die = Effect.sync(() => process.kill(process.pid, "SIGKILL"))
const work = Effect.gen(function* () {
  yield* installDataset(configured.value, new Uint8Array(readFileSync(dataset)))
  if (moment === "installed") yield* die
  const { deliveries, events, transact } = yield* Storage
  yield* transact(
    Effect.gen(function* () {
      const nowMs = Date.now()
      const due = yield* events.lockDue(nowMs, 1, 10)
      yield* events.noteFannedOut(due.map(({ id }) => ({ id, handed_to: 1, fanned_out_at: nowMs, pushed_to: null })))
      const rows = due.map(({ id, type, body }) => ({ event_id: id, type, body, webhookIds: [1] }))
      yield* deliveries.insertAll(rows, nowMs)
      yield* die
    }),
  )
})
await Effect.runPromise(Effect.provide(work, layerStorage(databaseUrl)))
