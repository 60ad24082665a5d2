/**
 * Which devices get pushes of changes, and of which?
 *
 * SQL and rows only; tokens are sealed and hashed before they come here. What a device follows is one row a code, `*` for all of
 * a list, so that the database finds the devices that a change concerns.
 */
import { Effect } from "effect"
import { takeId } from "./counter.ts"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"

/** The services by which devices are reached. */
export const PLATFORMS = ["apns", "fcm"] as const
export type Platform = (typeof PLATFORMS)[number]

export interface DeviceRow {
  readonly id: number
  readonly account_id: number
  readonly platform: Platform
  readonly token_hash: string
  readonly sealed_token: string
  readonly lang: string
  /** When its token was last given (epoch milliseconds). */
  readonly registered_at: number
}

/** The pairs that a device follows; an empty list means everything. */
export interface DeviceCodes {
  readonly passports: readonly string[]
  readonly destinations: readonly string[]
}

/** Every code of a list. */
const ALL = "*"

const COLUMNS = "id, account_id, platform, token_hash, sealed_token, lang, registered_at"

/** The statements on devices. */
export const makeDevicesRepository = (database: Database) => {
  const columns = database.sql.literal(COLUMNS)

  const listCodes = (id: number, { passports, destinations }: Partial<DeviceCodes>) => {
    const rows = (list: string, codes: readonly string[] | undefined) =>
      codes === undefined
        ? []
        : (codes.length === 0 ? [ALL] : [...new Set(codes)]).map(code => ({ device_id: id, list, code }))
    return [...rows("passport", passports), ...rows("destination", destinations)]
  }

  /** Replaces the lists that are given. */
  const writeCodes = (id: number, codes: Partial<DeviceCodes>): Effect.Effect<void, Unavailable> =>
    Effect.gen(function* () {
      const rows = listCodes(id, codes)
      for (const list of new Set(rows.map(row => row.list))) {
        yield* database.change(sql => sql`DELETE FROM device_codes WHERE device_id = ${id} AND list = ${list}`)
      }
      yield* database.insertAll("device_codes", rows)
    })

  const remove = (id: number) =>
    database.runAll(sql => [
      sql`DELETE FROM pushes WHERE device_id = ${id}`,
      sql`DELETE FROM device_codes WHERE device_id = ${id}`,
      sql`DELETE FROM devices WHERE id = ${id}`,
    ])

  return {
    nextId: takeId(database, "devices_id"),

    insert: (row: DeviceRow, codes: DeviceCodes): Effect.Effect<void, Unavailable> =>
      Effect.andThen(
        database.change(sql => sql`INSERT INTO devices ${sql.insert({ ...row })}`),
        writeCodes(row.id, codes),
      ),

    /** Changes what is given. */
    update: (
      id: number,
      fields: Partial<Omit<DeviceRow, "id" | "account_id">>,
      codes: Partial<DeviceCodes>,
    ): Effect.Effect<void, Unavailable> =>
      Effect.gen(function* () {
        if (Object.keys(fields).length > 0) {
          yield* database.change(sql => sql`UPDATE devices SET ${sql.update({ ...fields })} WHERE id = ${id}`)
        }
        yield* writeCodes(id, codes)
      }),

    /** The device of an account; undefined for another account's. */
    find: (accountId: number, id: number) =>
      database.askOne(
        sql => sql<DeviceRow>`SELECT ${columns} FROM devices WHERE id = ${id} AND account_id = ${accountId}`,
      ),

    findByHash: (hash: string) =>
      database.askOne(sql => sql<DeviceRow>`SELECT ${columns} FROM devices WHERE token_hash = ${hash}`),

    findAll: (ids: readonly number[]) =>
      database.askAll(ids, (sql, some) => sql<DeviceRow>`SELECT ${columns} FROM devices WHERE ${sql.in("id", some)}`),

    /** The codes of a device, `*` for all. */
    listCodes: (id: number) =>
      database.ask(
        sql => sql<{ list: string; code: string }>`SELECT list, code FROM device_codes WHERE device_id = ${id}
          ORDER BY list, code`,
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

    countOf: (accountId: number) =>
      database.count(
        sql => sql<{ count: number }>`SELECT COUNT(*) AS count FROM devices WHERE account_id = ${accountId}`,
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
      Effect.gen(function* () {
        const found = yield* database.askOne(
          sql => sql<{ id: number }>`SELECT id FROM devices WHERE id = ${id} AND registered_at <= ${sinceMs}`,
        )
        if (found !== undefined) yield* remove(id)
      }),
  }
}
