import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http"
import { afterEach, assert, describe, it } from "vitest"
import { send, startTestService, type TestService } from "./service.ts"

const PAIR = "/api/v1/visa/check?passport=FRA&destination=JPN"
const CLIENTS = 32
/** So many requests each client has sent before the service is told to stop. */
const BEFORE = 20

/** What a client has seen on its one connection. */
interface Seen {
  answers: number
  /** What went wrong, if anything did. */
  error: string | null
  wasToldToClose: boolean
}

const agents: Agent[] = []
afterEach(() => {
  for (const agent of agents.splice(0)) agent.destroy()
})

/** Asks again and again on one connection, until it is told to close it. */
async function useConnection({ service, keys }: TestService, whenAnswered: (seen: Seen) => void): Promise<Seen> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  agents.push(agent)
  const seen: Seen = { answers: 0, error: null, wasToldToClose: false }
  const options = { port: service.port, host: "127.0.0.1", path: PAIR, agent, headers: { "x-api-key": keys.business } }
  while (!seen.wasToldToClose && seen.error === null) {
    await new Promise<void>(resolve => {
      const fail = (cause: Error) => {
        seen.error = cause.message
        resolve()
      }
      const outgoing: ClientRequest = request(options, (response: IncomingMessage) => {
        response.on("error", fail)
        response.resume().on("end", () => {
          seen.answers++
          if (response.statusCode !== 200) seen.error = `status ${response.statusCode}`
          seen.wasToldToClose = response.headers.connection === "close"
          whenAnswered(seen)
          resolve()
        })
      })
      outgoing.on("error", fail).end()
    })
  }
  return seen
}

describe.each([
  ["for a while", "0.3"],
  ["at once", "0"],
])("a service that has to stop %s under load", (_, drainSeconds) => {
  it("resets no connection in use: each request is answered, with Connection: close", async () => {
    const running = await startTestService({ env: { LANDFALL_DRAIN_SECONDS: drainSeconds } })
    const all = new Set<Seen>()
    let stopped: Promise<void> | undefined
    const seen = await Promise.all(
      Array.from({ length: CLIENTS }, () =>
        useConnection(running, client => {
          all.add(client)
          if (all.size < CLIENTS || [...all].some(({ answers }) => answers < BEFORE)) return
          stopped ??= running.stop()
        }),
      ),
    )
    assert.isDefined(stopped)
    for (const client of seen) assert.deepInclude(client, { error: null, wasToldToClose: true })
    await stopped
    const { url } = running
    const refused = await send(url, "/healthz").then(
      () => "answered",
      cause => (cause as NodeJS.ErrnoException).code,
    )
    assert.strictEqual(refused, "ECONNREFUSED")
  })
})

describe("a service that drains", () => {
  it("answers new requests, but reports that it is not ready", async () => {
    const running = await startTestService({ env: { LANDFALL_DRAIN_SECONDS: "0.3" } })
    const stopped = running.stop()
    const [ready, answered] = await Promise.all([running.ask("/readyz"), running.askAs("pro", PAIR)])
    assert.strictEqual(ready.status, 503)
    assert.deepStrictEqual(ready.read(), {
      error: "The service cannot answer now: it is about to stop.",
      status: "unavailable",
      reason: "stopping",
    })
    assert.strictEqual(answered.status, 200)
    assert.strictEqual(answered.headers.connection, "close")
    await stopped
  })
})
