import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { bundleProgram } from "../cli/bundle.ts"
import { build, type DatabasePlace } from "./deployment.ts"
import { makePostgresDeployment } from "./postgres-deployment.ts"

const REQUESTS = 3_000
// So long that no process loses its lease only because a busy machine keeps it waiting: all would be served before the killed one's runs out.
const NODE_LEASE_MS = 4_000

interface Serving {
  readonly child: ChildProcess
  isReady: boolean
  /** What it said that it has served. */
  served: number
  isDone: boolean
}

const startServing = ({ databaseUrl, secret }: DatabasePlace, whenServed: (serving: Serving) => void): Serving => {
  const args = [databaseUrl, Redacted.value(secret!), String(REQUESTS), String(NODE_LEASE_MS)]
  const child = spawn(process.execPath, [bundleProgram("serving-process"), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  child.stdin.on("error", () => undefined)
  const serving: Serving = { child, isReady: false, served: 0, isDone: false }
  createInterface({ input: child.stdout }).on("line", text => {
    const line = JSON.parse(text) as { served: number; isDone?: true }
    serving.isReady = true
    serving.served = line.served
    serving.isDone ||= line.isDone ?? false
    whenServed(serving)
  })
  return serving
}

const end = async ({ child }: Serving) => {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
}

/** Three processes serve an account of {@link REQUESTS} requests until one is killed and the others have found nothing left. */
const serveAndKill = (place: DatabasePlace) =>
  Effect.gen(function* () {
    const services = yield* build(layerStorage(place.databaseUrl))
    const sql = Context.get(services, SqlClient.SqlClient)
    const all: Serving[] = []
    const killed = yield* Effect.promise(
      () =>
        new Promise<Serving>(resolve => {
          let isBegun = false
          let isOver = false
          const whenServed = (serving: Serving) => {
            if (!isBegun && all.every(({ isReady }) => isReady)) {
              isBegun = true
              for (const { child } of all) child.stdin?.write("begin\n")
            }
            // All of them are in the middle of it.
            if (isOver || all.some(({ served }) => served < 100)) return
            isOver = true
            serving.child.kill("SIGKILL")
            resolve(serving)
          }
          for (let i = 0; i < 3; i++) all.push(startServing(place, whenServed))
        }),
    )
    yield* Effect.promise(() => end(killed))
    const leases = yield* sql<{ node_id: number; amount: number }>`SELECT node_id, amount FROM pool_leases`
    yield* Effect.promise(() => Promise.all(all.map(end)))
    const [total] = yield* sql<{ used: number; leased: number }>`SELECT used, leased FROM pool_counts
      WHERE subject = '1' AND pool = 'visa'`
    return { all, killed, total: total!, largestLease: Math.max(0, ...leases.map(({ amount }) => amount)) }
  })

describe("three processes of which one is killed", () => {
  it.live("serve an account to its limit, and exceed it by at most what the killed one had leased", () =>
    Effect.gen(function* () {
      const { all, killed, total, largestLease } = yield* serveAndKill(yield* makePostgresDeployment)
      const survivors = all.filter(serving => serving !== killed)
      for (const { isDone, child } of survivors) assert.deepStrictEqual([isDone, child.exitCode], [true, 0])
      assert.strictEqual(killed.child.signalCode, "SIGKILL")
      // Everything that was saved comes to the limit, and the lease of the killed one was given back.
      assert.deepStrictEqual({ ...total }, { used: REQUESTS, leased: 0 })
      const served = all.reduce((sum, serving) => sum + serving.served, 0)
      assert.isAtLeast(served, REQUESTS - 10)
      assert.isAtMost(served - REQUESTS, largestLease)
    }),
  )
})
