/**
 * How does a record become a row of a dataset's header, and a row a record again?
 *
 * A row is described once, place by place: what the place may hold, how it is read and how it is written. The check of a file, the
 * reader and the compiler all work from that description, so that they cannot differ.
 */
import { splitCodes } from "./pair-table.ts"
import { isCodes, isFlag, orNull, type Test } from "./row-tests.ts"

/** One place of a row. `read` is called only with what `test` has let pass. */
export interface Place<Given, Held> {
  readonly test: Test
  readonly read: (stored: never) => Held
  readonly write: (given: Given) => unknown
}

/** A value that is stored as it is. */
export const plain = <Value>(test: Test): Place<Value, Value> => ({
  test,
  read: (stored: Value) => stored,
  write: given => given,
})

/** One of two words, stored as 0 or 1. */
export const oneOf = <No extends string, Yes extends string>(no: No, yes: Yes): Place<No | Yes, No | Yes> => ({
  test: isFlag,
  read: (stored: number) => (stored === 1 ? yes : no),
  write: given => (given === yes ? 1 : 0),
})

/** Codes, stored run together in alphabetical order: lists that are alike then compress to almost nothing. */
export const codes: Place<readonly string[], readonly string[]> = {
  test: isCodes,
  read: splitCodes,
  write: given => given.toSorted().join(""),
}

/** The same place where it may also be null. */
export const nullable = <Given, Held>({ test, read, write }: Place<Given, Held>): Place<Given | null, Held | null> => ({
  test: orNull(test),
  read: stored => (stored === null ? null : read(stored)),
  write: given => (given === null ? null : write(given)),
})

type Places = Readonly<Record<string, Place<never, unknown>>>
type Given<Of> = { readonly [Name in keyof Of]: Of[Name] extends Place<infer Value, unknown> ? Value : never }
type Held<Of> = { readonly [Name in keyof Of]: Of[Name] extends Place<never, infer Value> ? Value : never }

/** A description of rows. */
export interface RowCodec<Of> {
  readonly tests: readonly Test[]
  /** Reads the places of a row that was tested; those behind them are left to the caller. */
  readonly read: (row: readonly unknown[]) => Held<Of>
  readonly write: (given: Given<Of>) => readonly unknown[]
}

/** Describes rows by the fields of a record, in the order of their places. */
export function rowCodec<Of extends Places>(places: Of): RowCodec<Of> {
  const entries = Object.entries(places)
  return {
    tests: entries.map(([, { test }]) => test),
    read: row => Object.fromEntries(entries.map(([name, { read }], at) => [name, read(row[at] as never)])) as Held<Of>,
    write: given => entries.map(([name, { write }]) => write(given[name as keyof Of] as never)),
  }
}
