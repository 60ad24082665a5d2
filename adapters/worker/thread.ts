/** What a thread of a batch does: judges the blocks that it is sent, and sends their answers back under the same number. */
import { parentPort, workerData } from "node:worker_threads"
import { embeddedDataset, openDataset } from "../../src/index.ts"
import { type Judging, makeJudge } from "./judge-lines.ts"

/** What a thread is started with. */
export interface ThreadData {
  readonly judging: Judging
  /** A dataset file, checked by whoever starts the thread; null for the embedded dataset. */
  readonly dataset: Uint8Array | null
}

/** A block to be judged. */
export interface Assignment {
  readonly number: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly firstLine: number
}

const { judging, dataset: file } = workerData as ThreadData
const opened = file === null ? null : openDataset(file)
if (opened !== null && !opened.ok) throw new Error(opened.error.message)
const { judgeBlock } = makeJudge(opened === null ? embeddedDataset() : opened.value, judging)

parentPort?.on("message", ({ number, bytes, firstLine }: Assignment) => {
  const judged = judgeBlock(bytes, firstLine)
  parentPort?.postMessage({ number, judged }, [judged.bytes.buffer])
})
