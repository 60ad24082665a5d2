/**
 * Which jobs exist, and what was the result?
 *
 * A job is a row. Its lines are cut into chunks, each a small row of claimed work (see `work-table.ts`) in the lane of its job, so that
 * jobs take turns and a large one does not delay a small one. The bytes of a chunk, first its lines and then its answers, are in a separate
 * piece, so that a claim does not rewrite them. The result of a lost claim is not written: a line is answered once. Rows are locked in one
 * order everywhere: chunk, piece, job.
 */
import { Effect } from "effect"
import { bumpCounter } from "./counter.ts"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"
import { makeWorkTable, type Ticket } from "./work-table.ts"

/** `uploading`: its lines are still coming. */
export const JOB_STATES = ["uploading", "running", "completed"] as const
export type JobState = (typeof JOB_STATES)[number]

/** One job. Instants are epoch milliseconds. */
export interface JobRow {
  readonly id: string
  readonly account_id: number
  readonly state: JobState
  readonly answers: "whole" | "summary"
  /** The day that is answered for (`YYYY-MM-DD`). */
  readonly as_of: string
  readonly lines: number
  readonly chunks: number
  readonly pairs_charged: number
  readonly lines_done: number
  readonly chunks_done: number
  readonly failed: number
  readonly blocked: number
  /** The bytes of the answers so far. */
  readonly result_bytes: number
  readonly created_at: number
  readonly completed_at: number | null
  /** When it is deleted. */
  readonly expires_at: number
  /** 1 for one of test keys. */
  readonly is_test: number
}

/** A chunk that this process has claimed; its lane is its job. */
export type ClaimedChunk = Ticket & { readonly lane: string; readonly seq: number; readonly first_line: number }

/** The stored result of a finished chunk. */
export interface ChunkNote {
  readonly result_bytes: number
}

/** How a chunk is named: in the order of their numbers. */
const nameChunk = (jobId: string, seq: number): string => `${jobId}:${String(seq).padStart(9, "0")}`

export interface FinishedChunk {
  /** The answers, compressed, in base64. */
  readonly content: string
  /** Their uncompressed length in bytes. */
  readonly resultBytes: number
  readonly lines: number
  readonly failed: number
  readonly blocked: number
}

const COLUMNS =
  "id, account_id, state, answers, as_of, lines, chunks, pairs_charged, lines_done, chunks_done, failed, blocked, result_bytes, created_at, completed_at, expires_at, is_test"

