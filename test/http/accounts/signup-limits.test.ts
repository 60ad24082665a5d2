import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, vi } from "vitest"
import { linkOf } from "../../mail/mail-server.ts"
import { startTestService } from "../service.ts"
import { mails, mailsTo, NOW, post, register, running, signUp, useSignup, V1 } from "./signing-up.ts"

useSignup()

describe("too many registrations and mails", () => {
  it("are limited by the client's address, and an address gets at most five mails an hour from all clients together", async () => {
    await using other = await startTestService({
      stoppedAt: NOW,
      env: { LANDFALL_SMTP_URL: `smtp://127.0.0.1:${mails.port}`, LANDFALL_TRUSTED_PROXIES: "127.0.0.1" },
    })
    const ask = (path: string, body: object, from: string) =>
      other.ask(V1 + path, { method: "POST", headers: { "x-forwarded-for": from }, body: JSON.stringify(body) })
    const before = mails.received.length
    for (let at = 0; at < 5; at++) {
      const reply = await ask("/register", { name: "Olu", email: "olu@example.org" }, "192.0.2.1")
      assert.strictEqual(reply.status, 200)
    }
    const refused = await ask("/register", { name: "Olu", email: "olu@example.org" }, "192.0.2.1")
    assert.strictEqual(refused.status, 429)
    assert.strictEqual(refused.headers["retry-after"], "3600")
    // From elsewhere it goes on, without a mail, with whatever dots and plus signs the address is written.
    for (const email of ["olu@example.org", "o.l.u@example.org", "olu+1@example.org"])
      assert.strictEqual((await ask("/auth/login", { email }, "192.0.2.2")).status, 200)
    const spelled = await ask("/register", { name: "Olu", email: "O.lu+2@example.org" }, "192.0.2.4")
    assert.deepStrictEqual([spelled.status, spelled.headers["retry-after"]], [429, "3600"])
    assert.strictEqual((await ask("/auth/login", { email: "olu@example.org" }, "192.0.2.2")).status, 200)
    // What was ordered later is sent later.
    await ask("/register", { name: "Pia", email: "pia@example.org" }, "192.0.2.3")
    await mailsTo("pia@example.org")
    await mailsTo("olu@example.org", 5)
    assert.strictEqual(mails.received.length, before + 6)
    other.setTime(NOW + 3_600_000)
    assert.strictEqual((await ask("/register", { name: "Olu", email: "olu@example.org" }, "192.0.2.1")).status, 200)
  })
})

describe("a stolen database", () => {
  it("reveals no key, token, or mail, and logs no address", async () => {
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    let logged = ""
    const { cookie, key } = await signUp("rae@example.org")
    await post("/auth/login", { email: "stranger@example.org" })
    await mailsTo("rae@example.org")
    const link = new URL(linkOf((await mailsTo("rae@example.org"))[0])).searchParams.get("token") as string
    // One that was never followed still lies there, as a hash.
    await post("/auth/login", { email: "rae@example.org" })
    const open = new URL(linkOf((await mailsTo("rae@example.org", 2))[1])).searchParams.get("token") as string
    const askAs = (path: string, body: object) =>
      running.askAs("business", V1 + path, { method: "POST", body: JSON.stringify(body) })
    const teamKey = (await askAs("/team-keys", { name: "Lima" })).read("team_key.key") as string
    const subscribed = await askAs("/webhooks", { url: "https://hooks.invalid/", events: ["visa.policy_changed"] })
    const secret = subscribed.read("webhook.secret") as string
    assert.match(secret, /^whsec_/)
    logged = written.mock.calls.map(([line]) => String(line)).join("\n")
    written.mockRestore()
    const files = readdirSync(running.folder).filter(
      name => name.startsWith("landfall.db") && !name.endsWith(".secret"),
    )
    assert.isNotEmpty(files)
    const bytes = files.map(name => readFileSync(join(running.folder, name), "latin1")).join("")
    const secrets = [key, teamKey, running.keys.business, secret, cookie.split("=")[1] as string, link, open]
    for (const text of [...secrets, "sk_live_of_the_tests", "whsec_of_the_tests", "stranger@example.org"]) {
      assert.isFalse(bytes.includes(text), text.slice(0, 4))
      assert.notInclude(logged, text)
    }
    // The address of an account stands there as it was given.
    assert.isTrue(bytes.includes("rae@example.org"))
    assert.notInclude(logged, "rae@example.org")
  })
})

describe("data rights", () => {
  it("are available to the owner in a session: an export of everything, and erasure", async () => {
    const { cookie, key } = await signUp("sol@example.org")
    const path = `${V1}/auth/account`
    const exported = await running.ask(path, { headers: { cookie } })
    assert.strictEqual(exported.read("data.accounts.0.email"), "sol@example.org")
    assert.notInclude(exported.text, key)
    const erase = (body: unknown) =>
      running.ask(`${path}/erase`, { method: "POST", headers: { cookie }, body: JSON.stringify(body) })
    assert.strictEqual((await erase({ email: "ana@example.org" })).status, 400)
    const erased = await erase({ email: "SOL@example.org" })
    assert.strictEqual(erased.read("erased"), true)
    assert.match(String(erased.headers["set-cookie"]?.[0]), /^svc_token=; /)
    assert.strictEqual((await running.ask(path, { headers: { cookie } })).status, 401)
    const asked = await running.ask(`${V1}?passport=FRA&destination=JPN`, { headers: { "x-api-key": key } })
    assert.strictEqual(asked.status, 403)
    // Within an hour nobody makes another account for the mailbox.
    assert.strictEqual((await register("sol@example.org")).status, 429)
    running.setTime(NOW + 3_600_000)
    assert.strictEqual((await register("sol@example.org")).read("plan"), "free")
  })
})
