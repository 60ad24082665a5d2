/**
 * How are the rows of a table written and read, where nothing about it is special?
 *
 * These are the statements that every table shares: its columns and their types are those that `tables.ts` declares. What needs more (a
 * guard that adds, another table, a claim) is written out in the repository of its subject. Every value is a parameter.
 */

import { randomInt } from "node:crypto"
import { Clock, Context, Effect } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"
import { listColumns, type NewRow, type Row, type TableName } from "./tables.ts"

/** A comparison of a column with a value, other than that both are the same. */
export class Comparison<Value> {
  readonly operator: "<" | "<=" | ">" | ">=" | "<>"
  readonly value: Value
  constructor(operator: Comparison<Value>["operator"], value: Value) {
    this.operator = operator
    this.value = value
  }
}
export const above = <Value>(value: Value) => new Comparison(">", value)
export const atLeast = <Value>(value: Value) => new Comparison(">=", value)
export const below = <Value>(value: Value) => new Comparison("<", value)
export const upTo = <Value>(value: Value) => new Comparison("<=", value)
export const otherThan = <Value>(value: Value) => new Comparison("<>", value)

/** Which rows: those with all of these values. */
export type Where<Columns> = { readonly [Name in keyof Columns]?: Columns[Name] | Comparison<Columns[Name]> }

/** In which order, and how many at most. */
export interface Listed<Columns> {
  readonly order: readonly ((keyof Columns & string) | `${keyof Columns & string} DESC`)[]
  readonly limit?: number
}

const encodeValue = (value: unknown): unknown => (typeof value === "boolean" ? Number(value) : value)
const encode = (fields: object) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, encodeValue(value)]))

type Column<Name extends TableName> = keyof Row<Name> & string
type Read<Name extends TableName, Unread extends keyof Row<Name>> = Omit<Row<Name>, Unread>

/** Makes the statements on a table. `unread`: columns that they write and compare, and never return. */
export const makeTable = <Name extends TableName, Unread extends keyof Row<Name> & string = never>(
  database: Database,
  name: Name,
  unread: readonly Unread[] = [],
) => {
  const { sql } = database
  const table = sql.literal(name)
  const read = listColumns(name).filter(([column]) => !unread.includes(column as Unread))
  const names = read.map(([column]) => column)
  const columns = sql.literal(names.join(", "))
  const flags = read.flatMap(([column, kind]) => (kind === "FLAG" ? [column] : []))
  const decode = (rows: readonly object[]) =>
    rows.map(row => {
      const known = row as Record<string, unknown>
      return { ...known, ...Object.fromEntries(flags.map(flag => [flag, known[flag] === 1])) }
    }) as unknown as readonly Read<Name, Unread>[]
  const decodeFirst = (
    found: Effect.Effect<readonly object[], Unavailable>,
  ): Effect.Effect<Read<Name, Unread> | undefined, Unavailable> =>
    Effect.map(found, rows => decode(rows.slice(0, 1))[0])

  const whereAll = (conditions: Where<Row<Name>>) =>
    sql.and(
      Object.entries(conditions).map(([column, condition]) => {
        const { operator, value } = condition instanceof Comparison ? condition : { operator: "=", value: condition }
        return value === null
          ? sql`${sql(column)} IS ${sql.literal(operator === "=" ? "NULL" : "NOT NULL")}`
          : sql`${sql(column)} ${sql.literal(operator)} ${encodeValue(value)}`
      }),
    )
  const find = (conditions: Where<Row<Name>>, end = sql.literal("")) =>
    database.ask(query => query<object>`SELECT ${columns} FROM ${table} WHERE ${whereAll(conditions)} ${end}`)
  const writeOne = (row: NewRow<Name>) => sql`INSERT INTO ${table} ${sql.insert(encode(row))}`
  const updateAll = (conditions: Where<Row<Name>>, fields: Partial<Row<Name>>) =>
    sql`UPDATE ${table} SET ${sql.update(encode(fields))} WHERE ${whereAll(conditions)}`
  const removeAll = (conditions: Where<Row<Name>>) => sql`DELETE FROM ${table} WHERE ${whereAll(conditions)}`
  /** Writes rows, some at a time; `onConflict` is the clause for rows whose key is there already. */
  const insertAll = (rows: readonly NewRow<Name>[], onConflict = "") =>
    database.insertAll(name, rows.map(encode), onConflict)

  return {
    /** The names of the columns that are returned, and as SQL. */
    names,
    columns,
    /** Reads the flags of rows that a statement with these columns returns. */
    decode,
    find: (conditions: Where<Row<Name>>) => decodeFirst(find(conditions)),
    list: (conditions: Where<Row<Name>>, { order, limit }: Listed<Row<Name>>) => {
      const most = limit === undefined ? sql.literal("") : sql`LIMIT ${limit}`
      return Effect.map(find(conditions, sql`ORDER BY ${sql.literal(order.join(", "))} ${most}`), decode)
    },
    /** All rows with one of some values of a column. */
    findAll: <One extends Column<Name>>(column: One, values: readonly Row<Name>[One][]) => {
      const findSome = database.askAll(
        values,
        (query, some) => query<object>`SELECT ${columns} FROM ${table} WHERE ${sql.in(column, some)}`,
      )
      return Effect.map(findSome, decode)
    },
    count: (conditions: Where<Row<Name>>) =>
      database.count(
        query => query<{ count: number }>`SELECT COUNT(*) AS count FROM ${table} WHERE ${whereAll(conditions)}`,
      ),
    insert: (row: NewRow<Name>) => database.run(() => writeOne(row)),
    /** Writes a row; fails with `Conflict` if another one has a value that only one may have. */
    insertUnique: (row: NewRow<Name>) => Effect.asVoid(database.insert(() => writeOne(row))),
    insertAll,
    /** Writes rows, and in those whose key is there already the given columns, or all. */
    put: (rows: readonly NewRow<Name>[], key: Column<Name>, given: readonly string[] = Object.keys(rows[0] ?? {})) => {
      const set = given.filter(column => column !== key).map(column => `${column} = excluded.${column}`)
      return insertAll(rows, `ON CONFLICT (${key}) DO UPDATE SET ${set.join(", ")}`)
    },
    update: (conditions: Where<Row<Name>>, fields: Partial<Row<Name>>) =>
      database.run(() => updateAll(conditions, fields)),
    /** Updates one row, and returns it; undefined where there is none. */
    change: (conditions: Where<Row<Name>>, fields: Partial<Row<Name>>) =>
      decodeFirst(database.change(() => sql<object>`${updateAll(conditions, fields)} RETURNING ${columns}`)),
    /** Updates rows, and says whether there were any. */
    hasChanged: (conditions: Where<Row<Name>>, fields: Partial<Row<Name>>) =>
      database.hasChanged(() => sql<object>`${updateAll(conditions, fields)} RETURNING 1`),
    remove: (conditions: Where<Row<Name>>) => database.run(() => removeAll(conditions)),
    /** Removes one row, and returns it; undefined where there is none. */
    take: (conditions: Where<Row<Name>>) =>
      decodeFirst(database.change(() => sql<object>`${removeAll(conditions)} RETURNING ${columns}`)),
  }
}

