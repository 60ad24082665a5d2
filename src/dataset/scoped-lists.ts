/**
 * What holds for a passport at a destination, and on which days?
 *
 * Values that name passports and days, found by destination and passport. Each is read at first use, and every list is made once.
 */
import type { EpochDay } from "../civil-date.ts"
import { getOrInsert } from "../get-or-insert.ts"
import { NOTHING } from "./copy-frozen.ts"
import { splitCodes } from "./pair-table.ts"
import type { ScopedRowEnd, ScopeRow } from "./terms-section.ts"

/** Something that holds for a passport on some days. */
export interface Scoped<Value> {
  readonly value: Value
  /** 3 where the passport is named by its code, 2 by a bloc, 1 with everybody. */
  readonly rank: number
  readonly fromDay: EpochDay
  /** First day no longer in force. */
  readonly untilDay: EpochDay
}

/** Values by destination and passport, read at first use. */
export class ScopedLists<Value extends object> {
  readonly #entries = new Map<string, { readonly scope: ScopeRow; readonly read: () => Value }[]>()
  /** By destination, then by passport, and by the places of the scopes that name it: many passports have the same list. */
  readonly #lists = new Map<string, Map<string, readonly Scoped<Value>[]>>()

  constructor(rows: readonly (readonly [destinations: string, scopes: readonly ScopeRow[], read: () => Value])[]) {
    for (const [destinations, scopes, make] of rows) {
      let value: Value | null = null
      const read = () => {
        value ??= make()
        return value
      }
      for (const destination of splitCodes(destinations)) {
        const known = getOrInsert(this.#entries, destination, () => [])
        for (const scope of scopes) known.push({ scope, read })
      }
    }
  }

  has(destination: string): boolean {
    return this.#entries.has(destination)
  }

  /** The days on which something begins or ends to hold at a destination. */
  listDays(destination: string): readonly EpochDay[] {
    const entries = this.#entries.get(destination) ?? []
    return entries.flatMap(({ scope: [, , , fromDay, untilDay] }) => [fromDay, untilDay].filter(day => day !== null))
  }

  /** Those that hold for a passport at a destination on some day, the most specific first; the same list at every call. */
  at(destination: string, passport: string): readonly Scoped<Value>[] {
    const entries = this.#entries.get(destination)
    if (entries === undefined) return NOTHING
    const lists = getOrInsert(this.#lists, destination, () => new Map<string, readonly Scoped<Value>[]>())
    return getOrInsert(lists, passport, () => {
      const places = [...entries.keys()].filter(place => names(entries[place]!.scope, passport))
      return getOrInsert(lists, String(places), () =>
        Object.freeze(
          places
            .map(place => {
              const { scope, read } = entries[place]!
              const [rank, , , fromDay, untilDay] = scope
              return {
                value: read(),
                rank,
                fromDay: fromDay ?? Number.NEGATIVE_INFINITY,
                untilDay: untilDay ?? Number.POSITIVE_INFINITY,
              }
            })
            .sort((a, b) => b.rank - a.rank),
        ),
      )
    })
  }
}

function names([, passports, except]: ScopeRow, passport: string): boolean {
  return passports === null ? !includesCode(except, passport) : includesCode(passports, passport)
}

/** Lists the values of rows that end with their scope and source. */
export function listByScope<Row extends readonly [...unknown[], ...ScopedRowEnd], Value extends object>(
  rows: readonly Row[],
  read: (row: Row, place: number) => Value,
): ScopedLists<Value> {
  return new ScopedLists(
    rows.map((row, place) => {
      const [destinations, scopes] = row.slice(-5) as unknown as ScopedRowEnd
      return [destinations, scopes, () => read(row, place)]
    }),
  )
}

/** Says whether codes that are run together include one. */
export function includesCode(codes: string, code: string): boolean {
  for (let at = 0; at < codes.length; at += 3) if (codes.startsWith(code, at)) return true
  return false
}

/** Groups rows by their first place, the destination. */
export function groupRows<Row extends readonly [string, ...unknown[]]>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row[0])
    if (group === undefined) groups.set(row[0], [row])
    else group.push(row)
  }
  return groups
}
