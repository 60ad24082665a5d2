/**
 * On which cores are the chunks of jobs judged?
 *
 * On threads, with one chunk on each. They are started when there is something to judge, started again for another dataset or
 * after one of them has died, and ended when idle, because each holds a dataset and its caches. A dataset that neither came from
 * a file nor is the embedded one cannot be given to a thread; then the caller has to judge.
 */
import { type Dataset, embeddedDataset } from "../../../src/index.ts"
import { findDatasetBytes } from "../../answers/dataset-file.ts"
import type { JobRow } from "../../storage/jobs-repository.ts"
import type { JudgedBlock } from "../lines/judge-lines.ts"
import { type Pool, startPool } from "../threads/pool.ts"

interface Started {
  readonly dataset: Dataset
  readonly pool: Pool
  underWay: number
}

/** Makes a judge for a number of threads; none of them runs yet. */
export function makeChunkJudge(threads: number) {
  let started: Started | null = null
  const end = async (old: Started) => {
    if (started === old) started = null
    if (old.underWay === 0) await old.pool.close()
  }
  const start = (dataset: Dataset): Started | null => {
    if (started?.dataset === dataset) return started
    const file = findDatasetBytes(dataset)
    if (file === null && dataset !== embeddedDataset()) return null
    // Chunks under way finish with the dataset that they began with.
    if (started !== null) void end(started)
    started = { dataset, pool: startPool(threads, { dataset: file }), underWay: 0 }
    return started
  }
  const judgeOn = async (own: Started, judge: (pool: Pool) => Promise<JudgedBlock>) => {
    own.underWay++
    try {
      return await judge(own.pool)
    } catch (cause) {
      // A pool with a dead thread takes nothing more.
      if (started === own) started = null
      throw cause
    } finally {
      own.underWay--
      if (started !== own && own.underWay === 0) await own.pool.close()
    }
  }
  return {
    /** Judges whole lines; null where no thread can answer from the dataset. Rejects when its thread dies. */
    judge: (
      dataset: Dataset,
      { answers, as_of }: Pick<JobRow, "answers" | "as_of">,
      bytes: Uint8Array<ArrayBuffer>,
      firstLine: number,
    ) => {
      const own = start(dataset)
      if (own === null) return null
      const judging = { lines: { kind: "json" }, shape: { kind: answers }, answers: "json", on: as_of } as const
      return judgeOn(own, pool => pool.judge(judging, bytes, firstLine))
    },
    /** Ends the threads; the next chunk starts them again. */
    rest: async () => {
      if (started !== null) await end(started)
    },
  }
}
