import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { SCOPES, type Scope } from "../../../adapters/accounts/key-limits.ts"
import { type Endpoint, takesKey } from "../../../adapters/http/pipeline/endpoint.ts"
import { GROUPS } from "../../../adapters/http/routes/all-endpoints.ts"
import { eventually } from "../../eventually.ts"
import { share } from "../../share.ts"
import { type Reply, startTestService } from "../service.ts"

const V1 = "/api/v1/visa"
const PAIR = `${V1}?passport=FRA&destination=JPN`
const NOW = Date.parse("2026-11-21T12:30:00Z")
const DAY = 86_400_000

const running = share(() =>
  startTestService({
    stoppedAt: NOW,
    env: { LANDFALL_TRUSTED_PROXIES: "127.0.0.1", LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true" },
  }),
)

const as = (key: string, path: string, method = "GET", body?: unknown, headers: Record<string, string> = {}) =>
  running.ask(path, {
    method,
    headers: { "x-api-key": key, authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })

const owner = () => running.keys.business as string

/** Makes a named key; answers the whole of it and its number. */
async function make(fields: object, by = owner()): Promise<{ readonly key: string; readonly id: number }> {
  const made = await as(by, `${V1}/keys`, "POST", { name: "Key", scopes: SCOPES, ...fields })
  assert.strictEqual(made.status, 201, made.text)
  return { key: made.read("key.key") as string, id: made.read("key.id") as number }
}

const end = (id: number) => as(owner(), `${V1}/keys/${id}`, "DELETE")
const listed = async (id: number) =>
  ((await as(owner(), `${V1}/keys`)).read("keys") as { id: number }[]).find(key => key.id === id) as unknown as Record<
    string,
    unknown
  >

const ROWS: readonly Endpoint[] = GROUPS.flatMap(({ endpoints }) => endpoints as unknown as readonly Endpoint[]).filter(
  ({ access }) => takesKey(access),
)

/** The scopes by path, written from the description of the scopes and not from the rows. */
function scopeOf(path: string): Scope {
  if (/\/(team-)?keys\b|\/audit\b|\/payments\b/.test(path)) return "team"
  if (/\/webhooks\b|\/devices\b/.test(path)) return "webhooks"
  if (/\/jobs\b/.test(path)) return "jobs"
  if (/^\/api\/(v1\/)?spots\b/.test(path)) return "spots"
  return path.startsWith("/api/v1/visa") ? "visa" : "lookup"
}

describe("a key with one scope", () => {
  it.each(SCOPES)("of %s is refused for everything else on all endpoints that take keys", async scope => {
    const { key, id } = await make({ scopes: [scope] })
    let refused = 0
    for (const { method, path } of ROWS) {
      const reply = await as(key, path.replace(/:\w+/g, "1"), method, method === "POST" ? "{}" : undefined)
      const needed = scopeOf(path)
      const isRefused = reply.status === 403 && /This key does not have the scope/.test(reply.text)
      assert.strictEqual(isRefused, needed !== scope, `${method} ${path}: ${reply.status} ${reply.text.slice(0, 200)}`)
      if (!isRefused) continue
      refused++
      if (path.startsWith("/api/")) assert.strictEqual(reply.read("required_scope"), needed)
      else assert.deepStrictEqual([reply.read("error.code"), reply.read("error.param")], ["scope_missing", needed])
      assert.include(reply.text, `This key does not have the scope ${needed}.`)
    }
    assert.isAbove(refused, 5)
    await end(id)
  })

  it("is named in the audit trail for webhooks that were made, enabled and ended, and for their replaced secrets", async () => {
    const { key, id } = await make({ scopes: ["webhooks"] })
    const made = await as(key, "/webhooks", "POST", { url: "https://example.org/secret-path" })
    const name = made.read("id") as string
    await as(key, `/webhooks/${name}/rotate-secret`, "POST")
    await as(key, `/webhooks/${name}/enable`, "POST")
    await as(key, `${V1}/webhooks?id=${name.slice(3)}`, "DELETE")
    await as(key, `/webhooks/${name}/enable`, "POST")
    const trail = await as(owner(), `${V1}/audit?limit=4`)
    assert.deepStrictEqual(
      (trail.read("audit") as Record<string, string>[]).map(({ actor, action, detail }) => [actor, action, detail]),
      ["webhook_ended", "webhook_enabled", "webhook_secret_replaced", "webhook_made"].map(action => [
        "key",
        action,
        `webhook ${name.slice(3)}`,
      ]),
    )
    assert.notInclude(trail.text, "secret-path")
    await end(id)
  })

  it("may use the tools of language models only with the scope visa", async () => {
    const { key, id } = await make({ scopes: ["lookup"] })
    const call = { jsonrpc: "2.0", id: 1, method: "tools/list" }
    const reply = await as(key, "/mcp", "POST", call, { "content-type": "application/json" })
    assert.deepStrictEqual([reply.status, reply.read("error.message")], [403, "This key does not have the scope visa."])
    await end(id)
  })
})

describe("a key", () => {
  it("gives no more rights than it has: no other scope, no later expiry, no other addresses", async () => {
    const limited = await make({ scopes: ["team", "visa"] })
    const error = "This API key may not make or replace such a key."
    const tries: readonly (readonly [path: string, body: unknown, scope: string])[] = [
      ["/keys", { name: "More", scopes: ["visa", "jobs"] }, "jobs"],
      ["/team-keys", { name: "More" }, "lookup"],
      ["/keys/5/rotate", undefined, "lookup"],
    ]
    for (const [path, body, required_scope] of tries) {
      const reply = await as(limited.key, V1 + path, "POST", body)
      const message = `It does not have the scope ${required_scope}.`
      assert.deepStrictEqual([reply.status, reply.read()], [403, { error, message, required_scope }], path)
    }
    const child = await make({ scopes: ["visa"] }, limited.key)
    const bound = [
      await make({ expires_at: new Date(NOW + DAY).toISOString() }),
      await make({ allowed_addresses: ["127.0.0.0/8"] }),
    ]
    const message = "A key that expires or is bound to addresses cannot make other keys."
    for (const { key } of bound)
      for (const path of ["/keys", "/team-keys", `/keys/${child.id}/rotate`]) {
        const body = path.endsWith("rotate") ? undefined : { name: "More", scopes: ["visa"] }
        assert.deepStrictEqual((await as(key, V1 + path, "POST", body)).read(), { error, message }, path)
      }
    for (const { id } of [limited, child, ...bound]) assert.strictEqual((await end(id)).status, 200)
  })

  it("that has expired gets 401 on every surface, exactly from its expiry on", async () => {
    const { key, id } = await make({ expires_at: new Date(NOW + 1_000).toISOString() })
    assert.strictEqual((await as(key, PAIR)).status, 200)
    running.setTime(NOW + 1_000)
    const message = "This key expired at 2026-11-21T12:30:01.000Z."
    const expired = await as(key, PAIR)
    assert.deepStrictEqual([expired.status, expired.read()], [401, { error: "expired", message }])
    assert.strictEqual(expired.headers["www-authenticate"], 'ApiKey header="x-api-key"')
    const lookup = await as(key, "/visa?passport=FRA&destination=JPN")
    assert.deepStrictEqual(
      [lookup.status, lookup.read("error.code"), lookup.read("error.message")],
      [401, "expired", message],
    )
    assert.strictEqual((await as(key, "/api/v1/spots?limit=1")).status, 401)
    const mcp = await as(key, "/mcp", "POST", { jsonrpc: "2.0", id: 1, method: "tools/list" })
    assert.deepStrictEqual([mcp.status, mcp.read("error.message")], [401, message])
    // Nor does it show what is left where the method is wrong.
    assert.isUndefined((await as(key, PAIR, "DELETE")).headers["x-ratelimit-limit"])
    running.setTime(NOW)
    await end(id)
  })

  it("works only from its IPv4 and IPv6 addresses, and the refusal names the caller's address", async () => {
    const { key, id } = await make({ allowed_addresses: ["192.0.2.0/24", "2001:db8::/32", "203.0.113.9"] })
    const from = (address: string, path = PAIR) => as(key, path, "GET", undefined, { "x-forwarded-for": address })
    for (const address of ["192.0.2.7", "2001:db8:5::1", "203.0.113.9", "::ffff:192.0.2.8"])
      assert.strictEqual((await from(address)).status, 200, address)
    for (const address of ["192.0.3.1", "2001:db9::1", "203.0.113.10"]) {
      const refused = await from(address)
      assert.deepStrictEqual(
        [refused.status, refused.read()],
        [
          403,
          { error: "This API key may not be used from here.", message: `This key may not be used from ${address}.` },
        ],
      )
    }
    const lookup = await from("192.0.3.1", "/visa?passport=FRA&destination=JPN")
    assert.deepStrictEqual([lookup.status, lookup.read("error.code")], [403, "address_not_allowed"])
    await end(id)
  })

  it("is replaced with an overlap of 24 hours, in which answers to the old key say so", async () => {
    const { key, id } = await make({ name: "Shop", scopes: ["visa"], allowed_addresses: ["127.0.0.1"] })
    const rotated = await as(owner(), `${V1}/keys/${id}/rotate`, "POST")
    assert.strictEqual(rotated.status, 201, rotated.text)
    const next = { key: rotated.read("key.key") as string, id: rotated.read("key.id") as number }
    assert.deepInclude(await listed(next.id), { name: "Shop", scopes: ["visa"], allowed_addresses: ["127.0.0.1"] })
    const old = await as(key, PAIR)
    assert.strictEqual(old.status, 200)
    assert.deepStrictEqual(
      [old.headers.deprecation, old.headers.sunset],
      [`@${NOW / 1_000}`, new Date(NOW + DAY).toUTCString()],
    )
    assert.isUndefined((await as(next.key, PAIR)).headers.deprecation)
    // Once only: the old one is nobody's to multiply.
    assert.strictEqual((await as(owner(), `${V1}/keys/${id}/rotate`, "POST")).status, 404)
    running.setTime(NOW + DAY)
    assert.strictEqual((await as(key, PAIR)).status, 401)
    assert.strictEqual((await as(next.key, PAIR)).status, 200)
    running.setTime(NOW)
    await end(next.id)
  })

  it("is replaced under load without a refused request", async () => {
    let current = await make({ scopes: ["visa", "team"] })
    const statuses = new Set<number>()
    let isOver = false
    const ask = async () => {
      for (let held = current.key; !isOver; held = current.key) statuses.add((await as(held, PAIR)).status)
    }
    const load = Promise.all(Array.from({ length: 8 }, ask))
    for (let times = 0; times < 5; times++) {
      const rotated = await as(owner(), `${V1}/keys/${current.id}/rotate`, "POST")
      current = { key: rotated.read("key.key") as string, id: rotated.read("key.id") as number }
    }
    isOver = true
    await load
    assert.deepStrictEqual([...statuses], [200])
    await end(current.id)
  })

  it("has a count of its uses and the hour of the last one", async () => {
    const { key, id } = await make({ scopes: ["visa", "webhooks"] })
    assert.deepInclude(await listed(id), { used: 0, last_used_at: null })
    await as(key, PAIR)
    await as(key, `${V1}/bulk?passport=FRA&destination=JPN,THA`)
    await as(key, `${V1}/webhooks`)
    // Uses are written together with others, after a while, perhaps in two parts.
    const isWritten = eventually(
      Effect.promise(() => listed(id)),
      ({ used }) => used === 3,
    )
    const found = await Effect.runPromise(isWritten)
    assert.deepInclude(found, { used: 3, last_used_at: "2026-11-21T12:00:00.000Z" })
    await end(id)
  })

  it("that is the first can be replaced, not ended; once it is replaced, the new key can end it", async () => {
    const all = (await as(running.keys.pro as string, `${V1}/keys`)).read("keys") as { id: number; kind: string }[]
    const [first] = all
    const refused = await as(running.keys.pro as string, `${V1}/keys/${first?.id}`, "DELETE")
    assert.deepStrictEqual(
      [refused.status, refused.read("error")],
      [400, "id: The first key of an account can only be replaced: rotate it."],
    )
    const rotated = await as(running.keys.pro as string, `${V1}/keys/${first?.id}/rotate`, "POST")
    assert.deepStrictEqual([rotated.status, rotated.read("key.kind")], [201, "account"])
    assert.strictEqual((await as(running.keys.pro as string, PAIR)).headers.deprecation, `@${NOW / 1_000}`)
    const done = await as(rotated.read("key.key") as string, `${V1}/keys/${first?.id}`, "DELETE")
    assert.strictEqual(done.status, 200)
    assert.strictEqual((await as(running.keys.pro as string, PAIR)).status, 403)
  })

  it.each([
    [{ scopes: ["visa"] }, "name: Missing, expected 1 to 100 characters on one line"],
    [{ name: "", scopes: ["visa"] }, 'name: Expected 1 to 100 characters on one line, got ""'],
    [{ name: "K" }, "scopes: Missing, expected a list of one or more of visa, lookup, spots, webhooks, jobs, team"],
    [
      { name: "K", scopes: ["visas"] },
      'scopes[0]: Expected one or more of visa, lookup, spots, webhooks, jobs, team, got "visas"',
    ],
    [
      { name: "K", scopes: ["visa"], expires_at: "2026-11-21T12:30:00Z" },
      'expires_at: Expected an instant in the future, such as 2030-01-01T00:00:00Z, got "2026-11-21T12:30:00Z"',
    ],
    [
      { name: "K", scopes: ["visa"], allowed_addresses: ["10.0.0.0/33"] },
      'allowed_addresses[0]: Expected an IP address or a CIDR block, such as 203.0.113.0/24, got "10.0.0.0/33"',
    ],
    [
      { name: "K", scopes: ["visa"], allowed_addresses: ["10.0.0.1,::/0"] },
      'allowed_addresses[0]: Expected an IP address or a CIDR block, such as 203.0.113.0/24, got "10.0.0.1,::/0"',
    ],
    [
      { name: "K", scopes: ["visa"], scope: "visa" },
      "scope: There is no such field; known: name, mode, scopes, expires_at, allowed_addresses",
    ],
    ["[]", "The body has to be a JSON object."],
  ])("is refused as %j: %s", async (body, error) => {
    const reply = await as(owner(), `${V1}/keys`, "POST", body)
    assert.deepStrictEqual([reply.status, reply.read("error")], [400, error])
  })

  it("is one of at most twenty named keys, and is made once under an Idempotency-Key", async () => {
    const hobby = running.keys.hobby as string
    const headers = { "idempotency-key": "8f14e45f-ceea-4672-8c1f-7a4c0d7f5e33" }
    const once = (): Promise<Reply> => as(hobby, `${V1}/keys`, "POST", { name: "K", scopes: ["visa"] }, headers)
    const [first, again] = [await once(), await once()]
    assert.strictEqual(again.text, first.text)
    for (let at = 1; at < 20; at++) await make({ scopes: ["visa"] }, hobby)
    const refused = await as(hobby, `${V1}/keys`, "POST", { name: "K", scopes: ["visa"] })
    assert.deepStrictEqual(
      [refused.status, refused.read("error")],
      [400, "An account may have at most 20 named keys that work."],
    )
    // Another account's key is unknown, whatever its number is.
    assert.strictEqual((await as(owner(), `${V1}/keys/${first.read("key.id")}`, "DELETE")).status, 404)
  })
})
