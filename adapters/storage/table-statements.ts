/**
 * How are the rows of a table written and read, where nothing about it is special?
 *
 * These are the statements that every table shares: its columns and their types are those that `tables.ts` declares. What needs more (a
 * guard that adds, another table, a claim) is written out in the repository of its subject. Every value is a parameter.
 */
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "./database.ts"
import type { Conflict, Unavailable } from "./storage-errors.ts"
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

/** Which rows: those with all of these values. */
export type Where<Columns> = { readonly [Name in keyof Columns]?: Columns[Name] | Comparison<Columns[Name]> }

/** In which order, and how many at most. */
export interface Listed<Columns> {
  readonly order: readonly ((keyof Columns & string) | `${keyof Columns & string} DESC`)[]
  readonly limit?: number
}

type Done<Value = void, Failure = never> = Effect.Effect<Value, Failure | Unavailable>

/** The statements on a table. `Read`: what of its rows is returned; `New`: what is written. */
export interface Table<Whole, Read, New> {
  /** The names of the columns that are returned, and as SQL. */
  readonly names: readonly string[]
  readonly columns: Statement.Fragment
  /** Reads the flags of rows that a statement with these columns returns. */
  readonly decode: (rows: readonly object[]) => readonly Read[]
  readonly find: (where: Where<Whole>) => Done<Read | undefined>
  readonly list: (where: Where<Whole>, listed: Listed<Whole>) => Done<readonly Read[]>
  /** All rows with one of some values of a column. */
  readonly findAll: <Column extends keyof Whole & string>(
    column: Column,
    values: readonly Whole[Column][],
  ) => Done<readonly Read[]>
  readonly count: (where: Where<Whole>) => Done<number>
  readonly insert: (row: New) => Done
  /** Writes a row; fails with `Conflict` if another one has a value that only one may have. */
  readonly insertUnique: (row: New) => Done<void, Conflict>
  /** Writes rows, some at a time; `onConflict` is the clause for rows whose key is there already. */
  readonly insertAll: (rows: readonly New[], onConflict?: string) => Done
  /** Writes rows, and in those whose key is there already the given columns, or all. */
  readonly put: (rows: readonly New[], key: keyof Whole & string, given?: readonly (keyof Whole & string)[]) => Done
  readonly update: (where: Where<Whole>, fields: Partial<Whole>) => Done
  /** Updates one row, and returns it; undefined where there is none. */
  readonly change: (where: Where<Whole>, fields: Partial<Whole>) => Done<Read | undefined>
  readonly remove: (where: Where<Whole>) => Done
  /** Removes one row, and returns it; undefined where there is none. */
  readonly take: (where: Where<Whole>) => Done<Read | undefined>
}

const encodeValue = (value: unknown): unknown => (typeof value === "boolean" ? Number(value) : value)
const encode = (fields: object) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, encodeValue(value)]))

/** Makes the statements on a table. `unread`: columns that they write and compare, and never return. */
export const makeTable = <Name extends TableName, Unread extends keyof Row<Name> & string = never>(
  database: Database,
  name: Name,
  unread: readonly Unread[] = [],
): Table<Row<Name>, Omit<Row<Name>, Unread>, NewRow<Name>> => {
  type Read = Omit<Row<Name>, Unread>
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
    }) as unknown as readonly Read[]
  const decodeFirst = Effect.map((rows: readonly object[]) => decode(rows.slice(0, 1))[0])

  const where = (conditions: object) =>
    sql.and(
      Object.entries(conditions).map(([column, condition]) => {
        const { operator, value } = condition instanceof Comparison ? condition : { operator: "=", value: condition }
        return value === null
          ? sql`${sql(column)} IS NULL`
          : sql`${sql(column)} ${sql.literal(operator)} ${encodeValue(value)}`
      }),
    )
  const insertAll = (rows: readonly object[], onConflict = "") => database.insertAll(name, rows.map(encode), onConflict)
  const insert = (row: object) => sql`INSERT INTO ${table} ${sql.insert(encode(row))}`
  const update = (conditions: object, fields: object) =>
    sql`UPDATE ${table} SET ${sql.update(encode(fields))} WHERE ${where(conditions)}`

  return {
    names,
    columns,
    decode,
    find: conditions =>
      decodeFirst(database.ask(query => query<object>`SELECT ${columns} FROM ${table} WHERE ${where(conditions)}`)),
    list: (conditions, { order, limit }) => {
      const most = limit === undefined ? sql.literal("") : sql`LIMIT ${limit}`
      const sorted = sql.literal(order.join(", "))
      return Effect.map(
        database.ask(
          query => query<object>`SELECT ${columns} FROM ${table} WHERE ${where(conditions)} ORDER BY ${sorted} ${most}`,
        ),
        decode,
      )
    },
    findAll: (column, values) =>
      Effect.map(
        database.askAll(
          values,
          (query, some) => query<object>`SELECT ${columns} FROM ${table} WHERE ${sql.in(column, some)}`,
        ),
        decode,
      ),
    count: conditions =>
      database.count(
        query => query<{ count: number }>`SELECT COUNT(*) AS count FROM ${table} WHERE ${where(conditions)}`,
      ),
    insert: row => database.run(() => insert(row)),
    insertUnique: row => Effect.asVoid(database.insert(() => insert(row))),
    insertAll,
    put: (rows, key, given = Object.keys(rows[0] ?? {}) as (keyof Row<Name> & string)[]) => {
      const set = given.filter(column => column !== key).map(column => `${column} = excluded.${column}`)
      return insertAll(rows, `ON CONFLICT (${key}) DO UPDATE SET ${set.join(", ")}`)
    },
    update: (conditions, fields) => database.run(() => update(conditions, fields)),
    change: (conditions, fields) =>
      decodeFirst(database.change(() => sql<object>`${update(conditions, fields)} RETURNING ${columns}`)),
    remove: conditions => database.run(() => sql`DELETE FROM ${table} WHERE ${where(conditions)}`),
    take: conditions =>
      decodeFirst(
        database.change(() => sql<object>`DELETE FROM ${table} WHERE ${where(conditions)} RETURNING ${columns}`),
      ),
  }
}
