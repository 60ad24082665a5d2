/**
 * Which jobs exist, and what was the result?
 *
 * A job is a row. Its lines are cut into chunks, each a small row of claimed work (see `work-table.ts`) in the lane of its job, so that
 * jobs take turns and a large one does not delay a small one. The bytes of a chunk, first its lines and then its answers, are in a separate
 * piece, so that a claim does not rewrite them. The result of a lost claim is not written: a line is answered once. Rows are locked in one
 * order everywhere: chunk, piece, job.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"
import { bumpCounter, makeTable } from "./table-statements.ts"
import type { NewRow, Row } from "./tables.ts"
import { makeWorkTable, OPEN, type Ticket } from "./work-table.ts"

/** One job, answered for the day `as_of`, deleted at `expires_at`. Instants are epoch milliseconds. */
export type JobRow = Row<"jobs">

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

/** The statements on jobs. */
export const makeJobsRepository = (database: Database) => {
  const jobs = makeTable(database, "jobs")
  const pieces = makeTable(database, "job_pieces")
  const chunks = makeTable(database, "job_chunks")
  const findPiece = (job_id: string, seq: number, kind: "lines" | "answers") =>
    Effect.map(pieces.find({ job_id, seq, kind }), piece => piece?.content)

  const remove = (id: string) =>
    database.runAll(sql => [
      sql`DELETE FROM job_chunks WHERE job_id = ${id}`,
      sql`DELETE FROM job_pieces WHERE job_id = ${id}`,
      sql`DELETE FROM jobs WHERE id = ${id}`,
    ])

  return {
    ...jobs,
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
    insert: (job: Omit<NewRow<"jobs">, "state">, most: number): Effect.Effect<boolean, Unavailable> =>
      database.transact(
        Effect.gen(function* () {
          // Its row is locked until the transaction ends: two processes that count at once would both find room.
          yield* bumpCounter(database, "jobs")
          if ((yield* jobs.count({ account_id: job.account_id })) >= most) return false
          yield* jobs.insert({ ...job, state: "uploading" })
          return true
        }),
      ),

    /** Adds a chunk to a job whose lines are still coming. It need not survive a power cut: the job has not started. */
    addChunk: (
      chunk: Pick<ClaimedChunk, "seq" | "first_line"> & { readonly job_id: string },
      content: string,
    ): Effect.Effect<void, Unavailable> => {
      const id = nameChunk(chunk.job_id, chunk.seq)
      const row = { id, ...chunk, state: OPEN, attempt: 0, due_at: 0, lease_until: 0, result_bytes: 0 }
      return database.transact(
        Effect.andThen(
          chunks.insert(row),
          pieces.insert({ job_id: chunk.job_id, seq: chunk.seq, kind: "lines", content }),
        ),
        { isDurable: false },
      )
    },

    /** Lets workers begin, when all lines are there. */
    start: (id: string, known: Pick<JobRow, "lines" | "chunks" | "pairs_charged" | "expires_at">) =>
      jobs.change({ id, state: "uploading" }, { state: "running", ...known }),

    /** The lines of a claimed chunk; undefined where its job was deleted. */
    readLines: (jobId: string, seq: number) => findPiece(jobId, seq, "lines"),

    /**
     * Writes the answers of a chunk whose outcome was written, and returns the job; undefined if the job was deleted. Runs in the
     * transaction of the outcome.
     */
    finish: ({ lane, seq }: ClaimedChunk, done: FinishedChunk): Effect.Effect<JobRow | undefined, Unavailable> =>
      Effect.gen(function* () {
        yield* pieces.remove({ job_id: lane, seq, kind: "lines" })
        yield* pieces.insert({ job_id: lane, seq, kind: "answers", content: done.content })
        return yield* database.changeOne(
          sql => sql<JobRow>`UPDATE jobs SET chunks_done = chunks_done + 1, lines_done = lines_done + ${done.lines},
            failed = failed + ${done.failed}, blocked = blocked + ${done.blocked},
            result_bytes = result_bytes + ${done.resultBytes} WHERE id = ${lane} RETURNING ${jobs.columns}`,
        )
      }),

    /** Ends a job whose chunks are all done. */
    complete: (id: string, completed_at: number, expires_at: number) =>
      jobs.change({ id, state: "running" }, { state: "completed", completed_at, expires_at }),

    /** How many bytes of answers each chunk has, in order. */
    listResultBytes: (job_id: string) =>
      Effect.map(chunks.list({ job_id }, { order: ["seq"] }), found => found.map(chunk => chunk.result_bytes)),

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
  }
}
