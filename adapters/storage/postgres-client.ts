/**
 * How does Effect's SQL client use PostgreSQL in the same way as a file?
 *
 * It has a pool of connections that are made on demand, and again after the server was unavailable. Numbers of eight bytes arrive as
 * numbers and not as `bigint`, so that a row is the same from both engines. Every session has its own limits: a statement, a wait for a
 * lock and an idle transaction end by themselves, so that a process that hangs does not delay the others. A connection on which the server
 * is silent for longer than these ends too, so that nothing waits for a machine that is gone. Connect to the server itself, or to a pooler
 * that gives each client its own session.
 */
import { connect, type Socket } from "node:net"
import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Redacted, Result, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient, SqlError } from "effect/sql"

/** How many connections a process has at most. */
export const MAXIMUM_CONNECTIONS = 10

const SESSION_LIMITS = {
  statement_timeout: "15s",
  lock_timeout: "5s",
  idle_in_transaction_session_timeout: "10s",
} as const

/** Longer than the server takes for anything that {@link SESSION_LIMITS} allows. */
const SILENCE_MS = 20_000
/** How long an unused connection is kept. */
const IDLE = "10 seconds"

const APPLICATION_NAME = "landfall"
const POSTGRES_PORT = 5_432

function openSocket({ hostname, port, searchParams }: URL, isLimited: boolean): Socket {
  const host = searchParams.get("host") ?? hostname.replace(/^\[(.*)\]$/, "$1")
  const number = Number(port || POSTGRES_PORT)
  const socket = host.startsWith("/")
    ? connect({ path: `${host}/.s.PGSQL.${number}` })
    : connect({ host: decodeURIComponent(host), port: number, noDelay: true, keepAlive: true })
  if (isLimited) {
    socket.setTimeout(SILENCE_MS, () =>
      socket.destroy(new Error(`the server was silent for ${SILENCE_MS / 1_000} seconds`)),
    )
  }
  return socket
}

/** Reads and writes int8 as a number, which is exact for everything that is counted here. */
const int8AsNumber: PgTypes.Codec<number | bigint> = {
  encode: value => {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setBigInt64(0, BigInt(value))
    return Result.succeed(bytes)
  },
  decode: bytes => {
    const value = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigInt64(0)
    return Result.succeed(Number.isSafeInteger(Number(value)) ? Number(value) : value)
  },
}

function makeTypes(): PgTypes.Registry {
  const types = PgTypes.makeRegistry()
  types.register(PgTypes.OID.int8, int8AsNumber, { arrayOid: PgTypes.OID.int8Array })
  return types
}

/**
 * A client over the PostgreSQL that a URL names; nothing is connected before the first statement. Closed with the scope.
 * `isLimited: false`: one connection without limits of time, for steps that rewrite large tables.
 */
export const makePostgresClient = (
  url: Redacted.Redacted<string>,
  { isLimited = true }: { readonly isLimited?: boolean } = {},
): Effect.Effect<SqlClient.SqlClient, SqlError.SqlError, Scope.Scope> => {
  const parsed = new URL(Redacted.value(url))
  return PgClient.make({
    url,
    stream: () => openSocket(parsed, isLimited),
    types: makeTypes(),
    maxConnections: isLimited ? MAXIMUM_CONNECTIONS : 1,
    idleTimeout: IDLE,
    ...(isLimited ? { startupParameters: SESSION_LIMITS } : {}),
    ...(parsed.searchParams.has("application_name") ? {} : { applicationName: APPLICATION_NAME }),
  }).pipe(Effect.provide(Reactivity.layer))
}
