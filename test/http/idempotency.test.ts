/** A request that is sent again with its key is answered once, whatever happens in between. */
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { exampleOfBody } from "../../adapters/http/pipeline/describe-row.ts"
import { takesKey } from "../../adapters/http/pipeline/endpoint.ts"
import { KEPT_MS } from "../../adapters/http/pipeline/idempotency.ts"
import { mountRows } from "../../adapters/http/routes/all-endpoints.ts"
import { SURFACES } from "../../adapters/settings/settings.ts"
import { eventually } from "../eventually.ts"
import { share } from "../share.ts"
import { startTestService } from "./service.ts"

const ROWS = mountRows(SURFACES)
const NOON = Date.UTC(2026, 10, 21, 12)
const PATH = "/visa?passport=IND&destination=JPN"
const NAME = "0b9f5a3e-7c1d-4d57-9f0e-2f1d6f1a9c01"

const running = share(() => startTestService({ stoppedAt: NOON }))

/** Asks as the owner of a key, under a name. */
const ask = (name: string, path = PATH, headers: Record<string, string> = {}) =>
  running.ask(path, {
    headers: { authorization: `Bearer ${running.keys.business}`, "idempotency-key": name, ...headers },
  })

let made = 0
const newName = () => `00000000-0000-4000-8000-${String(++made).padStart(12, "0")}`

/** Lookups that are left in the thirty days. */
const readLeft = async () => {
  const reply = await running.ask("/zones", { headers: { authorization: `Bearer ${running.keys.business}` } })
  return Number(/"rolling";r=(\d+)/.exec(String(reply.headers.ratelimit))?.[1])
}

describe("a request under an Idempotency-Key", () => {
  it("gets the first answer again, byte by byte, and pays once", async () => {
    const before = await readLeft()
    const first = await ask(NAME, PATH, { "x-request-id": "first" })
    assert.strictEqual(first.status, 200)
    assert.isUndefined(first.headers["idempotency-replayed"])
    const again = await ask(NAME.toUpperCase(), PATH, { "x-request-id": "again" })
    assert.strictEqual(again.status, 200)
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
    assert.strictEqual(again.text, first.text)
    for (const name of ["content-type", "etag", "cache-control", "svc-version"]) {
      assert.strictEqual(again.headers[name], first.headers[name], name)
    }
    assert.strictEqual(again.headers["x-request-id"], "again")
    assert.match(String(again.headers["x-ratelimit-remaining"]), /^\d+$/)
    assert.strictEqual(before - (await readLeft()), 1)
  })

  it("is answered once if several arrive at the same time; the others are asked to retry in a second", async () => {
    const before = await readLeft()
    const name = newName()
    const replies = await Promise.all(Array.from({ length: 12 }, () => ask(name)))
    const first = replies.filter(reply => reply.status === 200 && reply.headers["idempotency-replayed"] === undefined)
    assert.strictEqual(first.length, 1)
    for (const reply of replies) {
      if (reply.status === 200) assert.strictEqual(reply.text, first[0]?.text)
      else {
        assert.strictEqual(reply.status, 409)
        assert.strictEqual(reply.read("error.code"), "idempotency_key_in_use")
        assert.strictEqual(reply.headers["retry-after"], "1")
      }
    }
    assert.strictEqual(before - (await readLeft()), 1)
  })

  it("is refused if another request was sent under it, and is separate for each key", async () => {
    const name = newName()
    await ask(name)
    for (const path of ["/visa?passport=IND&destination=THA", `${PATH}&locale=fr`]) {
      const other = await ask(name, path)
      assert.strictEqual(other.status, 409)
      assert.strictEqual(other.read("error.code"), "idempotency_key_reused")
    }
    const theirs = await ask(name, "/visa?passport=IND&destination=THA", {
      authorization: `Bearer ${running.keys.pro}`,
    })
    assert.strictEqual(theirs.status, 200)
    assert.isUndefined(theirs.headers["idempotency-replayed"])
  })

  it("is bound to the version of its answer", async () => {
    const name = newName()
    assert.strictEqual((await ask(name)).status, 200)
    const older = await ask(name, PATH, { "svc-version": "2026-03-01" })
    assert.deepStrictEqual([older.status, older.read("error.code")], [409, "idempotency_key_reused"])
    assert.strictEqual((await ask(name)).headers["idempotency-replayed"], "true")
  })

  it("has to be a UUID", async () => {
    for (const name of ["", "order-17", `${NAME}0`, "0b9f5a3e7c1d4d579f0e2f1d6f1a9c01"]) {
      const reply = await ask(name)
      assert.strictEqual(reply.status, 400, name)
      assert.strictEqual(reply.read("error.code"), "idempotency_key_invalid")
      assert.strictEqual(reply.read("error.param"), "Idempotency-Key")
    }
  })

  it("gets a refusal again that its row gave, and is free after one for a mistake or a limit", async () => {
    const [missing, mistaken, limited] = [newName(), newName(), newName()]
    const path = "/visa?passport=IND&destination=ATF"
    const first = await ask(missing, path)
    const again = await ask(missing, path)
    assert.deepStrictEqual([first.status, first.headers["idempotency-replayed"]], [404, undefined])
    assert.deepStrictEqual([again.status, again.headers["idempotency-replayed"], again.text], [404, "true", first.text])
    assert.strictEqual((await ask(missing)).status, 409)
    // A mistake is found before anything is done, so that the name is free for the request that was meant.
    assert.strictEqual((await ask(mistaken, "/visa?passport=IN&destination=JPN")).status, 400)
    assert.strictEqual((await ask(mistaken)).status, 200)
    const spend = { authorization: `Bearer ${running.keys.free}` }
    await Promise.all(Array.from({ length: 10 }, () => running.ask(PATH, { headers: spend })))
    assert.strictEqual((await ask(limited, PATH, spend)).status, 429)
    running.setTime(NOON + 1_000)
    const late = await ask(limited, PATH, spend)
    assert.deepStrictEqual([late.status, late.headers["idempotency-replayed"]], [200, undefined])
    running.setTime(NOON)
  })

  it("is forgotten after a day", async () => {
    const name = newName()
    await ask(name)
    running.setTime(NOON + KEPT_MS - 1)
    assert.strictEqual((await ask(name)).headers["idempotency-replayed"], "true")
    running.setTime(NOON + KEPT_MS)
    assert.isUndefined((await ask(name)).headers["idempotency-replayed"])
    running.setTime(NOON)
  })

  it("is remembered after a restart, and encrypted in the database", async () => {
    const own = await startTestService({ stoppedAt: NOON })
    const headers = { authorization: `Bearer ${own.keys.business}`, "idempotency-key": NAME }
    const first = await own.ask(PATH, { headers })
    const { folder } = own
    await own.stop()
    for (const file of readdirSync(folder).filter(name => name.startsWith("landfall.db"))) {
      const bytes = readFileSync(join(folder, file)).toString("latin1")
      if (file !== "landfall.db.secret") assert.notInclude(bytes, "documents_required", file)
    }
    const later = await startTestService({ folder, stoppedAt: NOON + 1_000 })
    try {
      const again = await later.ask(PATH, { headers })
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
      assert.strictEqual(again.text, first.text)
    } finally {
      await later[Symbol.asyncDispose]()
      await own[Symbol.asyncDispose]()
    }
  })

  it("is ignored by endpoints that cannot be repeated", async () => {
    const reply = await ask("no uuid", "/zones")
    assert.strictEqual(reply.status, 200)
  })
})

