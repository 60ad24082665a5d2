/**
 * Who judges the lines of jobs?
 *
 * Workers, any number of them on any machine that shares the database: each claims a chunk, judges it, and writes the answers
 * with the chunk's end in one transaction. A process that may use several cores judges one chunk on each of as many threads;
 * otherwise it judges for some milliseconds at a time, so that a process that also serves can answer in between. When a worker
 * dies its claim expires, and another one starts that chunk again; finished chunks are not judged again. The worker that finishes
 * the last chunk completes the job and writes the deliveries that notify its owner.
 */
import { createHash, randomUUID } from "node:crypto"
import { Clock, Effect, Schedule } from "effect"
import { type Dataset, datasetOn } from "../../../src/index.ts"
import { writeEnvelope } from "../../delivery/changes/events.ts"
import { parseTerms } from "../../delivery/followers/subscription.ts"
import type { ClaimedChunk, FinishedChunk, JobRow } from "../../platform/storage/jobs-repository.ts"
import { OutageLog } from "../../platform/storage/outage-log.ts"
import { Storage } from "../../platform/storage/storage.ts"
import { makeJudge } from "../lines/judge-lines.ts"
import { addTally, startTally, type Tally } from "../lines/tally.ts"
import { makeChunkJudge } from "./chunk-judge.ts"
import { KEPT_MS, MAXIMUM_LINE_BYTES } from "./jobs.ts"
import { packBytes, sliceLines, unpackBytes, yieldTurn } from "./pieces.ts"

/** How long a claim holds: many times longer than a chunk takes. */
const LEASE_MS = 30_000
/** After this many failed claims a chunk is answered without being judged: it has killed every process that tried. */
const MOST_TRIES = 5
/** How long a worker that has found nothing to do waits. */
const IDLE_MS = 250
/** How long threads that have nothing to judge are kept. */
const REST_AFTER_MS = 60_000
const PURGE_EVERY_MS = 3_600_000
const PURGE_AT_ONCE = 10

const TOO_LONG_LINE = `The line is longer than ${MAXIMUM_LINE_BYTES / 1024} KiB.`
export const GIVEN_UP = "The line could not be judged: it is next to one that stops the service."

/** What a test or a deployment can change of a worker. */
export interface JobWorkerOptions {
  /** On how many threads chunks are judged, one each; 1 judges on the main thread. */
  readonly threads?: number
  readonly leaseMs?: number
  /** Called with each claimed chunk before it is judged. */
  readonly onClaim?: (chunk: ClaimedChunk) => void
}

const countLines = (bytes: Uint8Array): number =>
  bytes.reduce((count, byte) => (byte === 10 ? count + 1 : count), bytes.length === 0 || bytes.at(-1) === 10 ? 0 : 1)

/** The id by which a receiver recognises that a job was completed, however often it is told. */
export const nameJobEvent = (jobId: string): string =>
  `evt_${createHash("sha256").update(`completed ${jobId}`).digest("hex").slice(0, 32)}`

/** What a receiver is told of a completed job. */
const writeJobData = ({ id, lines, failed, blocked, pairs_charged, result_bytes }: JobRow): object => ({
  job_id: id,
  lines,
  failed,
  verdicts: { blocked, no_blocker_found: lines - failed - blocked },
  pairs_charged,
  result_bytes,
  result_path: `/api/v1/visa/jobs/${id}/result`,
})

