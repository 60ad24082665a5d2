/**
 * What can an account do with jobs?
 *
 * Submit lines, follow their progress, fetch the answers or a part of them, and delete the job. Lines go to the database in chunks while they arrive: neither they nor the answers are ever
 * all in memory. Every line is judged once while it is read, so the cost is known with the last line: the same as for single requests, and nothing for a line without a decision. As soon
 * as the lines so far cost more than the quota or the job's own limit covers, it is refused, and the rest is not read. The job is charged, and judged for its answers, only when all lines
 * are there.
 */
import { randomUUID } from "node:crypto"
import { promisify } from "node:util"
import { createGunzip, gunzip, gzip } from "node:zlib"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import type { Dataset } from "../../../src/index.ts"
import type { Caller } from "../../accounts/account.ts"
import { makeAttempts } from "../../accounts/attempts.ts"
import { parseTerms } from "../../events/followers/subscription.ts"
import type { Reservation } from "../../quota/meter.ts"
import { Meter } from "../../quota/meter.ts"
import { DeploymentSecret } from "../../secrets/deployment-secret.ts"
import type { JobRow } from "../../storage/jobs-repository.ts"
import { Storage, type StorageShape } from "../../storage/storage.ts"
import { workInTurns } from "../../time/yield-turn.ts"
import { cutBlocks, type Piece } from "../lines/blocks.ts"
import { answerLines, makeLineJudge } from "../lines/judge-lines.ts"

/** The most lines of a job, and the most bytes of them. */
export const MAXIMUM_LINES = 1_000_000
export const MAXIMUM_JOB_BYTES = 1_073_741_824
/** The most bytes of a line: as many as a single question may have. */
export const MAXIMUM_LINE_BYTES = 65_536
/** How many jobs an account may have at a time, completed ones among them. */
export const MAXIMUM_JOBS = 20
/** How long lines may take to arrive, how long a job may take, and how long its answers are kept. */
export const UPLOAD_MS = 3_600_000
const RUNNING_MS = 30 * 86_400_000
export const KEPT_MS = 7 * 86_400_000

/** A chunk has at least so many bytes of lines, unless it is the last. */
const CHUNK_BYTES = 131_072

/** The active subscriptions of an account, live ones or those for tests, that are notified about a completed job. */
export const listJobFollowers = ({ list }: StorageShape["webhooks"], account_id: number, isTest: boolean) =>
  Effect.map(list({ account_id, is_test: Number(isTest) }, { order: ["id"] }), rows =>
    rows
      .filter(({ disabled_because, terms }) => {
        const { types } = parseTerms(terms)
        return disabled_because === null && (types.length === 0 || types.includes("job.completed"))
      })
      .map(({ id }) => id),
  )

interface JobRequest {
  readonly answers: JobRow["answers"]
  /** The dataset for the day of the answers. */
  readonly dataset: Dataset
  readonly body: AsyncIterable<Uint8Array>
  /** The most pairs that it may cost; absent where only the quota limits it. */
  readonly mostPairs?: number | undefined
}

/** The cost of the lines read so far. */
export interface JobCost {
  readonly lines: number
  readonly pairs: number
}

export type Owner = Pick<Caller, "accountId" | "isTest">

/** The cost of the lines so far. */
interface Weighed {
  /** The number of the last line, blank ones counted. */
  lastLine: number
  lines: number
  chunks: number
  charge: number
  readonly destinations: Map<string, Set<string>>
}