/** The statements on jobs. */
export const makeJobsRepository = (database: Database) => {
  const columns = database.sql.literal(COLUMNS)
  const count = (accountId: number) =>
    database.count(sql => sql<{ count: number }>`SELECT COUNT(*) AS count FROM jobs WHERE account_id = ${accountId}`)
  const insertPiece = (jobId: string, seq: number, kind: "lines" | "answers", content: string) =>
    database.change(sql => sql`INSERT INTO job_pieces ${sql.insert({ job_id: jobId, seq, kind, content })}`)
  const findPiece = (jobId: string, seq: number, kind: "lines" | "answers") =>
    Effect.map(
      database.askValues(
        sql => sql<{ content: string }>`SELECT content FROM job_pieces
          WHERE job_id = ${jobId} AND seq = ${seq} AND kind = ${kind}`,
      ),
      ([content]) => content,
    )

  const remove = (id: string) =>
    database.runAll(sql => [
      sql`DELETE FROM job_chunks WHERE job_id = ${id}`,
      sql`DELETE FROM job_pieces WHERE job_id = ${id}`,
      sql`DELETE FROM jobs WHERE id = ${id}`,
    ])

  return {
    ...makeWorkTable<ClaimedChunk, ChunkNote>(database, {
      table: "job_chunks",
      idType: "TEXT",
      lane: {
        column: "job_id",
        type: "TEXT",
        isOpen: "EXISTS (SELECT 1 FROM jobs j WHERE j.id = l.lane AND j.state = 'running')",
      },
      states: { done: "done", givenUp: "done" },
      columns: { seq: "seq", first_line: "first_line" },
      notes: { result_bytes: "BIGINT" },
      countsLostClaims: true,
    }),

    /** Writes a job whose lines are still coming, unless the account has the maximum; says whether it was written. */
    insert: (
      job: Pick<JobRow, "id" | "account_id" | "answers" | "as_of" | "created_at" | "expires_at"> &
        Partial<Pick<JobRow, "is_test">>,
      most: number,
    ): Effect.Effect<boolean, Unavailable> =>
      database.transact(
        Effect.gen(function* () {
          // Its row is locked until the transaction ends: two processes that count at once would both find room.
          yield* bumpCounter(database, "jobs")
          if ((yield* count(job.account_id)) >= most) return false
          yield* database.change(sql => sql`INSERT INTO jobs ${sql.insert({ ...job, state: "uploading" })}`)
          return true
        }),
      ),

    /** Adds a chunk to a job whose lines are still coming. It need not survive a power cut: the job has not started. */
    addChunk: (
      chunk: Pick<ClaimedChunk, "seq" | "first_line"> & { readonly job_id: string },
      content: string,
    ): Effect.Effect<void, Unavailable> => {
      const id = nameChunk(chunk.job_id, chunk.seq)
      const row = { id, ...chunk, state: "pending", attempt: 0, due_at: 0, lease_until: 0, result_bytes: 0 }
      return database.transact(
        Effect.andThen(
          database.change(sql => sql`INSERT INTO job_chunks ${sql.insert(row)}`),
          Effect.asVoid(insertPiece(chunk.job_id, chunk.seq, "lines", content)),
        ),
        { isDurable: false },
      )
    },

    /** Lets workers begin, when all lines are there. */
    start: (id: string, known: Pick<JobRow, "lines" | "chunks" | "pairs_charged" | "expires_at">) =>
      database.changeOne(
        sql => sql<JobRow>`UPDATE jobs SET state = 'running', lines = ${known.lines}, chunks = ${known.chunks},
            pairs_charged = ${known.pairs_charged}, expires_at = ${known.expires_at}
            WHERE id = ${id} AND state = 'uploading' RETURNING ${columns}`,
      ),

    /** The job of an account, a live one or one for tests; undefined for another account's. */
    find: (accountId: number, isTest: boolean, id: string) =>
      database.askOne(
        sql => sql<JobRow>`SELECT ${columns} FROM jobs WHERE id = ${id} AND account_id = ${accountId}
          AND is_test = ${Number(isTest)}`,
      ),

    /** How many jobs an account has, in any state. */
    count,

    /** The lines of a claimed chunk; undefined where its job was deleted. */
    readLines: (jobId: string, seq: number) => findPiece(jobId, seq, "lines"),

    /** The options of a job, for a worker that has claimed a chunk of it. */
    readTerms: (jobId: string) =>
      database.askOne(
        sql => sql<Pick<JobRow, "answers" | "as_of">>`SELECT answers, as_of FROM jobs WHERE id = ${jobId}`,
      ),

    /**
     * Writes the answers of a chunk whose outcome was written, and returns the job; undefined if the job was deleted. Runs in the
     * transaction of the outcome.
     */
    finish: ({ lane, seq }: ClaimedChunk, done: FinishedChunk): Effect.Effect<JobRow | undefined, Unavailable> =>
      Effect.gen(function* () {
        yield* database.change(
          sql => sql`DELETE FROM job_pieces WHERE job_id = ${lane} AND seq = ${seq} AND kind = 'lines'`,
        )
        yield* insertPiece(lane, seq, "answers", done.content)
        return yield* database.changeOne(
          sql => sql<JobRow>`UPDATE jobs SET chunks_done = chunks_done + 1, lines_done = lines_done + ${done.lines},
            failed = failed + ${done.failed}, blocked = blocked + ${done.blocked},
            result_bytes = result_bytes + ${done.resultBytes} WHERE id = ${lane} RETURNING ${columns}`,
        )
      }),

    /** Ends a job whose chunks are all done. */
    complete: (id: string, completedAt: number, expiresAt: number) =>
      database.changeOne(
        sql => sql<JobRow>`UPDATE jobs SET state = 'completed', completed_at = ${completedAt},
            expires_at = ${expiresAt} WHERE id = ${id} AND state = 'running' RETURNING ${columns}`,
      ),

    /** How many bytes of answers each chunk has, in order. */
    listResultBytes: (jobId: string) =>
      database.askValues(
        sql => sql<{ result_bytes: number }>`SELECT result_bytes FROM job_chunks WHERE job_id = ${jobId} ORDER BY seq`,
      ),

    readAnswers: (jobId: string, seq: number) => findPiece(jobId, seq, "answers"),

    /** Deletes a job with its chunks and pieces. */
    remove,

    /** Deletes some pieces of a job, and the job after the last ones; returns the number of pieces. */
    removeSome: (id: string, limit: number): Effect.Effect<number, Unavailable> =>
      database.transact(
        Effect.gen(function* () {
          const pieces = yield* database.change(
            sql => sql`DELETE FROM job_pieces WHERE job_id = ${id} AND seq IN (
                SELECT seq FROM job_pieces WHERE job_id = ${id} ORDER BY seq LIMIT ${limit}
              ) RETURNING seq`,
          )
          if (pieces.length < limit) yield* remove(id)
          return pieces.length
        }),
      ),

    /** Expired jobs, up to a number. */
    listExpired: (nowMs: number, limit: number) =>
      database.askValues(
        sql => sql<{ id: string }>`SELECT id FROM jobs WHERE expires_at <= ${nowMs} ORDER BY expires_at LIMIT ${limit}`,
      ),
  }
}
