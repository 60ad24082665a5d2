/**
 * How do repositories reach the database, on any engine?
 *
 * This is the one place that knows the SQL clients: it runs questions and changes, makes transactions, says what an error means,
 * and measures how long everything takes. A question inside a transaction uses that transaction's connection, any other one a
 * connection that never waits for a lock. Repositories write portable SQL; where the engines
 * differ, they ask the client for its dialect.
 */
import { Array as Arr, Cause, Clock, Context, Effect, Fiber, Option, Schedule } from "effect"
import { type SqlClient, SqlError, type Statement } from "effect/sql"
import { Histogram } from "../telemetry/families.ts"
import { pause, yieldTurn } from "../time/yield-turn.ts"
import { BusyTimeoutMs, type DatabaseClients, IsDurable } from "./database-engine.ts"
import { type AppliedSteps, judgeSteps, readSteps, readTime } from "./steps.ts"
import { type Conflict, explainSqlError, makeUnavailable, Unavailable } from "./storage-errors.ts"
import type { Step } from "./tables.ts"

// How are many rows read and written with few statements? In pieces with far fewer parameters than any database allows, or as one parameter of
// JSON, so that the text of the statement does not depend on their number.

/** How many rows one statement has. */
const ROWS_A_STATEMENT = 100

const inChunks = <Row>(rows: readonly Row[]): readonly (readonly Row[])[] => Arr.chunksOf(rows, ROWS_A_STATEMENT)

/** Rows as `sql.insert` takes them: its type wants at least one. */
export const asRecords = (rows: readonly object[]) =>
  rows as readonly Record<string, unknown>[] as [Record<string, unknown>]

export type ColumnType = "BIGINT" | "INTEGER" | "TEXT"

/** Some columns of rows as a table, for a FROM clause. */
export const listJsonRows = <Name extends string>(
  sql: SqlClient.SqlClient,
  types: Readonly<Record<Name, ColumnType>>,
  rows: readonly Readonly<Record<NoInfer<Name>, unknown>>[],
) => {
  const names = Object.keys(types) as Name[]
  const given = JSON.stringify(rows.map(row => names.map(name => row[name])))
  const columns = (write: (at: number, type: ColumnType) => string) =>
    sql.literal(names.map((name, at) => `${write(at, types[name])} AS ${name}`).join(", "))
  return sql.onDialectOrElse({
    pg: () => sql`SELECT ${columns((at, type) => `CAST(value ->> ${at} AS ${type})`)}
      FROM json_array_elements(CAST(CAST(${given} AS TEXT) AS JSON))`,
    orElse: () => sql`SELECT ${columns(at => `value ->> ${at}`)} FROM json_each(${given})`,
  })
}

// How does a caller stop waiting for the database at once? The work is interrupted, but nobody waits until it has ended.

/**
 * Waits a limited time for an effect, and returns another value after that. The effect is then interrupted in the background, because a
 * database that does not answer does not react to an interruption either.
 */
export const withDeadline =
  <A2, E2>(durationMs: number, otherwise: Effect.Effect<A2, E2>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A | A2, E | E2, R> =>
    Effect.flatMap(Effect.forkDetach(work, { startImmediately: true }), fiber => {
      const done = fiber.pollUnsafe()
      if (done !== undefined) return done
      const giveUp = Effect.sync(() => fiber.interruptUnsafe())
      return Fiber.join(fiber).pipe(
        Effect.timeoutOrElse({ duration: durationMs, orElse: () => Effect.andThen(giveUp, otherwise) }),
        Effect.onInterrupt(() => giveUp),
      )
    })

/** A statement, by the client that runs it. */
type Query<A> = (sql: SqlClient.SqlClient) => Effect.Effect<A, SqlError.SqlError>

/** A statement on some items of a list. */
type SomeQuery<Item, Row> = (
  sql: SqlClient.SqlClient,
  some: readonly Item[],
) => Effect.Effect<readonly Row[], SqlError.SqlError>

/** How a transaction differs from others. */
export interface TransactionOptions {
  /** Whether it must survive a power failure; true by default. Data that matter only while processes run need not. */
  readonly isDurable?: boolean
  /** Whether somebody waits for it; true by default. Otherwise requests get as much time after it as it took from a file's process. */
  readonly isAwaited?: boolean
  /** How long it waits for another process's lock on a file, in milliseconds; 5,000 by default. */
  readonly lockTimeoutMs?: number
}

/** How often a transaction that lost against another one is tried again, and after how long at first. */
const CONTENDED_RETRIES = 5
const CONTENDED_SLEEP_MS = 20

/** The longest pause for requests after work that nobody waits for. */
const LONGEST_PAUSE_MS = 100

/** How many rows one statement on a file writes: half a millisecond. */
const ROWS_AT_ONCE = 50

/** A statement on its own, or a transaction from its beginning to its end. */
export type WorkKind = "statement" | "transaction"

/** Upper bounds of the durations that a database has. */
const BOUNDS_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5] as const

