import { assert, describe, it, vi } from "vitest"
import { LONG_MS } from "../../eventually.ts"
import { startTestService } from "../service.ts"

const V1 = "/api/v1/visa"

describe("without a mail server", () => {
  it("writes the link on one line of a development server's log", async () => {
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    try {
      await using local = await startTestService({ env: { LANDFALL_LOG_LEVEL: "info" } })
      await local.ask(`${V1}/register`, {
        method: "POST",
        body: JSON.stringify({ name: "Quin", email: "quin@example.org" }),
      })
      const find = () =>
        written.mock.calls.map(([line]) => String(line)).find(line => line.includes("auth/confirm?token="))
      await vi.waitUntil(() => find() !== undefined, { timeout: LONG_MS })
      const line = String(find())
      assert.notInclude(line, "quin@example.org")
      const link = new URL(/http:[^\s"]+/.exec(line)?.[0] ?? "")
      assert.strictEqual((await local.ask(link.pathname + link.search)).status, 200)
      const body = JSON.stringify({ token: link.searchParams.get("token") })
      assert.strictEqual((await local.ask(link.pathname, { method: "POST", body })).status, 200)
    } finally {
      written.mockRestore()
    }
  })

  it("allows registering but not signing in on a production server, which reports it", async () => {
    await using production = await startTestService({ env: { LANDFALL_MODE: "production" } })
    const ask = (path: string, body: object) =>
      production.ask(V1 + path, { method: "POST", body: JSON.stringify(body) })
    const refused = await ask("/auth/login", { email: "ana@example.org" })
    assert.strictEqual(refused.status, 503)
    assert.deepStrictEqual(refused.read(), { error: "Mail is not set up on this deployment." })
    const registered = await ask("/register", { name: "Ana", email: "ana@example.org" })
    assert.strictEqual(registered.status, 200)
    assert.include(String(registered.read("message")), "Until the operator confirms the address")
  })
})
