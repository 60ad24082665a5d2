/**
 * `npm run bench -- http`: the service compared with the same endpoints on Fastify 5, in one run.
 *
 * Each server is a process. Answers must be the same before and after. Rounds alternate the order; the median of their ratios is printed with its 95 % interval, and one that contains 1 is
 * called inconclusive. The service has its database and counts every request in it; the peer counts in memory alone. Each endpoint is measured twice: with the service's cache of answers,
 * as it normally runs, and without it. The peer never caches, as a route on a framework does not. Arguments: `--rounds N`, `--seconds N` and `--only NAME`. With `--traced SHARE` the
 * service is compared with itself with that share of its requests traced, and with `--before CLI` with another build's `cli.js`, in place of Fastify.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { cpSync } from "node:fs"
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { isDeepStrictEqual, parseArgs } from "node:util"
import { embeddedDataset } from "landfall"
import {
  type LoadResult,
  makeRequest,
  makeScenarios,
  type Question,
  readProcessCost,
  runLoad,
  type Scenario,
  V1,
} from "./http-load.ts"
import { alternate, amount, describeRatio, describeRun, IS_SMOKE, median, option, range } from "./measure.ts"
import { makeFolder } from "./processes.ts"

const { values } = parseArgs({
  options: {
    rounds: option(15, 1),
    seconds: option(0.5, 0.02),
    only: { type: "string" },
    traced: { type: "string" },
    before: { type: "string" },
  },
})
const ROUNDS = Number(values.rounds)
const ROUND_MS = Number(values.seconds) * 1_000
const STARTS = amount(5, 1)
const CONNECTIONS = 32
/** How many answers of a scenario are compared. */
const PROVED = amount(100, 20)
const LISTENERS = amount(1_000, 40)
const PUBLIC_URL = "http://visa.localhost"

interface Contestant {
  readonly name: string
  readonly script: readonly string[]
  /** Its environment variables. */
  readonly env?: Readonly<Record<string, string>>
  /** The folder of its database, if not the shared one. */
  readonly folder?: string
}

interface Running {
  readonly child: ChildProcess
  readonly port: number
  /** From spawning the process until it listens. */
  readonly startMs: number
  readonly lines: readonly string[]
}

const folder = makeFolder()

async function start(
  { script, env: own = {}, folder: place = folder }: Contestant,
  lastLine: RegExp,
): Promise<Running> {
  const env = {
    ...process.env,
    LANDFALL_PORT: "0",
    LANDFALL_DATABASE_URL: `file:${join(place, "landfall.db")}`,
    LANDFALL_PUBLIC_URL: PUBLIC_URL,
    LANDFALL_TRUSTED_PROXIES: "127.0.0.1",
    ...own,
  }
  const startedAt = performance.now()
  const child = spawn(process.execPath, script, { env, stdio: ["ignore", "pipe", "inherit"] })
  const lines: string[] = []
  let startMs = 0
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.includes("listens on")) startMs = performance.now() - startedAt
    if (lastLine.test(line)) break
  }
  if (startMs === 0) throw new Error(`${script.join(" ")} did not start`)
  return { child, port: Number(/:(\d+)/.exec(lines.join("\n"))?.[1]), startMs, lines }
}

/** Deletes the account's usage: the requests of a run would use up its month. No server may be running. */
function forgetUsage(place: string): void {
  const database = new DatabaseSync(join(place, "landfall.db"))
  database.exec("DELETE FROM pool_counts")
  database.close()
}

/** The servers of a smoke test, in which all scenarios share them: most of its time would go into starting them. */
const shared = new Map<Contestant, Promise<Running>>()

function startForScenario(contestant: Contestant): Promise<Running> {
  if (!IS_SMOKE) return start(contestant, LISTENS)
  const running = shared.get(contestant) ?? start(contestant, LISTENS)
  shared.set(contestant, running)
  return running
}

async function stop({ child }: Running): Promise<void> {
  const ended = new Promise(resolve => child.once("exit", resolve))
  child.kill("SIGTERM")
  await ended
}

