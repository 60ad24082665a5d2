import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "vitest"
import { makeExpressApp } from "../../examples/mount-in-express.ts"
import { makeHonoApp } from "../../examples/mount-in-hono.ts"
import { startMounted } from "../http/mounted.ts"
import { send } from "../http/service.ts"

const body = JSON.stringify({
  passport: "FRA",
  stops: [{ destination: "JPN", from: "2027-01-02", to: "2027-01-05" }],
})

describe("examples/mount-in-express.ts", () => {
  it("reads a body that express.json() has read, and one that it has not", async () => {
    await using own = await startMounted({ host: "127.0.0.1" }, makeExpressApp)
    const key = (await own.createAccount({ name: "Ana", email: "ana@example.org", plan: "pro" })).key
    const server = createServer(own.app)
    await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const post = (contentType: string, sent: string) =>
      send(url, "/api/v1/visa/decision", {
        method: "POST",
        headers: { "x-api-key": key, "content-type": contentType },
        body: sent,
      })
    for (const contentType of ["application/json", "text/plain"]) {
      const reply = await post(contentType, body)
      assert.strictEqual(reply.status, 200, reply.text)
      assert.strictEqual(reply.read("data.passport"), "FRA")
    }
    assert.strictEqual((await post("application/json", JSON.stringify({ padding: "x".repeat(70_000) }))).status, 413)
    assert.strictEqual((await send(url, "/")).text, "This is the rest of the app.")
    const { status } = await send(url, "/api/v1/visa/check?passport=FRA&destination=JPN")
    assert.strictEqual(status, 200)
    await new Promise(resolve => server.close(resolve))
  })
})

describe("examples/mount-in-hono.ts", () => {
  it("answers below its paths, with key, body and address of the client, and leaves the rest to the app", async () => {
    await using own = await startMounted({ host: "127.0.0.1" }, makeHonoApp)
    const { key } = await own.createAccount({ name: "Ana", email: "ana@example.org", plan: "pro" })
    const headers = { "x-api-key": key, "content-type": "application/json" }
    const decided = await own.app.request("/api/v1/visa/decision", { method: "POST", headers, body })
    assert.strictEqual(decided.status, 200)
    assert.deepNestedInclude(await decided.json(), { "data.passport": "FRA" })
    const CHECK = "/api/v1/visa/check?passport=FRA&destination=JPN"
    assert.strictEqual((await own.app.request(CHECK)).status, 401)
    const onNode = { incoming: { socket: { remoteAddress: "127.0.0.1" } } }
    assert.strictEqual((await own.app.request(CHECK, {}, onNode)).status, 200)
    assert.strictEqual((await own.app.request(CHECK, { method: "PUT" })).status, 405)
    assert.strictEqual((await own.app.request("/openapi.json")).status, 200)
    assert.strictEqual(await (await own.app.request("/")).text(), "This is the rest of the app.")
  })
})
