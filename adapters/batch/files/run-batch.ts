/**
 * How are the lines of a batch judged, in order and in constant memory?
 *
 * Blocks of lines go to threads as they are read; their answers are written in the order of the lines, each block before the next is read when enough are under way. However
 * long the input, no more than twice as many blocks as threads are in memory, and a slow reader of the output holds up the reading of the input. An input of a single block is judged
 * without a thread, which would take longer to start.
 */

import { Worker } from "node:worker_threads"
import type { Dataset } from "../../../src/index.ts"
import { loadFactsOf } from "../../answers/dataset-file.ts"
import { addTally, startTally, type Tally } from "../lines/batch-tally.ts"
import type { Piece } from "../lines/blocks.ts"
import { type AnswerFormat, type JudgedBlock, type Judging, type LineFormat, makeJudge } from "../lines/judge-lines.ts"
import type { AnswerShape } from "../lines/line-answer.ts"
import type { Assignment, ThreadData } from "../threads/batch-thread.ts"
import type { Sink } from "./sinks.ts"

export interface Batch {
  readonly source: { readonly lines: LineFormat; readonly pieces: AsyncIterable<Piece> }
  readonly sink: Sink
  readonly shape: AnswerShape
  readonly answers: AnswerFormat
  /** As in {@link Judging}. */
  readonly partition?: Judging["partition"]
  /** The number of the first line; 1 where it is absent. */
  readonly firstLine?: number | undefined
  /** Whether input is answered as soon as it is read, on this thread. */
  readonly isFlushed?: boolean
  readonly threads: number
  readonly dataset: Dataset
  /** The bytes of the dataset's file; null for the embedded one. */
  readonly datasetFile: Uint8Array | null
  /** Called after each block. */
  readonly onProgress: (tally: Tally) => void
}

/** How many blocks are under way for each thread: one that it judges, and one that waits for it. */
const BLOCKS_A_THREAD = 2

/**
 * Runs a batch to its end; returns its counts. Rejects with the error of the source or the sink, and as soon as the signal aborts. The
 * caller closes the sink, which discards an output that is not finished.
 */
export async function runBatch(batch: Batch, signal: AbortSignal): Promise<Tally> {
  const { source, sink, shape, answers, partition, threads, dataset, datasetFile, onProgress } = batch
  const { firstLine = 1, isFlushed = false } = batch
  const judging = { lines: source.lines, shape, answers, partition }
  const { judgeBlock, refuseLines } = makeJudge(dataset, judging, await loadFactsOf(dataset))
  let pool: Pool | null = null
  const tally = startTally()
  const broken = Promise.withResolvers<never>()
  broken.promise.catch(() => {})
  const stop = () => broken.reject(signal.reason)
  signal.addEventListener("abort", stop)
  // Each block is written when it is judged and the one before it is written; reading on waits for the oldest.
  let written: Promise<void> = Promise.resolve()
  const underWay: Promise<void>[] = []
  const writeInTurn = (judged: Promise<JudgedBlock>) => {
    // It is awaited in its turn; until then a failure must not count as unhandled.
    judged.catch(() => {})
    written = written.then(async () => {
      const block = await judged
      await sink.write(block)
      addTally(tally, block.tally)
      onProgress(tally)
    })
    written.catch(broken.reject)
    underWay.push(written)
  }
  const pieces = source.pieces[Symbol.asyncIterator]()
  const readNext = () => Promise.race([pieces.next(), broken.promise])
  const judge = async (piece: Piece): Promise<JudgedBlock> => {
    if (piece.kind === "too_long") return refuseLines(piece.line + firstLine - 1, "The line is longer than 1 MiB.")
    const number = piece.firstLine + firstLine - 1
    return pool === null ? judgeBlock(piece.bytes, number) : pool.judge(piece.bytes, number)
  }
  try {
    signal.throwIfAborted()
    let piece = await readNext()
    while (!piece.done) {
      const following = pool === null && !isFlushed ? await readNext() : null
      if (following !== null && !following.done) pool = startPool(threads, { dataset: datasetFile, judging })
      writeInTurn(judge(piece.value))
      if (underWay.length >= threads * BLOCKS_A_THREAD) await Promise.race([underWay.shift(), broken.promise])
      piece = following ?? (await readNext())
    }
    await Promise.race([written, broken.promise])
    await sink.finish()
    return tally
  } finally {
    signal.removeEventListener("abort", stop)
    void pieces.return?.(undefined)
    await pool?.close()
  }
}

// Which thread judges the next block? Threads that are started once, each with its own dataset; the one with the least to do is given the
// next block. Blocks are transferred, not copied. A thread that dies fails every waiting block, because it is unknown what it had done.

interface Pool {
  /** Judges a block, whose bytes cannot be used afterwards. */
  readonly judge: (bytes: Uint8Array<ArrayBuffer>, firstLine: number) => Promise<JudgedBlock>
  readonly close: () => Promise<void>
}

/** The thread's file beside this one: the source or the built file. */
const SCRIPT = new URL(
  import.meta.url.endsWith(".ts") ? "../threads/batch-thread.ts" : "./batch-worker.js",
  import.meta.url,
)

/** The memory limits of a thread: a block and its answers are a few megabytes, and a small young generation is collected often. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 }

interface Waiting {
  readonly resolve: (judged: JudgedBlock) => void
  readonly reject: (cause: Error) => void
}

export function startPool(threads: number, workerData: ThreadData): Pool {
  let broken: Error | null = null
  const workers = Array.from({ length: threads }, () => ({
    worker: new Worker(SCRIPT, { workerData, resourceLimits: MEMORY }),
    /** Who waits for its blocks, in their order. */
    waiting: [] as Waiting[],
  }))
  const fail = (cause: Error) => {
    broken ??= cause
    for (const { waiting } of workers) for (const { reject } of waiting.splice(0)) reject(broken)
  }
  for (const { worker, waiting } of workers) {
    worker.on("message", (judged: JudgedBlock) => waiting.shift()?.resolve(judged))
    worker.on("error", cause => fail(cause as Error))
    worker.on("exit", code => fail(new Error(`A thread stopped with code ${code}.`)))
  }
  return {
    judge: (bytes, firstLine) => {
      const least = workers.reduce((one, other) => (other.waiting.length < one.waiting.length ? other : one))
      return new Promise<JudgedBlock>((resolve, reject) => {
        if (broken !== null) return reject(broken)
        least.waiting.push({ resolve, reject })
        least.worker.postMessage({ bytes, firstLine } satisfies Assignment, [bytes.buffer])
      })
    },
    close: async () => {
      await Promise.all(
        workers.map(({ worker }) => {
          worker.removeAllListeners("exit")
          return worker.terminate()
        }),
      )
    },
  }
}