const ours: Contestant = { name: "landfall serve", script: ["dist/cli.js", "serve"] }
/** An older build knows only its own tables: it makes the database, and uses a copy of it. */
const older = values.before === undefined ? null : { cli: values.before, folder: makeFolder() }
const maker: Contestant = older === null ? ours : { ...ours, script: [older.cli, "serve"] }
const LISTENS = /listens on/
const GREETED = /^Reference:/

// The first start makes the database and shows the keys.
const first = await start(maker, GREETED)
const key = /^ *business +(\S+)$/m.exec(first.lines.join("\n"))?.[1] ?? ""
await stop(first)
/** More accounts, because one may look up a thousand times a second only. */
const LOOKING_UP = amount(40, 2)
const lookupKeys = Array.from({ length: LOOKING_UP }, (_, at) => {
  const owner = ["--name", "Bench", "--email", `bench${at}@example.org`, "--plan", "business"]
  const args = [maker.script[0] as string, "account", "create", ...owner, "--json"]
  const { stdout } = spawnSync(process.execPath, args, {
    env: { ...process.env, LANDFALL_DATABASE_URL: `file:${join(folder, "landfall.db")}` },
    encoding: "utf8",
  })
  return (JSON.parse(stdout) as { readonly api_key: string }).api_key
})
if (older !== null) cpSync(folder, older.folder, { recursive: true })
const peer: Contestant = {
  name: "Fastify 5",
  script: ["bench/http-fastify.ts", key, PUBLIC_URL, lookupKeys.join(",")],
}
const anew: Contestant = { name: "landfall, kept nothing", script: ["bench/http-process.ts", "anew"] }

const scenarios = makeScenarios(lookupKeys)

/** The service compared with itself: the name of each and the difference. */
async function openOwnPeers(): Promise<{ readonly peers: readonly Contestant[]; readonly close: () => void }> {
  const peers: Contestant[] = []
  if (older !== null) peers.push({ name: "before", script: maker.script, folder: older.folder })
  if (values.traced === undefined) return { peers, close: () => {} }
  const collector = createServer((request, response) => request.resume().on("end", () => response.end("{}")))
  await new Promise<void>(resolve => collector.listen(0, "127.0.0.1", resolve))
  const env = {
    LANDFALL_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    LANDFALL_OTLP_SAMPLE: values.traced,
  }
  peers.push({ ...ours, name: `traced at ${values.traced}`, env })
  return { peers, close: () => collector.close().closeAllConnections() }
}

const COMPARED_HEADERS = [
  ...["x-ratelimit-limit", "ratelimit-policy", "x-plan", "vary", "cache-control", "content-type", "etag"],
  "svc-version",
]

async function readAnswers(port: number, questions: readonly Question[]): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const { path, body, headers } of questions.slice(0, PROVED)) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { "x-api-key": key, ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { method: "POST", body }),
    })
    // The same JSON with its keys in another order has another validator of the same form.
    const answered = COMPARED_HEADERS.map(name =>
      response.headers
        .get(name)
        ?.replace("; charset=utf-8", "")
        .replace(/^W\/".{22}"$/, "a validator"),
    )
    const given = await response.json()
    // Another build has other fields and data: only its status is compared.
    answers.push(older === null ? [response.status, answered, given] : response.status)
  }
  return answers
}

interface Measurement extends LoadResult {
  readonly cpuUs: number
  readonly residentMb: number
}

async function measure({ child, port }: Running, questions: readonly Question[], status = 200): Promise<Measurement> {
  const requests = questions.map(({ path, body, headers }) => makeRequest(path, { "x-api-key": key, ...headers }, body))
  const before = readProcessCost(child.pid as number)
  const result = await runLoad({ port, requests, connections: CONNECTIONS, durationMs: ROUND_MS, status })
  const after = readProcessCost(child.pid as number)
  if (result.failures > 0) throw new Error(`${result.failures} answers were no ${status}`)
  const answered = (result.requestsPerSecond * ROUND_MS) / 1_000
  return {
    ...result,
    cpuUs: ((after.cpuSeconds - before.cpuSeconds) * 1e6) / answered,
    residentMb: after.residentBytes / 2 ** 20,
  }
}

