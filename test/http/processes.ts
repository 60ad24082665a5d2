/** A service in several processes, as operators start it: what its tests share. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { type IncomingHttpHeaders, request } from "node:http"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { encodeDays } from "../../bench/encode-days.ts"
import { bundleCli } from "../cli/bundle.ts"
import { runCli } from "../cli/run.ts"
import { eventually } from "../eventually.ts"
import { type DatabasePlace, makeFolder } from "../storage/deployment.ts"

/** What the plan `free` may ask for in a month, in seeds/plans.json. */
const FREE_REQUESTS = 100

/** A text in a body that keeps a process reading it for ever. */
const ENDLESS = "a text without an end"
/** Loaded before the program: the fault that the text finds. */
const FAULT = `const parse = JSON.parse
  JSON.parse = (text, reviver) => {
    while (typeof text === "string" && text.includes("${ENDLESS}")) {}
    return parse(text, reviver)
  }`

interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Asks on a connection of its own, which goes to the next process. */
export const ask = (url: string, headers: Readonly<Record<string, string>> = {}, body?: string) =>
  new Promise<Answered>((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST"
    const asked = request(url, { method, headers, agent: false }, answer => {
      let text = ""
      answer.on("data", chunk => {
        text += chunk
      })
      answer.on("error", reject)
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
    })
    asked.on("error", reject)
    asked.end(body)
  })

/**
 * Asks as a client does who is told to ask again: a request waits a second for the database, which is too short for a PostgreSQL that has
 * to open its first connections on a machine with much else to do. Such a request has cost nothing.
 */
async function askAgain(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  for (;;) {
    const answer = await ask(url, headers)
    if (answer.status !== 503) return answer.status
    assert.match(answer.text, /the database is locked by another process, or did not answer in time/)
    assert.strictEqual(answer.headers["retry-after"], "1")
  }
}

/** What keeps the young objects of a service few, under Linux: `adapters/cli/young-generation.ts`. */
export const YOUNG_LIMIT = "--max-semi-space-size=16"
export const MALLOC_LIMITS: readonly string[] = [
  "MALLOC_ARENA_MAX=1",
  "MALLOC_MMAP_THRESHOLD_=131072",
  "MALLOC_TRIM_THRESHOLD_=131072",
]

const readProcess = (pid: number | undefined, what: "cmdline" | "environ") =>
  readFileSync(`/proc/${pid}/${what}`, "utf8").split("\0")

const secretOf = ({ secret }: DatabasePlace) =>
  secret === undefined ? {} : { LANDFALL_SECRET: Redacted.value(secret) }

export const startService = (place: DatabasePlace, processes = 2, program = bundleCli()) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const faulty = ["--import", `data:text/javascript,${encodeURIComponent(FAULT)}`]
      const command = [...faulty, program, "serve", "--port", "0", "--processes", String(processes)]
      const child = spawn(process.execPath, command, {
        env: {
          ...process.env,
          LANDFALL_DATABASE_URL: place.databaseUrl,
          LANDFALL_WORKERS: "1",
          // What the operator has set stays.
          MALLOC_ARENA_MAX: "1",
          ...secretOf(place),
        },
        stdio: ["ignore", "pipe", "pipe"],
      })
      let log = ""
      child.stderr.on("data", chunk => {
        log += chunk
      })
      const ended = once(child, "exit")
      const lines: string[] = []
      for await (const line of createInterface({ input: child.stdout })) {
        lines.push(line)
        if (line.startsWith("Reference:")) break
      }
      const [, url = ""] = /listens on (\S+)/.exec(lines[0] ?? "") ?? []
      const keyOf = (plan: string) => lines.find(line => line.startsWith(`  ${plan} `))?.split(/\s+/)[2] ?? ""
      return { child, url, ended, readLog: () => log, keyOf }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL")),
  )

export const listServing = (pid: number | undefined) =>
  spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
    .stdout.trim()
    .split("\n")
    .map(Number)