/** Makes a worker over the live dataset; `run` works until it is interrupted, `drain` until nothing can be claimed. */
export const makeJobWorker = Effect.fnUntraced(function* (
  readDataset: () => Dataset,
  { threads = 1, leaseMs = LEASE_MS, onClaim = () => {} }: JobWorkerOptions = {},
) {
  const storage = yield* Storage
  const { deliveries, jobs, transact, webhooks } = storage
  const worker = randomUUID()
  const chunkJudge = threads === 1 ? null : makeChunkJudge(threads)

  const judge = Effect.fnUntraced(function* (
    { first_line, tries }: ClaimedChunk,
    content: string,
    terms: Pick<JobRow, "answers" | "as_of">,
  ) {
    const { answers, as_of } = terms
    const present = readDataset()
    const onDay = datasetOn(present, as_of)
    const { judgeBlock, refuseLine } = makeJudge(onDay.ok ? onDay.value : present, {
      lines: { kind: "json" },
      shape: { kind: answers },
      answers: "json",
    })
    const tally = startTally()
    const parts: Uint8Array[] = []
    const add = (block: { readonly bytes: Uint8Array; readonly tally: Tally }) => {
      parts.push(block.bytes)
      addTally(tally, block.tally)
    }
    if (content === "") add(refuseLine(first_line, TOO_LONG_LINE))
    else {
      const bytes = yield* unpackBytes(content)
      if (tries > MOST_TRIES) {
        for (let at = 0; at < countLines(bytes); at++) add(refuseLine(first_line + at, GIVEN_UP))
      } else {
        // Copied, because the memory is transferred to a thread.
        const judged = chunkJudge?.judge(present, terms, new Uint8Array(bytes), first_line) ?? null
        if (judged !== null) add(yield* Effect.promise(() => judged))
        else
          for (const slice of sliceLines(bytes, first_line)) {
            add(judgeBlock(slice.bytes, slice.firstLine))
            yield* yieldTurn
          }
      }
    }
    const answered = Buffer.concat(parts)
    const done: FinishedChunk = {
      content: yield* packBytes(answered),
      resultBytes: answered.length,
      lines: tally.lines,
      failed: tally.failed,
      blocked: tally.verdicts.get("blocked") ?? 0,
    }
    return done
  })

  /** Completes a job and notifies its owner, in the transaction of its last chunk. */
  const complete = Effect.fnUntraced(function* (id: string) {
    const nowMs = yield* Clock.currentTimeMillis
    const job = yield* jobs.complete(id, nowMs, nowMs + KEPT_MS)
    if (job === undefined) return
    const followers = (yield* webhooks.listOf(job.account_id)).filter(({ disabled_because, terms }) => {
      const { types } = parseTerms(terms)
      return disabled_because === null && (types.length === 0 || types.includes("job.completed"))
    })
    const event = { id: nameJobEvent(id), type: "job.completed", atMs: nowMs, data: writeJobData(job) } as const
    const body = writeEnvelope(event)
    const webhookIds = followers.map(({ id }) => id)
    if (webhookIds.length > 0)
      yield* deliveries.insertAll(
        [{ event_id: event.id, type: event.type, body, webhookIds, account_id: job.account_id }],
        nowMs,
      )
  })

  /** Claims a chunk and judges it; says whether there was one. */
  const work = Effect.gen(function* () {
    const chunk = yield* jobs.claim({ worker, nowMs: yield* Clock.currentTimeMillis, leaseMs })
    if (chunk === undefined) return false
    onClaim(chunk)
    const terms = yield* jobs.readTerms(chunk.job_id)
    const content = yield* jobs.readLines(chunk.job_id, chunk.seq)
    // Its job was deleted meanwhile.
    if (terms === undefined || content === undefined) return true
    const done = yield* judge(chunk, content, terms)
    yield* transact(
      Effect.gen(function* () {
        const job = yield* jobs.finish(worker, chunk, done)
        if (job !== undefined && job.chunks_done === job.chunks) yield* complete(job.id)
      }),
    )
    return true
  })

  const purge = Effect.gen(function* () {
    for (;;) {
      const over = yield* jobs.listExpired(yield* Clock.currentTimeMillis, PURGE_AT_ONCE)
      yield* Effect.forEach(over, id => jobs.remove(id), { discard: true })
      if (over.length < PURGE_AT_ONCE) return
    }
  })

  const outages = new OutageLog("jobs wait")
  let workedAtMs = 0
  const rest = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (chunkJudge !== null && nowMs - workedAtMs > REST_AFTER_MS) yield* Effect.promise(chunkJudge.rest)
    yield* Effect.sleep(IDLE_MS)
  })
  const turn = Effect.gen(function* () {
    const found = yield* outages.insist(work, IDLE_MS)
    if (found) workedAtMs = yield* Clock.currentTimeMillis
    yield* found ? yieldTurn : rest
  })
  const onEachThread = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.forEach(Array.from({ length: threads }), () => effect, { concurrency: "unbounded", discard: true })
  const run = Effect.gen(function* () {
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(purge), Schedule.spaced(PURGE_EVERY_MS)))
    yield* onEachThread(Effect.forever(turn))
  })

  /** Judges everything that can be claimed. */
  const drain = onEachThread(
    Effect.gen(function* () {
      while (yield* work);
    }),
  )

  if (chunkJudge !== null) yield* Effect.addFinalizer(() => Effect.promise(chunkJudge.rest))
  // An interrupted try does not count, and another worker can start it again at once.
  yield* Effect.addFinalizer(() => Effect.ignore(jobs.release(worker)))
  return { run: Effect.scoped(run), drain, purge, worker }
})
