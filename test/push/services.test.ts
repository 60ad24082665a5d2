import { it as effectIt } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { importPKCS8 } from "jose"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { judgeApns, judgeFcm, makeApns, makeFcm, type PushMessage, TOKEN_MS } from "../../adapters/push/push-service.ts"
import { type Reply, startApns, startFcm, trustServers, UNREGISTERED } from "./push-servers.ts"

const NOW = Date.parse("2026-06-10T12:00:00Z")
const TOKEN = "ab".repeat(32)
const MESSAGE: PushMessage = {
  title: "Japan: The entry rule has changed",
  body: "France: Visa-free → E-visa",
  data: {
    event_id: "evt_1",
    type: "visa.policy_changed",
    passport: "FRA",
    destination: "JPN",
    effective_from: "2026-06-10",
  },
  pair: "visa-FRA-JPN",
  isUrgent: true,
  expiresMs: NOW + 60_000,
}

let distrust = () => {}
beforeAll(() => {
  distrust = trustServers()
})
afterAll(() => distrust())

const withApns = (answer?: (token: string, at: number) => Reply, timeoutMs?: number) =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => startApns(answer)),
      made => Effect.promise(() => made[Symbol.asyncDispose]()),
    )
    const key = yield* Effect.promise(() => importPKCS8(server.keyText, "ES256"))
    const service = yield* makeApns({ ...server.account, key }, timeoutMs)
    yield* TestClock.setTime(NOW)
    return { server, send: (token = TOKEN) => service.send(token, MESSAGE) }
  })

const withFcm = (answer?: (token: string, at: number) => Reply, timeoutMs?: number) =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => startFcm(answer)),
      made => Effect.promise(() => made[Symbol.asyncDispose]()),
    )
    const { serviceAccount: account, url } = server
    const key = yield* Effect.promise(() => importPKCS8(account.private_key, "RS256"))
    const made = {
      url,
      projectId: account.project_id,
      email: account.client_email,
      key,
      tokenUri: account.token_uri,
    }
    const service = makeFcm(made, timeoutMs)
    // Assertions are judged by the real time.
    yield* TestClock.setTime(Date.now())
    return { server, send: (token = "a-registration-token") => service.send(token, MESSAGE) }
  })

