import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundleCli } from "../cli/bundle.ts"
import { runCli } from "../cli/run.ts"
import { findFreePort } from "../storage/postgres-server.ts"
import { CHANGE, subscribe } from "./subscribed.ts"

/** The command in a process of its own, until the scope ends. */
const listen = (...args: readonly string[]) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [bundleCli(), "webhook", "listen", ...args])
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const errors = createInterface({ input: child.stderr })[Symbol.asyncIterator]()
      const read = async () => (await lines.next()).value as string
      const readError = async () => (await errors.next()).value as string
      return { child, read, readError }
    }),
    ({ child }) =>
      Effect.promise(async () => {
        const ended = once(child, "exit")
        child.kill("SIGTERM")
        assert.deepStrictEqual(await ended, [0, null])
      }),
  )

describe("landfall webhook listen", () => {
  it.live("shows each delivery, verified in three styles, and marks repeated ones", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(findFreePort)
      const url = `http://127.0.0.1:${port}`
      const { secret, deliver, states, replay } = yield* subscribe(`${url}/hooks`)
      const { read } = yield* listen("--port", String(port), "--secret", secret)
      const readSome = (count: number) =>
        Effect.promise(async () => {
          const lines: string[] = []
          while (lines.length < count) lines.push(await read())
          return lines
        })
      assert.deepStrictEqual(yield* readSome(1), [`landfall listens for webhooks on ${url} and verifies them`])
      yield* deliver
      const shown = yield* readSome(6)
      assert.match(shown[0] as string, /^webhook\.ping {2}evt_[0-9a-f]{32}$/)
      assert.deepStrictEqual(shown.slice(1), [
        "  This endpoint is subscribed to changes of visa policies.",
        "  all three signatures are verified",
        "visa.policy_changed  evt_1",
        "  FRA to JPN: visa_free 90 days → visa_free 30 days from 2026-12-01 on (major)",
        "  all three signatures are verified",
      ])
      yield* replay
      yield* deliver
      assert.strictEqual((yield* readSome(3))[0], "visa.policy_changed  evt_1  (has come before: same id)")
      assert.deepStrictEqual(yield* states, [204, 204])
    }),
  )

  it.live("answers 401 with the reason for another secret, and prints JSON for programs", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(findFreePort)
      const { deliver, states } = yield* subscribe(`http://127.0.0.1:${port}/`)
      const secret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`
      const { read, readError } = yield* listen("--port", String(port), "--secret", secret, "--json")
      assert.strictEqual(yield* Effect.promise(readError), `http://127.0.0.1:${port}`)
      yield* deliver
      assert.deepStrictEqual(yield* states, [401, 401])
      yield* Effect.promise(read)
      const second = JSON.parse(yield* Effect.promise(read))
      assert.deepStrictEqual(second.verified, { svc: false, body: false, standard: false })
      assert.deepStrictEqual([second.has_come_before, second.event.data], [false, CHANGE])
    }),
  )

  it.live("shows deliveries as unverified without a secret, and accepts only POSTs of JSON", () =>
    Effect.gen(function* () {
      const { read } = yield* listen("--port", "0")
      const first = yield* Effect.promise(read)
      const url = /http:\S+(?=;)/.exec(first)?.[0] as string
      for (let line = 1; line < 6; line++) yield* Effect.promise(read)
      const post = (body: string) => fetch(url, { method: "POST", body }).then(({ status }) => status)
      assert.strictEqual(yield* Effect.promise(() => post('{"id":"evt_1","type":"a\\u001b[2J","data":null}')), 204)
      assert.strictEqual(yield* Effect.promise(read), "a\ufffd[2J  evt_1")
      assert.strictEqual(yield* Effect.promise(read), "  null")
      assert.strictEqual(yield* Effect.promise(read), "  not verified: no --secret was given")
      assert.strictEqual(yield* Effect.promise(() => post("no JSON")), 400)
      assert.strictEqual(yield* Effect.promise(read), "no event: the body is not a JSON object")
      assert.strictEqual((yield* Effect.promise(() => fetch(url))).status, 405)
    }),
  )

  it("refuses an invalid port and an invalid secret", async () => {
    const port = await runCli(["webhook", "listen", "--port", "65536"])
    assert.deepStrictEqual([port.status, port.stdout], [2, ""])
    assert.include(port.stderr, "--port: a whole number from 0 to 65535 is expected, not 65536.")
    const secret = await runCli(["webhook", "listen", "--secret", "whsec_short"])
    assert.strictEqual(secret.status, 2)
    assert.include(secret.stderr, "--secret: it ")
    assert.notInclude(secret.stderr, "whsec_short")
    const help = await runCli(["webhook", "listen", "--help"])
    assert.include(help.stdout, "Show and verify the webhooks that come to this machine")
  })

  it("reports a port that is in use", async () => {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const ended = await runCli(["webhook", "listen", "--port", String(port)])
    assert.strictEqual(ended.status, 1)
    assert.include(ended.stderr, `--port: cannot listen on 127.0.0.1:${port}: it is in use`)
    server.close()
  })
})
