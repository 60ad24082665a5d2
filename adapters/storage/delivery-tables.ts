/** Which steps add the tables for distribution in parts, history and failing receivers? Steps of `tables.ts` in a separate file. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * An event is distributed in parts: `handed_to` is the last subscription that has its delivery, `pushed_to` the last device that was
 * checked for a push; null if no push has to be written.
 */
export const fanOutInParts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE events ADD COLUMN handed_to BIGINT NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE events ADD COLUMN pushed_to BIGINT`
  yield* sql`DROP INDEX events_due`
  yield* sql`CREATE INDEX events_due ON events (due_at, passport, destination, id) WHERE fanned_out_at IS NULL`
  yield* sql`CREATE INDEX events_to_push ON events (pushed_to, id) WHERE pushed_to IS NOT NULL`
})

/** The changes of an installation, for the history of pairs; and indexes for deleting and listing. */
export const keepHistory = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE installed_changes (installation_id BIGINT PRIMARY KEY, content TEXT NOT NULL)`
  yield* sql`CREATE INDEX events_by_installation ON events (installation_id, id)`
  yield* sql`CREATE INDEX events_dated ON events (id) WHERE due_at > created_at`
  yield* sql`CREATE INDEX events_by_age ON events (due_at) WHERE fanned_out_at IS NOT NULL`
  yield* sql`CREATE INDEX deliveries_last ON deliveries (webhook_id, last_at DESC, id DESC) WHERE last_at IS NOT NULL`
})

/** Since when no delivery to a receiver has succeeded; null while they do. */
export const followFailures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE webhooks ADD COLUMN failing_since BIGINT`
})

/** The trace of the work that has caused an event, as a `traceparent`; null where that was not traced. */
export const keepTraces = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE event_bodies ADD COLUMN traceparent TEXT`
})

/** From which installation each process answers, and until when it counts as alive. */
export const reportAnswers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE dataset_readers (
    id TEXT PRIMARY KEY,
    installation_id BIGINT NOT NULL,
    alive_until BIGINT NOT NULL
  )`
})
