/**
 * Which devices get pushes of changes, of which, and which pushes wait for which device?
 *
 * SQL and rows only; tokens are sealed and hashed before they come here. What a device follows is one row a code, `*` for all of
 * a list, so that the database finds the devices that a change concerns. Pushes are claimed work (see `work-table.ts`), each of the lane of
 * its platform. A push is deleted when it is sent. A device has one row for each pair: a newer change replaces a waiting one, even while that
 * is under way; the claim of the old one is then lost.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import { listJsonRows } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"
import { makeTable, takeId, upTo } from "./table-statements.ts"
import type { Platform, Row } from "./tables.ts"
import { makeWorkTable, type Ticket } from "./work-table.ts"

/** A device; `registered_at` is when its token was last given (epoch milliseconds). */
export type DeviceRow = Row<"devices">

/** The pairs that a device follows; an empty list means everything. */
export interface DeviceCodes {
  readonly passports: readonly string[]
  readonly destinations: readonly string[]
}

/** Every code of a list. */
const ALL = "*"

function listCodes(id: number, { passports, destinations }: Partial<DeviceCodes>) {
  const rows = (list: string, codes: readonly string[] | undefined) =>
    codes === undefined
      ? []
      : (codes.length === 0 ? [ALL] : [...new Set(codes)]).map(code => ({ device_id: id, list, code }))
  return [...rows("passport", passports), ...rows("destination", destinations)]
}

/** The statements on devices. */
export const makeDevicesRepository = (database: Database) => {
  const devices = makeTable(database, "devices")
  const codes = makeTable(database, "device_codes", ["device_id"])

  /** Replaces the lists that are given. */
  const writeCodes = (id: number, given: Partial<DeviceCodes>): Effect.Effect<void, Unavailable> =>
    Effect.gen(function* () {
      const rows = listCodes(id, given)
      for (const list of new Set(rows.map(row => row.list))) yield* codes.remove({ device_id: id, list })
      yield* codes.insertAll(rows)
    })

  const remove = (id: number) =>
    database.runAll(sql => [
      sql`DELETE FROM pushes WHERE device_id = ${id}`,
      sql`DELETE FROM device_codes WHERE device_id = ${id}`,
      sql`DELETE FROM devices WHERE id = ${id}`,
    ])

  return {
    ...devices,
    nextId: takeId(database, "devices_id"),

    /** The codes of a device, `*` for all. */
    listCodes: (device_id: number) => codes.list({ device_id }, { order: ["list", "code"] }),

    insert: (row: DeviceRow, given: DeviceCodes): Effect.Effect<void, Unavailable> =>
      Effect.andThen(devices.insert(row), writeCodes(row.id, given)),

    /** Changes what is given. */
    update: (
      id: number,
      fields: Partial<Omit<DeviceRow, "id" | "account_id">>,
      given: Partial<DeviceCodes>,
    ): Effect.Effect<void, Unavailable> =>
      Effect.andThen(
        Object.keys(fields).length > 0 ? devices.update({ id }, fields) : Effect.void,
        writeCodes(id, given),
      ),

    /** How many devices there are above an id, up to a number of them, and the last one of these. */
    countAbove: (id: number, limit: number) =>
      Effect.map(
        database.ask(
          sql => sql<{ count: number; last: number | null }>`SELECT COUNT(*) AS count, MAX(id) AS last
            FROM (SELECT id FROM devices WHERE id > ${id} ORDER BY id LIMIT ${limit}) AS found`,
        ),
        ([row]) => ({ count: Number(row!.count), last: row!.last ?? id }),
      ),

    /** The devices that follow any of some pairs, of accounts that are not disabled. */
    listFollowing: (
      pairs: readonly { readonly passport: string; readonly destination: string }[],
    ): Effect.Effect<ReadonlySet<number>, Unavailable> =>
      Effect.map(
        database.askAll(
          pairs,
          (sql, some) => sql<{ id: number }>`SELECT DISTINCT d.id AS id FROM devices d
            JOIN accounts a ON a.id = d.account_id AND a.is_disabled = 0
            JOIN device_codes p ON p.device_id = d.id AND p.list = 'passport'
            JOIN device_codes t ON t.device_id = d.id AND t.list = 'destination'
            WHERE ${sql.or(
              some.map(
                ({ passport, destination }) =>
                  sql`(p.code IN (${passport}, ${ALL}) AND t.code IN (${destination}, ${ALL}))`,
              ),
            )}`,
        ),
        found => new Set(found.map(({ id }) => id)),
      ),

    /** Removes a device and all waiting pushes to it. */
    remove,

    /** Removes a device whose token was not registered again since an instant. */
    removeExpired: (id: number, sinceMs: number): Effect.Effect<void, Unavailable> =>
      Effect.flatMap(devices.count({ id, registered_at: upTo(sinceMs) }), count =>
        count > 0 ? remove(id) : Effect.void,
      ),
  }
}