describe("Apple's push service", () => {
  effectIt.effect("gets a push over one connection of HTTP/2, signed, with its pair as the collapse id", () =>
    Effect.gen(function* () {
      const { send, server } = yield* withApns()
      const outcomes = yield* Effect.all(
        Array.from({ length: 50 }, () => send()),
        { concurrency: "unbounded" },
      )
      assert(outcomes.every(({ kind }) => kind === "sent"))
      assert.strictEqual(server.countSessions(), 1)
      const { headers, body, token } = server.arrived[0]!
      assert.strictEqual(token, TOKEN)
      assert.deepStrictEqual(
        ["apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id"].map(
          name => headers[name],
        ),
        ["org.example.app", "alert", "10", String(NOW / 1_000 + 60), "visa-FRA-JPN"],
      )
      assert.deepStrictEqual<unknown>(body, {
        aps: { alert: { title: MESSAGE.title, body: MESSAGE.body }, "thread-id": "visa-FRA-JPN" },
        ...MESSAGE.data,
      })
    }),
  )

  effectIt.effect("gets one token for forty minutes, and another one after that or when it has expired", () =>
    Effect.gen(function* () {
      let isExpired = false
      const { send, server } = yield* withApns(() =>
        isExpired ? { status: 403, body: { reason: "ExpiredProviderToken" } } : { status: 200 },
      )
      yield* send()
      yield* TestClock.adjust(TOKEN_MS - 1)
      yield* send()
      assert.strictEqual(server.providerTokens.size, 1)
      yield* TestClock.adjust(1)
      yield* send()
      assert.strictEqual(server.providerTokens.size, 2)
      isExpired = true
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual<unknown>(yield* send(), {
        kind: "later",
        reason: "403 ExpiredProviderToken",
        afterMs: 0,
        isWhole: false,
      })
      isExpired = false
      assert.deepStrictEqual(yield* send(), { kind: "sent" })
      assert.strictEqual(server.providerTokens.size, 3)
    }),
  )

  effectIt.effect("that ends the connection, or answers nothing, is asked again later over a new one", () =>
    Effect.gen(function* () {
      const replies: Reply[] = [
        { status: 200, resets: true },
        { status: 200, hangs: true },
      ]
      const { send, server } = yield* withApns(() => replies.shift() ?? { status: 200 }, 200)
      const first = yield* send()
      assert.strictEqual(first.kind, "later")
      const second = yield* send()
      assert.deepStrictEqual<unknown>(second, {
        kind: "later",
        reason: "no answer within 0.2 seconds",
        afterMs: null,
        isWhole: false,
      })
      assert.deepStrictEqual(yield* send(), { kind: "sent" })
      assert.strictEqual(server.countSessions(), 2)
      assert.lengthOf(server.arrived, 3)
    }),
  )

  effectIt.effect("that is not there is asked again later", () =>
    Effect.gen(function* () {
      const { send, server } = yield* withApns()
      yield* Effect.promise(() => server[Symbol.asyncDispose]())
      assert.strictEqual((yield* send()).kind, "later")
    }),
  )

  it.each([
    [
      { status: 410, body: { reason: "Unregistered", timestamp: 7 } },
      { kind: "gone", sinceMs: 7 },
    ],
    [
      { status: 400, body: { reason: "BadDeviceToken" } },
      { kind: "gone", sinceMs: null },
    ],
    [
      { status: 400, body: { reason: "DeviceTokenNotForTopic" } },
      { kind: "rejected", reason: "400 DeviceTokenNotForTopic" },
    ],
    [
      { status: 400, body: { reason: "PayloadEmpty" } },
      { kind: "rejected", reason: "400 PayloadEmpty" },
    ],
    [
      { status: 429, body: { reason: "TooManyRequests" } },
      { kind: "later", reason: "429 TooManyRequests", afterMs: null, isWhole: false },
    ],
    [
      { status: 429, body: { reason: "TooManyProviderTokenUpdates" }, retryAfter: "90" },
      { kind: "later", reason: "429 TooManyProviderTokenUpdates", afterMs: 90_000, isWhole: true },
    ],
    [
      { status: 403, body: { reason: "InvalidProviderToken" } },
      { kind: "later", reason: "403 InvalidProviderToken", afterMs: 300_000, isWhole: true },
    ],
    [
      { status: 503, body: { reason: "Shutdown" } },
      { kind: "later", reason: "503 Shutdown", afterMs: null, isWhole: true },
    ],
    [
      { status: 418, body: `<b>${TOKEN}` },
      { kind: "rejected", reason: "answered 418" },
    ],
  ])("has the documented meaning of %j", ({ status, body, retryAfter }: Reply & { retryAfter?: string }, outcome) => {
    const text = JSON.stringify(body)
    assert.deepStrictEqual<unknown>(judgeApns({ status, retryAfter, text }, NOW), outcome)
  })
})

