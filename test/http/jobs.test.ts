import { request } from "node:http"
import { createConnection } from "node:net"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { readRange } from "../../adapters/http/routes/visa/job-endpoints.ts"
import { createFetchService } from "../../adapters/start/mount.ts"
import { embeddedDataset } from "../../src/index.ts"
import { eventually } from "../eventually.ts"
import { share } from "../share.ts"
import { answerPlainly, makeTrips, toLongLines } from "../worker/trips.ts"
import { makeFolder, startTestService } from "./service.ts"

const PATH = "/api/v1/visa/jobs"
const NOON = Date.parse(embeddedDataset().asOf) + 43_200_000
const LINES = 150
const lines = toLongLines(makeTrips(LINES))

const running = share(() => startTestService({ stoppedAt: NOON, limits: { requestTimeout: 1_000 } }))

/** Asks until a job is completed, as a client does. */
async function waitForJob(id: string): Promise<void> {
  const look = Effect.promise(() => running.askAs("pro", `${PATH}/${id}`))
  const reply = await Effect.runPromise(
    eventually(look, ({ status, read }) => status !== 200 || read("job.state") === "completed"),
  )
  assert.strictEqual(reply.status, 200, reply.text)
}

describe("jobs over HTTP", () => {
  it("are submitted, judged in the background, and fetched whole or in parts", async () => {
    const handed = await running.askAs("pro", PATH, { method: "POST", body: lines })
    assert.strictEqual(handed.status, 202, handed.text)
    const id = handed.read("job.id") as string
    await waitForJob(id)
    const expected = answerPlainly(lines)
    const whole = await running.askAs("pro", `${PATH}/${id}/result`)
    assert.isTrue(whole.text === expected)
    assert.strictEqual(Number(whole.headers["content-length"]), Buffer.byteLength(expected))
    const half = Math.floor(whole.bytes.length / 2)
    const parts = [`bytes=0-${half - 1}`, `bytes=${half}-`]
    const got = await Promise.all(
      parts.map(range => running.askAs("pro", `${PATH}/${id}/result`, { headers: { range } })),
    )
    assert.deepStrictEqual(
      got.map(({ status }) => status),
      [206, 206],
    )
    assert.isTrue(Buffer.concat(got.map(({ bytes }) => bytes)).equals(whole.bytes))
    assert.strictEqual((await running.askAs("pro", `${PATH}/${id}`, { method: "DELETE" })).status, 200)
    assert.strictEqual((await running.askAs("pro", `${PATH}/${id}/result`)).status, 404)
  })

  it("may take longer to arrive than any other body, and are deleted if their client disconnects before the end", async () => {
    const { hostname, port } = new URL(running.url)
    const send = (headers: Readonly<Record<string, string>>) =>
      request({
        hostname,
        port,
        path: PATH,
        method: "POST",
        agent: false,
        headers: { "x-api-key": running.keys.pro, ...headers },
      })
    const slow = send({})
    const replied = new Promise<number>(resolve => slow.on("response", response => resolve(response.statusCode ?? 0)))
    slow.write(lines.slice(0, 1_000))
    // Another body that never comes is refused meanwhile: so long has the upload waited.
    const refused = await new Promise<string>(resolve => {
      const socket = createConnection(Number(port), hostname)
      socket.write(
        `POST /api/v1/visa/decision HTTP/1.1\r\nhost: x\r\nx-api-key: ${running.keys.pro}\r\ncontent-length: 10\r\n\r\n`,
      )
      let text = ""
      socket.on("data", chunk => {
        text += chunk
      })
      socket.on("close", () => resolve(text))
    })
    assert.match(
      refused,
      /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*\{"error":"The request took too long to arrive\."\}$/,
    )
    slow.end(lines.slice(1_000))
    assert.strictEqual(await replied, 202)

    const before = Number((await running.askAs("pro", `${PATH}/x`)).headers["x-ratelimit-remaining"])
    const gone = send({ "content-length": String(lines.length) })
    gone.on("error", () => {})
    await new Promise<unknown>(resolve => gone.write(lines.slice(0, 300_000), resolve))
    gone.destroy()
    const after = Number((await running.askAs("pro", `${PATH}/x`)).headers["x-ratelimit-remaining"])
    assert.strictEqual(after, before)
  })

  it("are refused by their announced length before they are read", async () => {
    const { hostname, port } = new URL(running.url)
    const status = await new Promise<number | undefined>(resolve => {
      const headers = { "x-api-key": running.keys.pro, "content-length": "1073741825" }
      const outgoing = request({ hostname, port, path: PATH, method: "POST", agent: false, headers }, response => {
        resolve(response.statusCode)
        outgoing.destroy()
      })
      outgoing.on("error", () => {})
      outgoing.flushHeaders()
    })
    assert.strictEqual(status, 413)
  })

  it("are streamed through a fetch handler too", async () => {
    const folder = makeFolder()
    const { fetch, createAccount, close } = await createFetchService({
      databaseUrl: `file:${folder}/landfall.db`,
      publicUrl: "https://visa.example",
      logLevel: "error",
    })
    try {
      const { key } = await createAccount({ name: "Ana", email: "ana@example.org", plan: "pro" })
      const ask = (path: string, init: RequestInit = {}) =>
        fetch(new Request(`https://visa.example${path}`, { ...init, headers: { "x-api-key": key, ...init.headers } }))
      const handed = await ask(PATH, {
        method: "POST",
        body: new Blob([lines]).stream(),
        duplex: "half",
      } as RequestInit)
      assert.strictEqual(handed.status, 202)
      const { job } = (await handed.json()) as { job: { id: string; lines: number } }
      assert.strictEqual(job.lines, LINES)
      const look = Effect.promise(
        async () => (await ask(`${PATH}/${job.id}`)).json() as Promise<{ job: { state: string } }>,
      )
      await Effect.runPromise(eventually(look, found => found.job.state === "completed"))
      const text = await (await ask(`${PATH}/${job.id}/result`)).text()
      assert.deepStrictEqual(
        text
          .split("\n")
          .slice(0, -1)
          .map(line => JSON.parse(line).line),
        Array.from({ length: LINES }, (_, at) => at + 1),
      )
    } finally {
      await close()
    }
  })
})

describe("a range of bytes", () => {
  it.each([
    [undefined, null],
    ["bytes=0-", { from: 0, to: 10 }],
    ["bytes=0-0", { from: 0, to: 1 }],
    [" bytes=2-99 ", { from: 2, to: 10 }],
    ["bytes=-3", { from: 7, to: 10 }],
    ["bytes=-99", { from: 0, to: 10 }],
    ["bytes=-0", "not_satisfiable"],
    ["bytes=10-", "not_satisfiable"],
    ["bytes=5-4", null],
    ["bytes=-", null],
    ["bytes=0-1,4-5", null],
    ["bytes=a-b", null],
  ])("is read as RFC 9110 has it: %s", (header, expected) => {
    assert.deepStrictEqual(readRange(header, 10), expected)
  })
})
