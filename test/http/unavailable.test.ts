import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, assert, describe, it, vi } from "vitest"
import { LONG_MS } from "../eventually.ts"
import { startTestService, type TestService } from "./service.ts"

const PAIR = "/api/v1/visa/check?passport=FRA&destination=JPN"

/** Another process that holds the database's only lock for writing. */
function lock({ folder }: TestService) {
  const other = new DatabaseSync(join(folder, "landfall.db"), { timeout: 10_000 })
  other.exec("BEGIN IMMEDIATE")
  return {
    release: () => {
      other.exec("ROLLBACK")
      other.close()
    },
  }
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe("a database that another process has locked", () => {
  it("does not delay known callers, and answers 503 to others, with the reason and when to retry", async () => {
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    await using running = await startTestService({ env: { LANDFALL_LOG_LEVEL: "warn" } })
    const before = await running.askAs("pro", PAIR)
    const { release } = lock(running)
    const strangers = [running.askAs("free", PAIR), running.askAs("starter", PAIR)]
    const bearer = { authorization: `Bearer ${running.keys.hobby}` }
    const onOtherSurfaces = Promise.all([
      running.ask("/visa?passport=FRA&destination=JPN", { headers: bearer }),
      running.ask("/api/v1/spots?country=JP"),
    ])
    // These are answered while the others wait.
    let isWaiting = true
    for (const stranger of strangers)
      stranger.finally(() => {
        isWaiting = false
      })
    const known = await running.askAs("pro", PAIR)
    assert.isTrue(isWaiting)
    assert.strictEqual(known.status, 200)
    assert.strictEqual(
      Number(known.headers["x-ratelimit-remaining"]),
      Number(before.headers["x-ratelimit-remaining"]) - 1,
    )
    for (const reply of await Promise.all(strangers)) {
      assert.strictEqual(reply.status, 503)
      assert.strictEqual(reply.headers["retry-after"], "1")
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      assert.deepStrictEqual(reply.read(), {
        error:
          "The service cannot answer this now: the database is locked by another process, or did not answer in time.",
      })
    }
    const [lookup, spots] = await onOtherSurfaces
    for (const reply of [lookup, spots]) {
      assert.strictEqual(reply.status, 503)
      assert.strictEqual(reply.headers["retry-after"], "1")
    }
    assert.strictEqual(lookup.read("error.code"), "unavailable")
    assert.match(String(spots.read("error")), /^The service cannot answer this now: /)
    assert.strictEqual((await running.ask("/readyz")).read("reason"), "busy")
    release()
    await vi.waitFor(async () => assert.strictEqual((await running.askAs("free", PAIR)).status, 200), LONG_MS)

    // What was served meanwhile is counted.
    const after = await running.askAs("pro", PAIR)
    assert.strictEqual(
      Number(after.headers["x-ratelimit-remaining"]),
      Number(known.headers["x-ratelimit-remaining"]) - 1,
    )
    const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)) as { level: string; message: string })
    const messages = lines.filter(({ level }) => level === "warn").map(({ message }) => message)
    assert.include(messages, "requests are answered 503, because the database cannot do its work")
    assert.include(messages, "the service is not ready")
    // However many were refused, it is said once.
    assert.strictEqual(new Set(messages).size, messages.length)
  })
})

describe("an error in the background", () => {
  it("is one line of JSON on stderr, at the configured level, and nothing on stdout", async () => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    const stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true)
    const print = vi.spyOn(console, "log").mockReturnValue(undefined)
    await using running = await startTestService({ env: { LANDFALL_LOG_LEVEL: "error" } })
    const other = new DatabaseSync(join(running.folder, "landfall.db"), { timeout: 10_000 })
    other.exec("PRAGMA foreign_keys = OFF; DROP TABLE request_days")
    other.close()
    const listLines = () => stderr.mock.calls.map(([line]) => String(line))
    await running.askAs("pro", PAIR)
    await vi.waitFor(() => assert.include(listLines().join(""), "usage could not be saved"), LONG_MS)
    for (const line of listLines()) {
      assert.strictEqual(line.indexOf("\n"), line.length - 1)
      assert.strictEqual(JSON.parse(line).level, "error")
    }
    const told = listLines().filter(line => line.includes("usage could not be saved"))
    assert.lengthOf(told, 1)
    // A table that is gone is a fault, which nobody expects; a database that is away is a warning.
    assert.deepInclude(JSON.parse(told[0] as string), {
      level: "error",
      message: "usage could not be saved; it is kept and saved with the next",
      failures: 1,
    })
    assert.strictEqual(stdout.mock.calls.length + print.mock.calls.length, 0)
  })
})