describe("a decision", () => {
  const stops = [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }]
  const decide = (name: string, passport = "FRA") =>
    running.askAs("pro", "/api/v1/visa/decision", {
      method: "POST",
      body: JSON.stringify({ passport, stops }),
      headers: { "idempotency-key": name, "content-type": "application/json" },
    })
  const readRemaining = async () =>
    Number((await running.askAs("pro", "/api/v1/visa/group")).headers["x-ratelimit-remaining"])

  it("that is sent twice is charged once, and its refusal is replayed", async () => {
    const [name, refused, before] = [newName(), newName(), await readRemaining()]
    const first = await decide(name)
    const again = await decide(name)
    assert.deepStrictEqual([first.status, again.status, again.text], [200, 200, first.text])
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
    assert.strictEqual(before - (await readRemaining()), 1)
    assert.strictEqual((await decide(refused, "ZZZ")).status, 404)
    const repeated = await decide(refused, "ZZZ")
    assert.deepStrictEqual([repeated.status, repeated.headers["idempotency-replayed"]], [404, "true"])
    assert.strictEqual((await decide(refused)).status, 409)
  })
})

describe("every POST with a key", () => {
  it.each(ROWS.filter(row => row.method === "POST" && takesKey(row.access)).map(row => [row.path, row] as const))(
    "reads the Idempotency-Key: %s",
    async (path, row) => {
      const body = exampleOfBody(row)
      const key = row.path.endsWith("/simulate") ? running.testKey : running.keys.business
      const reply = await running.ask(
        path.replaceAll(":id", path.startsWith("/webhooks") ? "wh_1" : "1").replace(":delivery_id", "1") +
          (path.endsWith("webhooks/enable") ? "?id=1" : ""),
        {
          method: "POST",
          headers: { "x-api-key": key, "idempotency-key": "order-17", "content-type": "application/json" },
          ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
        },
      )
      assert.strictEqual(reply.status, 400, reply.text)
      assert.include(reply.text, "Expected a UUID")
    },
  )
})

