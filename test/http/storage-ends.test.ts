/** When does what a stranger has had stored end? */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { ACCOUNT_TABLES } from "../../adapters/storage/account-data-repository.ts"
import { eventually } from "../eventually.ts"
import { startMailServer } from "../mail/mail-server.ts"
import { share } from "../share.ts"
import { makePersonas } from "./personas.ts"
import { makeFolder, startTestService } from "./service.ts"

const NOW = Date.parse("2026-11-21T00:00:01Z")
const DAY = 86_400_000
const V1 = "/api/v1/visa"

const mails = share(startMailServer)
const start = (folder: string, stoppedAt = NOW) =>
  startTestService({
    folder,
    stoppedAt,
    env: { LANDFALL_TRUSTED_PROXIES: "127.0.0.1", LANDFALL_SMTP_URL: `smtp://127.0.0.1:${mails.port}` },
  })

describe("what a stranger has had stored", () => {
  it("is deleted when its time is over; an account that was confirmed, or that an operator made, stays", async () => {
    const folder = makeFolder()
    const keys = await makePersonas(folder, NOW)
    const list = (table: string) => {
      const database = new DatabaseSync(join(folder, "landfall.db"), { readOnly: true })
      const rows = database.prepare(`SELECT * FROM ${table}`).all()
      database.close()
      return rows as readonly Record<string, unknown>[]
    }
    const kept = list("accounts").length
    const headers = { "x-forwarded-for": "198.51.100.7", "content-type": "application/json" }
    {
      await using running = await start(folder)
      const post = (path: string, body: object) =>
        running.ask(V1 + path, { method: "POST", headers, body: JSON.stringify(body) })
      const made = await post("/register", { name: "Nobody", email: "nobody@example.org" })
      const key = { "x-api-key": made.read("api_key") as string }
      assert.strictEqual((await running.ask(`${V1}?passport=FRA&destination=JPN`, { headers: key })).status, 200)
      await post("/auth/login", { email: "nobody@example.org" })
      const affiliate = await post("/affiliate/register", { name: "Ira", email: "ira@example.org" })
      const used = await post("/affiliate/register", { name: "Jan", email: "jan@example.org" })
      await post("/affiliate/track-click", { affiliate_id: used.read("affiliate_id") })
      const claim = { referral_code: affiliate.read("affiliate_id"), email: "nobody@example.org" }
      assert.strictEqual((await post("/affiliate/apply-referral", claim)).status, 200)
      const lookup = { authorization: `Bearer ${keys.free}`, "idempotency-key": "10000000-0000-4000-8000-000000000001" }
      assert.strictEqual((await running.ask("/visa?passport=FRA&destination=JPN", { headers: lookup })).status, 200)
      await mails.until(({ length }) => length > 0)
    }
    assert.lengthOf(list("accounts"), kept + 1)
    assert.lengthOf(list("referral_claims"), 1)
    assert.isAbove(list("attempts").length, 3)
    assert.lengthOf(list("kept_requests"), 1)

    const sweep = async (atMs: number, isDone: () => boolean) => {
      await using _ = await start(folder, atMs)
      await Effect.runPromise(eventually(Effect.sync(isDone), isSo => isSo))
    }
    await sweep(NOW + 31 * DAY, () => list("accounts").length === kept)
    for (const table of ["attempts", "kept_requests", "mail_links", "referral_claims"])
      assert.isEmpty(list(table), table)
    for (const { table, where } of ACCOUNT_TABLES.filter(({ owner }) => owner === "number"))
      if (where === "account_id = ?")
        assert.isEmpty(
          list(table).filter(row => row.account_id === kept + 1),
          table,
        )
    assert.lengthOf(list("affiliates"), 2)
    await sweep(NOW + 401 * DAY, () => list("affiliates").length === 1)
    assert.strictEqual(list("affiliates")[0]?.name, "Jan")
    assert.lengthOf(list("accounts"), kept)
    rmSync(folder, { recursive: true })
  })
})
