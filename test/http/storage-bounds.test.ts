/**
 * What can somebody have stored, and when does it end?
 *
 * A new table fails until its bound is written down here; how much an hour of requests stores is measured each night (nightly/storage-bounds.test.ts).
 */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { ATTEMPT_LIMITS } from "../../adapters/accounts/attempts.ts"
import { exampleOfBody } from "../../adapters/http/pipeline/describe-row.ts"
import { changesAccount, type Endpoint, takesKey } from "../../adapters/http/pipeline/endpoint.ts"
import { mountRows } from "../../adapters/http/routes/all-endpoints.ts"
import { SURFACES } from "../../adapters/settings/settings.ts"
import { startWithPersonas } from "./personas.ts"
import { type Reply, startTestService } from "./service.ts"

const NOW = Date.parse("2026-11-21T00:00:01Z")
const HOUR = 3_600_000
const V1 = "/api/v1/visa"
const ROWS = mountRows(SURFACES)
const CHANGES = ROWS.filter(changesAccount)

/** Why no stranger and no free account fills a table, and when its rows end. */
const TABLES: Readonly<Record<string, string>> = {
  steps: "a row for each step",
  counters: "a row for each kind of number",
  deployment: "a few values of the deployment",
  accounts: "5 an hour for an address; unless confirmed, deleted after 30 days",
  api_keys: "20 named ones that work and 200 that have ended, of an account",
  pool_counts: "one for each limit and day of an account, for 400 days; of addresses, test keys and lists for a day",
  items_seen:
    "as many pairs as an address, or destinations for each passport as a plan, may ask for on a day; until its end",
  nodes: "one for each process",
  kept_requests: "a tenth of the plan's lookups, at most 20,000, of an account, for a day",
  datasets: "installed by operators",
  installations: "installed by operators",
  installed_changes: "installed by operators",
  dataset_feed: "one",
  events: "by installed datasets",
  event_bodies: "by what an account may have sent, and by installed datasets; for 30 days",
  deliveries: "by what an account may have sent, and by installed datasets; for 30 days",
  webhooks: "100 live ones and 100 for tests, of an account with a plan that has them",
  spots: "imported by operators",
  devices: "100 of an account",
  device_codes: "110 of a device",
  pushes: "the newest for each device and pair, for as long as it may be sent",
  sessions: "one for each link that was mailed, for 30 days",
  mail_links: "5 mails an hour for a mailbox, for 30 minutes",
  queued_work: "5 mails an hour for a mailbox, 25 for an address that asks; for 30 days",
  attempts: "one for each kind and subject, for an hour or a day",
  audit_trail: "10,000 lines of an account",
  billing_events: "signed by the payment provider",
  subscriptions: "by the payment provider",
  commissions: "one for each paid invoice",
  affiliates: "30 an hour for an address; deleted after 400 days without a click or a referral",
  affiliate_clicks: "one for each affiliate and month",
  referral_claims: "30 an hour for an address, one for each e-mail address; for 30 days",
  payments: "120 a minute for an address, each verified by the facilitator; those that were not made for 30 days",
  request_days: "one for each route and status of an account and day, for 14 days",
  jobs: "20 of an account with a plan that has them, for a week",
  job_chunks: "those of jobs",
  job_pieces: "those of jobs: a gigabyte of lines at most",
}

const STRIPE = {
  LANDFALL_STRIPE_SECRET_KEY: "sk_live_of_the_tests",
  LANDFALL_STRIPE_WEBHOOK_SECRET: "whsec_of_the_tests",
  LANDFALL_STRIPE_API_BASE: "http://127.0.0.1:1",
}
const find = (wanted: string) => ROWS.find(({ name }) => name === wanted) as Endpoint

describe("every table", () => {
  it("has a bound that is known", async () => {
    await using running = await startTestService()
    const database = new DatabaseSync(join(running.folder, "landfall.db"), { readOnly: true })
    const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all()
    database.close()
    assert.sameMembers(
      names.map(({ name }) => String(name)),
      Object.keys(TABLES),
    )
  })
})

describe("a change of what is stored for an account", () => {
  it("is refused beyond 240 an hour, on every endpoint, and to keys apart from sessions", async () => {
    await using running = await startWithPersonas({ stoppedAt: NOW, env: STRIPE })
    const { business } = running.keys
    const key = { "x-api-key": business, authorization: `Bearer ${business}` }
    const session = { cookie: `svc_token=${running.sessions.business}` }
    const send = (row: Endpoint, headers: Record<string, string>) => {
      const example = exampleOfBody(row)
      const path = row.path.replace(/:(\w+)/g, (_, name) => String(row.parameters[name]?.document.example))
      const body = typeof example === "string" ? example : JSON.stringify(example)
      return running.ask(/\/(team-keys|webhooks|webhooks\/enable)$/.test(path) ? `${path}?id=1` : path, {
        method: row.method,
        headers,
        ...(example === undefined ? {} : { body }),
      })
    }
    const spend = async (name: string, headers: Record<string, string>) => {
      const row = find(name)
      for (let at = 0; at < ATTEMPT_LIMITS.write.limit; at++)
        assert.notStrictEqual((await send(row, headers)).status, 429)
    }
    await spend("deleteDevice", key)
    const refused = (reply: Reply, name: string) => {
      assert.strictEqual(reply.status, 429, `${name}: ${reply.text}`)
      assert.include(reply.text, "An account may make 240 changes an hour to what is stored for it", name)
      assert.strictEqual(reply.headers["retry-after"], "3600", name)
    }
    const byKey = CHANGES.filter(({ access }) => takesKey(access))
    assert.isAtLeast(byKey.length, 18)
    for (const row of byKey.filter(({ name }) => name !== "simulateChange")) refused(await send(row, key), row.name)
    // Whoever has stolen a key cannot keep the owner from ending it.
    await spend("changeAccount", session)
    const inSession = CHANGES.filter(({ access }) => !takesKey(access))
    assert.isAtLeast(inSession.length, 6)
    for (const row of inSession) {
      const email = { email: "business@example.org" }
      const body = row.name === "eraseAccount" ? JSON.stringify(email) : JSON.stringify(exampleOfBody(row))
      refused(
        await running.ask(row.path, { method: row.method, headers: session, ...(body ? { body } : {}) }),
        row.name,
      )
    }
    const form = await running.ask("/account", { method: "POST", headers: session, body: "do=replace_key&sure=yes" })
    assert.strictEqual(form.status, 429)
    assert.strictEqual((await running.ask(`${V1}/keys`, { headers: key })).status, 200)
    running.setTime(NOW + HOUR)
    assert.strictEqual((await send(find("createKey"), key)).status, 201)
  })

  it("is refused to the key of an address that is not confirmed, on every endpoint", async () => {
    await using running = await startWithPersonas({ stoppedAt: NOW })
    const key = running.keys.unconfirmed
    const message =
      "Nothing is stored for an account whose e-mail address is not confirmed: follow the mailed link first."
    for (const { access, method, name, path } of CHANGES.filter(row => takesKey(row.access))) {
      if (access.kind === "key" && access.mode === "test") continue
      const reply = await running.ask(path.replace(/:\w+/g, "1"), {
        method,
        headers: { "x-api-key": key, authorization: `Bearer ${key}` },
        ...(method === "POST" ? { body: "{}" } : {}),
      })
      assert.strictEqual(reply.status, 403, `${name}: ${reply.text}`)
      assert.include(reply.text, message, name)
    }
  })
})