export const serveInTwo = (place: DatabasePlace) =>
  Effect.gen(function* () {
    const { child, url, ended, readLog, keyOf } = yield* startService(place)
    for (const pid of process.platform === "linux" ? [child.pid, ...listServing(child.pid)] : []) {
      assert.include(readProcess(pid, "cmdline"), YOUNG_LIMIT)
      assert.includeMembers(readProcess(pid, "environ"), [...MALLOC_LIMITS])
    }
    const pair = `${url}/api/v1/visa?passport=FRA&destination=JPN`
    const headers = { "x-api-key": keyOf("free") }
    const asked = yield* Effect.promise(async () => {
      const statuses: number[] = []
      const client = async () => {
        while (statuses.length < FREE_REQUESTS * 1.6) statuses.push(await askAgain(pair, headers))
      }
      await Promise.all([client(), client(), client(), client()])
      return statuses
    })
    assert.strictEqual(asked.filter(status => status === 200).length, FREE_REQUESTS)
    assert.deepStrictEqual([...new Set(asked)].sort(), [200, 429])

    const readMetric = async (name: string) => {
      const { text } = await ask(`${url}/metrics`)
      return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1])
    }
    const answered =
      `landfall_http_request_duration_seconds_count{method="GET",route="/api/v1/visa",status="200"}`.replace(
        /[{}]/g,
        "\\$&",
      )
    assert.strictEqual(yield* Effect.promise(() => readMetric(answered)), FREE_REQUESTS)

    const [killed = 0, other = 0] = listServing(child.pid)
    process.kill(killed, "SIGKILL")
    // What was on its way to the one that ended is refused and does not wait for ever.
    const meanwhile = yield* Effect.promise(() =>
      Promise.all(
        Array.from({ length: 12 }, () =>
          ask(`${url}/healthz`).then(
            ({ status }) => status,
            ({ code }) => code,
          ),
        ),
      ),
    )
    assert.include(meanwhile, 200)
    assert.deepStrictEqual(
      meanwhile.filter(each => each !== 200 && each !== "ECONNRESET"),
      [],
    )
    const serving = yield* eventually(
      Effect.promise(async () => ({
        count: await readMetric("landfall_processes").catch(() => 0),
        pids: listServing(child.pid),
      })),
      ({ count, pids }) => count === 3 && !pids.includes(killed),
    )
    assert.deepStrictEqual([serving.count, serving.pids.includes(other)], [3, true])
    assert.match(readLog(), /a process that serves has ended by SIGKILL and is started again/)
    const statuses = yield* Effect.promise(() =>
      Promise.all(Array.from({ length: 20 }, () => askAgain(pair, { "x-api-key": keyOf("pro") }))),
    )
    assert.deepStrictEqual([...new Set(statuses)], [200])

    // What another process installs is answered from by all of them.
    const file = join(yield* makeFolder, "installed.landfall")
    writeFileSync(file, encodeDays("installed.1", 30, 0))
    const env = { LANDFALL_DATABASE_URL: place.databaseUrl, ...secretOf(place) }
    const install = ["dataset", "install", file, "--correction", "--force"]
    const { status, stderr } = yield* Effect.promise(() => runCli(install, { env }))
    assert.deepStrictEqual([status, stderr], [0, ""])
    const askVersions = Effect.promise(() =>
      Promise.all(Array.from({ length: 8 }, async () => JSON.parse((await ask(`${url}/readyz`)).text).dataset_version)),
    )
    yield* eventually(askVersions, versions => versions.every(version => version === "installed.1"))

    child.kill("SIGTERM")
    assert.deepStrictEqual(yield* Effect.promise(() => ended), [0, null])
    for (const pid of serving.pids) assert.throws(() => process.kill(pid, 0))
  }).pipe(Effect.scoped)

export const hang = ({ url, keyOf }: { readonly url: string; readonly keyOf: (plan: string) => string }) =>
  Effect.promise(() =>
    ask(`${url}/api/v1/visa/decision`, { "x-api-key": keyOf("business") }, JSON.stringify(ENDLESS)).then(
      ({ status }) => status,
      ({ code }) => code,
    ),
  )

export const HUNG =
  /"level":"error","message":"the event loop hangs: [^"]+","latest_request":"POST \/api\/v1\/visa\/decision","pid":(\d+)\}/