describe("Firebase Cloud Messaging", () => {
  effectIt.effect("gets a push under an access token that the service account's key was exchanged for, once", () =>
    Effect.gen(function* () {
      const { send, server } = yield* withFcm()
      const outcomes = yield* Effect.all(
        Array.from({ length: 20 }, () => send()),
        { concurrency: "unbounded" },
      )
      assert(outcomes.every(({ kind }) => kind === "sent"))
      assert.deepStrictEqual(server.accessTokens, ["access-1"])
      assert.containsSubset(server.grants[0] as object, {
        iss: "push@landfall-test.iam.gserviceaccount.com",
        scope: "https://www.googleapis.com/auth/firebase.messaging",
      })
      assert.containsSubset(server.arrived[0]?.body.message as unknown as object, {
        token: "a-registration-token",
        notification: { title: MESSAGE.title, body: MESSAGE.body },
        data: MESSAGE.data,
        android: { collapse_key: "visa-FRA-JPN", priority: "HIGH", notification: { tag: "visa-FRA-JPN" } },
      })
    }),
  )

  effectIt.effect("is shown another access token a minute before one ends, and when one is refused", () =>
    Effect.gen(function* () {
      const { send, server } = yield* withFcm()
      yield* send()
      server.revoke()
      assert.deepStrictEqual<unknown>(yield* send(), {
        kind: "later",
        reason: "401 UNAUTHENTICATED",
        afterMs: 0,
        isWhole: false,
      })
      assert.deepStrictEqual(yield* send(), { kind: "sent" })
      assert.lengthOf(server.accessTokens, 2)
    }),
  )

  effectIt.effect("that refuses the account takes nothing from anybody for a while", () =>
    Effect.gen(function* () {
      const { server } = yield* withFcm()
      const { private_key: key } = (yield* withFcm()).server.serviceAccount
      const stranger = makeFcm({
        url: server.url,
        projectId: "landfall-test",
        email: "push@landfall-test.iam.gserviceaccount.com",
        key: yield* Effect.promise(() => importPKCS8(key, "RS256")),
        tokenUri: server.serviceAccount.token_uri,
      })
      assert.deepStrictEqual<unknown>(yield* stranger.send("a-registration-token", MESSAGE), {
        kind: "later",
        reason: "no access token: 400 invalid_grant",
        afterMs: 300_000,
        isWhole: true,
      })
    }),
  )

  effectIt.effect("that ends the connection, or answers nothing, is asked again later", () =>
    Effect.gen(function* () {
      const replies: Reply[] = [
        { status: 200, resets: true },
        { status: 200, hangs: true },
      ]
      const { send } = yield* withFcm(() => replies.shift() ?? { status: 200 }, 300)
      assert.strictEqual((yield* send()).kind, "later")
      assert.deepStrictEqual<unknown>(yield* send(), {
        kind: "later",
        reason: "no answer within 0.3 seconds",
        afterMs: null,
        isWhole: false,
      })
      assert.deepStrictEqual(yield* send(), { kind: "sent" })
    }),
  )

  it.each([
    [UNREGISTERED, { kind: "gone", sinceMs: null }],
    [
      { status: 429, body: { error: { status: "RESOURCE_EXHAUSTED" } } },
      { kind: "later", reason: "429 RESOURCE_EXHAUSTED", afterMs: 60_000, isWhole: true },
    ],
    [
      { status: 503, body: { error: { status: "UNAVAILABLE" } }, retryAfter: "7" },
      { kind: "later", reason: "503 UNAVAILABLE", afterMs: 7_000, isWhole: true },
    ],
    [
      { status: 400, body: { error: { status: "INVALID_ARGUMENT" } } },
      { kind: "rejected", reason: "400 INVALID_ARGUMENT" },
    ],
    [
      { status: 403, body: { error: { status: "PERMISSION_DENIED", details: [{ errorCode: "SENDER_ID_MISMATCH" }] } } },
      { kind: "rejected", reason: "403 SENDER_ID_MISMATCH" },
    ],
    [
      { status: 403, body: { error: { status: "PERMISSION_DENIED" } } },
      { kind: "later", reason: "403 PERMISSION_DENIED", afterMs: 300_000, isWhole: true },
    ],
    [
      { status: 500, body: "oops" },
      { kind: "later", reason: "answered 500", afterMs: null, isWhole: false },
    ],
  ])("has the documented meaning of %j", ({ status, body, retryAfter }: Reply & { retryAfter?: string }, outcome) => {
    const text = JSON.stringify(body)
    assert.deepStrictEqual<unknown>(judgeFcm({ status, retryAfter, text }, NOW), outcome)
  })
})
