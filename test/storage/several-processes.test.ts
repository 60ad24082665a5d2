import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { LARGEST_BLOCK } from "../../adapters/quota/request-blocks.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { bundleProgram } from "../cli/bundle.ts"
import { IS_WHOLE } from "../sample.ts"
import { build, type DatabasePlace, makeDeployment } from "./deployment.ts"
import { makePostgresDeployment } from "./postgres-deployment.ts"

const PROCESSES = ["a", "b", "c"]

type Served = Readonly<Record<string, number>>

interface Serving {
  readonly child: ChildProcess
  isReady: boolean
  /** What it said that it has served of each limit. */
  served: Served
  isDone: boolean
}

const secret = Redacted.make(Buffer.alloc(32, 7).toString("base64"))
const engines = {
  SQLite: Effect.map(makeDeployment, (place): DatabasePlace => ({ ...place, secret })),
  PostgreSQL: Effect.map(makePostgresDeployment, (place): DatabasePlace => place),
}

function start(place: DatabasePlace, name: string, limits: object, whenServed: (serving: Serving) => void): Serving {
  const args = [place.databaseUrl, Redacted.value(place.secret ?? secret), name, JSON.stringify(limits)]
  const child = spawn(process.execPath, [bundleProgram("serving-process"), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  child.stdin.on("error", () => undefined)
  const serving: Serving = { child, isReady: false, served: {}, isDone: false }
  createInterface({ input: child.stdout }).on("line", text => {
    const line = JSON.parse(text) as { served: Served; isDone?: true }
    serving.isReady = true
    serving.served = line.served
    serving.isDone ||= line.isDone ?? false
    whenServed(serving)
  })
  return serving
}

/** Three processes use up limits at once; returns what they said. `kill` says when one of them is killed. */
const useUp = (place: DatabasePlace, limits: object, kill: (all: readonly Serving[]) => boolean = () => false) =>
  Effect.promise(async () => {
    const all: Serving[] = []
    let isBegun = false
    let killed: Serving | null = null
    const whenServed = (serving: Serving) => {
      if (!isBegun && all.length === PROCESSES.length && all.every(({ isReady }) => isReady)) {
        isBegun = true
        for (const { child } of all) child.stdin?.write("begin\n")
      }
      if (killed !== null || !kill(all)) return
      killed = serving
      serving.child.kill("SIGKILL")
    }
    for (const name of PROCESSES) all.push(start(place, name, limits, whenServed))
    await Promise.all(
      all.map(async ({ child }) => {
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
      }),
    )
    const sum = (of: string) => all.reduce((total, { served }) => total + (served[of] ?? 0), 0)
    return { all, killed: killed as Serving | null, sum }
  })

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

for (const [engine, makePlace] of Object.entries(engines)) {
  describe(`three processes on ${engine}`, () => {
    it.live(
      "serve exactly what each limit has: a month, thirty days, destinations, spots and pairs of an address",
      () =>
        Effect.gen(function* () {
          const place = yield* makePlace
          const sql = Context.get(yield* build(layerStorage(place.databaseUrl)), SqlClient.SqlClient)
          // Today and the 29 days before it count.
          for (const [days, used] of [
            [29, 400],
            [30, 700],
          ] as const) {
            yield* sql`INSERT INTO pool_counts (subject, pool, day, used) VALUES ('1', 'lookup', ${dayBefore(days)}, ${used})`
          }
          const { all, sum } = yield* useUp(place, {
            month: 2_000,
            rolling: 1_000,
            distinct: 60,
            spots: 30,
            pairs: 30,
          })
          assert.deepStrictEqual(
            all.map(({ isDone }) => isDone),
            [true, true, true],
          )
          const served = ["month", "rolling", "distinct", "spots", "pairs"].map(of => [of, sum(of)])
          assert.deepStrictEqual(Object.fromEntries(served), {
            month: 2_000,
            rolling: 600,
            distinct: 60,
            spots: 30,
            pairs: 30,
          })
        }),
    )

    // What a killed one held is in the same statements on both engines: on PostgreSQL each night.
    if (engine === "PostgreSQL" && !IS_WHOLE) return
    it.live("of which one is killed never exceed a limit, and lose at most its block", () =>
      Effect.gen(function* () {
        const requests = 4_000
        const { all, killed, sum } = yield* useUp(yield* makePlace, { month: requests }, processes =>
          processes.every(({ served }) => (served.month ?? 0) >= 300),
        )
        assert.strictEqual(killed?.child.signalCode, "SIGKILL")
        for (const survivor of all) if (survivor !== killed) assert.isTrue(survivor.isDone)
        assert.isAtMost(sum("month"), requests)
        // What it had served since its last line is lost to nobody.
        const unsaid = 10
        assert.isAtLeast(sum("month"), requests - LARGEST_BLOCK - unsaid)
      }),
    )
  })
}
