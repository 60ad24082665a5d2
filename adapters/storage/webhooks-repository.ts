/**
 * How are subscriptions written and read?
 *
 * SQL and rows only. The terms of a subscription are one JSON text, because they are always read whole; secrets are sealed before
 * they come here.
 */
import { Effect } from "effect"
import { bumpCounter, readCounter, takeId } from "./counter.ts"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"

/** One subscription. */
export interface WebhookRow {
  readonly id: number
  readonly account_id: number
  readonly url: string
  /** Types and filter, as JSON. */
  readonly terms: string
  readonly description: string
  readonly sealed_secret: string
  readonly sealed_old_secret: string | null
  /** Until when the old secret signs too (epoch milliseconds). */
  readonly old_secret_until: number
  /** Since when no delivery has succeeded (epoch milliseconds); null while they do. */
  readonly failing_since: number | null
  /** Null while it is active. */
  readonly disabled_because: string | null
  /** ISO 8601. */
  readonly created_at: string
  /** 1 for one of test keys: it gets nothing but what they send. */
  readonly is_test: number
}

const ROTATIONS = "webhook_rotations"

const COLUMNS =
  "w.id, w.account_id, w.url, w.terms, w.description, w.sealed_secret, w.sealed_old_secret, w.old_secret_until, w.failing_since, w.disabled_because, w.created_at, w.is_test"

/** The statements on subscriptions. */
export const makeWebhooksRepository = (database: Database) => {
  const columns = database.sql.literal(COLUMNS)
  return {
    nextId: takeId(database, "webhooks_id"),

    insert: (row: Omit<WebhookRow, "failing_since" | "is_test"> & Partial<Pick<WebhookRow, "is_test">>) =>
      database.run(sql => sql`INSERT INTO webhooks ${sql.insert({ ...row })}`),

    /** The subscription of an account, a live one or one for tests; undefined for another account's. */
    find: (accountId: number, isTest: boolean, id: number) =>
      database.askOne(
        sql => sql<WebhookRow>`SELECT ${columns} FROM webhooks w WHERE w.id = ${id} AND w.account_id = ${accountId}
          AND w.is_test = ${Number(isTest)}`,
      ),

    /** Those of an account, live ones or those for tests, above a number, up to a number of them. */
    listOf: (
      accountId: number,
      isTest: boolean,
      { aboveId = 0, limit = Number.MAX_SAFE_INTEGER }: { readonly aboveId?: number; readonly limit?: number } = {},
    ) =>
      database.ask(
        sql => sql<WebhookRow>`SELECT ${columns} FROM webhooks w WHERE w.account_id = ${accountId}
          AND w.is_test = ${Number(isTest)} AND w.id > ${aboveId} ORDER BY w.id LIMIT ${limit}`,
      ),

    findAll: (ids: readonly number[]) =>
      database.askAll(
        ids,
        (sql, some) => sql<WebhookRow>`SELECT ${columns} FROM webhooks w WHERE ${sql.in("w.id", some)}`,
      ),

    /** The terms of live subscriptions above a number, active or not, in order, up to a number. */
    listTerms: (aboveId: number, limit: number) =>
      database.ask(
        sql => sql<Pick<WebhookRow, "id" | "terms">>`SELECT id, terms FROM webhooks WHERE id > ${aboveId}
          AND is_test = 0 ORDER BY id LIMIT ${limit}`,
      ),

    /** Every active live subscription of an account that is not disabled. */
    listActive: database.ask(
      sql => sql<WebhookRow>`SELECT ${columns} FROM webhooks w JOIN accounts a ON a.id = w.account_id
        WHERE w.disabled_because IS NULL AND w.is_test = 0 AND a.is_disabled = 0 ORDER BY w.id`,
    ),

    /** Replaces the secret; the old one signs too until an instant. */
    rotateSecret: (
      id: number,
      sealed: string,
      sealedOld: string,
      oldUntilMs: number,
    ): Effect.Effect<void, Unavailable> =>
      database.transact(
        Effect.gen(function* () {
          yield* database.change(
            sql => sql`UPDATE webhooks SET sealed_secret = ${sealed}, sealed_old_secret = ${sealedOld},
              old_secret_until = ${oldUntilMs} WHERE id = ${id}`,
          )
          yield* bumpCounter(database, ROTATIONS)
        }),
      ),

    /** How many secrets were replaced so far. */
    readRotations: readCounter(database, ROTATIONS),

    /** Notes since when deliveries to some subscriptions fail; null where they succeed again. */
    noteFailing: (ids: readonly number[], sinceMs: number | null) =>
      database.run(sql => {
        const isNews = sinceMs === null ? sql`failing_since IS NOT NULL` : sql`failing_since IS NULL`
        return sql`UPDATE webhooks SET failing_since = ${sinceMs} WHERE ${sql.in("id", [...ids])} AND ${isNews}`
      }),

    /** Begins again with a subscription that was disabled. */
    enable: (id: number) =>
      database.run(sql => sql`UPDATE webhooks SET disabled_because = NULL, failing_since = NULL WHERE id = ${id}`),

    /** Disables an active subscription; says whether it was active. */
    disable: (id: number, reason: string) =>
      database.hasChanged(
        sql => sql`UPDATE webhooks SET disabled_because = ${reason} WHERE id = ${id} AND disabled_because IS NULL
            RETURNING id`,
      ),

    /** Removes a subscription and all deliveries to it. */
    remove: (id: number) =>
      database.runAll(sql => [
        sql`DELETE FROM webhooks WHERE id = ${id}`,
        sql`DELETE FROM deliveries WHERE webhook_id = ${id}`,
      ]),
  }
}
