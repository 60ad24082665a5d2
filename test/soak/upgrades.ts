/**
 * What happens to a deployment over years, in minutes and under load: two versions at once, rolling forth and back, nodes that are killed, clocks
 * that jump by days, and an installation that no node can open.
 *
 * Nodes are processes of two versions on one database. Checks are sent to all of them without a break, and every installation's changes go to
 * some webhooks. A check that is not answered 200, a change that does not come, or comes with other days, and a node that does not say
 * what is wrong are faults.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as wait } from "node:timers/promises"
import { Context, Effect, Layer } from "effect"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { KnownSteps } from "../../adapters/storage/tables.ts"
import { encodeDays } from "../../bench/encode-days.ts"
import { seededRandom } from "../../bench/measure.ts"
import { verifyDelivery } from "../../src/engine.ts"
import { NEWER_RUNNING_STEPS } from "../storage/newer-steps.ts"
import { type Received, startReceiver } from "../webhooks/receiver.ts"

/** What is done. */
export interface UpgradesOptions {
  readonly databaseUrl: string
  /** The executables of two versions. */
  readonly older: string
  readonly newer: string
  /** How often the nodes are replaced forth and back. */
  readonly rounds: number
  readonly webhooks: number
  /** How many pairs each installation changes. */
  readonly changes: number
  readonly seed: number
}

/** What came out. */
export interface UpgradesReport {
  /** Deliveries that were to come, and how many came again under the same id. */
  readonly deliveries: number
  readonly repeated: number
  readonly checks: number
  readonly kills: number
  readonly replaced: number
  readonly jumps: number
  readonly refused: number
  readonly seconds: number
  readonly faults: readonly string[]
}

interface Node {
  readonly version: "older" | "newer"
  readonly child: ChildProcess
  readonly url: string
  readonly key: string | undefined
}

const DAY_MS = 86_400_000
/** How long something may take on a busy machine. */
const PATIENCE_MS = 180_000
const CHECKS_AT_ONCE = 4
const CHECKS_MOST = 500_000
const MOVED = join(import.meta.dirname, "moved-date.ts")