const makeJobs = Effect.gen(function* () {
  const storage = yield* Storage
  const { jobs } = storage
  const { limit } = makeAttempts(storage, yield* DeploymentSecret)
  const meter = yield* Meter
  const oneAtATime = Semaphore.makeUnsafe(1)
  const run = Effect.runPromiseWith(yield* Effect.context<never>())

  /** Judges the lines of a piece, one after the other. */
  function* weigh(dataset: Dataset, weighed: Weighed, piece: Extract<Piece, { kind: "lines" }>) {
    const judge = makeLineJudge(dataset, { kind: "summary" })
    weighed.lastLine = piece.firstLine - 1
    for (const answer of answerLines(judge, piece.bytes, piece.firstLine)) {
      if (++weighed.lastLine > MAXIMUM_LINES) return
      yield
      if (answer === null) continue
      weighed.lines++
      if (!answer.outcome.ok) continue
      const { decision } = answer.outcome
      weighed.charge += decision.pairsCharged
      for (const one of "travellers" in decision ? decision.travellers : [decision]) {
        for (const { passport } of one.passports) {
          const asked = weighed.destinations.get(passport) ?? new Set()
          weighed.destinations.set(passport, asked)
          for (const { destination } of one.steps) asked.add(destination)
        }
      }
    }
  }

  const costOf = ({ lines, charge }: Weighed): JobCost => ({ lines, pairs: charge })

  /** The number of pairs that an account can pay for, up to the requested number; or the reason why it cannot. */
  const measureQuota = Effect.fnUntraced(function* (caller: Caller, charge: number) {
    const answer = yield* meter.reserveLoaded(caller, { charge, passport: "", destinations: [] })
    if (!answer.ok) return answer
    answer.release()
    return charge + answer.remaining
  })

  /**
   * Writes the lines as they arrive; returns their cost, or the mistake. If the quota does not cover the lines, they are not read to the
   * end.
   */
  const store = Effect.fnUntraced(function* (id: string, caller: Caller, { body, dataset, mostPairs }: JobRequest) {
    let covered = 0
    const weighed: Weighed = { lastLine: 0, lines: 0, chunks: 0, charge: 0, destinations: new Map() }
    let bytes = 0
    const counted = (async function* () {
      for await (const chunk of body) {
        bytes += chunk.length
        if (bytes > MAXIMUM_JOB_BYTES) return
        // A chunk stays bounded, however much arrives at once.
        for (let at = 0; at < chunk.length; at += CHUNK_BYTES) yield chunk.subarray(at, at + CHUNK_BYTES)
      }
    })()
    const pieces = cutBlocks(counted, {
      blockBytes: CHUNK_BYTES,
      mostLineBytes: MAXIMUM_LINE_BYTES,
      afterLine: 0,
    })
    for (;;) {
      const next = yield* Effect.tryPromise({ try: () => pieces.next(), catch: () => "cut_off" as const }).pipe(
        Effect.catch(() => Effect.succeed(null)),
      )
      if (next === null) return { kind: "cut_off" } as const
      if (next.done) break
      const piece = next.value
      const seq = weighed.chunks++
      if (piece.kind === "lines") yield* workInTurns(weigh(dataset, weighed, piece))
      else {
        weighed.lines++
        weighed.lastLine = piece.line
      }
      if (weighed.lastLine > MAXIMUM_LINES) return { kind: "too_many_lines" } as const
      if (weighed.charge > (mostPairs ?? Number.POSITIVE_INFINITY)) {
        return { kind: "too_dear", cost: costOf(weighed) } as const
      }
      if (weighed.charge > covered) {
        const quota = yield* measureQuota(caller, weighed.charge)
        if (typeof quota !== "number") return { kind: "refused", refusal: quota, cost: costOf(weighed) } as const
        covered = quota
      }
      const isTooLong = piece.kind === "too_long"
      const first_line = isTooLong ? piece.line : piece.firstLine
      yield* jobs.addChunk({ job_id: id, seq, first_line }, isTooLong ? "" : yield* packBytes(piece.bytes))
    }
    if (bytes > MAXIMUM_JOB_BYTES) return { kind: "too_large" } as const
    return weighed.lines === 0 ? ({ kind: "empty" } as const) : ({ kind: "stored", weighed } as const)
  })

  /**
   * Reserves everything that the lines cost, and starts the job; a passport's destinations are counted as for single requests. The caller
   * releases what is not committed.
   */
  const start = Effect.fnUntraced(function* (id: string, caller: Caller, weighed: Weighed, held: Reservation[]) {
    const { lines, chunks, charge: pairs_charged, destinations } = weighed
    for (const [passport, asked] of destinations) {
      const charge = held.length === 0 ? pairs_charged : 0
      const answer = yield* meter.reserveLoaded(caller, { charge, passport, destinations: [...asked] })
      if (!answer.ok) return { kind: "refused" as const, refusal: answer, cost: costOf(weighed) }
      held.push(answer)
    }
    // Each webhook that will be notified is a request that the account has sent.
    const followers = yield* listJobFollowers(storage.webhooks, caller.accountId, caller.isTest)
    const refusal = yield* limit("send", String(caller.accountId), followers.length).pipe(
      Effect.as(null),
      Effect.catchTag("TriedTooOften", Effect.succeed),
    )
    if (refusal !== null) return { kind: "too_often" as const, refusal }
    const expires_at = (yield* Clock.currentTimeMillis) + RUNNING_MS
    const job = yield* jobs.start(id, { lines, chunks, pairs_charged, expires_at })
    if (job === undefined) return { kind: "cut_off" as const }
    for (const reservation of held) reservation.commit()
    return { kind: "accepted" as const, job }
  })

  const hand = Effect.fnUntraced(function* (id: string, caller: Caller, request: JobRequest) {
    const stored = yield* store(id, caller, request)
    if (stored.kind !== "stored") return stored
    const held: Reservation[] = []
    const release = Effect.sync(() => {
      for (const reservation of held) reservation.release()
    })
    return yield* Effect.ensuring(start(id, caller, stored.weighed, held), release)
  })

  const create = Effect.fnUntraced(function* (caller: Caller, request: JobRequest) {
    const nowMs = yield* Clock.currentTimeMillis
    const id = `job_${randomUUID().replaceAll("-", "")}`
    const { answers, dataset } = request
    const row = { id, account_id: caller.accountId, answers, as_of: dataset.asOf, is_test: Number(caller.isTest) }
    const upload = { ...row, created_at: nowMs, expires_at: nowMs + UPLOAD_MS }
    // All of them wait for the same row: at once they would hold every connection to the database.
    if (!(yield* oneAtATime.withPermit(jobs.insert(upload, MAXIMUM_JOBS)))) return { kind: "too_many_jobs" as const }
    // An upload that is cut off or refused leaves nothing behind.
    const forget = Effect.ignore(jobs.remove(id))
    const handed = yield* Effect.onError(hand(id, caller, request), () => forget)
    if (handed.kind !== "accepted") yield* forget
    return handed
  })

  /** The answers of a completed job from one byte to another, the second one excluded; `note` gets the number of bytes that they use. */
  async function* readResult(
    { id }: JobRow,
    { from, to }: { readonly from: number; readonly to: number },
    note: (heldBytes: number) => void,
  ): AsyncIterable<Uint8Array> {
    let at = 0
    for (const [seq, bytes] of (await run(jobs.listResultBytes(id))).entries()) {
      const endAt = at + bytes
      if (endAt <= from || at >= to) {
        at = endAt
        continue
      }
      const content = await run(jobs.readAnswers(id, seq))
      if (content === undefined) throw new Error(`job ${id} was deleted while it was read`)
      for await (const piece of unpackPieces(content, note)) {
        const wanted = piece.subarray(Math.max(from - at, 0), Math.max(to - at, 0))
        at += piece.length
        if (wanted.length > 0) yield wanted
      }
    }
  }

  const find = ({ accountId, isTest }: Owner, id: string) =>
    jobs.find({ id, account_id: accountId, is_test: Number(isTest) })

  return {
    create,
    /** A job of the caller's account: a test key finds those of test keys, any other key the others. */
    find,
    /** Says whether there was one. */
    remove: (owner: Owner, id: string) =>
      Effect.flatMap(find(owner, id), job =>
        job === undefined ? Effect.succeed(false) : Effect.as(jobs.remove(id), true),
      ),
    readResult,
  }
})

