import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { MAXIMUM_AGE_MS } from "../../adapters/accounts/accounts.ts"
import { MAXIMUM_LISTENERS } from "../../adapters/http/routes/visa/changes-endpoints.ts"
import { DRAIN_MS } from "../../adapters/http/server/http-server.ts"
import { FLUSH_MS, MAXIMUM_ADDRESSES } from "../../adapters/quota/meter.ts"
import { LARGEST_BLOCK } from "../../adapters/quota/request-blocks.ts"
import { SETTINGS } from "../../adapters/settings/settings.ts"
import { MAXIMUM_CONNECTIONS } from "../../adapters/storage/postgres-client.ts"
import { HEAP_MB } from "../attacks/start-victim.ts"
import { startTestService } from "../http/service.ts"

const page = readFileSync("docs/operations.md", "utf8")
const COMPOSE = "examples/compose"
const compose = readFileSync(join(COMPOSE, "compose.yaml"), "utf8")

describe("docs/operations.md", () => {
  it.each(["docs/operations.md", "deploy/kubernetes.yaml", "deploy/landfall.service", "examples/compose/compose.yaml"])(
    "%s advises the heap with which the service is attacked",
    path => {
      const advised = [...readFileSync(path, "utf8").matchAll(/max-old-space-size=(\d+)/g)].map(([, size]) =>
        Number(size),
      )
      assert.isNotEmpty(advised)
      for (const size of advised) assert.strictEqual(size, HEAP_MB)
    },
  )

  it("has the same numbers as the program", () => {
    for (const claim of [
      `at most every ${FLUSH_MS} milliseconds`,
      `at most ${LARGEST_BLOCK} requests`,
      `are served for ${MAXIMUM_AGE_MS / 1_000} seconds more`,
      `requests under way have ${DRAIN_MS / 1_000} seconds`,
      `at most ${MAXIMUM_CONNECTIONS} connections`,
      `| ${MAXIMUM_ADDRESSES.toLocaleString("en")}, who share`,
      `slowly, shared by all listeners | ${MAXIMUM_LISTENERS.toLocaleString("en")} |`,
    ]) {
      assert.include(page, claim)
    }
  })

  it("names only settings that exist, and so does the compose file", () => {
    const known = new Set<string>(SETTINGS.map(({ name }) => name))
    for (const text of [page, compose]) {
      const named = [...text.matchAll(/LANDFALL_[A-Z0-9_]*[A-Z0-9]/g)].map(([name]) => name)
      assert.isNotEmpty(named)
      assert.deepStrictEqual(
        named.filter(name => !known.has(name)),
        [],
      )
    }
  })

  it("names only metrics that exist", async () => {
    await using running = await startTestService()
    await running.ask("/healthz")
    const { text } = await running.ask("/metrics")
    const named = [...page.matchAll(/`((?:landfall|process|nodejs)_[a-z0-9_]+)`/g)].map(([, name]) => name as string)
    assert.isAbove(named.length, 10)
    for (const name of named) assert.include(text, `# TYPE ${name} `)
  })
})

describe("examples/compose", () => {
  it("takes every secret from a variable, and gives all nodes the same", () => {
    assert.match(compose, /LANDFALL_SECRET: \$\{LANDFALL_SECRET:\?/)
    assert.strictEqual(compose.match(/\$\{POSTGRES_PASSWORD:\?/g)?.length, 2)
    assert.match(compose, /node1: \*node\n {2}node2: \*node\n/)
  })

  it("gives the balancer the nodes, their port and their readiness, and trusts its network", () => {
    const haproxy = readFileSync(join(COMPOSE, "haproxy.cfg"), "utf8")
    const port = /LANDFALL_PORT: "(\d+)"/.exec(compose)?.[1]
    assert.deepStrictEqual(
      [...haproxy.matchAll(/^ {2}server (\S+) (\S+)$/gm)].map(([, name, at]) => [name, at]),
      [
        ["node1", `node1:${port}`],
        ["node2", `node2:${port}`],
      ],
    )
    assert.include(haproxy, "uri /readyz")
    assert.include(compose, `subnet: ${/LANDFALL_TRUSTED_PROXIES: (\S+)/.exec(compose)?.[1]}`)
    assert.include(compose, `127.0.0.1:8080:${/bind :(\d+)/.exec(haproxy)?.[1]}`)
  })

  it("waits for longer than a node takes to stop", () => {
    const grace = Number(/# The drain.*\n {2}stop_grace_period: (\d+)s/.exec(compose)?.[1])
    const drain = Number(/LANDFALL_DRAIN_SECONDS: "(\d+)"/.exec(compose)?.[1])
    assert.isAbove(grace, drain + DRAIN_MS / 1_000)
  })
})