/** The clients of one database, with counts of their work. */
export class Database {
  /** The engine's name, as metrics show it. */
  readonly engine: string
  /** The name of this database for people, without secrets. */
  readonly label: string
  /** How long statements on their own take, and transactions from beginning to end, with success or failure. */
  readonly times: Readonly<Record<WorkKind, Histogram>> = {
    statement: new Histogram(BOUNDS_SECONDS),
    transaction: new Histogram(BOUNDS_SECONDS),
  }
  /** The steps of the tables that this program knows. */
  readonly knownSteps: readonly Step[]
  /** Whether ids count from 1 on. */
  readonly areIdsCounted: boolean
  /** The steps that had been applied when it was last asked. */
  applied: AppliedSteps = { newest: 0, name: "", needs: 0 }
  /** How often work failed because the database was not available. */
  unavailable = 0
  /** How many changes on their own and whole transactions of this process have ended. */
  changes = 0
  readonly #writer: SqlClient.SqlClient
  readonly #reader: SqlClient.SqlClient

  constructor(
    options: DatabaseClients & {
      readonly engine: string
      readonly label: string
      readonly knownSteps: readonly Step[]
      readonly areIdsCounted: boolean
    },
  ) {
    this.engine = options.engine
    this.label = options.label
    this.knownSteps = options.knownSteps
    this.areIdsCounted = options.areIdsCounted
    this.#writer = options.writer
    this.#reader = options.reader
  }

  /** The client that changes something; repositories only. */
  get sql(): SqlClient.SqlClient {
    return this.#writer
  }

  /** Which steps were applied to the tables. */
  readonly readSteps: Effect.Effect<AppliedSteps, Unavailable> = Effect.suspend(() => this.ask(readSteps))

  /** The time of the database (epoch milliseconds). */
  readonly readTime: Effect.Effect<number, Unavailable> = Effect.suspend(() => this.ask(readTime))

  /** Whether it is a server, which executes statements itself: in a file they are executed on the event loop. */
  get isPostgres(): boolean {
    return this.#writer.onDialectOrElse({ pg: () => true, orElse: () => false })
  }

  /** A part of a statement that only a server knows. */
  onlyPostgres(text: string): Statement.Fragment {
    return this.#writer.literal(this.isPostgres ? text : "")
  }

  /** The end of a question that locks rows: those that another transaction has locked are passed over. A file has no locks of rows. */
  get skipLocked(): Statement.Fragment {
    return this.onlyPostgres("FOR UPDATE SKIP LOCKED")
  }

  /** Names a parameter of a statement that is written as text, from 1 on. */
  parameter(at: number): string {
    return `${this.isPostgres ? "$" : "?"}${at}`
  }

  /** Runs a question. */
  ask<A>(question: Query<A>): Effect.Effect<A, Unavailable> {
    return Effect.withFiber(fiber => {
      const isInner = this.#isInTransaction(fiber)
      return this.#withoutConflict(
        isInner ? question(this.#writer) : this.#timed("statement", question(this.#reader), false),
      )
    })
  }

