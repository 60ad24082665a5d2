import { describe, expect, it } from "vitest"
import { type Batch, runBatch, startPool } from "../../adapters/batch/files/run-batch.ts"
import type { Sink } from "../../adapters/batch/files/sinks.ts"
import type { Piece } from "../../adapters/batch/lines/blocks.ts"
import type { Judging } from "../../adapters/batch/lines/judge-lines.ts"
import { embeddedDataset } from "../../src/index.ts"
import { answerPlainly, makeTrips, toLines } from "./trips.ts"

const LINES = { kind: "json" } as const
const SHAPE = { kind: "whole" } as const
const judging: Judging = { lines: LINES, shape: SHAPE, answers: "json" }
const encode = (text: string) => new TextEncoder().encode(text)
const never = new AbortController().signal

/** Pieces of so many trips each, and how many of them were asked for so far. */
function makePieces(count: number, tripsAPiece: number) {
  const lines = toLines(makeTrips(count * tripsAPiece)).split("\n")
  let asked = 0
  const pieces = (async function* (): AsyncGenerator<Piece> {
    for (let at = 0; at < count; at++) {
      asked++
      const own = lines.slice(at * tripsAPiece, (at + 1) * tripsAPiece)
      yield { kind: "lines", bytes: encode(`${own.join("\n")}\n`), firstLine: at * tripsAPiece + 1 }
    }
  })()
  return { pieces, text: lines.join("\n"), asked: () => asked }
}

const batchOf = (pieces: AsyncIterable<Piece>, sink: Sink, more: Partial<Batch> = {}): Batch => ({
  source: { lines: LINES, pieces },
  sink,
  shape: SHAPE,
  answers: "json",
  threads: 2,
  dataset: embeddedDataset(),
  datasetFile: null,
  onProgress: () => {},
  ...more,
})

/** A sink that keeps its text, and takes each block only when it is let. */
function makeSink(take: () => Promise<void> = async () => {}) {
  let text = ""
  let state = "open"
  const sink: Sink = {
    write: async ({ bytes }) => {
      await take()
      text += new TextDecoder().decode(bytes)
    },
    finish: async () => {
      state = "finished"
    },
    close: async () => {},
  }
  return { sink, text: () => text, state: () => state }
}

describe("a batch on several threads", () => {
  it("answers in the order of the lines, the same as a plain loop to the character", async () => {
    const { pieces, text } = makePieces(12, 15)
    const { sink, text: written, state } = makeSink()
    const seen: number[] = []
    const tally = await runBatch(
      batchOf(pieces, sink, { threads: 2, onProgress: ({ lines }) => seen.push(lines) }),
      never,
    )
    expect(written()).toBe(answerPlainly(text))
    expect(tally).toMatchObject({ lines: 180, failed: 0 })
    expect(seen).toEqual(Array.from({ length: 12 }, (_, at) => (at + 1) * 15))
    expect(state()).toBe("finished")
  })

  it("reads at most two blocks a thread ahead of a slow reader", async () => {
    const { pieces, asked } = makePieces(20, 2)
    const most: number[] = []
    let written = 0
    const { sink } = makeSink(async () => {
      most.push(asked() - written++)
    })
    await runBatch(batchOf(pieces, sink, { threads: 2 }), never)
    expect(written).toBe(20)
    expect(Math.max(...most)).toBeLessThanOrEqual(2 * 2)
  })

  it("answers a line that is too long in its place", async () => {
    const [first, second] = makeTrips(2).map(trip => `${JSON.stringify(trip)}\n`) as [string, string]
    const pieces = (async function* (): AsyncGenerator<Piece> {
      yield { kind: "lines", bytes: encode(first), firstLine: 1 }
      yield { kind: "too_long", line: 2 }
      yield { kind: "lines", bytes: encode(second), firstLine: 3 }
    })()
    const { sink, text } = makeSink()
    expect(await runBatch(batchOf(pieces, sink), never)).toMatchObject({ lines: 3, failed: 1 })
    const answers = text()
      .split("\n")
      .slice(0, -1)
      .map(line => JSON.parse(line))
    expect(answers).toMatchObject([{ line: 1 }, { line: 2, error: "The line is longer than 1 MiB." }, { line: 3 }])
  })

  it("ends with the error of its output, which is not finished", async () => {
    const { pieces } = makePieces(20, 2)
    const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" })
    const { sink, state } = makeSink(async () => {
      throw full
    })
    await expect(runBatch(batchOf(pieces, sink), never)).rejects.toBe(full)
    expect(state()).toBe("open")
  })

  it("stops on request", async () => {
    const { pieces, asked } = makePieces(50, 2)
    const stop = new AbortController()
    const { sink, state } = makeSink(async () => stop.abort())
    await expect(runBatch(batchOf(pieces, sink), stop.signal)).rejects.toThrow("aborted")
    expect(asked()).toBeLessThan(10)
    expect(state()).toBe("open")
  })
})

describe("a pool of threads", () => {
  it("fails every block that waits, and every later one, when a thread dies", async () => {
    const pool = startPool(2, { dataset: Uint8Array.of(1, 2, 3), judging })
    const blocks = [1, 2, 3].map(line => pool.judge(encode("{}\n"), line))
    const outcomes = await Promise.allSettled(blocks)
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"])
    await expect(pool.judge(encode("{}\n"), 4)).rejects.toThrow("The dataset is cut off: 3 bytes found")
    await pool.close()
  })
})
