/** For which passports does a scope hold, and on which days? */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import type { Bloc, Scope } from "../dataset/facts.ts"
import type { Membership } from "./provision-kinds.ts"

/** Some passports, and some days on which something holds for them. */
export interface ExpandedScope {
  /** How specific it is: 3 for codes, 2 for a member of a bloc, 1 for everybody. */
  readonly rank: 1 | 2 | 3
  /** The bloc that names them, as `@BLOC`; null for codes and for everybody. */
  readonly via: string | null
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
  if (scope.passports == null) return [{ rank: 1, via: null, passports: null, except, ...span }]
  const own = scope.passports.filter(each => !blocs.has(each) && !except.includes(each))
  const scopes: ExpandedScope[] = [{ rank: 3, via: null, passports: own, except: [], ...span }]
  for (const via of scope.passports) {
    for (const { code, from, until } of blocs.get(via) ?? []) {
      const [fromDay, untilDay] = [Math.max(span.fromDay, startOf(from)), Math.min(span.untilDay, endOf(until))]
      if (fromDay < untilDay && !except.includes(code)) {
        scopes.push({ rank: 2, via, passports: [code], except: [], fromDay, untilDay })
      }
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
