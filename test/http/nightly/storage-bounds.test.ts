/**
 * By how much does the database grow in an hour of somebody who asks for everything?
 *
 * Every row of the table of endpoints is asked until it refuses, with bodies as large as they may be, so a new endpoint counts by itself.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { ATTEMPT_LIMITS } from "../../../adapters/accounts/attempts.ts"
import { exampleOfBody } from "../../../adapters/http/pipeline/describe-row.ts"
import { changesAccount, type Endpoint, takesKey } from "../../../adapters/http/pipeline/endpoint.ts"
import { mountRows } from "../../../adapters/http/routes/all-endpoints.ts"
import { SURFACES } from "../../../adapters/settings/settings.ts"
import { embeddedDataset } from "../../../src/index.ts"
import { startMailServer } from "../../mail/mail-server.ts"
import { connectHttp } from "../../mcp/clients.ts"
import { share } from "../../share.ts"
import { startWithPersonas } from "../personas.ts"
import { startTestService, type TestService } from "../service.ts"

const NOW = Date.parse("2026-11-21T00:00:01Z")
const HOUR = 3_600_000
const V1 = "/api/v1/visa"
const DATASET = embeddedDataset()
const ROWS = mountRows(SURFACES)
const CHANGES = ROWS.filter(changesAccount)

/** The bytes that SECURITY.md allows. */
function readBound(who: string): number {
  const row = /\| what is stored in an hour \| (.*) \|/.exec(readFileSync("SECURITY.md", "utf8"))?.[1] ?? ""
  const megabytes = new RegExp(`([\\d.]+) MB ${who}`).exec(row)?.[1]
  if (megabytes === undefined) throw new Error(`SECURITY.md has no bound of what is stored ${who}`)
  return Number(megabytes) * 1_000_000
}

const openFile = (folder: string) => new DatabaseSync(join(folder, "landfall.db"), { readOnly: true })

/** The size of the database, without pages that are free. */
function measure(folder: string): number {
  const database = openFile(folder)
  try {
    const read = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() as object)[0])
    return (read("page_count") - read("freelist_count")) * read("page_size")
  } finally {
    database.close()
  }
}

const mails = share(startMailServer)
const STRIPE = {
  LANDFALL_STRIPE_SECRET_KEY: "sk_live_of_the_tests",
  LANDFALL_STRIPE_WEBHOOK_SECRET: "whsec_of_the_tests",
  LANDFALL_STRIPE_API_BASE: "http://127.0.0.1:1",
}
const ADDRESS = { "x-forwarded-for": "198.51.100.8" }
const start = () =>
  startTestService({
    stoppedAt: NOW,
    env: { ...STRIPE, LANDFALL_TRUSTED_PROXIES: "127.0.0.1", LANDFALL_SMTP_URL: `smtp://127.0.0.1:${mails.port}` },
  })

let asked = 0
/** A text of some characters that nobody has sent before. */
const makeText = (length: number, fill = "x") => `${++asked}`.padStart(length, fill)
const LABEL = "d".repeat(60)

/** Fields as large as they may be, and new in every request. */
const LARGE: Readonly<Record<string, () => unknown>> = {
  device_token: () => makeText(512),
  platform: () => "fcm",
  passports: () => DATASET.passports.slice(0, 10),
  destinations: () => DATASET.destinations.slice(0, 100),
  name: () => `${"𝒜".repeat(90)}${makeText(10)}`,
  email: () => `${makeText(60)}@${LABEL}.${LABEL}.${LABEL}.example`,
  scopes: () => ["visa", "lookup", "spots", "webhooks", "jobs"],
  allowed_addresses: () => Array.from({ length: 20 }, (_, at) => `2001:db8:1234:5678:9abc:def0:${1_000 + at}::/112`),
}

/** A decision whose answer has half a megabyte. */
const LARGE_DECISION = {
  travellers: DATASET.passports.slice(0, 10).map(passport => ({ passport, passport_expiry: "2030-01-01" })),
  stops: DATASET.destinations.slice(0, 12).map((destination, at) => ({
    destination,
    from: new Date(NOW + (at * 10 + 1) * 24 * HOUR).toISOString().slice(0, 10),
    to: new Date(NOW + (at * 10 + 9) * 24 * HOUR).toISOString().slice(0, 10),
  })),
  transit: DATASET.destinations.slice(20, 32),
}