  /** Runs a change that cannot conflict with another row. */
  change<A>(statement: Query<A>): Effect.Effect<A, Unavailable> {
    return Effect.withFiber(fiber => {
      const work = statement(this.#writer)
      return this.#withoutConflict(this.#isInTransaction(fiber) ? work : this.#timed("statement", work))
    })
  }

  /** Runs a query, and returns its first row. */
  askOne<Row>(question: Query<readonly Row[]>): Effect.Effect<Row | undefined, Unavailable> {
    return Effect.map(this.ask(question), rows => rows[0])
  }

  /** Runs a question for a number, named `count`. */
  count(question: Query<readonly { readonly count: number }[]>): Effect.Effect<number, Unavailable> {
    return Effect.map(this.ask(question), rows => Number(rows[0]!.count))
  }

  /** Runs a change that cannot conflict with another row, and returns the first row of its result. */
  changeOne<Row>(statement: Query<readonly Row[]>): Effect.Effect<Row | undefined, Unavailable> {
    return Effect.map(this.change(statement), rows => rows[0])
  }

  /** Runs such a change, and returns the number of rows of its result. */
  countChanged(statement: Query<readonly unknown[]>): Effect.Effect<number, Unavailable> {
    return Effect.map(this.change(statement), rows => rows.length)
  }

  /** Runs such a change, and says whether it returns a row. */
  hasChanged(statement: Query<readonly unknown[]>): Effect.Effect<boolean, Unavailable> {
    return Effect.map(this.countChanged(statement), count => count > 0)
  }

  /** Runs such a change, of which nothing is read. */
  run(statement: Query<readonly unknown[]>): Effect.Effect<void, Unavailable> {
    return Effect.asVoid(this.change(statement))
  }

  /** Runs such changes in one transaction. */
  runAll(
    statements: (sql: SqlClient.SqlClient) => readonly Effect.Effect<readonly unknown[], SqlError.SqlError>[],
  ): Effect.Effect<void, Unavailable> {
    const run = Effect.forEach(statements(this.#writer), statement => this.change(() => statement), { discard: true })
    return this.transact(run)
  }

  /** Runs a query for all items of a list, some at a time, and returns the rows of all of them. */
  askAll<Item, Row>(
    items: readonly Item[],
    question: SomeQuery<Item, Row>,
  ): Effect.Effect<readonly Row[], Unavailable> {
    const asked = Effect.forEach(inChunks(items), some => this.ask(sql => question(sql, some)))
    return Effect.map(asked, found => found.flat())
  }

  /** Runs a change that cannot conflict for all items of a list, some at a time, and returns the rows of all results. */
  changeSome<Item, Row>(
    items: readonly Item[],
    change: SomeQuery<Item, Row>,
  ): Effect.Effect<readonly Row[], Unavailable> {
    const changed = Effect.forEach(inChunks(items), some => this.change(sql => change(sql, some)))
    return Effect.map(changed, found => found.flat())
  }

  /** Runs such a change, of which nothing is read. */
  runSome<Item>(items: readonly Item[], change: SomeQuery<Item, unknown>): Effect.Effect<void, Unavailable> {
    return Effect.asVoid(this.changeSome(items, change))
  }

  /** Writes rows into a table, some at a time; `onConflict` is the clause for rows whose key is there already. */
  insertAll(table: string, rows: readonly object[], onConflict = ""): Effect.Effect<void, Unavailable> {
    return this.runSome(
      rows,
      (sql, some) => sql`INSERT INTO ${sql.literal(table)} ${sql.insert(asRecords(some))} ${sql.literal(onConflict)}`,
    )
  }

  /**
   * Does something with all rows of a list in one statement, or in a file in several, between which other work of this process runs: there a
   * statement is executed on the event loop.
   */
  inSteps<Row, E>(
    rows: readonly Row[],
    step: (some: readonly Row[], from: number) => Effect.Effect<void, E>,
  ): Effect.Effect<void, E> {
    const most = this.isPostgres ? rows.length : ROWS_AT_ONCE
    const stepFrom = (from: number): Effect.Effect<void, E> => {
      if (from >= rows.length) return Effect.void
      const rest = Effect.suspend(() => stepFrom(from + most))
      return Effect.andThen(step(rows.slice(from, from + most), from), Effect.andThen(yieldTurn, rest))
    }
    return stepFrom(0)
  }

  /** Runs a change that may conflict with a row of the same value. */
  insert<A>(statement: Query<A>): Effect.Effect<A, Conflict | Unavailable> {
    return this.#explained(this.#timed("statement", statement(this.#writer)))
  }

  /**
   * Runs an effect in one transaction: all of its changes, or nothing. Inside another transaction it is a part of that one that
   * can be rolled back by itself. A transaction that lost against another one is tried again.
   */
  transact<A, E, R>(
    effect: Effect.Effect<A, E, R>,
    options: TransactionOptions = {},
  ): Effect.Effect<A, E | Unavailable, R> {
    const { isDurable = true, isAwaited = true, lockTimeoutMs } = options
    if (!isAwaited) return this.#leaveAsLong(this.transact(effect, { ...options, isAwaited: true }))
    return Effect.withFiber(fiber => {
      const transaction = this.#withoutConflict(this.#withoutLostRollback(this.#writer.withTransaction(effect)))
      if (this.#isInTransaction(fiber)) return transaction
      const whole = this.#timed("transaction", transaction).pipe(
        Effect.retry({
          times: CONTENDED_RETRIES,
          while: isContended,
          schedule: Schedule.jittered(Schedule.exponential(CONTENDED_SLEEP_MS)),
        }),
        Effect.provideService(IsDurable, isDurable),
      )
      return lockTimeoutMs === undefined ? whole : Effect.provideService(whole, BusyTimeoutMs, lockTimeoutMs)
    })
  }

  // A server executes statements itself, so nothing waits here.
  #leaveAsLong<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    const most = this.isPostgres ? 0 : LONGEST_PAUSE_MS
    return Effect.suspend(() => {
      const since = performance.now()
      return Effect.tap(work, () => pause(Math.min(performance.now() - since, most)))
    })
  }

  #isInTransaction({ context }: Fiber.Fiber<unknown, unknown>): boolean {
    return Context.getOrUndefined(context, this.#writer.transactionService) !== undefined
  }

  #timed<A, E, R>(kind: WorkKind, work: Effect.Effect<A, E, R>, isChange = true): Effect.Effect<A, E, R> {
    return Effect.withFiber(fiber => {
      const clock = fiber.getRef(Clock.Clock)
      const startedAt = clock.monotonicTimeNanosUnsafe()
      return Effect.onExit(work, () =>
        Effect.sync(() => {
          this.times[kind].note(Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9)
          if (isChange) this.changes++
        }),
      )
    })
  }

  /** Says what a failure means for a caller; where the work cannot conflict with another row, a conflict is a fault. */
  #explained<A, E, R>(
    work: Effect.Effect<A, E, R>,
    mayConflict = true,
  ): Effect.Effect<A, Exclude<E, SqlError.SqlError> | Conflict | Unavailable, R> {
    type Failure = Exclude<E, SqlError.SqlError> | Conflict | Unavailable
    return Effect.catch(work, (error): Effect.Effect<never, Failure> => {
      if (!SqlError.isSqlError(error)) return Effect.fail(error as Exclude<E, SqlError.SqlError>)
      const explained = explainSqlError(error, this.label)
      if (explained?._tag === "Unavailable") this.unavailable++
      const isFault = explained === undefined || (explained._tag === "Conflict" && !mayConflict)
      return isFault ? this.#explainFault(error) : Effect.fail(explained)
    })
  }

