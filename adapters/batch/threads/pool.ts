/**
 * Which thread judges the next block?
 *
 * Threads that are started once, each with its own dataset; the one with the least to do is given the next block. Blocks are
 * transferred, not copied. A thread that dies fails every waiting block, because it is unknown what it had done.
 */
import { Worker } from "node:worker_threads"
import type { JudgedBlock } from "../lines/judge-lines.ts"
import type { Assignment, ThreadData } from "./batch-thread.ts"

export interface Pool {
  /** Judges a block, whose bytes cannot be used afterwards. */
  readonly judge: (bytes: Uint8Array<ArrayBuffer>, firstLine: number) => Promise<JudgedBlock>
  readonly close: () => Promise<void>
}

/** The thread's file beside this one: the source or the built file. */
const SCRIPT = new URL(import.meta.url.endsWith(".ts") ? "./batch-thread.ts" : "./batch-worker.js", import.meta.url)

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
