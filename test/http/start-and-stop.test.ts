import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, expect, it, vi } from "vitest"
import { welcome } from "../../adapters/cli/service-commands.ts"
import { startTestService } from "./service.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-http-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe("the service", () => {
  it("makes its database and its secret at the first start, for its owner only", async () => {
    await using running = await startTestService()
    for (const name of ["landfall.db", "landfall.db.secret"]) {
      assert.isTrue(existsSync(join(running.folder, name)))
      assert.strictEqual(statSync(join(running.folder, name)).mode & 0o077, 0, name)
    }
  })

  it("shows a key for each plan at the first start only, and the keys keep working", async () => {
    const first = await startTestService({ folder })
    const { keys } = first
    assert.sameMembers(Object.keys(keys), ["free", "hobby", "starter", "pro", "business"])
    await first.stop()
    const second = await startTestService({ folder })
    assert.deepStrictEqual(second.service.demoAccounts, [])
    const reply = await second.ask("/api/v1/visa/check?passport=FRA&destination=JPN", {
      headers: { "x-api-key": keys.pro },
    })
    assert.strictEqual(reply.headers["x-plan"], "pro")
    await second.stop()
  })

  it("makes no demo account in production", async () => {
    await using running = await startTestService({ env: { LANDFALL_MODE: "production" } })
    assert.deepStrictEqual(running.service.demoAccounts, [])
  })

  it("accepts no earlier demo key once the same database was served in production", async () => {
    const place = mkdtempSync(join(tmpdir(), "landfall-http-"))
    const development = await startTestService({ folder: place })
    const { keys } = development
    await development.stop()
    for (const mode of ["production", "development"]) {
      const service = await startTestService({ folder: place, env: { LANDFALL_MODE: mode } })
      for (const key of Object.values(keys)) {
        const reply = await service.ask("/api/v1/visa/check?passport=FRA&destination=JPN", {
          headers: { "x-api-key": key },
        })
        assert.strictEqual(reply.status, 403, mode)
      }
      await service.stop()
    }
    rmSync(place, { recursive: true })
  })

  it("opens nothing of development once something says production", async () => {
    const place = mkdtempSync(join(tmpdir(), "landfall-http-"))
    const check = "/api/v1/visa/check?passport=FRA&destination=JPN"
    const development = await startTestService({ folder: place })
    const { keys, testKey } = development
    const login = { method: "POST", headers: { "content-type": "application/json" } }
    const link = async (running: typeof development) =>
      (await running.ask("/api/v1/visa/auth/login", { ...login, body: '{"email":"pro@demo.invalid"}' })).status
    assert.deepStrictEqual([await link(development), (await development.ask(check)).status], [200, 200])
    await development.stop()
    for (const env of [{ NODE_ENV: "production" }, { LANDFALL_PUBLIC_URL: "https://visa.example" }]) {
      const running = await startTestService({ folder: place, env })
      assert.include(welcome(running.service), "(production, ")
      for (const closed of ["svc_visa_", "visa/check"]) assert.notInclude(welcome(running.service), closed)
      for (const key of [...Object.values(keys), testKey])
        assert.strictEqual((await running.ask(check, { headers: { "x-api-key": key } })).status, 403)
      assert.strictEqual(await link(running), 503)
      // A proxy on the same machine may not say that it forwards.
      assert.strictEqual((await running.ask(check)).status, 401)
      await running.stop()
    }
    rmSync(place, { recursive: true })
  })

  it("does not start on a port that is in use, and says so", async () => {
    await using running = await startTestService()
    const port = String(running.service.port)
    await expect(startTestService({ env: { LANDFALL_PORT: port } })).rejects.toThrow(`127.0.0.1:${port}: it is in use.`)
  })

  it("makes no demo account if its port is in use, so that the next start shows the keys", async () => {
    const place = mkdtempSync(join(tmpdir(), "landfall-http-"))
    {
      await using running = await startTestService()
      const env = { LANDFALL_PORT: String(running.service.port) }
      await expect(startTestService({ folder: place, env })).rejects.toThrow("it is in use")
    }
    const started = await startTestService({ folder: place })
    assert.strictEqual(started.service.demoAccounts.length, 5)
    assert.include(welcome(started.service), started.keys.pro)
    await started.stop()
    const again = await startTestService({ folder: place })
    const greeting = welcome(again.service)
    assert.include(greeting, "landfall key create ACCOUNT --replace")
    assert.notInclude(greeting, "svc_visa_")
    await again.stop()
    rmSync(place, { recursive: true })
  })

  it("tells an operator in production how to make the first key, and where the database is", async () => {
    await using running = await startTestService({ env: { LANDFALL_MODE: "production" } })
    const greeting = welcome(running.service)
    assert.include(greeting, "landfall account create --name NAME")
    assert.include(greeting, `database ${join(running.folder, "landfall.db")})`)
  })

  it("names a misspelt variable in the log, with the nearest known one and without its value", async () => {
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    const env = { LANDFALL_LOG_LEVEL: "info", LANDFALL_SECRETS: "hunter2", LANDFALL_PORT_80_TCP_ADDR: "10.0.0.1" }
    await using running = await startTestService({ env })
    const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)) as { level: string; message: string })
    written.mockRestore()
    assert.strictEqual((await running.ask("/healthz")).status, 200)
    assert.deepStrictEqual(
      lines.map(({ level, message }) => [level, message]),
      [
        ["warn", "LANDFALL_PORT_80_TCP_ADDR is not a setting and changes nothing."],
        ["warn", "LANDFALL_SECRETS is not a setting and changes nothing; LANDFALL_SECRET is the nearest."],
      ],
    )
  })

  it("does not start on a host that is not this machine's, and says which variables name it", async () => {
    await expect(
      startTestService({ env: { LANDFALL_HOST: "192.0.2.1", LANDFALL_PUBLIC_URL: "https://visa.example" } }),
    ).rejects.toThrow(/^LANDFALL_HOST, LANDFALL_PORT: the server cannot listen on 192\.0\.2\.1:0: /)
  })

  it("prints the real port if the system chooses it", async () => {
    await using running = await startTestService()
    const withdrawn = await running.ask("/api/v1/visa/changes")
    assert.strictEqual(withdrawn.read("contact"), `${running.url}/docs`)
    await using asked = await startTestService({ env: { LANDFALL_CONTACT: "mailto:visa@example.org" } })
    assert.strictEqual((await asked.ask("/api/v1/visa/changes")).read("contact"), "mailto:visa@example.org")
  })

  it("does not start with a missing or invalid dataset file", async () => {
    const missing = join(folder, "missing.landfall")
    await expect(startTestService({ env: { LANDFALL_DATASET: missing } })).rejects.toThrow(
      /LANDFALL_DATASET: .*missing\.landfall: does not exist\./,
    )
    const wrong = join(folder, "wrong.landfall")
    writeFileSync(wrong, "no dataset")
    await expect(startTestService({ env: { LANDFALL_DATASET: wrong } })).rejects.toThrow(
      /LANDFALL_DATASET: .*Not a Landfall dataset/,
    )
  })

  it("does not start with an invalid variable, and names it", async () => {
    await expect(startTestService({ env: { LANDFALL_MODE: "test" } })).rejects.toThrow("LANDFALL_MODE")
  })

  it("answers open requests when it is stopped, accepts no new ones, and does not wait for idle connections", async () => {
    const running = await startTestService()
    const { port } = running.service
    const idle = connect(port, "127.0.0.1")
    const slow = connect(port, "127.0.0.1")
    const received: Buffer[] = []
    slow.on("data", chunk => received.push(chunk))
    const ended = new Promise(resolve => slow.on("close", resolve))
    await new Promise<void>(resolve => {
      slow.write("GET /healthz HTTP/1.1\r\nHost: x\r\n", () => resolve())
    })
    // Another request on another connection proves that the server has read the first half of ours.
    await running.ask("/healthz")
    const stopped = running.stop()
    await expect(running.ask("/healthz")).rejects.toThrow(/ECONNREFUSED|ECONNRESET/)
    slow.write("\r\n")
    await stopped
    await ended
    idle.destroy()
    assert.match(
      Buffer.concat(received).toString(),
      /^HTTP\/1\.1 200 OK[\s\S]*Connection: close[\s\S]*\{"status":"ok"\}$/,
    )
    rmSync(running.folder, { recursive: true })
  })
})