describe("an upload", () => {
  const line = JSON.stringify({
    passport: "FRA",
    stops: [{ destination: "JPN", from: "2026-12-01", to: "2026-12-05" }],
  })
  const upload = (name: string, body: string) =>
    running.askAs("business", "/api/v1/visa/jobs", {
      method: "POST",
      body,
      headers: { "idempotency-key": name, "content-length": String(body.length) },
    })

  it("that is sent again makes one job, is charged once, and differs from a longer one", async () => {
    const readRemaining = async () =>
      Number((await running.askAs("business", "/api/v1/visa/keys")).headers["x-ratelimit-remaining"])
    const [name, before] = [newName(), await readRemaining()]
    const first = await upload(name, line)
    assert.strictEqual(first.status, 202, first.text)
    const again = await upload(name, line)
    assert.deepStrictEqual([again.status, again.headers["idempotency-replayed"], again.text], [202, "true", first.text])
    assert.strictEqual(before - (await readRemaining()), 1)
    assert.strictEqual((await upload(name, `${line}\n${line}`)).status, 409)
    const other = await upload(newName(), line)
    assert.notStrictEqual(other.read("job.id"), first.read("job.id"))
    assert.strictEqual(before - (await readRemaining()), 2)
    // Corrected, it has the same length.
    const corrected = newName()
    assert.strictEqual((await upload(corrected, " ".repeat(line.length))).status, 400)
    assert.strictEqual((await upload(corrected, line)).status, 202)
  })

  it("whose client leaves half-way is under way for another minute, because it may be done, and then makes one job", async () => {
    const name = newName()
    const socket = connect(running.service.port, "127.0.0.1")
    socket.on("error", () => {})
    await once(socket, "connect")
    const head = ["POST /api/v1/visa/jobs HTTP/1.1", "Host: x", `X-Api-Key: ${running.keys.business}`]
    const headers = [`Idempotency-Key: ${name}`, `Content-Length: ${line.length}`, "Expect: 100-continue"]
    socket.write([...head, ...headers, "", line.slice(0, 9)].join("\r\n"))
    assert.match(String(await once(socket, "data")), /^HTTP\/1\.1 100 Continue/)
    socket.destroy()
    const readMetrics = Effect.promise(async () => (await running.ask("/metrics")).text)
    await Effect.runPromise(eventually(readMetrics, text => /^landfall_open_connections 1$/m.test(text)))
    for (let at = 0; at < 20; at++) assert.strictEqual((await upload(name, line)).status, 409)
    running.setTime(NOON + 60_000)
    const first = await upload(name, line)
    assert.deepStrictEqual([first.status, first.headers["idempotency-replayed"]], [202, undefined])
    assert.deepStrictEqual((await upload(name, line)).text, first.text)
    running.setTime(NOON)
  })
})

describe("a webhook", () => {
  const body = JSON.stringify({ url: "https://example.org/hook", events: ["visa.policy_changed"] })
  const post = (path: string, headers: Record<string, string>) =>
    running.ask(path, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })

  it("is made once on either surface, with the same secret for a repeated request", async () => {
    const surfaces = [
      ["/webhooks", { authorization: `Bearer ${running.keys.business}` }],
      ["/api/v1/visa/webhooks", { "x-api-key": running.keys.business }],
    ] as const
    for (const [path, key] of surfaces) {
      const name = { "idempotency-key": newName() }
      const first = await post(path, { ...key, ...name })
      const again = await post(path, { ...key, ...name })
      assert.strictEqual(first.status, 201, first.text)
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
      assert.strictEqual(again.text, first.text)
      assert.match(first.text, /whsec_/)
    }
  })

  it("reports an invalid name with the messages of the visa service", async () => {
    const key = { "x-api-key": running.keys.business }
    const reply = await post("/api/v1/visa/webhooks", { ...key, "idempotency-key": "order-17" })
    assert.strictEqual(reply.status, 400)
    assert.strictEqual(reply.read("error"), 'Idempotency-Key: Expected a UUID, got "order-17"')
    const name = { "idempotency-key": newName() }
    await post("/api/v1/visa/webhooks", { ...key, ...name })
    const other = await running.ask("/api/v1/visa/webhooks", {
      method: "POST",
      body: body.replace("example.org", "example.com"),
      headers: { "content-type": "application/json", ...key, ...name },
    })
    assert.strictEqual(other.status, 409)
    assert.strictEqual(other.read("error"), "This Idempotency-Key was sent with another request.")
  })
})
