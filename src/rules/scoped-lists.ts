/**
 * What holds for a passport at a destination, and on which days?
 *
 * Values that name passports and days, found by destination and passport. Scopes are taken apart at first use, and every list is made once.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import type { Bloc, Membership, Scope } from "../dataset/facts.ts"
import { getOrInsert } from "../get-or-insert.ts"

/** Some passports, and some days on which something holds for them. */
export interface ExpandedScope {
  /** How specific it is: 3 for codes, 2 for a member of a bloc, 1 for everybody. */
  readonly rank: 1 | 2 | 3
  /** Null for everybody but `except`. */
  readonly passports: readonly string[] | null
  readonly except: readonly string[]
  /** The first day; infinitely early where none is recorded. */
  readonly fromDay: EpochDay
  /** First day no longer in force; infinitely late where none is recorded. */
  readonly untilDay: EpochDay
}

const startOf = (date: string | null | undefined): EpochDay => parseCivilDate(date) ?? Number.NEGATIVE_INFINITY
const endOf = (date: string | null | undefined): EpochDay => parseCivilDate(date) ?? Number.POSITIVE_INFINITY

/** The members of each bloc, by its selector (`@BLOC`). */
export type Blocs = ReadonlyMap<string, readonly Membership[]>

/** The blocs of facts by their selectors. */
export const blocsOf = (blocs: readonly Bloc[]): Blocs => new Map(blocs.map(({ id, members }) => [`@${id}`, members]))

/**
 * Takes a scope apart into its codes and the members of its blocs, by the days of their membership. In `except` a bloc means its
 * members on any day.
 */
export function expandScope(blocs: Blocs, scope: Scope): readonly ExpandedScope[] {
  const span = { fromDay: startOf(scope.from), untilDay: endOf(scope.until) }
  const except = (scope.except ?? []).flatMap(each => blocs.get(each)?.map(({ code }) => code) ?? [each])
  if (scope.passports == null) return [{ rank: 1, passports: null, except, ...span }]
  const own = scope.passports.filter(each => !blocs.has(each) && !except.includes(each))
  const scopes: ExpandedScope[] = [{ rank: 3, passports: own, except: [], ...span }]
  for (const { code, from, until } of scope.passports.flatMap(each => blocs.get(each) ?? [])) {
    const [fromDay, untilDay] = [Math.max(span.fromDay, startOf(from)), Math.min(span.untilDay, endOf(until))]
    if (fromDay < untilDay && !except.includes(code)) {
      scopes.push({ rank: 2, passports: [code], except: [], fromDay, untilDay })
    }
  }
  return scopes
}

/** Says whether an expanded scope covers a passport. */
export function covers({ passports, except }: ExpandedScope, passport: string): boolean {
  return passports === null ? !except.includes(passport) : passports.includes(passport)
}

/** Something that holds for a passport on some days. */
export interface Scoped<Value> {
  readonly value: Value
  /** 3 where the passport is named by its code, 2 by a bloc, 1 with everybody. */
  readonly rank: number
  readonly fromDay: EpochDay
  /** First day no longer in force. */
  readonly untilDay: EpochDay
}

type Entry<Value> = readonly [value: Value, scopes: readonly ExpandedScope[]]

/** Values by destination and passport. */
export class ScopedLists<Value extends object> {
  readonly #placed = new Map<string, (() => Entry<Value>)[]>()
  /** By destination, then by passport, and by the places of the scopes that name it: many passports have the same list. */
  readonly #lists = new Map<string, Map<string, readonly Scoped<Value>[]>>()

  /** Adds a value for some destinations. It is read where it is asked for, because most destinations are not. */
  add(destinations: readonly string[], read: () => Entry<Value>): void {
    let entry: Entry<Value> | undefined
    const readOnce = () => {
      entry ??= read()
      return entry
    }
    for (const each of destinations) getOrInsert(this.#placed, each, () => []).push(readOnce)
  }

  has(destination: string): boolean {
    return this.#placed.has(destination)
  }

  /** The days on which something begins or ends to hold at a destination. */
  listDays(destination: string): readonly EpochDay[] {
    const scopes = (this.#placed.get(destination) ?? []).flatMap(read => read()[1])
    return scopes.flatMap(({ fromDay, untilDay }) => [fromDay, untilDay]).filter(Number.isFinite)
  }

  /** Those that hold for a passport at a destination on some day, the most specific first; the same list at every call. */
  at(destination: string, passport: string): readonly Scoped<Value>[] {
    const placed = this.#placed.get(destination)
    if (placed === undefined) return NOTHING
    const lists = getOrInsert(this.#lists, destination, () => new Map<string, readonly Scoped<Value>[]>())
    return getOrInsert(lists, passport, () => {
      const scopes = placed.flatMap(read => read()[1].map(scope => [read()[0], scope] as const))
      const named = scopes.filter(([, scope]) => covers(scope, passport))
      const places = named.map(each => scopes.indexOf(each))
      return getOrInsert(lists, `@${places}`, () =>
        Object.freeze(
          named
            .map(([value, { rank, fromDay, untilDay }]) => ({ value, rank, fromDay, untilDay }))
            .sort((a, b) => b.rank - a.rank),
        ),
      )
    })
  }
}