// What is the next number of a kind, and the next id? One table of named counters provides the ids of rows and the revisions of tables. An
// id that is known before its row is written can be sealed into that row, and is never used twice. Numbers count. Ids that customers see do
// not: an id is the time in steps of a quarter of a microsecond, and a random number of steps more, so it does not tell how many rows
// others have made. Ids of one kind grow, so lists keep their order.

/** Adds one to a counter and returns the new value, from 1 on. Inside a transaction it is rolled back with it. */
export const bumpCounter = (database: Database, name: string): Effect.Effect<number, Unavailable> => {
  const bump = database.changeOne(
    sql => sql<{ value: number }>`INSERT INTO counters (name, value) VALUES (${name}, 1)
      ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value`,
  )
  return Effect.map(bump, row => row!.value)
}

/** Reads a counter: 0 for one that was never bumped. */
export const readCounter = (database: Database, name: string): Effect.Effect<number, Unavailable> =>
  Effect.map(makeTable(database, "counters").find({ name }), row => row?.value ?? 0)

/** So many ids belong to a millisecond: ids stay whole numbers that JSON holds until 2095. */
const IDS_A_MS = 4_096
const FIRST_MS = Date.UTC(2026, 0, 1)

/** Whether ids count from 1 on: for a test that names them. */
export const AreIdsCounted = Context.Reference("landfall/storage/AreIdsCounted", { defaultValue: () => false })

/** The statement that takes some ids in a row at a moment, none of which is before the moment; returns the last one. */
export const takeIds = (
  { sql, areIdsCounted, isPostgres }: Database,
  { name, count, nowMs }: { readonly name: string; readonly count: number; readonly nowMs: number },
): Statement.Statement<{ value: number }> => {
  const before = areIdsCounted ? 0 : Math.max(0, (nowMs - FIRST_MS) * IDS_A_MS)
  const greater = sql.literal(isPostgres ? "GREATEST" : "MAX")
  return sql<{ value: number }>`INSERT INTO counters (name, value) VALUES (${name}, ${before + count})
    ON CONFLICT (name) DO UPDATE SET value = ${greater}(counters.value + ${count}, ${before + count}) RETURNING value`
}

/** Takes the next id of a kind. Inside a transaction it is given back with it. */
export const takeId = (database: Database, name: string): Effect.Effect<number, Unavailable> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const row = yield* database.changeOne(() =>
      takeIds(database, { name, count: database.areIdsCounted ? 1 : randomInt(1, IDS_A_MS), nowMs }),
    )
    return row!.value
  })