const writeBody = (row: Endpoint, ids: ReadonlyMap<string, unknown>): string | undefined => {
  if (row.name === "decision") return JSON.stringify(LARGE_DECISION)
  const example = exampleOfBody(row)
  if (example === undefined || typeof example === "string") return example as string | undefined
  const given = example as Readonly<Record<string, unknown>>
  const fields = Object.entries(given).map(([name, value]) => [
    name,
    ids.get(name === "referral_code" ? "affiliate_id" : name) ??
      (row.name === "updateDevice" ? value : (LARGE[name]?.() ?? value)),
  ])
  return JSON.stringify(Object.fromEntries(fields))
}

const PARAMETERS: Readonly<Record<string, (at: number) => string>> = {
  passport: at => DATASET.passports[Math.floor(at / 25) % DATASET.passports.length] as string,
  destination: at => DATASET.destinations[at % 25] as string,
}

/** Asks a row again and again, until it has refused several times in a row; returns how often it has answered. */
async function fill(
  { ask }: Pick<TestService, "ask">,
  row: Endpoint,
  {
    headers,
    atMost,
    ids = new Map(),
  }: {
    readonly headers: Record<string, string>
    readonly atMost: number
    readonly ids?: Map<string, unknown>
  },
): Promise<number> {
  let answered = 0
  let refused = 0
  for (let at = 0; at < atMost && refused < 3; at++) {
    const query = Object.entries(row.parameters).flatMap(([name, { document, isRequired }]) => {
      const value = PARAMETERS[name]?.(at) ?? (isRequired ? String(document.example ?? 1) : undefined)
      return value === undefined || row.path.includes(`:${name}`) ? [] : [`${name}=${encodeURIComponent(value)}`]
    })
    const path = row.path.replace(/:(\w+)/g, () => String(ids.get(row.path.split("/:")[0] as string) ?? 1))
    const body = writeBody(row, ids)
    const send = () =>
      ask(`${path}${query.length === 0 ? "" : `?${query.join("&")}`}`, {
        method: row.method,
        headers: {
          ...headers,
          ...(row.path === "/account" ? {} : { "content-type": "application/json" }),
          "idempotency-key": `00000000-0000-4000-8000-${makeText(12, "0")}`,
        },
        ...(body === undefined ? {} : { body }),
      })
    let reply = await send()
    // An account has as many as it may have: one ends, and another is made.
    if (reply.status === 400 && ids.has(row.path)) {
      await ask(`${row.path}/${ids.get(row.path)}`, { method: "DELETE", headers })
      reply = await send()
    }
    for (const part of ["device_id", "key.id", "affiliate_id"]) {
      const id = reply.status < 300 && reply.headers["content-type"]?.includes("json") ? reply.read(part) : undefined
      if (id !== undefined)
        ids.set(part === "key.id" ? `${V1}/keys` : part === "device_id" ? `${V1}/devices` : part, id)
    }
    if (reply.status < 400) answered++
    refused = reply.status < 400 ? 0 : refused + 1
  }
  return answered
}

/** How often a row is asked: what everybody may read stores nothing, which a few requests show. */
const timesOf = ({ access, method }: Endpoint) => (method === "GET" && access.kind === "public" ? 3 : 130)

const find = (wanted: string) => ROWS.find(({ name }) => name === wanted) as Endpoint

/** A live stream does not end. */
const isAsked = ({ name }: Endpoint) => name !== "live" && name !== "logout"

