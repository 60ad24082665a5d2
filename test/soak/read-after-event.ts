/**
 * Does every node answer by the new data when a receiver is told of it?
 *
 * Real services on one database, datasets that are installed one after another, and a receiver that asks every live node for the pair as soon as an event
 * comes, before it answers. A node must then give the days that the event names, unless the log says that events were fanned out without it, as they
 * are where a machine is so busy that a node needs more than five seconds. Half-way a node is killed and another one started.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { encodeDays } from "../../bench/encode-days.ts"
import { bundleCli } from "../cli/bundle.ts"

/** What is asked of whom. */
export interface ReadAfterEventOptions {
  readonly databaseUrl: string
  readonly nodes: number
  readonly installations: number
  /** How many pairs each installation changes. */
  readonly changes: number
}

/** What came out. */
export interface ReadAfterEventReport {
  readonly events: number
  readonly answers: number
  /** The log lines about events that were sent before a live node had the data. */
  readonly late: readonly string[]
  /** Answers by older data, and answers that were none. */
  readonly faults: readonly string[]
}

/** An event, as far as it is compared. */
interface Told {
  readonly type: string
  readonly id: string
  readonly data: {
    readonly passport: string
    readonly destination: string
    readonly current: { readonly stay_days: number }
  }
}

interface Node {
  readonly child: ChildProcess
  readonly url: string
  readonly key: string | undefined
}

/** How long all events of an installation may take. */
const PATIENCE_MS = 60_000

/** Installs datasets and asks every live node after each event. */
export async function readAfterEvents(options: ReadAfterEventOptions): Promise<ReadAfterEventReport> {
  const { databaseUrl, nodes, installations, changes } = options
  const env = {
    ...process.env,
    LANDFALL_DATABASE_URL: databaseUrl,
    LANDFALL_SECRET: Buffer.alloc(32, 7).toString("base64"),
    LANDFALL_WORKERS: "1",
    LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true",
  }
  const folder = mkdtempSync(join(tmpdir(), "landfall-soak-nodes-"))
  const live: Node[] = []
  let killed = 0
  const late: string[] = []
  const startNode = async (): Promise<Node> => {
    const child = spawn(process.execPath, [bundleCli(), "serve", "--port", "0"], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    })
    createInterface({ input: child.stderr }).on("line", line => {
      const [, behind] = /are sent, although (\d+) processes do not use it yet/.exec(line) ?? []
      if (Number(behind) > killed) late.push(line)
    })
    const lines: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line)
      if (line.startsWith("Reference:") || line.startsWith("Try:")) break
    }
    const [, url] = /listens on (\S+)/.exec(lines[0] ?? "") ?? []
    if (url === undefined) throw new Error("a node did not start")
    const node = { child, url, key: lines.find(line => line.startsWith("  business "))?.split(/\s+/)[2] }
    live.push(node)
    return node
  }
  const endNode = async ({ child }: Node) => {
    const ended = once(child, "exit")
    if (child.kill("SIGKILL")) await ended
  }
  const install = async (number: number, ...flags: readonly string[]) => {
    const file = join(folder, `${number}.landfall`)
    writeFileSync(file, encodeDays(`soak.${number}`, number % 2 === 0 ? 90 : 30, changes))
    const args = [bundleCli(), "dataset", "install", file, "--force", ...flags]
    const [status] = await once(spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] }), "exit")
    if (status !== 0) throw new Error(`installation ${number} ended with ${status}`)
  }

  const faults: string[] = []
  const told = new Set<string>()
  let answers = 0
  let key = ""
  const askAll = ({ id, data: { passport, destination, current } }: Told) =>
    Promise.all(
      live.map(async ({ url }) => {
        const address = `${url}/api/v1/visa/check?passport=${passport}&destination=${destination}`
        const response = await fetch(address, { headers: { "x-api-key": key } })
        const { visa_free_days: days } = (await response.json()) as { readonly visa_free_days?: number }
        answers++
        if (days !== current.stay_days)
          faults.push(
            `${id}: ${url} answered ${response.status} with ${days} days for ${passport} to ${destination}, and not ${current.stay_days}`,
          )
      }),
    )
  const receiver = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join("")) as Told
    // One that a killed node had not written down comes again, perhaps after newer data.
    if (body.type === "visa.policy_changed" && !told.has(body.id)) {
      await askAll(body).catch(cause => faults.push(`${body.id}: a node did not answer: ${cause}`))
      told.add(body.id)
    }
    response.writeHead(204).end()
  })
  await once(receiver.listen(0, "127.0.0.1"), "listening")

  try {
    key = (await startNode()).key ?? ""
    for (let at = 1; at < nodes; at++) await startNode()
    await install(0, "--correction")
    const made = await fetch(`${(live[0] as Node).url}/api/v1/visa/webhooks`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` }),
    })
    if (made.status !== 201) throw new Error(`the webhook was answered ${made.status}: ${await made.text()}`)
    for (let number = 1; number <= installations; number++) {
      if (number === Math.ceil(installations / 2)) {
        killed++
        await endNode(live.shift() as Node)
        await startNode()
      }
      await install(number)
      const until = Date.now() + PATIENCE_MS
      while (told.size < number * changes && Date.now() < until) await new Promise(next => setTimeout(next, 20))
      if (told.size !== number * changes)
        throw new Error(`${told.size} events came of ${number * changes} by installation ${number}`)
    }
    return { events: told.size, answers, late, faults }
  } finally {
    await Promise.all(live.map(endNode))
    receiver.closeAllConnections()
    receiver.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
