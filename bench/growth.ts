/**
 * `npm run bench -- growth`: how does the cost grow with ten times the users, events or years?
 *
 * On both engines, each row in a new database with its own processes: delivering the events of an installation to subscriptions and devices, starting after many installations and with
 * many accounts, and the delivery statements over small and large tables. Another process sends the service 200 checks a second, while it makes deliveries for a second and does nothing for
 * a second, in turn; the 99th percentiles of both and their ratio are printed. Statements on tables of different sizes alternate too, so that other work on the machine slows both alike.
 * Arguments: `--subscriptions 10,1000,10000,20000`, `--changes N`, `--devices 1000,20000`, `--distant 1000` (subscriptions with PostgreSQL 50 ms away), `--installs 1,30,100`, `--accounts
 * 0,100000`, `--deliveries 200000,2000000`, `--postgres URL` (else one is started), `--only sqlite,postgres`. A list may be empty.
 */
import { Agent, request } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import { parseArgs } from "node:util"
import { embeddedDataset } from "../src/index.ts"
import { type SlowLink, startSlowLink } from "../test/storage/slow-link.ts"
import { alternate, amount, describeRun, IS_SMOKE, median, option, percentile } from "./measure.ts"
import { bundleProgram, ENGINE_OPTIONS, onEngines, startProcess, type WithDatabase } from "./processes.ts"

const { values } = parseArgs({
  options: {
    subscriptions: option("10,1000,10000,20000", "50"),
    changes: option("3270", "40"),
    devices: option("1000,20000", "20"),
    distant: option("1000", "50"),
    installs: option("1,30,100", "2"),
    accounts: option("0,100000", "20"),
    deliveries: option("200000,2000000", "2000"),
    ...ENGINE_OPTIONS,
  },
})
const PROGRAM = bundleProgram("growth-process")
const listOf = (text: string): readonly number[] => (text === "" ? [] : text.split(",").map(Number))

/** How many events devices, or subscriptions of a distant database, get: each device gets each. */
const DEVICE_CHANGES = Math.min(198, Number(values.changes))
const ROUND_TRIP_MS = 50
const CHECKS_A_SECOND = 200
/** As long as `growth-process.ts` works at a time. */
const PHASE_MS = amount(1_000, 100)
/** How often each statement is measured on each table. */
const ROUNDS = amount(3, 1)
/** As many as `growth-process.ts` delivers. */
const DELIVERED = amount(20_000, 100)

interface Ready {
  readonly url: string
  readonly key: string
  readonly pair: readonly [string, string]
  readonly startedSeconds: number
  readonly megabytes: number
}

/** What a piece of work took. */
interface Done {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly turns: readonly number[]
  /** Whether more of the work is left. */
  readonly isMore: boolean
  readonly megabytes: number
  readonly deliveries: number
  readonly pushes: number
}

const addressOf = ({ url, pair: [passport, destination] }: Ready) =>
  `${url}/api/v1/visa/check?passport=${passport}&destination=${destination}`

/** Sends a check until it is answered: a service that has cached its caller answers also while its database is busy. */
async function introduce(ready: Ready): Promise<void> {
  for (let times = 0; times < 100; times++) {
    const { status } = await fetch(addressOf(ready), { headers: { "x-api-key": ready.key } })
    if (status === 200) return
    await wait(100)
  }
}

/** Sends checks at a steady pace until it is stopped; returns how long each took from its due time, in milliseconds. */
function startChecks(ready: Ready) {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const address = addressOf(ready)
  const times: number[] = []
  const startedAt = performance.now()
  const answers = new Set<number | string>()
  let asked = 0
  const timer = setInterval(() => {
    for (; asked < ((performance.now() - startedAt) * CHECKS_A_SECOND) / 1_000; asked++) {
      const dueAt = startedAt + (asked * 1_000) / CHECKS_A_SECOND
      const outgoing = request(address, { agent, headers: { "x-api-key": ready.key } }, response => {
        answers.add(response.statusCode ?? 0)
        response.resume().on("end", () => times.push(performance.now() - dueAt))
      })
      outgoing.on("error", ({ message }) => answers.add(message)).end()
    }
  }, 1)
  return {
    take: () => times.splice(0),
    stop: () => {
      clearInterval(timer)
      const given = [...answers]
      agent.destroy()
      if (given.length !== 1 || given[0] !== 200) throw new Error(`checks were answered ${given.join(", ")}`)
    },
  }
}

/** Fills a database, serves it, and does something with the service. */
async function grow<A>(
  withDatabase: WithDatabase,
  [what, count, changes]: readonly [what: string, count: number, changes: number],
  work: (ready: Ready, ask: (command: string) => Promise<Done>, link: SlowLink | null) => Promise<A>,
  roundTripMs = 0,
): Promise<A> {
  return withDatabase(async databaseUrl => {
    const own = String(changes)
    const filling = startProcess(PROGRAM, ["fill", own, databaseUrl, what, String(count)])
    await filling.whenEnded()
    if (filling.child.exitCode !== 0) throw new Error(`${what} ${count} could not be made`)
    const link = roundTripMs === 0 ? null : await startSlowLink(databaseUrl, roundTripMs)
    const { child, read, tell, whenEnded } = startProcess(PROGRAM, ["serve", own, link?.url ?? databaseUrl])
    try {
      const ready = await read<Ready>()
      const ask = (command: string) => {
        tell(command)
        return read<Done>()
      }
      return await work(ready, ask, link)
    } finally {
      child.kill()
      await whenEnded()
      link?.stop()
    }
  })
}

