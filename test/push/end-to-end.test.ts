import { generateKeyPairSync } from "node:crypto"
import { renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, expect, it, vi } from "vitest"
import { writeWorld } from "../changes/datasets.ts"
import { LONG_MS } from "../eventually.ts"
import { makeFolder, startTestService, type TestService } from "../http/service.ts"
import { startApns, startFcm, trustServers, UNREGISTERED } from "./push-servers.ts"

const DEVICES = "/api/v1/visa/devices"
const json = (method: string, body: unknown) => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
})
const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: LONG_MS, interval: 50 })

let folder = ""
let distrust = () => {}
beforeAll(() => {
  folder = makeFolder()
  distrust = trustServers()
})
afterAll(() => {
  distrust()
  rmSync(folder, { recursive: true, force: true })
})

const write = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** What goes to stderr while something is done. */
async function listen<Value>(work: () => Promise<Value>): Promise<{ readonly value: Value; readonly log: string }> {
  const spies = [vi.spyOn(process.stderr, "write"), vi.spyOn(console, "error"), vi.spyOn(console, "log")]
  for (const spy of spies) spy.mockImplementation((() => true) as never)
  try {
    const value = await work()
    return { value, log: spies.flatMap(spy => spy.mock.calls.map(call => String(call[0]))).join("\n") }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

/** The pushes that a process has counted; services of other tests in the same process count with it. */
async function countPushes(running: TestService): Promise<readonly number[]> {
  const { text } = await running.ask("/metrics")
  return ["apns", "fcm"].flatMap(platform =>
    ["sent", "gone"].map(outcome => {
      const count = text.match(`landfall_pushes_total{platform="${platform}",outcome="${outcome}"} (\\d+)\n`)
      return Number(count?.[1] ?? 0)
    }),
  )
}

describe("a dataset that changes one pair", () => {
  it("is pushed to the devices that follow it, each in its language, by both services, and an invalid token is removed", async () => {
    const dead = "dead".repeat(16)
    await using apns = await startApns(token =>
      token === dead ? { status: 410, body: { reason: "Unregistered" } } : { status: 200 },
    )
    await using fcm = await startFcm(token => (token.startsWith("gone") ? UNREGISTERED : { status: 200 }))
    const watched = join(folder, "watched.landfall")
    const env = {
      LANDFALL_DATASET: writeWorld(folder, { version: "world.1", days: 90 }),
      LANDFALL_DATASET_WATCH: watched,
      LANDFALL_LOG_LEVEL: "info",
      LANDFALL_APNS_URL: apns.url,
      LANDFALL_APNS_KEY_FILE: write("apns.p8", apns.keyText),
      LANDFALL_APNS_KEY_ID: apns.account.keyId,
      LANDFALL_APNS_TEAM_ID: apns.account.teamId,
      LANDFALL_APNS_TOPIC: apns.account.topic,
      LANDFALL_FCM_URL: fcm.url,
      LANDFALL_FCM_SERVICE_ACCOUNT: write("service-account.json", JSON.stringify(fcm.serviceAccount)),
    }
    const { log } = await listen(async () => {
      await using running = await startTestService({ env, folder })
      const counted = await countPushes(running)
      const register = async (body: object, plan: "free" | "pro" = "free") => {
        const reply = await running.askAs(plan, DEVICES, json("POST", body))
        assert.strictEqual(reply.status, 200, reply.text)
        return reply.read("device_id") as number
      }
      const apple = { platform: "apns", passports: ["AAA"] }
      await register({ ...apple, device_token: "aa".repeat(32), lang: "ja" })
      await register({ ...apple, device_token: "bb".repeat(32), destinations: ["BBB"] })
      const deadId = await register({ ...apple, device_token: dead }, "pro")
      await register({ platform: "fcm", device_token: `alive-${"x".repeat(30)}`, destinations: ["CCC"], lang: "de" })
      const goneId = await register({ platform: "fcm", device_token: `gone-${"x".repeat(30)}` })

      renameSync(writeWorld(folder, { version: "world.2", days: 30 }), watched)
      await until(() => apns.arrived.length === 2 && fcm.arrived.length === 2)
      assert.sameMembers(
        apns.arrived.map(({ token }) => token),
        ["aa".repeat(32), dead],
      )
      const japanese = apns.arrived.find(({ token }) => token !== dead)
      assert.containsSubset(japanese?.body as object, {
        aps: { alert: { title: "CCC：入国条件が変わりました" } },
        passport: "AAA",
        destination: "CCC",
        type: "visa.policy_changed",
      })
      const german = fcm.arrived.find(({ token }) => token.startsWith("alive"))?.body.message as unknown as object
      assert.containsSubset(german, {
        notification: { title: "CCC: Die Einreiseregel hat sich geändert" },
        data: { passport: "AAA", destination: "CCC" },
      })
      const isGone = async (plan: "free" | "pro", id: number) =>
        (await running.askAs(plan, `${DEVICES}/${id}`, json("PATCH", { lang: "fr" }))).status === 404
      await vi.waitUntil(async () => (await isGone("pro", deadId)) && (await isGone("free", goneId)), {
        timeout: LONG_MS,
        interval: 100,
      })
      // A push is counted when its outcome is written, which is after it has arrived.
      await vi.waitFor(
        async () =>
          assert.deepStrictEqual(
            await countPushes(running),
            counted.map(each => each + 1),
          ),
        {
          timeout: LONG_MS,
          interval: 100,
        },
      )
    })
    assert.include(log, "installed dataset world.2")
    for (const secret of [
      "aaaaaaaa",
      "deaddead",
      "alive-x",
      "access-1",
      "PRIVATE KEY",
      fcm.serviceAccount.private_key,
    ]) {
      assert.notInclude(log, secret)
    }
  })
})

describe("without a push service", () => {
  it("devices are registered, and one log line says that nothing is sent", async () => {
    const env = { LANDFALL_LOG_LEVEL: "warn", LANDFALL_DATABASE_URL: `file:${join(folder, "off.db")}` }
    const { log } = await listen(async () => {
      await using running: TestService = await startTestService({ env, folder })
      for (const device_token of ["aa", "bb", "aa"].map(pair => pair.repeat(32))) {
        const reply = await running.askAs("free", DEVICES, json("POST", { platform: "apns", device_token }))
        assert.strictEqual(reply.status, 200, reply.text)
      }
    })
    const said = log.split("\n").filter(line => line.includes("nothing is sent"))
    expect(said).toHaveLength(1)
    assert.include(
      said[0],
      "devices are registered for apns, and nothing is sent to them: LANDFALL_APNS_KEY_FILE is not set",
    )
  })
})

describe("a service whose push settings are wrong", () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const other = privateKey.export({ type: "pkcs8", format: "pem" }) as string
  const apns = {
    LANDFALL_APNS_KEY_ID: "KEYID12345",
    LANDFALL_APNS_TEAM_ID: "TEAMID1234",
    LANDFALL_APNS_TOPIC: "org.example.app",
  }
  it.each([
    [apns, "LANDFALL_APNS_KEY_FILE: missing; Apple's service needs all four of its settings."],
    [{ ...apns, LANDFALL_APNS_KEY_FILE: "FOLDER/none.p8" }, "LANDFALL_APNS_KEY_FILE: FOLDER/none.p8 does not exist."],
    [
      { ...apns, LANDFALL_APNS_KEY_FILE: "FOLDER/rsa.p8" },
      "LANDFALL_APNS_KEY_FILE: FOLDER/rsa.p8: a private key (PKCS #8, for ES256) is expected.",
    ],
    [
      { ...apns, LANDFALL_APNS_KEY_ID: "key" },
      'LANDFALL_APNS_KEY_ID: "key" was given; allowed is ten capital letters and digits.',
    ],
    [
      { LANDFALL_APNS_URL: "http://localhost" },
      'LANDFALL_APNS_URL: "http://localhost" was given; allowed is an https URL without user, path, query and fragment.',
    ],
    [
      { LANDFALL_FCM_SERVICE_ACCOUNT: "FOLDER/rsa.p8" },
      "LANDFALL_FCM_SERVICE_ACCOUNT: FOLDER/rsa.p8: the JSON of a service account with project_id, client_email, private_key and token_uri is expected.",
    ],
  ])("does not start, and reports why: %j", async (settings, message) => {
    write("rsa.p8", other)
    const env = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, value.replace("FOLDER", folder)]),
    )
    const start = startTestService({ env, folder })
    await expect(start).rejects.toThrow(message.replaceAll("FOLDER", folder))
  })
})
