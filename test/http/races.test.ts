import { rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Effect, Redacted } from "effect"
import { afterEach, assert, describe, it, vi } from "vitest"
import { MAXIMUM_TEAM_KEYS } from "../../adapters/accounts/accounts.ts"
import { MAXIMUM_JOBS } from "../../adapters/batch/jobs/jobs.ts"
import { makePostgresDeployment } from "../storage/postgres-deployment.ts"
import { startTestService, type TestService } from "./service.ts"

const V1 = "/api/v1/visa"
const TRIP = '{"passport":"FRA","stops":[{"destination":"JPN","from":"2027-01-01","to":"2027-01-05"}]}\n'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Three nodes on one PostgreSQL, and the keys of its accounts. */
const startNodes = async () => {
  const { databaseUrl, secret } = await Effect.runPromise(makePostgresDeployment)
  const env = {
    LANDFALL_DATABASE_URL: databaseUrl,
    LANDFALL_SECRET: Redacted.value(secret),
    // Jobs stay as they are.
    LANDFALL_WORKERS: "0",
  }
  const first = await startTestService({ env })
  const nodes = [first, await startTestService({ env }), await startTestService({ env })]
  return { nodes, keys: first.keys, stop: () => Promise.all(nodes.map(node => node.stop())) }
}

/** Sends one request to all nodes in turn, so many at once, again where a node is too busy; counts the answers by status. */
async function flood(nodes: readonly TestService[], times: number, path: string, key: string, body: string) {
  const replies = await Promise.all(
    Array.from({ length: times }, async (_, at) => {
      for (;;) {
        const reply = await nodes[at % nodes.length]!.ask(path, { method: "POST", headers: { "x-api-key": key }, body })
        if (reply.status !== 503) return reply
        await setTimeout(100)
      }
    }),
  )
  const counts: Record<number, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe("three nodes on PostgreSQL", () => {
  it("together accept no more jobs and team keys of an account than it may have", async () => {
    const { nodes, keys, stop } = await startNodes()
    try {
      const jobs = await flood(nodes, 60, `${V1}/jobs`, keys.business, TRIP)
      assert.strictEqual(jobs[202], MAXIMUM_JOBS, JSON.stringify(jobs))
      assert.strictEqual(jobs[400] ?? jobs[409] ?? jobs[429], 60 - MAXIMUM_JOBS, JSON.stringify(jobs))
      const teamKeys = await flood(nodes, 130, `${V1}/team-keys`, keys.business, '{"name": "Desk"}')
      assert.deepStrictEqual(teamKeys, { 201: MAXIMUM_TEAM_KEYS, 400: 130 - MAXIMUM_TEAM_KEYS })
    } finally {
      await stop()
    }
  })
})

describe("a database file that is deleted while the service runs", () => {
  it("makes every write fail with 503, so that no lost write is acknowledged", async () => {
    vi.spyOn(process.stderr, "write").mockReturnValue(true)
    await using running = await startTestService()
    const post = (path: string, body: object) =>
      running.ask(V1 + path, {
        method: "POST",
        headers: { "x-api-key": running.keys.business },
        body: JSON.stringify(body),
      })
    assert.strictEqual((await post("/team-keys", { name: "Before" })).status, 201)
    for (const name of ["landfall.db", "landfall.db-wal", "landfall.db-shm"])
      rmSync(join(running.folder, name), { force: true })
    for (const [path, body] of [
      ["/register", { name: "Ana", email: "ana@example.org" }],
      ["/team-keys", { name: "After" }],
      ["/webhooks", { url: "https://hooks.example/", events: ["visa.policy_changed"] }],
      ["/devices", { device_token: "a".repeat(64), platform: "apns" }],
      ["/affiliate/register", { name: "Ira", email: "ira@example.org" }],
      ["/auth/login", { email: "ana@example.org" }],
    ] as const) {
      const reply = await post(path, body)
      assert.strictEqual(reply.status, 503, `${path}: ${reply.text}`)
      assert.notInclude(reply.text, "svc_visa_")
    }
  })
})
