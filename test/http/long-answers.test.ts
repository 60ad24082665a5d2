import { brotliDecompressSync } from "node:zlib"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { EndpointTable, endpoint } from "../../adapters/http/pipeline/endpoint.ts"
import { type ClassNames, FairQueue, SLICE_MS } from "../../adapters/http/pipeline/fair-queue.ts"
import { type Answer, answerText, type DownloadBody, streamText } from "../../adapters/http/pipeline/http-message.ts"
import { compress } from "../../adapters/http/pipeline/negotiation.ts"
import { makePipeline, type Reply } from "../../adapters/http/pipeline/pipeline.ts"
import { embeddedDataset } from "../../src/index.ts"
import { OPEN_GATE } from "./open-gate.ts"

/** How much the system is given at a time. */
const PIECE_BYTES = 65_536

/** A service with one row, on a clock that only `pass` moves, and rounds of the event loop that are run by hand. A stranger asks, or an account. */
function openService(names: ClassNames = ["192.0.2.0/24", "192.0.2.7"]) {
  let nowMs = 0
  let sentReady = 0
  const rounds: (() => void)[] = []
  const readMs = () => nowMs
  const ask = (body: Answer["body"]) => {
    const row = endpoint("GET /long", {
      ...({ surface: "visa", access: { kind: "public" } } as const),
      name: "long",
      answer: () => ({ ...answerText("text/plain", ""), body }),
    })
    const pipeline = makePipeline({
      table: new EndpointTable([row]),
      services: {},
      readNowMs: () => 0,
      today: () => embeddedDataset(),
      readUpgradeUrl: () => "http://x",
      gate: { ...OPEN_GATE, classify: () => names },
      queue: new FairQueue({ readCpuMs: readMs, readClockMs: readMs, inRound: work => void rounds.push(work) }),
      finish: compress,
      reportFault: cause => {
        throw cause
      },
    })
    const header = (name: string) => (name === "accept-encoding" && typeof body !== "string" ? "br" : undefined)
    const request = { method: "GET", path: "/long", search: "", socketAddress: undefined, header }
    return pipeline({
      ...request,
      waitForRoom: () => undefined,
      sendReady: (isAll: boolean) => (sentReady += Number(isAll)),
    } as never)
  }
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  /** Runs rounds until something is so. */
  const runRounds = async (isSo: () => boolean) => {
    for (let round = 0; !isSo() && round < 1_000; round++) {
      for (const work of rounds.splice(0)) work()
      await settle()
    }
  }
  return { ask, settle, runRounds, pass: () => (nowMs += SLICE_MS), countSentReady: () => sentReady }
}

describe("a long answer", () => {
  it(`is sent in pieces of 64 KB, between which others are answered once it has had the event loop for ${SLICE_MS} ms`, async () => {
    const { ask, settle, runRounds, pass } = openService()
    const body = "é".repeat(PIECE_BYTES)
    const reply = ask(body) as Reply
    assert.strictEqual(reply.headers[reply.headers.indexOf("content-length") + 1], String(2 * PIECE_BYTES))
    const pieces = (reply.body as DownloadBody).read(() => {})[Symbol.asyncIterator]()
    const first = await pieces.next()
    assert.lengthOf(first.value, PIECE_BYTES)
    pass()
    const read = [first.value]
    void pieces.next().then(({ value }) => read.push(value))
    await settle()
    assert.lengthOf(read, 1)
    await runRounds(() => read.length > 1)
    assert.isTrue((await pieces.next()).done)
    assert.strictEqual(Buffer.concat(read).toString(), body)
  })

  it("has the same bytes and its length in pieces, wherever they end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 9 }), async text => {
        const body = `${text}é🛂`.repeat(PIECE_BYTES / 2 / (1 + text.length / 3))
        const { headers, body: sent } = openService().ask(body) as Reply
        const pieces: Uint8Array[] = []
        for await (const piece of (sent as DownloadBody).read(() => {})) pieces.push(piece)
        const bytes = Buffer.concat(pieces)
        assert.isTrue(bytes.equals(Buffer.from(body)))
        assert.strictEqual(headers[headers.indexOf("content-length") + 1], String(bytes.length))
        assert.isTrue(pieces.every(({ length }) => length <= PIECE_BYTES))
      }),
      { numRuns: 10 },
    )
  })

  it("is one piece below that", () => {
    const body = "x".repeat(PIECE_BYTES - 1)
    assert.strictEqual((openService().ask(body) as Reply).body, body)
  })

  it.each([
    { who: "a stranger", names: undefined, isSentFirst: true },
    { who: "an account", names: 7, isSentFirst: false },
  ])(
    "of many parts is made part by part where it is compressed for $who, with others in between, whose answers are all sent first: $isSentFirst",
    async ({ names, isSentFirst }) => {
      const { ask, settle, runRounds, pass, countSentReady } = openService(names)
      let made = 0
      function* makeParts() {
        for (; made < 10; made++) {
          pass()
          yield `${made},`
        }
      }
      let reply: Reply | null | undefined
      void Promise.resolve(ask(streamText(makeParts()))).then(found => {
        reply = found
      })
      await settle()
      assert.isAtMost(made, 1)
      await runRounds(() => made === 10)
      while (reply === undefined) await new Promise(resolve => setImmediate(resolve))
      assert.strictEqual(brotliDecompressSync(reply?.body as Uint8Array).toString(), "0,1,2,3,4,5,6,7,8,9,")
      assert.strictEqual(countSentReady() >= 9, isSentFirst)
    },
  )
})
