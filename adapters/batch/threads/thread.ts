/**
 * What does a judging thread do?
 *
 * It judges the blocks that it is sent, each with the settings that come with it, and sends their answers back under the same
 * number. Settings differ by job; the judge of each is kept for the next block.
 */
import { parentPort, workerData } from "node:worker_threads"
import { datasetOn, embeddedDataset, openDataset } from "../../../src/index.ts"
import { loadFactsOf } from "../../answers/dataset-file.ts"
import { type Judging, makeJudge } from "../lines/judge-lines.ts"

export interface ThreadData {
  /** A dataset file that the caller has checked; null for the embedded dataset. */
  readonly dataset: Uint8Array | null
}

/** How a block is judged, for the day of the dataset or another one (`YYYY-MM-DD`). */
export interface ThreadJudging extends Judging {
  readonly on: string | null
}

/** A block to be judged. */
export interface Assignment {
  readonly number: number
  readonly judging: ThreadJudging
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly firstLine: number
}

const { dataset: file } = workerData as ThreadData
const opened = file === null ? null : openDataset(file)
if (opened !== null && !opened.ok) throw new Error(opened.error.message)
const dataset = opened === null ? embeddedDataset() : opened.value

const facts = await loadFactsOf(dataset)

type Judge = ReturnType<typeof makeJudge>
/** Each judge has caches of its own. */
const MOST_JUDGES = 8
const judges = new Map<string, Judge>()

function judgeFor(judging: ThreadJudging): Judge {
  const name = JSON.stringify(judging)
  const known = judges.get(name)
  if (known !== undefined) return known
  const view = judging.on === null ? null : datasetOn(dataset, judging.on)
  const made = makeJudge(view?.ok ? view.value : dataset, judging, facts)
  if (judges.size >= MOST_JUDGES) judges.clear()
  judges.set(name, made)
  return made
}

parentPort?.on("message", ({ number, judging, bytes, firstLine }: Assignment) => {
  const judged = judgeFor(judging).judgeBlock(bytes, firstLine)
  // Freed at once; otherwise only a collection would free it.
  bytes.buffer.transfer(0)
  parentPort?.postMessage({ number, judged }, [judged.bytes.buffer])
})