/** Does work beside checks, in phases between which it rests: what it took, and the 99th percentiles of the checks of both phases. */
const besideChecks = (command: string) => async (ready: Ready, ask: (command: string) => Promise<Done>) => {
  await introduce(ready)
  const checks = startChecks(ready)
  // The first checks compile the code.
  await wait(3 * PHASE_MS)
  checks.take()
  const [quiet, busy]: [number[], number[]] = [[], []]
  const phases: Done[] = []
  do {
    await wait(PHASE_MS)
    quiet.push(...checks.take())
    phases.push(await ask(command))
    busy.push(...checks.take())
  } while (phases.at(-1)!.isMore)
  checks.stop()
  const sum = (take: (phase: Done) => number) => phases.reduce((all, phase) => all + take(phase), 0)
  const turns = phases.flatMap(phase => phase.turns)
  const [seconds, cpuSeconds] = [sum(phase => phase.seconds), sum(phase => phase.cpuSeconds)]
  const done = { ...phases.at(-1)!, turns, seconds, cpuSeconds }
  return { done, quietMs: percentile(quiet, 0.99), busyMs: percentile(busy, 0.99) }
}

/** Asks one service over each of several tables, all at the same time. */
async function overTables(
  withDatabase: WithDatabase,
  counts: readonly number[],
  work: (asks: readonly ((command: string) => Promise<Done>)[]) => Promise<void>,
  asks: readonly ((command: string) => Promise<Done>)[] = [],
): Promise<void> {
  const [count, ...others] = counts
  if (count === undefined) return work(asks)
  await grow(withDatabase, ["deliveries", count, 0], (_, ask) => overTables(withDatabase, others, work, [...asks, ask]))
}

const ms = (value: number) => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`

async function measureEngine(withDatabase: WithDatabase, isPostgres: boolean): Promise<void> {
  const changes = Number(values.changes)
  const tell = async (what: "subscriptions" | "devices", count: number, events: number) => {
    const command = what === "devices" ? "push" : "fan out"
    const { done, quietMs, busyMs } = await grow(withDatabase, [what, count, events], besideChecks(command))
    const rows = what === "devices" ? `${done.pushes} pushes` : `${done.deliveries} deliveries`
    console.log(
      `  ${count} ${what}, ${events} changes: ${rows} in ${done.seconds.toFixed(1)} s (${done.cpuSeconds.toFixed(1)} s of CPU), a turn ${ms(median(done.turns))}, at most ${ms(Math.max(...done.turns))}; a check p99 ${ms(busyMs)} (quiet ${ms(quietMs)}, ratio ${(busyMs / quietMs).toFixed(1)}); ${done.megabytes} MB`,
    )
  }
  // A smoke test does on one engine what is alike on both: the statements are the storage's, and its tests run on both.
  const isAlike = IS_SMOKE && isPostgres
  for (const count of isAlike ? [] : listOf(values.subscriptions)) await tell("subscriptions", count, changes)
  for (const count of isAlike ? [] : listOf(values.devices)) await tell("devices", count, DEVICE_CHANGES)
  for (const count of isPostgres ? listOf(values.distant) : []) {
    const far = await grow(
      withDatabase,
      ["subscriptions", count, DEVICE_CHANGES],
      async (_, ask, link) => {
        const before = link!.countRoundTrips()
        return { ...(await ask("fan out")), roundTrips: link!.countRoundTrips() - before }
      },
      ROUND_TRIP_MS,
    )
    console.log(
      `  ${count} subscriptions, ${DEVICE_CHANGES} changes, the database ${ROUND_TRIP_MS} ms away: ${far.deliveries} deliveries in ${far.seconds.toFixed(1)} s, ${far.roundTrips} round trips`,
    )
  }
  for (const what of ["installs", "accounts"] as const) {
    for (const count of isAlike ? [] : listOf(values[what])) {
      const { startedSeconds, megabytes } = await grow(withDatabase, [what, count, changes], async ready => ready)
      console.log(`  ${count} ${what}: starts in ${startedSeconds.toFixed(2)} s with ${megabytes} MB`)
    }
  }
  const counts = listOf(values.deliveries)
  if (counts.length === 0) return
  await overTables(withDatabase, counts, async asks => {
    for (const command of ["claim", "list", "undelivered", "receivers", "queues", "purge"]) {
      const turns = counts.map((): number[] => [])
      await alternate(asks, ROUNDS, async (ask, at) => turns[at]!.push(...(await ask(command)).turns))
      const medians = turns.map(median)
      const figures = counts.map(
        (count, at) => `${count} deliveries ${ms(medians[at]!)}, at most ${ms(Math.max(...turns[at]!))}`,
      )
      const ratio = counts.length < 2 ? "" : `; ratio ${(medians.at(-1)! / medians[0]!).toFixed(1)}`
      console.log(`  ${command}: ${figures.join("; ")}${ratio}`)
    }
    for (const command of isPostgres ? ["deliver", "deliver beside a reader"] : ["deliver"]) {
      for (const [at, ask] of asks.entries()) {
        const { turns, seconds } = await ask(command)
        const quarter = Math.ceil(turns.length / 4)
        const [first, last] = [median(turns.slice(0, quarter)), median(turns.slice(-quarter))]
        console.log(
          `  ${command} ${DELIVERED} beside ${counts[at]}: ${seconds.toFixed(1)} s, a turn ${ms(first)} in the first quarter and ${ms(last)} in the last`,
        )
      }
    }
  })
}

console.log(describeRun(embeddedDataset().version).join("\n"))
await onEngines(values, async (withDatabase, engine) => {
  console.log(engine === "sqlite" ? "SQLite" : "PostgreSQL")
  await measureEngine(withDatabase, engine === "postgres")
})
