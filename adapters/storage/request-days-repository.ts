/**
 * How often has an account asked each route on each day, and with which status?
 *
 * One row for an account, a day, a method, a route and a status. Routes are templates of the service's own paths, so that an account has
 * at most as many rows a day as there are routes and statuses. Processes add to the same rows, in the order of the keys.
 */
import type { Database } from "./database.ts"

/** Requests of one kind on one day. */
export interface RequestDay {
  readonly account_id: number
  /** ISO 8601, UTC. */
  readonly day: string
  readonly method: string
  /** The template of the path, as in `/webhooks/:id`. */
  readonly route: string
  readonly status: number
  readonly requests: number
}

const keyOf = ({ account_id, day, method, route, status }: RequestDay): string =>
  `${String(account_id).padStart(12, "0")} ${day} ${route} ${method} ${status}`

/** The statements on requests by day. */
export const makeRequestDaysRepository = (database: Database) => ({
  /** Adds requests, each kind named once. */
  add: (rows: readonly RequestDay[]) =>
    database.insertAll(
      "request_days",
      [...rows].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
      `ON CONFLICT (account_id, day, route, method, status)
        DO UPDATE SET requests = request_days.requests + excluded.requests`,
    ),

  /** The requests of an account from a day on: the newest day first, and on each day what was asked most. */
  listOf: (accountId: number, fromDay: string, limit: number) =>
    database.ask(
      sql => sql<RequestDay>`SELECT account_id, day, method, route, status, requests FROM request_days
        WHERE account_id = ${accountId} AND day >= ${fromDay}
        ORDER BY day DESC, requests DESC, route, method, status LIMIT ${limit}`,
    ),

  forgetBefore: (day: string) => database.run(sql => sql`DELETE FROM request_days WHERE day < ${day}`),
})
