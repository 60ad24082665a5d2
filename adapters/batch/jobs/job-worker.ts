/**
 * Who judges the lines of jobs?
 *
 * Chunks of jobs are one kind of claimed work (see `queue-worker.ts`): a worker judges a chunk, for a millisecond at a time so that a process
 * that also serves can answer in between, and writes the answers with the chunk's end in one transaction. When a worker dies its claims
 * expire, and another one starts those chunks again. The worker that finishes the last chunk completes the job and writes the deliveries that notify its
 * owner.
 */

import { createHash } from "node:crypto"
import { Clock, Effect } from "effect"
import { type Dataset, datasetOn } from "../../../src/index.ts"
import { loadFactsOf } from "../../answers/dataset-file.ts"
import { addressEvent } from "../../events/events.ts"
import { attemptByEffect, makeWorker, purgeInSteps } from "../../queue/queue-worker.ts"
import type { ChunkNote, ClaimedChunk, FinishedChunk, JobRow } from "../../storage/jobs-repository.ts"
import { Storage } from "../../storage/storage.ts"
import type { Unavailable } from "../../storage/storage-errors.ts"
import { upTo } from "../../storage/table-statements.ts"
import { workInTurns } from "../../time/yield-turn.ts"
import { makeJudge } from "../lines/judge-lines.ts"
import { KEPT_MS, listJobFollowers, MAXIMUM_LINE_BYTES, packBytes, unpackBytes } from "./jobs.ts"

/** How long a claim holds: many times longer than a chunk takes. */
const LEASE_MS = 30_000
/** After this many failed claims a chunk is answered without being judged: it has killed every process that tried. */
const MOST_TRIES = 5
const EXPIRED_AT_ONCE = 10
/** Few, because a piece may have a hundred kilobytes. */
const PIECES_AT_ONCE = 20

const TOO_LONG_LINE = `The line is longer than ${MAXIMUM_LINE_BYTES / 1024} KiB.`
export const GIVEN_UP = "The line could not be judged: it is next to one that stops the service."

/** Options for tests. */
export interface JobWorkerOptions {
  readonly leaseMs?: number
  /** Called with each claimed chunk before it is judged. */
  readonly onClaim?: (chunk: ClaimedChunk) => void
}

const countLines = (bytes: Uint8Array): number =>
  bytes.reduce((count, byte) => (byte === 10 ? count + 1 : count), bytes.length === 0 || bytes.at(-1) === 10 ? 0 : 1)

/** The id by which a receiver recognises the completion of a job, however often it is notified. */
export const nameJobEvent = (jobId: string): string =>
  `evt_${createHash("sha256").update(`completed ${jobId}`).digest("hex").slice(0, 32)}`

/** The data of the notification about a completed job. */
const writeJobData = ({ id, lines, failed, blocked, pairs_charged, result_bytes }: JobRow): object => ({
  job_id: id,
  lines,
  failed,
  verdicts: { blocked, no_blocker_found: lines - failed - blocked },
  pairs_charged,
  result_bytes,
  result_path: `/api/v1/visa/jobs/${id}/result`,
})

type JobTerms = Pick<JobRow, "answers" | "as_of">

/** The result of a chunk; null if its job was deleted in the meantime. */
interface JudgedNote extends ChunkNote {
  readonly done: FinishedChunk | null
}