  #withoutConflict<A, E, R>(work: Effect.Effect<A, E, R>) {
    type Failure = Exclude<E, SqlError.SqlError> | Unavailable
    return this.#explained(work, false) as Effect.Effect<A, Failure, R>
  }

  // When the connection breaks in a transaction, the rollback fails after the work, and the SQL client calls both a fault. Neither is.
  #withoutLostRollback<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> {
    return Effect.catchCause(work, (cause): Effect.Effect<never, E | Unavailable> => {
      const lost = cause.reasons.map(reason => (Cause.isDieReason(reason) ? this.#readLost(reason.defect) : undefined))
      const [first] = lost
      return first === undefined || lost.includes(undefined) ? Effect.failCause(cause) : Effect.fail(first)
    })
  }

  #readLost(defect: unknown): Unavailable | undefined {
    const explained = SqlError.isSqlError(defect) ? explainSqlError(defect, this.label) : defect
    return explained instanceof Unavailable ? explained : undefined
  }

  // A newer version may have removed what this program uses. Asked outside of the transaction, which the fault has ended.
  #explainFault(fault: SqlError.SqlError): Effect.Effect<never, Unavailable> {
    const outside = Effect.updateContext(readSteps(this.#reader), (context: Context.Context<never>) =>
      Context.omit(this.#writer.transactionService)(context),
    )
    return Effect.flatMap(
      Effect.option(outside),
      (applied): Effect.Effect<never, Unavailable> =>
        Option.isSome(applied) && judgeSteps(applied.value, this.knownSteps) === "outdated"
          ? Effect.fail(makeUnavailable("outdated", this.label))
          : Effect.die(fault),
    )
  }
}

const isContended = (error: unknown): boolean => error instanceof Unavailable && error.reason === "contended"