const thousands = (value: number) => Math.round(value).toLocaleString("en-US").padStart(8)

function describe(name: string, all: readonly Measurement[]): string {
  const rates = all.map(round => round.requestsPerSecond)
  const middle = (of: (round: Measurement) => number) => median(all.map(of))
  const cpuUs = middle(round => round.cpuUs).toFixed(1)
  const megabytes = middle(round => round.residentMb).toFixed(0)
  return [
    `  ${name.padEnd(22)} ${thousands(median(rates))} req/s`,
    `(${thousands(Math.min(...rates)).trim()} … ${thousands(Math.max(...rates)).trim()})`.padEnd(20),
    `p50 ${thousands(middle(round => round.p50Us))} µs`,
    `p99 ${thousands(middle(round => round.p99Us))} µs`,
    `${cpuUs.padStart(6)} µs of CPU a request`,
    `${megabytes.padStart(5)} MB`,
  ].join("  ")
}

/** The questions of a caller who has the answers: each with the validator from the server. */
async function addValidators({ port }: Running, questions: readonly Question[]): Promise<readonly Question[]> {
  const known: Question[] = []
  for (const question of questions) {
    const response = await fetch(`http://127.0.0.1:${port}${question.path}`, { headers: { ...question.headers } })
    await response.arrayBuffer()
    known.push({ ...question, headers: { ...question.headers, "if-none-match": response.headers.get("etag") ?? "" } })
  }
  return known
}

async function compare(
  title: string,
  { questions, isRevalidated = false }: Scenario,
  contestants: readonly Contestant[],
): Promise<void> {
  if (!IS_SMOKE) for (const place of new Set(contestants.map(one => one.folder ?? folder))) forgetUsage(place)
  const servers = await Promise.all(contestants.map(startForScenario))
  const prove = async () => {
    const [expected, ...others] = await Promise.all(servers.map(server => readAnswers(server.port, questions)))
    others.forEach((answers, at) => {
      const place = answers.findIndex((answer, place) => !isDeepStrictEqual(answer, expected?.[place]))
      if (place >= 0) {
        const [theirs, mine] = [answers[place], expected?.[place]].map(answer => JSON.stringify(answer))
        throw new Error(
          `${contestants[at + 1]?.name} answers differently for ${questions[place]?.path}:\n${theirs}\n${mine}`,
        )
      }
    })
  }
  await prove()
  const status = isRevalidated ? 304 : 200
  const runs = await Promise.all(
    servers.map(async server => ({
      server,
      asked: isRevalidated ? await addValidators(server, questions) : questions,
    })),
  )
  // Until the code is compiled.
  for (const { server, asked } of runs) await measure(server, asked, status)
  const measured = contestants.map((): Measurement[] => [])
  await alternate(runs, ROUNDS, async ({ server, asked }, at) =>
    measured[at]?.push(await measure(server, asked, status)),
  )
  await prove()
  if (!IS_SMOKE) for (const server of servers) await stop(server)
  console.log(`\n${title}`)
  contestants.forEach(({ name }, at) => {
    console.log(describe(name, measured[at] as Measurement[]))
  })
  const [mine = [], ...others] = measured
  others.forEach((theirs, at) => {
    const ratioOf = (of: (round: Measurement) => number) =>
      mine.map((round, place) => of(round) / of(theirs[place] as Measurement))
    const name = contestants[at + 1]?.name ?? ""
    const say = (what: string, of: (round: Measurement) => number) =>
      console.log(describeRatio(`${what} against ${name}`, ratioOf(of)))
    say("throughput", round => round.requestsPerSecond)
    say("p99", round => round.p99Us)
    say("CPU a request", round => round.cpuUs)
  })
}

console.log(describeRun(embeddedDataset().version).join("\n"))
console.log(
  `${CONNECTIONS} connections, ${ROUNDS} rounds of ${ROUND_MS / 1_000} s, 1,000 pairs, no compression asked for`,
)