/** A push that this process has claimed; its lane is its platform. */
export type ClaimedPush = Ticket & {
  readonly lane: Platform
  readonly device_id: number
  readonly event_id: string
  readonly created_at: number
}

/** A push that is to be written. */
export interface NewPush {
  readonly device_id: number
  readonly platform: Platform
  readonly event_id: string
  readonly passport: string
  readonly destination: string
}

/** The statements on pushes. */
export const makePushesRepository = (database: Database) => ({
  ...makeWorkTable<ClaimedPush, object>(database, {
    table: "pushes",
    idType: "TEXT",
    lane: { column: "platform", type: "TEXT" },
    states: { done: null, givenUp: null },
    columns: { device_id: "device_id", event_id: "event_id", created_at: "created_at" },
    notes: {},
    countsLostClaims: true,
  }),

  /**
   * Which devices follow the pairs of events: of accounts that are not disabled, on some platforms, with ids above one up to another, at most
   * a number.
   */
  listFollowing: (options: {
    readonly eventIds: readonly string[]
    readonly platforms: readonly Platform[]
    readonly above: number
    readonly upTo: number
    readonly limit: number
  }) =>
    database.ask(
      sql => sql<NewPush>`SELECT d.id AS device_id, d.platform AS platform, e.id AS event_id, e.passport AS passport,
            e.destination AS destination
          FROM events e
          JOIN device_codes p ON p.list = 'passport' AND p.code IN (e.passport, '*')
            AND p.device_id > ${options.above} AND p.device_id <= ${options.upTo}
          JOIN device_codes t ON t.device_id = p.device_id AND t.list = 'destination' AND t.code IN (e.destination, '*')
          JOIN devices d ON d.id = p.device_id AND ${sql.in("d.platform", [...options.platforms])}
          JOIN accounts a ON a.id = d.account_id AND a.is_disabled = 0
          WHERE ${sql.in("e.id", [...options.eventIds])} LIMIT ${options.limit}`,
    ),

  /** Writes pushes, in the order of their devices. A device's waiting push of the same pair is replaced. */
  insertAll: (pushes: readonly NewPush[], nowMs: number) =>
    database.inSteps(pushes, some =>
      database.run(
        // Without the condition SQLite parses ON as a part of the join.
        sql => sql`INSERT INTO pushes
            (id, platform, device_id, event_id, state, attempt, due_at, lease_until, leased_by, created_at)
            SELECT id, platform, device_id, event_id, 'pending', 0, CAST(${nowMs} AS BIGINT), 0, NULL, CAST(${nowMs} AS BIGINT)
            FROM (${listJsonRows(
              sql,
              { id: "TEXT", platform: "TEXT", device_id: "BIGINT", event_id: "TEXT" },
              some.map(push => ({ ...push, id: `${push.device_id}:${push.passport}:${push.destination}` })),
            )}) AS r WHERE TRUE
            ON CONFLICT (id) DO UPDATE SET event_id = excluded.event_id, attempt = 0, due_at = excluded.due_at,
              is_deferred = 0, lease_until = 0, leased_by = NULL, created_at = excluded.created_at`,
      ),
    ),

  /** How many wait. */
  count: makeTable(database, "pushes").count({}),
})
