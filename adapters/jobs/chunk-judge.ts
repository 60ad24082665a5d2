/**
 * On which cores are the chunks of jobs judged?
 *
 * On threads, a chunk on each: they are started when there is something to judge, anew when another dataset is answered from or when one of them has died, and end when there was nothing for a
 * while, because each holds a dataset and what it has prepared. A dataset that came from no file, and is not the embedded one, cannot be handed to a thread: it is for the caller to
 * judge from.
 */
import { type Dataset, embeddedDataset } from "../../src/index.ts"
import { findDatasetBytes } from "../changes/dataset-file.ts"
import type { JobRow } from "../storage/jobs-repository.ts"
import type { JudgedBlock } from "../worker/judge-lines.ts"
import { type Pool, startPool } from "../worker/pool.ts"

/** Judges chunks on threads. */
export interface ChunkJudge {
  /** Judges whole lines; null where no thread can answer from the dataset. Rejects when the thread dies that was at it. */
  readonly judge: (
    dataset: Dataset,
    terms: Pick<JobRow, "answers" | "as_of">,
    bytes: Uint8Array<ArrayBuffer>,
    firstLine: number,
  ) => Promise<JudgedBlock> | null
  /** Ends the threads; the next chunk starts them anew. */
  readonly rest: () => Promise<void>
}

interface Started {
  readonly dataset: Dataset
  readonly pool: Pool
  underWay: number
}

/** Makes what judges on so many threads; none of them runs yet. */
export function makeChunkJudge(threads: number): ChunkJudge {
  let started: Started | null = null
  const end = async (old: Started) => {
    if (started === old) started = null
    if (old.underWay === 0) await old.pool.close()
  }
  const start = (dataset: Dataset): Started | null => {
    if (started?.dataset === dataset) return started
    const file = findDatasetBytes(dataset)
    if (file === null && dataset !== embeddedDataset()) return null
    // What is under way ends with the dataset that it began with.
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
    judge: (dataset, { answers, as_of }, bytes, firstLine) => {
      const own = start(dataset)
      if (own === null) return null
      const judging = { lines: { kind: "json" }, shape: { kind: answers }, answers: "json", on: as_of } as const
      return judgeOn(own, pool => pool.judge(judging, bytes, firstLine))
    },
    rest: async () => {
      if (started !== null) await end(started)
    },
  }
}
