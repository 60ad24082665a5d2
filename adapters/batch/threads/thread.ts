/** What does a judging thread do? It judges the blocks that it is sent, one after the other, and sends their answers back in that order. */
import { parentPort, workerData } from "node:worker_threads"
import { embeddedDataset, openDataset } from "../../../src/index.ts"
import { loadFactsOf } from "../../answers/dataset-file.ts"
import { type Judging, makeJudge } from "../lines/judge-lines.ts"

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
