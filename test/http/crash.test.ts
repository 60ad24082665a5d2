import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { Agent, request } from "node:http"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { LARGEST_BLOCK } from "../../adapters/quota/request-blocks.ts"
import { bundleCli } from "../cli/bundle.ts"
import { LONG_MS } from "../eventually.ts"
import { makeFolder, send } from "./service.ts"

let folder = ""
const children: ChildProcess[] = []
beforeAll(() => {
  folder = makeFolder()
})
afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
  rmSync(folder, { recursive: true })
})

interface Started {
  readonly child: ChildProcess
  readonly url: string
  readonly lines: readonly string[]
}

/** Starts `landfall serve` as an operator does, on the database of the folder, and reads what it prints. */
async function startProcess(command = process.execPath, args = [bundleCli(), "serve"]): Promise<Started> {
  const env = {
    ...process.env,
    npm_lifecycle_event: "start",
    LANDFALL_PORT: "0",
    LANDFALL_DATABASE_URL: `file:${join(folder, "landfall.db")}`,
  }
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] })
  children.push(child)
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.startsWith("Reference:")) break
  }
  const url = /listens on (\S+)/.exec(lines.join("\n"))?.[1]
  if (url === undefined) throw new Error(`the service did not start: ${lines.join("\n")}`)
  return { child, url, lines }
}

const kill = async ({ child }: Started, signal: "SIGKILL" | "SIGTERM") => {
  child.kill(signal)
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
}

const PAIR = "/api/v1/visa/check?passport=FRA&destination=JPN"

/** Asks again and again on some connections until the service is gone; says when each answer came. */
async function load(
  url: string,
  key: string,
  connections: number,
  whenAnswered: (answeredAt: readonly number[]) => void,
) {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const answeredAt: number[] = []
  const askOnce = () =>
    new Promise<boolean>(resolve => {
      const options = { hostname, port, path: PAIR, agent, headers: { "x-api-key": key } }
      const outgoing = request(options, response => {
        response.resume()
        response.on("end", () => {
          answeredAt.push(performance.now())
          whenAnswered(answeredAt)
          resolve(response.statusCode === 200)
        })
        response.on("error", () => resolve(false))
      })
      outgoing.on("error", () => resolve(false))
      outgoing.end()
    })
  const askOn = async () => {
    while (await askOnce());
  }
  await Promise.all(Array.from({ length: connections }, askOn))
  agent.destroy()
  return answeredAt
}

describe("a service that is killed under load", () => {
  it("loses no account and no count, costs the customer at most a block, and starts again", async () => {
    const first = await startProcess()
    const key = /^ +business +(svc_visa_\S+)$/m.exec(first.lines.join("\n"))?.[1] ?? ""
    let isKilled = false
    const answeredAt = await load(first.url, key, 8, times => {
      if (isKilled || times.length < 3 * LARGEST_BLOCK) return
      isKilled = true
      first.child.kill("SIGKILL")
    })
    await kill(first, "SIGKILL")

    const second = await startProcess()
    assert.notInclude(second.lines.join("\n"), "svc_visa_")
    const reply = await send(second.url, PAIR, { headers: { "x-api-key": key } })
    assert.strictEqual(reply.status, 200)
    const limit = Number(reply.headers["x-ratelimit-limit"])
    const counted = limit - Number(reply.headers["x-ratelimit-remaining"]) - 1
    assert.isAtLeast(counted, answeredAt.length)
    // Eight more may have been counted whose answers were on their way.
    assert.isAtMost(counted, answeredAt.length + LARGEST_BLOCK + 8)
    await kill(second, "SIGTERM")

    // As a script runner starts it, whose shell ends without a word when it is told to.
    const third = await startProcess("sh", ["-c", `"$0" "$1" serve; exit`, process.execPath, bundleCli()])
    const again = await send(third.url, PAIR, { headers: { "x-api-key": key } })
    assert.strictEqual(limit - Number(again.headers["x-ratelimit-remaining"]), counted + 2)
    await kill(third, "SIGTERM")
    const findOutcome = () =>
      send(third.url, "/healthz").then(
        () => "answered",
        cause => (cause as NodeJS.ErrnoException).code,
      )
    await vi.waitFor(async () => assert.strictEqual(await findOutcome(), "ECONNREFUSED"), LONG_MS)
  })
})