const { peers: ownPeers, close: closeOwnPeers } = await openOwnPeers()
const isAgainstItself = ownPeers.length > 0
for (const scenario of isAgainstItself ? scenarios : []) {
  if (values.only !== undefined && values.only !== scenario.name) continue
  await compare(scenario.title, scenario, [ours, ...ownPeers])
}
closeOwnPeers()
if (isAgainstItself) process.exit()

const started = [ours, peer].map((): number[] => [])
await alternate([ours, peer], STARTS, async (contestant, place) => {
  const server = await start(contestant, LISTENS)
  started[place]?.push(server.startMs)
  await stop(server)
})
console.log("\nFrom spawning the process until it listens")
for (const [place, { name }] of [ours, peer].entries()) {
  console.log(`  ${name.padEnd(22)} ${range(started[place] as number[], 0)} ms`)
}

/** Opens idle streams of live activity, from addresses of twenty each. */
async function openListeners(port: number, count: number): Promise<() => void> {
  const sockets = await Promise.all(
    Array.from(
      { length: count },
      (_, at) =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(port, "127.0.0.1")
          socket.once("error", reject)
          socket.once("data", () => resolve(socket.resume()))
          socket.write(`GET ${V1}/live HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.${Math.floor(at / 20)}\r\n\r\n`)
        }),
    ),
  )
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

/** What a thousand listeners cost the quick check. */
async function measureListeners(): Promise<void> {
  forgetUsage(folder)
  const server = await start(ours, LISTENS)
  const questions = scenarios[0]?.questions ?? []
  await measure(server, questions)
  const quiet: Measurement[] = []
  const listened: Measurement[] = []
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push(await measure(server, questions))
    const hangUp = await openListeners(server.port, LISTENERS)
    listened.push(await measure(server, questions))
    hangUp()
  }
  await stop(server)
  console.log(`\nGET ${V1}/check while ${LISTENERS.toLocaleString("en-US")} clients listen to ${V1}/live`)
  console.log(describe("nobody listens", quiet))
  console.log(describe("they listen", listened))
  const ratios = listened.map((round, at) => round.requestsPerSecond / (quiet[at] as Measurement).requestsPerSecond)
  console.log(describeRatio("throughput with listeners against without", ratios))
}

/** The total CPU of a request with two processes on one port and one database, compared with a service of one process. */
async function measureProcesses(): Promise<void> {
  forgetUsage(folder)
  const two: Contestant = { name: "--processes 2", script: [...ours.script, "--processes", "2"] }
  const servers = [await start(ours, LISTENS), await start(two, LISTENS)]
  const questions = scenarios[0]?.questions ?? []
  for (const server of servers) await measure(server, questions)
  const measured = servers.map((): Measurement[] => [])
  await alternate(servers, ROUNDS, async (server, place) => measured[place]?.push(await measure(server, questions)))
  for (const server of servers) await stop(server)
  const [alone, shared] = measured as [Measurement[], Measurement[]]
  console.log(`\nGET ${V1}/check by one process and by two, CPU of all processes`)
  console.log(describe("one process", alone))
  console.log(describe(two.name, shared))
  const ratios = shared.map((round, at) => round.cpuUs / (alone[at] as Measurement).cpuUs)
  console.log(describeRatio("CPU a request with two processes against one", ratios))
}

for (const scenario of scenarios) {
  const { name, title, isKept } = scenario
  if (values.only !== undefined && values.only !== name) continue
  if (isKept) await compare(`${title}, answers cached by the service`, scenario, [ours, peer])
  if (IS_SMOKE && isKept) continue
  await compare(`${title}, without the cache of answers`, scenario, [anew, peer])
}
for (const running of shared.values()) await stop(await running)
if (values.only === undefined || values.only === "live") await measureListeners()
if (values.only === undefined || values.only === "processes") await measureProcesses()
if (values.only === undefined || values.only === "fetch") {
  const ended = spawnSync(process.execPath, ["bench/http-process.ts", "fetch"], { stdio: "inherit" })
  if (ended.status !== 0) process.exitCode = 1
}