describe("an hour", () => {
  it("of one address without a key, and of the keys that it gets without a mailbox, stores what SECURITY.md says", async () => {
    await using running = await start()
    const before = measure(running.folder)
    // Every request comes from another /64 of one /48.
    let network = 0
    const headers = {
      get "x-forwarded-for"() {
        network++
        return `2001:db8:7:${network.toString(16)}::1`
      },
    }
    const ids = new Map<string, unknown>()
    const keys: string[] = []
    const register = find("register")
    for (let at = 0; at < 10; at++) {
      const made = await running.ask(`${V1}/register`, {
        method: "POST",
        headers,
        body: writeBody(register, ids) ?? "",
      })
      if (made.status === 200) keys.push(made.read("api_key") as string)
      else assert.strictEqual(made.status, 429)
    }
    assert.lengthOf(keys, ATTEMPT_LIMITS.register.limit)
    for (const row of ROWS.filter(isAsked)) await fill(running, row, { headers, atMost: timesOf(row), ids })
    {
      await using client = await connectHttp(running.url, headers)
      for (const destination of DATASET.destinations.slice(0, 30))
        await client.call("quick_visa_check", { passport: "FRA", destination })
    }
    for (const key of keys) {
      const held = { ...headers, "x-api-key": key, authorization: `Bearer ${key}` }
      for (const row of ROWS.filter(isAsked).filter(({ access }) => takesKey(access)))
        await fill(running, row, { headers: held, atMost: 6 })
    }
    // What was counted is saved when the service stops.
    await running.stop()
    const grown = measure(running.folder) - before
    const bound = readBound("without a key")
    assert.isAtMost(grown, bound)
    assert.isAbove(grown, bound / 4, "what is stored is far below the bound")
  })

  it("of a confirmed free account stores what SECURITY.md says", async () => {
    await using running = await startWithPersonas({ stoppedAt: NOW })
    const before = measure(running.folder)
    const heldBy = (key: string) => ({ "x-api-key": key, authorization: `Bearer ${key}` })
    const cookie = { cookie: `svc_token=${running.sessions.free}` }
    const ids = new Map<string, unknown>()

    // An hour's changes by keys, and those in sessions, are counted together: each row alone uses them up, in an hour of its own.
    const most = { key: 0, session: 0 }
    let hour = 0
    for (const row of CHANGES.filter(({ name }) => name !== "endSessions" && name !== "eraseAccount")) {
      running.setTime(NOW + ++hour * HOUR)
      const isKey = takesKey(row.access)
      const empty = measure(running.folder)
      const answered = await fill(running, row, {
        headers: isKey ? heldBy(running.keys.free) : cookie,
        atMost: ATTEMPT_LIMITS.write.limit + 3,
        ids,
      })
      assert.isAtMost(answered, ATTEMPT_LIMITS.write.limit, row.name)
      const kind = isKey ? "key" : "session"
      most[kind] = Math.max(most[kind], measure(running.folder) - empty)
    }

    const rest = measure(running.folder)
    // The first key was replaced.
    const key = (await running.ask(`${V1}/auth/ensure-key`, { headers: cookie })).read("api_key") as string
    const held = heldBy(key)
    // Asked for groups, a free key has every destination counted that it may ask for on a day.
    await using client = await connectHttp(running.url, { "x-api-key": key })
    const { passports } = DATASET
    for (let at = 0; at < passports.length - 1; at += 10) {
      const some = passports.slice(at, at + 10)
      assert.isFalse((await client.call("check_group", { passports: some, limit: 25 })).isError)
    }
    // More lookups than the free plan keeps answers.
    hour++
    for (let at = 0; at < 1_300; at += 10) {
      running.setTime(NOW + hour * HOUR + at * 100)
      const group = Array.from({ length: 10 }, (_, offset) => {
        const name = at + offset
        return running.ask(`/visa?passport=${passports[name % 199]}&destination=${DATASET.destinations[name % 250]}`, {
          headers: { ...held, "idempotency-key": `10000000-0000-4000-8000-${String(name).padStart(12, "0")}` },
        })
      })
      await Promise.all(group)
    }
    for (const row of ROWS.filter(isAsked).filter(each => !changesAccount(each)))
      await fill(running, row, { headers: { ...held, ...cookie, ...ADDRESS }, atMost: timesOf(row), ids })
    await running.stop()
    const grown = most.key + most.session + measure(running.folder) - rest
    const bound = readBound("with the key of a free account")
    assert.isAtMost(grown, bound)
    assert.isAbove(grown, bound / 4, "what is stored is far below the bound")
    assert.isAbove(before, 0)
  })
})