/** Does all of it on a new database. */
export async function soakUpgrades(options: UpgradesOptions): Promise<UpgradesReport> {
  const { databaseUrl, rounds, changes } = options
  const startedAt = performance.now()
  const random = seededRandom(options.seed)
  const isFile = databaseUrl.startsWith("file:")
  const folder = mkdtempSync(join(tmpdir(), "landfall-soak-upgrades-"))
  const faults: string[] = []
  const live: Node[] = []
  const ended = new Set<Node>()
  const counts = { deliveries: 0, kills: 0, replaced: 0, jumps: 0, refused: 0 }
  let aheadMs = 0
  let latest = 0

  const fileOf = (number: number) => join(folder, `${number}.landfall`)
  const daysOf = (number: number) => (number % 2 === 0 ? 90 : 30)
  const encode = (number: number) => encodeDays(`soak.${number}`, daysOf(number), changes)
  writeFileSync(fileOf(0), encode(0))

  const start = (version: "older" | "newer", args: readonly string[]) =>
    spawn(process.execPath, ["--import", MOVED, options[version], ...args], {
      env: {
        ...process.env,
        LANDFALL_DATABASE_URL: databaseUrl,
        LANDFALL_SECRET: Buffer.alloc(32, 7).toString("base64"),
        LANDFALL_DATASET: fileOf(0),
        LANDFALL_WORKERS: "1",
        LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true",
        LANDFALL_DRAIN_SECONDS: "1",
        LANDFALL_LOG_LEVEL: "error",
        // The clock of a machine is that of all its processes.
        SOAK_AHEAD_MS: String(isFile ? aheadMs : 0),
      },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    })
  const run = async (version: "older" | "newer", ...args: readonly string[]) => {
    const child = start(version, args)
    const said: string[] = []
    for (const stream of [child.stdout!, child.stderr!]) createInterface(stream).on("line", line => said.push(line))
    const [status] = await once(child, "exit")
    return { status: status as number | null, said: said.join("\n") }
  }
  const startNode = async (version: "older" | "newer"): Promise<Node> => {
    const child = start(version, ["serve", "--port", "0"])
    const errors: string[] = []
    createInterface({ input: child.stderr! }).on("line", line => errors.push(line))
    const lines: string[] = []
    for await (const line of createInterface({ input: child.stdout! })) {
      lines.push(line)
      if (line.startsWith("Reference:")) break
    }
    const [, url] = /listens on (\S+)/.exec(lines[0] ?? "") ?? []
    if (url === undefined) throw new Error(`a node of the ${version} version did not start: ${errors.join("\n")}`)
    return { version, child, url, key: lines.find(line => line.startsWith("  business "))?.split(/\s+/)[2] }
  }
  /** Takes a node from the balancer and ends it. */
  const end = async (node: Node, signal: "SIGTERM" | "SIGKILL") => {
    if (signal === "SIGKILL") ended.add(node)
    live.splice(live.indexOf(node), 1)
    const exited = once(node.child, "exit")
    node.child.kill(signal)
    await exited
    ended.add(node)
  }
  const startLive = async (version: "older" | "newer") => {
    const node = await startNode(version)
    await until(`the new node is ready`, async () => (await readReady(node)).status === 200)
    live.push(node)
  }
  const readReady = async ({ url }: Node) => {
    const response = await fetch(`${url}/readyz`)
    const { status, reason } = (await response.json()) as { status: string; reason?: string }
    return { status: response.status, said: status, reason }
  }
  const until = async (what: string, isSo: () => Promise<boolean> | boolean) => {
    for (const to = Date.now() + PATIENCE_MS; !(await isSo()); await wait(100)) {
      if (Date.now() < to) continue
      const nodes = await Promise.all(live.map(async node => ({ version: node.version, ...(await readReady(node)) })))
      throw new Error(`in ${PATIENCE_MS / 1_000} s it did not come to this: ${what}; ${JSON.stringify(nodes)}`)
    }
  }

  await using receiver = await startReceiver()
  const secrets = new Map<string, string>()
  const isChange = ({ event }: Received) => event.type === "visa.policy_changed"
  /** The changes of each installation that came, by webhook and pair. */
  const came = new Map<number, Set<string>>()
  let judged = 0
  let repeated = 0
  const judge = () => {
    for (; judged < receiver.received.length; judged++) {
      const one = receiver.received[judged]!
      if (!isChange(one)) continue
      const { installation, data } = one.event as unknown as {
        installation: number
        data: { passport: string; destination: string; current: { stay_days: number } }
      }
      const headers = one.headers as Record<string, string>
      const nowSeconds = Number(headers["webhook-timestamp"])
      const verified = verifyDelivery({ headers, body: one.body, secrets: [secrets.get(one.path) ?? ""], nowSeconds })
      if (!verified.ok) faults.push(`${one.event.id}: ${verified.error.tag}`)
      if (data.current.stay_days !== daysOf(numberOf(installation)))
        faults.push(`${one.event.id} of installation ${installation} says ${data.current.stay_days} days`)
      const name = `${one.path} ${data.passport} ${data.destination}`
      const known = came.get(installation) ?? new Set()
      if (known.has(name)) repeated++
      came.set(installation, known.add(name))
    }
  }
  /** Which file an installation is of. */
  const files = new Map<number, number>()
  const numberOf = (installation: number) => files.get(installation) ?? Number.NaN
  let installations = 0
  const install = async (version: "older" | "newer", ...flags: readonly string[]) => {
    const number = latest++
    writeFileSync(fileOf(number), encode(number))
    files.set(++installations, number)
    const { status, said } = await run(version, "dataset", "install", fileOf(number), "--force", ...flags)
    if (status !== 0) throw new Error(`installation ${installations} ended with ${status}: ${said}`)
    return installations
  }
  /** Installs, and waits until each webhook has each change. A command uses the tables of its own version only. */
  const installAndAwait = async (meanwhile: () => Promise<void> = async () => {}) => {
    const installation = await install(command)
    await meanwhile()
    counts.deliveries += changes * options.webhooks
    await until(`all changes of installation ${installation} have come`, () => {
      judge()
      return came.get(installation)?.size === changes * options.webhooks
    }).catch((error: Error) => {
      const got = came.get(installation)?.size ?? 0
      faults.push(`${changes * options.webhooks - got} deliveries of installation ${installation} are lost: ${error}`)
    })
  }
  let command: "older" | "newer" = "older"
  const killOne = async () => {
    await wait(random() * 500)
    const victim = live[Math.floor(random() * live.length)]!
    await end(victim, "SIGKILL")
    counts.kills++
    await startLive(victim.version)
  }
  const replace = async (from: "older" | "newer", to: "older" | "newer") => {
    await startLive(to)
    await end(live.find(({ version }) => version === from)!, "SIGTERM")
    counts.replaced++
  }
  const move = (nodes: readonly Node[], ms: number) => {
    for (const { child } of nodes) child.send(ms)
  }
  const allReady = (what: string) =>
    until(`every node is ready ${what}`, async () =>
      (await Promise.all(live.map(readReady))).every(({ status }) => status === 200),
    )
  /** On a file the clock of all processes is set on by days; on a server one node's is. Both are set back then. */
  const jump = async () => {
    const moved = isFile ? [...live] : live.slice(0, 1)
    for (const ms of [3 * DAY_MS, 0]) {
      aheadMs = ms
      move(moved, ms)
      if (isFile || ms !== 0) {
        await until("a node whose clock has jumped is not ready", async () =>
          (await Promise.all(moved.map(readReady))).every(({ status, reason }) => status === 503 && reason === "clock"),
        )
        counts.jumps++
      }
      if (isFile || ms === 0) await allReady("after its clock has jumped")
      await installAndAwait()
    }
  }
  /** An installation that a later version has written: nobody can open it. */
  const refuse = async () => {
    const services = layerStorage(databaseUrl)
    const write = Effect.gen(function* () {
      const stored = Context.get(yield* Layer.build(services), Storage)
      const { datasets, transact } = stored
      const bytes = encode(1)
      bytes[8] = 99
      const content = Buffer.from(bytes).toString("base64")
      const installed_at = new Date(Date.now() + aheadMs).toISOString()
      const insert = Effect.gen(function* () {
        const [dataset_id, id] = [yield* datasets.nextDatasetId, yield* datasets.nextInstallationId]
        yield* datasets.insert({ id: dataset_id, version: "later", as_of: "2026-11-21", content })
        const replaces_id = (yield* datasets.findNewest)?.id ?? null
        yield* stored.installations.insert({ id, dataset_id, replaces_id, kind: "install", installed_at })
        return id
      })
      return yield* transact(insert)
    })
    installations = await Effect.runPromise(
      Effect.scoped(Effect.provideService(write, KnownSteps, NEWER_RUNNING_STEPS)),
    )
    counts.refused++
    await until("every node says that it has refused the installation", async () => {
      const said = await Promise.all(live.map(readReady))
      const metrics = await Promise.all(live.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()))
      return (
        said.every(({ status, said }) => status === 200 && said === "degraded") &&
        metrics.every(text => /^landfall_dataset_passed_over 1$/m.test(text))
      )
    })
    // Nobody is notified of what replaces it.
    await install(command)
    await until("no node is degraded after the next installation", async () => {
      const metrics = await Promise.all(live.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()))
      return metrics.every(text => /^landfall_dataset_passed_over 0$/m.test(text))
    })
    await installAndAwait()
  }

  let isOver = false
  let checks = 0
  const load = async (key: string) => {
    for (let asked = 0; !isOver && asked < CHECKS_MOST; asked++) {
      const node = live[asked % live.length]
      if (node === undefined) {
        await wait(10)
        continue
      }
      try {
        const address = `${node.url}/api/v1/visa/check?passport=AGO&destination=AFG`
        const response = await fetch(address, { headers: { "x-api-key": key } })
        const text = await response.text()
        checks++
        if (response.status !== 200) faults.push(`a check was answered ${response.status}: ${text.slice(0, 200)}`)
      } catch (cause) {
        // A balancer asks another node.
        if (!ended.has(node) && live.includes(node)) faults.push(`a node did not answer: ${cause}`)
      }
      await wait(5)
    }
  }

  try {
    const migrated = await run("older", "migrate")
    if (migrated.status !== 0) throw new Error(migrated.said)
    const first = await startNode("older")
    live.push(first)
    await startLive("older")
    await install("older", "--correction")
    const key = first.key!
    for (let at = 0; at < options.webhooks; at++) {
      const made = await fetch(`${first.url}/webhooks`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ url: `${receiver.url}/${at}` }),
      })
      secrets.set(`/${at}`, ((await made.json()) as { secret: string }).secret)
    }
    const loads = Array.from({ length: CHECKS_AT_ONCE }, () => load(key))
    for (let round = 1; round <= rounds; round++) {
      await installAndAwait(killOne)
      if (round === 1) {
        const expanded = await run("newer", "migrate")
        if (!expanded.said.includes("applied: add_note")) faults.push(`migrate said ${expanded.said}`)
        command = "newer"
      }
      await replace("older", "newer")
      await installAndAwait(killOne)
      await jump()
      await refuse()
      await replace("older", "newer")
      await installAndAwait(killOne)
      if (round === rounds) break
      await replace("newer", "older")
      await installAndAwait(killOne)
      await replace("newer", "older")
    }
    await until("the step that removes waits for no older node", async () =>
      (await run("newer", "migrate")).said.includes("applied: remove_old"),
    )
    await installAndAwait()
    const late = await run("older", "serve", "--port", "0")
    if (late.status !== 4) faults.push(`a node of the older version ended with ${late.status}: ${late.said}`)
    isOver = true
    await Promise.all(loads)
  } finally {
    isOver = true
    for (const { child } of live) child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  }
  judge()
  return { ...counts, repeated, checks, seconds: (performance.now() - startedAt) / 1_000, faults }
}
