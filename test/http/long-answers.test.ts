import { assert, describe, it } from "vitest"
import { EndpointTable, endpoint } from "../../adapters/http/pipeline/endpoint.ts"
import { FairQueue } from "../../adapters/http/pipeline/fair-queue.ts"
import { answerText, type DownloadBody } from "../../adapters/http/pipeline/http-answer.ts"
import { makePipeline, type Reply } from "../../adapters/http/pipeline/pipeline.ts"
import { embeddedDataset } from "../../src/index.ts"
import { OPEN_GATE } from "./open-gate.ts"

/** How much a kernel is given at a time. */
const PIECE_BYTES = 65_536
/** A piece of work is over after so many milliseconds. */
const SLICE_MS = 3

/** A service with one row, whose answer is a text, for a stranger; on a clock that stands still, and rounds of the event loop that are run by hand. */
function ask(body: string) {
  let nowMs = 0
  const rounds: (() => void)[] = []
  const readMs = () => nowMs
  const row = endpoint({
    ...({ method: "GET", surface: "visa", access: { kind: "public" }, parameters: {} } as const),
    name: "long",
    path: "/long",
    answer: () => answerText("text/plain", body),
  })
  const pipeline = makePipeline({
    table: new EndpointTable([row]),
    services: {},
    readMoment: () => ({ nowMs: 0, dataset: embeddedDataset(), upgradeUrl: "http://x" }),
    gate: { ...OPEN_GATE, classify: () => ["192.0.2.0/24", "192.0.2.7"] as const },
    queue: new FairQueue({ readCpuMs: readMs, readClockMs: readMs, inRound: work => void rounds.push(work) }),
    reportFault: cause => {
      throw cause
    },
  })
  const request = { method: "GET", path: "/long", search: "", socketAddress: undefined, header: () => undefined }
  const reply = pipeline(request as never) as Reply
  const runRound = () => {
    for (const work of rounds.splice(0)) work()
  }
  return { reply, runRound, pass: () => (nowMs += SLICE_MS) }
}

describe("a long answer", () => {
  it("is sent in pieces of 64 KB, between which others are answered once it has had the event loop for 3 ms", async () => {
    const body = "é".repeat(PIECE_BYTES)
    const { reply, runRound, pass } = ask(body)
    const at = reply.headers.indexOf("content-length")
    assert.strictEqual(reply.headers[at + 1], String(2 * PIECE_BYTES))
    const pieces = (reply.body as DownloadBody).read(() => {})[Symbol.asyncIterator]()
    const first = await pieces.next()
    assert.lengthOf(first.value, PIECE_BYTES)
    pass()
    const read = [first.value]
    const asked = pieces.next().then(({ value }) => read.push(value))
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    assert.lengthOf(read, 1)
    for (let round = 0; read.length === 1 && round < 100; round++) {
      runRound()
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    }
    await asked
    assert.isTrue((await pieces.next()).done)
    assert.strictEqual(Buffer.concat(read).toString(), body)
  })

  it("is one piece below that", () => {
    assert.strictEqual(ask("x".repeat(PIECE_BYTES - 1)).reply.body, "x".repeat(PIECE_BYTES - 1))
  })
})
