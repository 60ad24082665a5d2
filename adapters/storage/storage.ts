/**
 * Through which port does the rest of the service use the database?
 *
 * It has transactions, one repository for each subject, a check whether the database can do its work, and counts. It fails with
 * `Conflict` or `Unavailable` only. Nothing outside this folder contains SQL or knows the engine.
 */
import { Context, type Effect, type Scope } from "effect"
import type { HistogramState } from "../time/histogram.ts"
import type { TransactionOptions, WorkKind } from "./database.ts"
import type { Repositories } from "./repositories.ts"
import type { Unavailable } from "./storage-errors.ts"

/** The state of the storage, as numbers. */
export interface StorageState {
  readonly engine: string
  /** How many steps of the tables this program knows, and how many were applied when it was last asked. */
  readonly steps: { readonly known: number; readonly applied: number }
  /** The durations of statements on their own, and of whole transactions. */
  readonly latencies: Readonly<Record<WorkKind, HistogramState>>
  /** How often since the start the database could not do its work. */
  readonly unavailable: number
}

export interface StorageShape extends Repositories {
  readonly engine: string
  /** The name of the database for people, without secrets. */
  readonly label: string
  /** When a process last proved that it can write, before this one (epoch milliseconds); 0 for a new database. */
  readonly lastSeenMs: number
  /** Runs an effect in one transaction; inside another one as a part of it. Fails with `Unavailable` besides what the effect fails with. */
  readonly transact: <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    options?: TransactionOptions,
  ) => Effect.Effect<A, E | Unavailable, R>
  /** Succeeds when the database can do its work; otherwise says why not. */
  readonly liveness: Effect.Effect<void, Unavailable>
  /** The time of the database (epoch milliseconds): of the server, or of this machine for a file. */
  readonly readTime: Effect.Effect<number, Unavailable>
  /** Keeps the copying of a file's log away from the event loop, until the scope ends; a server copies by itself. */
  readonly moveCheckpoints: Effect.Effect<void, never, Scope.Scope>
  readonly readState: () => StorageState
  /** A number that grows whenever this process may have changed something. */
  readonly countChanges: () => number
}

/** The storage of this process. */
export class Storage extends Context.Service<Storage, StorageShape>()("landfall/storage/Storage") {}
