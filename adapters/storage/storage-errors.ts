/**
 * What can go wrong between the service and its database?
 *
 * Two things that a caller has to expect: a value that is taken ({@link Conflict}), and a database that cannot do its work now
 * ({@link Unavailable}), with a reason and a sentence for people. Everything else (a missing table, a wrong statement) is a fault
 * of the program or of the file and dies with its cause. No message holds a URL, a password, a key or a value of a row.
 */
import { Schema } from "effect"
import type { SqlError } from "effect/sql"

/** There is a row with this value already. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", { constraint: Schema.String }) {}

/** Why a database cannot do its work. */
export const UNAVAILABLE_REASONS = [
  "busy",
  "contended",
  "unreachable",
  "full",
  "read_only",
  "missing",
  "broken",
  "outdated",
  "clock",
] as const
export type UnavailableReason = (typeof UNAVAILABLE_REASONS)[number]

/** The database cannot do its work now; nothing was changed. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  reason: Schema.Literals(UNAVAILABLE_REASONS),
  message: Schema.String,
}) {}

/** The database could not be opened. */
export class DatabaseNotOpened extends Schema.TaggedError<DatabaseNotOpened>()("DatabaseNotOpened", {
  message: Schema.String,
}) {}

const PREDICATES: Readonly<Record<UnavailableReason, string>> = {
  busy: "is locked by another process, or did not answer in time",
  contended: "has rolled back a transaction that was in conflict with another one",
  unreachable: "cannot be reached",
  full: "cannot grow: the disk is full",
  read_only: "is read-only",
  missing: "was deleted, replaced or truncated while it was in use",
  broken: "cannot be read or written",
  outdated: "needs a newer version of landfall",
  clock: "has another time than this machine, or the time has jumped",
}

/** Says why a database cannot do its work, without naming the database. */
export const describeReason = (reason: UnavailableReason): string => `the database ${PREDICATES[reason]}`

/** Says in one sentence that a database cannot do its work; `detail` is what the system said. */
export function makeUnavailable(reason: UnavailableReason, label: string, detail?: string): Unavailable {
  const sentence = `the database (${label}) ${PREDICATES[reason]}`
  return new Unavailable({ reason, message: detail === undefined ? sentence : `${sentence}: ${detail}` })
}

/** SQLite's extended code for a file that was deleted or moved. */
export const SQLITE_READONLY_DBMOVED = 1_032

// https://www.sqlite.org/rescode.html, primary codes.
const SQLITE_REASONS: Readonly<Record<number, UnavailableReason>> = {
  5: "busy",
  6: "busy",
  8: "read_only",
  10: "broken",
  11: "broken",
  13: "full",
  14: "unreachable",
  26: "broken",
}

// https://www.postgresql.org/docs/18/errcodes-appendix.html: whole classes by two characters, single conditions by five.
const POSTGRES_REASONS: Readonly<Record<string, UnavailableReason>> = {
  "08": "unreachable",
  "28": "unreachable",
  "53": "busy",
  "53100": "full",
  // A database that accepts no connections for now.
  "55000": "unreachable",
  "57P01": "unreachable",
  "57P02": "unreachable",
  "57P03": "unreachable",
  "57P05": "unreachable",
  "58": "broken",
  "25006": "read_only",
  "25P03": "busy",
  "25P04": "busy",
  "3D000": "unreachable",
  XX: "broken",
}

function findCode(cause: unknown, name: "errcode" | "code"): unknown {
  return typeof cause === "object" && cause !== null && name in cause
    ? (cause as Record<string, unknown>)[name]
    : undefined
}

function findReason({ reason }: SqlError.SqlError): UnavailableReason | undefined {
  switch (reason._tag) {
    case "ConnectionError":
    case "AuthenticationError":
      return "unreachable"
    case "LockTimeoutError":
    case "StatementTimeoutError":
      return "busy"
    case "DeadlockError":
    case "SerializationError":
      return "contended"
    case "AuthorizationError":
      return "read_only"
  }
  const sqlite = findCode(reason.cause, "errcode")
  if (sqlite === SQLITE_READONLY_DBMOVED) return "missing"
  if (typeof sqlite === "number") return SQLITE_REASONS[sqlite & 0xff]
  const postgres = findCode(reason.cause, "code")
  if (typeof postgres === "string") return POSTGRES_REASONS[postgres] ?? POSTGRES_REASONS[postgres.slice(0, 2)]
  return undefined
}

/** The system's message, in one line; never the statement or its values. */
export function describeCause(error: SqlError.SqlError): string {
  const { cause } = error.reason
  const message = cause instanceof Error && cause.message !== "" ? cause.message : error.message
  return message.replace(/\s+/g, " ").trim()
}

/** The meaning of an SQL error for a caller; undefined for a fault, which no caller can expect. */
export function explainSqlError(error: SqlError.SqlError, label: string): Conflict | Unavailable | undefined {
  if (error.reason._tag === "UniqueViolation") return new Conflict({ constraint: error.reason.constraint })
  const reason = findReason(error)
  return reason === undefined ? undefined : makeUnavailable(reason, label, describeCause(error))
}
