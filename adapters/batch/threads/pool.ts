/**
 * Which thread judges the next block?
 *
 * Threads that are started once, each with its own dataset; the one with the least to do is given the next block. Blocks are
 * transferred, not copied. A thread that dies fails every waiting block, because it is unknown what it had done.
 */
import { Worker } from "node:worker_threads"
import type { JudgedBlock } from "../lines/judge-lines.ts"
import type { Assignment, ThreadData, ThreadJudging } from "./thread.ts"

export interface Pool {
  /** Judges a block, whose bytes cannot be used afterwards. */
  readonly judge: (judging: ThreadJudging, bytes: Uint8Array<ArrayBuffer>, firstLine: number) => Promise<JudgedBlock>
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
  const waiting = new Map<number, Waiting>()
  let broken: Error | null = null
  let count = 0
  const fail = (cause: Error) => {
    broken ??= cause
    for (const { reject } of waiting.values()) reject(broken)
    waiting.clear()
  }
  const workers = Array.from({ length: threads }, () => ({
    worker: new Worker(SCRIPT, { workerData, resourceLimits: MEMORY }),
    load: 0,
  }))
  for (const { worker } of workers) {
    worker.on("message", ({ number, judged }: { number: number; judged: JudgedBlock }) => {
      waiting.get(number)?.resolve(judged)
      waiting.delete(number)
    })
    worker.on("error", cause => fail(cause as Error))
    worker.on("exit", code => fail(new Error(`A thread stopped with code ${code}.`)))
  }
  return {
    judge: (judging, bytes, firstLine) => {
      const least = workers.reduce((one, other) => (other.load < one.load ? other : one))
      const assignment: Assignment = { number: count++, judging, bytes, firstLine }
      least.load++
      return new Promise<JudgedBlock>((resolve, reject) => {
        if (broken !== null) return reject(broken)
        waiting.set(assignment.number, { resolve, reject })
        least.worker.postMessage(assignment, [bytes.buffer])
      }).finally(() => {
        least.load--
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
