/**
 * What does a judging thread do?
 *
 * It judges the blocks that it is sent, one after the other, and sends their answers back in that order. Everything is loaded after Node's compile cache was turned on,
 * which halves the time until the first answer.
 */
import module from "node:module"
import { parentPort, workerData } from "node:worker_threads"
import type { Judging } from "../lines/judge-lines.ts"

export interface ThreadData {
  /** A dataset file that the caller has checked; null for the embedded dataset. */
  readonly dataset: Uint8Array | null
  readonly judging: Judging
}

/** A block to be judged. */
export interface Assignment {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly firstLine: number
}

module.enableCompileCache()
const [{ embeddedDataset, openDataset }, { loadFactsOf }, { makeJudge }] = await Promise.all([
  import("../../../src/index.ts"),
  import("../../answers/dataset-file.ts"),
  import("../lines/judge-lines.ts"),
])

const { dataset: file, judging } = workerData as ThreadData
const opened = file === null ? null : openDataset(file)
if (opened !== null && !opened.ok) throw new Error(opened.error.message)
const dataset = opened?.value ?? embeddedDataset()
const { judgeBlock } = makeJudge(dataset, judging, await loadFactsOf(dataset))

parentPort?.on("message", ({ bytes, firstLine }: Assignment) => {
  const judged = judgeBlock(bytes, firstLine)
  // Freed at once; otherwise only a collection would free it.
  bytes.buffer.transfer(0)
  parentPort?.postMessage(judged, [judged.bytes.buffer])
})