/** A job, or why there is none. */
export type Handed = Effect.Success<ReturnType<Effect.Success<typeof makeJobs>["create"]>>

export class Jobs extends Context.Service<Jobs>()("landfall/jobs/Jobs", { make: makeJobs }) {
  static readonly layer = Layer.effect(Jobs, makeJobs)
}

// How are the bytes of a chunk kept? Compressed off the event loop, as text that every database takes.

const compress = promisify(gzip)
const expand = promisify(gunzip)

/** Fast rather than small: a piece is written once and read once. */
const LEVEL = 1

export const packBytes = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => compress(bytes, { level: LEVEL })),
    packed => packed.toString("base64"),
  )

/** Opens what {@link packBytes} has packed. */
export const unpackBytes = (content: string): Effect.Effect<Uint8Array> =>
  Effect.promise(() => expand(Buffer.from(content, "base64")))

/** How many bytes are unpacked at a time for a reader who takes them as he can. */
const UNPACKED_BYTES = 65_536
/** How many of those there may be: one with the reader, one that waits for him, one that is being unpacked. */
const UNPACKED_PIECES = 3

/** Unpacks the output of {@link packBytes} piece by piece, so that a slow reader needs little memory; `note` gets the number of bytes. */
async function* unpackPieces(content: string, note: (heldBytes: number) => void): AsyncGenerator<Uint8Array> {
  const packed = Buffer.from(content, "base64")
  note(packed.length + UNPACKED_PIECES * UNPACKED_BYTES)
  const unpacking = createGunzip({ chunkSize: UNPACKED_BYTES })
  unpacking.end(packed)
  yield* unpacking
}
