/**
 * `npm run bench -- storage`: how many requests a second are admitted, and what does one cost?
 *
 * Metering without HTTP: processes reserve and commit requests of a thousand accounts as fast as they can. On SQLite with one
 * process, on PostgreSQL with one and with three that share every account. `--before FOLDER` names a checkout of an earlier version (with its `node_modules`), whose SQLite is measured in
 * turns with this one's; the ratio of each round, its median and range are printed, and a range that contains 1 is called inconclusive. After every run the database must hold exactly what
 * was served. Arguments: `--rounds N`, `--seconds N`, `--before FOLDER`, `--postgres URL` (else one is started for the run).
 */
import { resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { parseArgs } from "node:util"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { embeddedDataset } from "../src/index.ts"
import { alternate, amount, describeRatio, describeRun, option, range } from "./measure.ts"
import { makeDatabases, POSTGRES_OPTION, type Started, startProcess } from "./processes.ts"

const { values } = parseArgs({
  options: {
    rounds: option(5, 1),
    seconds: option(2, 0.2),
    before: { type: "string" },
    postgres: POSTGRES_OPTION,
  },
})
const ROUNDS = Number(values.rounds)
const ROUND_MS = Number(values.seconds) * 1_000
const ACCOUNTS = amount(1_000, 50)

/** The figures of one process. */
interface Measured {
  /** How long the first requests of all accounts took together, a hundred at once. */
  readonly firstMs: number
  /** How many requests were served before the timing began, and in all. */
  readonly servedBefore: number
  readonly served: number
  /** Requests that had to wait for the database: one for each block. */
  readonly waited: number
  readonly seconds: number
  readonly cpuSeconds: number
}

async function finish({ read, whenEnded }: Started): Promise<Measured> {
  const measured = await read<Measured>()
  await whenEnded()
  return measured
}

/** Runs several processes at once on a new database; checks that it holds what they served. */
async function runProcesses(options: {
  readonly root: string
  readonly databaseUrl: string
  readonly processes: number
  readonly countUsed: () => number | Promise<number>
}): Promise<readonly Measured[]> {
  const { root, databaseUrl, processes, countUsed } = options
  const all: Started[] = []
  for (let i = 0; i < processes; i++) {
    // One after the other, so that the first makes the tables.
    const started = startProcess("storage-process.ts", [root, databaseUrl, String(ACCOUNTS), String(ROUND_MS)], root)
    await started.read()
    all.push(started)
  }
  for (const { tell } of all) tell("begin")
  const measured = await Promise.all(all.map(finish))
  const served = measured.reduce((sum, one) => sum + one.served, 0)
  const used = await countUsed()
  if (used !== served) throw new Error(`${served} were served, and the database has ${used}`)
  return measured
}

const engines = await makeDatabases(values.postgres)

const runSqlite = (root: string) =>
  engines.sqlite(databaseUrl => {
    const countUsed = () => {
      const database = new DatabaseSync(databaseUrl.slice("file:".length), { readOnly: true })
      const row = database.prepare(COUNT_POOLS).get() as { used: number }
      database.close()
      return row.used
    }
    return runProcesses({ root, databaseUrl, processes: 1, countUsed })
  })

const COUNT_POOLS = "SELECT CAST(SUM(used) AS BIGINT) AS used FROM pool_counts WHERE pool = 'visa'"

/** Runs a statement on PostgreSQL over a new connection. */
const askPostgres = (url: string, statement: string) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* PgClient.makeClient({ url: Redacted.make(url) }).pipe(Effect.provide(Reactivity.layer))
        return yield* sql.unsafe<{ used: number | bigint }>(statement)
      }),
    ),
  )

const runPostgres = (root: string, processes: number) =>
  engines.postgres(databaseUrl => {
    const countUsed = async () => Number((await askPostgres(databaseUrl, COUNT_POOLS))[0]?.used)
    return runProcesses({ root, databaseUrl, processes, countUsed })
  })

const perSecond = (all: readonly Measured[]) =>
  all.reduce((sum, { served, servedBefore, seconds }) => sum + (served - servedBefore) / seconds, 0)

interface Case {
  readonly name: string
  readonly run: () => Promise<readonly Measured[]>
  readonly rounds: (readonly Measured[])[]
}

const here = resolve(import.meta.dirname, "..")
const makeCase = (name: string, run: Case["run"]): Case => ({ name, run, rounds: [] })
const before = values.before === undefined ? null : resolve(values.before)
const now = makeCase("SQLite, one process", () => runSqlite(here))
const cases = [
  now,
  ...(before === null ? [] : [makeCase("SQLite before", () => runSqlite(before))]),
  makeCase("PostgreSQL, one process", () => runPostgres(here, 1)),
  makeCase("PostgreSQL, three processes", () => runPostgres(here, 3)),
]

try {
  await alternate(cases, ROUNDS, async ({ run, rounds }) => rounds.push(await run()))
} finally {
  await engines.stop()
}

/** Microseconds of CPU for one request, all processes together; other load on the machine hardly changes it. */
const cpuMicroseconds = (all: readonly Measured[]) => {
  const cpu = all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)
  return (cpu / all.reduce((sum, { served, servedBefore }) => sum + served - servedBefore, 0)) * 1e6
}

const describeCase = ({ name, rounds }: Case): string => {
  const rates = rounds.map(perSecond)
  const cpuUs = rounds.map(cpuMicroseconds)
  const waited = rounds.flat().reduce((sum, one) => sum + one.waited, 0)
  return [
    name,
    `  admitted a second, thousands   ${range(
      rates.map(rate => rate / 1_000),
      0,
    )}`,
    `  CPU for one request, µs        ${range(cpuUs, 2)}`,
    `  had to ask the database first  ${waited} of ${rounds.flat().reduce((sum, one) => sum + one.served, 0)}`,
    `  first request of an account, µs ${range(
      rounds.flat().map(({ firstMs }) => (firstMs / ACCOUNTS) * 1_000),
      0,
    )}`,
  ].join("\n")
}

console.log(describeRun(embeddedDataset().version).join("\n"))
console.log(`${ROUNDS} rounds of ${ROUND_MS / 1_000} s, ${ACCOUNTS} accounts; no HTTP\n`)
console.log(cases.map(describeCase).join("\n\n"))
const old = cases.find(({ name }) => name === "SQLite before")
if (old !== undefined) {
  const compare = (what: string, measure: (all: readonly Measured[]) => number) =>
    describeRatio(
      what,
      now.rounds.map((all, at) => measure(all) / measure(old.rounds[at] as readonly Measured[])),
    )
  console.log("\nSQLite now / before, round by round")
  console.log(`${compare("admitted a second", perSecond)}\n${compare("CPU for one request", cpuMicroseconds)}`)
}