/** Makes a worker over the live dataset; `run` works until it is interrupted, `drain` until nothing can be claimed. */
export const makeJobWorker = Effect.fnUntraced(function* (
  readDataset: () => Dataset,
  { leaseMs = LEASE_MS, onClaim = () => {} }: JobWorkerOptions = {},
) {
  const storage = yield* Storage
  const { deliveries, jobs, webhooks } = storage

  let last: (JobTerms & { readonly present: Dataset; readonly judge: ReturnType<typeof makeJudge> }) | null = null
  /** Finds the judge for the lines of a job: that of the last chunk if it judges the same, because it has kept most answers. */
  const findJudge = Effect.fnUntraced(function* (present: Dataset, { answers, as_of }: JobTerms) {
    if (last?.present === present && last.answers === answers && last.as_of === as_of) return last.judge
    const onDay = datasetOn(present, as_of)
    const judging = { lines: { kind: "json" }, shape: { kind: answers }, answers: "json" } as const
    const facts = yield* Effect.promise(() => loadFactsOf(present))
    const judge = makeJudge(onDay.ok ? onDay.value : present, judging, facts)
    last = { present, answers, as_of, judge }
    return judge
  })

  const judgeLines = Effect.fnUntraced(function* (
    { first_line, attempt }: ClaimedChunk,
    content: string,
    terms: JobTerms,
  ) {
    const { judgeInPieces, refuseLines } = yield* findJudge(readDataset(), terms)
    if (content === "") return refuseLines(first_line, TOO_LONG_LINE)
    const bytes = yield* unpackBytes(content)
    if (attempt > MOST_TRIES) return refuseLines(first_line, GIVEN_UP, countLines(bytes))
    return yield* workInTurns(judgeInPieces(bytes, first_line))
  })

  const judge = Effect.fnUntraced(function* (chunk: ClaimedChunk, content: string, terms: JobTerms) {
    const { bytes, tally } = yield* judgeLines(chunk, content, terms)
    const { lines, failed, verdicts } = tally
    const blocked = verdicts.get("blocked") ?? 0
    return { content: yield* packBytes(bytes), resultBytes: bytes.length, lines, failed, blocked }
  })

  /** Completes a job and notifies its owner, in the transaction of its last chunk. */
  const complete = Effect.fnUntraced(function* (id: string) {
    const nowMs = yield* Clock.currentTimeMillis
    const job = yield* jobs.complete(id, nowMs, nowMs + KEPT_MS)
    if (job === undefined) return
    const webhookIds = yield* listJobFollowers(webhooks, job.account_id, job.is_test === 1)
    const about = { id: nameJobEvent(id), type: "job.completed", atMs: nowMs }
    const event = { ...about, isLive: job.is_test === 0, data: writeJobData(job) }
    if (webhookIds.length > 0) yield* deliveries.insertAll([addressEvent(event, job.account_id, webhookIds)], nowMs)
  })

  const attempt = yield* attemptByEffect<ClaimedChunk, JudgedNote, Unavailable>("a chunk", chunk =>
    Effect.gen(function* () {
      onClaim(chunk)
      const terms = yield* jobs.find({ id: chunk.lane })
      const content = yield* jobs.readLines(chunk.lane, chunk.seq)
      const isDeleted = terms === undefined || content === undefined
      const done = isDeleted ? null : yield* judge(chunk, content, terms)
      return { kind: "done", note: { result_bytes: done?.resultBytes ?? 0, done } }
    }),
  )

  const sweep = (nowMs: number): Effect.Effect<void, Unavailable> =>
    Effect.gen(function* () {
      const over = yield* jobs.list({ expires_at: upTo(nowMs) }, { order: ["expires_at"], limit: EXPIRED_AT_ONCE })
      for (const { id } of over) yield* purgeInSteps(limit => jobs.removeSome(id, limit), PIECES_AT_ONCE)
      if (over.length === EXPIRED_AT_ONCE) yield* sweep(nowMs)
    })

  return yield* makeWorker<ClaimedChunk, ClaimedChunk, JudgedNote>({
    name: "jobs",
    table: jobs,
    leaseMs,
    attemptMs: 0,
    stopMs: 0,
    inFlight: 1,
    ahead: 0,
    settleAt: 1,
    idleMs: 250,
    retries: { waitsMs: [], longestAskedMs: 0 },
    keepsMs: null,
    sweep,
    find: Effect.succeed,
    attempt,
    settled: ended =>
      Effect.gen(function* () {
        // Jobs in one order, so that two workers cannot deadlock.
        for (const { item, outcome } of ended.toSorted((a, b) => (a.item.id < b.item.id ? -1 : 1))) {
          const job = outcome.note.done === null ? undefined : yield* jobs.finish(item, outcome.note.done)
          if (job !== undefined && job.chunks_done === job.chunks) yield* complete(job.id)
        }
      }),
  })
})
