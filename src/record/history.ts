/**
 * How did the requirement of a pair change, as far as dated tables show?
 *
 * The day of a change is the day of the first table that shows it, not the day of a law. Where an authority published its lists, the day of a change is theirs, and the tables are not
 * used. The bans of the pandemic are left out: a difference between before and after a ban is one change, marked as such.
 */

import { parseCivilDate } from "../civil-date.ts"
import { REQUIREMENTS, type Requirement, splitCodes } from "../codes.ts"
import { getOrInsert } from "../collections.ts"

/** One change of a pair. */
export interface HistoryChange {
  /** The day of the first table that shows it, or on which the installed rule began (`YYYY-MM-DD`). */
  readonly on: string
  /** The day of the last table before it, which still showed another answer; absent where no table is known before. */
  readonly seenAfter?: string
  readonly from: Requirement
  readonly to: Requirement
  /** Visa-free days before and after, where only they changed. */
  readonly daysBefore: number | null
  readonly daysAfter: number | null
  /** True where a ban of the pandemic lay between. */
  readonly afterBan: boolean
  /** The sources of the new rule; absent for a table's, whose source is the history's own. */
  readonly sources?: readonly HistorySource[]
  /** True where the authority published the change on this day. */
  readonly isPublished?: true
}

/** A publication for the rule after a change. */
export interface HistorySource {
  readonly name: string
  readonly url: string | null
}

/** Changes of a destination at one day: place of the day, ranks before and after, days before and after, ban, passports run together. */
export type HistoryRow = readonly [
  day: number,
  from: number,
  to: number,
  daysBefore: number | null,
  daysAfter: number | null,
  afterBan: 0 | 1,
  passports: string,
]

/** Changes that an authority published. */
export interface PublishedChanges extends HistorySource {
  /** The passports of whole lists, run together: tables are not used for them. */
  readonly passports: string
  readonly changes: readonly HistoryRow[]
}

/** The history as compiled. */
export interface HistoryParts {
  /** Id of the source record. */
  readonly source: string
  /** The day of the last table. */
  readonly asOf: string
  readonly days: readonly string[]
  /** The days of all tables, the oldest first, without copies of the table before; absent from older files. */
  readonly tables?: readonly string[] | undefined
  /** By destination, in the order of days. */
  readonly changes: { readonly [destination: string]: readonly HistoryRow[] }
  /** Changes that authorities published themselves, likewise, by source. Absent from older files. */
  readonly published?: { readonly [destination: string]: readonly PublishedChanges[] } | undefined
}

/** The opened history. */
export interface HistoryIndex {
  readonly source: string
  readonly asOf: string
  /** Lists the changes of a pair, the oldest first. */
  readonly listChanges: (passport: string, destination: string) => readonly HistoryChange[]
}

const NONE: readonly HistoryChange[] = Object.freeze([])

const compareDays = (a: { readonly on: string }, b: { readonly on: string }) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0)

/**
 * Opens the compiled history; a destination is read at first use.
 *
 * @example
 * ```ts
 * openHistory(historyParts).listChanges("FRA", "CHN").at(-1)?.on // => "2024-12-04"
 * ```
 */
export function openHistory(parts: HistoryParts): HistoryIndex {
  const opened = new Map<string, ReadonlyMap<string, readonly HistoryChange[]>>()
  function openDestination(destination: string): ReadonlyMap<string, readonly HistoryChange[]> {
    const byPassport = new Map<string, HistoryChange[]>()
    const list = <Rows>(of: { readonly [destination: string]: Rows } = {}) =>
      Object.hasOwn(of, destination) ? of[destination] : undefined
    const named = new Set<string>()
    for (const { name, url, passports, changes } of list(parts.published) ?? []) {
      const told = { sources: [{ name, url }], isPublished: true } as const
      addChanges(byPassport, changes, () => told)
      for (const passport of splitCodes(passports)) named.add(passport)
    }
    const seen = (on: string) => {
      const seenAfter = parts.tables?.[parts.tables.indexOf(on) - 1]
      return seenAfter === undefined ? {} : { seenAfter }
    }
    addChanges(byPassport, list(parts.changes) ?? [], seen, passport => !named.has(passport))
    for (const changes of byPassport.values()) changes.sort(compareDays)
    return byPassport
  }
  function addChanges(
    byPassport: Map<string, HistoryChange[]>,
    rows: readonly HistoryRow[],
    describe: (on: string) => Pick<HistoryChange, "seenAfter" | "sources" | "isPublished">,
    isWanted: (passport: string) => boolean = () => true,
  ): void {
    for (const [day, from, to, daysBefore, daysAfter, afterBan, passports] of rows) {
      const on = parts.days[day] as string
      const change = Object.freeze({
        on,
        ...describe(on),
        from: REQUIREMENTS[from] as Requirement,
        to: REQUIREMENTS[to] as Requirement,
        daysBefore,
        daysAfter,
        afterBan: afterBan === 1,
      })
      for (const passport of splitCodes(passports)) {
        if (isWanted(passport)) getOrInsert(byPassport, passport, () => []).push(change)
      }
    }
  }
  return Object.freeze({
    source: parts.source,
    asOf: parts.asOf,
    listChanges: (passport: string, destination: string) => {
      let changes = opened.get(destination)
      if (changes === undefined) {
        changes = openDestination(destination)
        // Only destinations that exist are kept, so that questions about others cannot fill the memory.
        if (changes.size > 0) opened.set(destination, changes)
      }
      return changes.get(passport) ?? NONE
    },
  })
}

// ---- History of an installation

// How does the history of a pair continue after the last dated table?
//
// With the changes by installed datasets and their dated rules since. The two overlap: a table may show a step that an installation also
// made. Such a step is listed once, as in the table. Two reports within a year of each other are the same step, unless it was undone and
// redone in between.

/** One step of a pair; the fields by which two reports of it are compared. */
export interface HistoryStep {
  /** `YYYY-MM-DD`. */
  readonly on: string
  /** Null where there was no record. */
  readonly from: Requirement | null
  /** Null where there is no record any more. */
  readonly to: Requirement | null
  readonly daysBefore: number | null
  readonly daysAfter: number | null
}

/** Lists the changes of a pair by installations, the oldest first; the same list until something is installed. */
export type ListInstalled = (passport: string, destination: string) => readonly HistoryChange[]

/** How far apart two reports of one step may be. */
const SAME_STEP_DAYS = 366

const dayOf = (on: string): number => parseCivilDate(on) ?? 0

const isSameStep = (a: HistoryStep, b: HistoryStep): boolean =>
  a.from === b.from &&
  a.to === b.to &&
  (a.from !== a.to || (a.daysBefore === b.daysBefore && a.daysAfter === b.daysAfter)) &&
  Math.abs(dayOf(a.on) - dayOf(b.on)) <= SAME_STEP_DAYS

/**
 * Leaves out of installed changes those that tables show too. Both lists are the oldest first, and stay so.
 *
 * @example
 * ```ts
 * listUnrecorded([], []) // => []
 * listUnrecorded([], [{ on: "2026-02-17", from: "eta", to: "visa_free", daysBefore: null, daysAfter: null }]).length // => 1
 * ```
 */
export function listUnrecorded<Step extends HistoryStep>(
  recorded: readonly HistoryStep[],
  installed: readonly Step[],
): readonly Step[] {
  const free = new Set(recorded)
  let lastKept = ""
  return installed.filter(step => {
    // A step that was taken back in between and taken again is another one.
    const same = [...free].find(known => known.on >= lastKept && isSameStep(known, step))
    if (same !== undefined) {
      free.delete(same)
      return false
    }
    lastKept = step.on
    return true
  })
}

/**
 * Puts two lists of steps together, in the order of their days.
 *
 * @example
 * ```ts
 * const merged = mergeSteps([{ on: "2026-02-17", from: "eta", to: "visa_free", daysBefore: null, daysAfter: null }], [
 *   { on: "2026-01-01", from: "visa_required", to: "eta", daysBefore: null, daysAfter: null },
 * ])
 * merged.map(({ on }) => on) // => ["2026-01-01", "2026-02-17"]
 * ```
 */
export function mergeSteps<A extends HistoryStep, B extends HistoryStep>(
  recorded: readonly A[],
  installed: readonly B[],
): readonly (A | B)[] {
  return [...recorded, ...installed].sort(compareDays)
}

/**
 * The history of tables with the changes by installations since, up to a day. A pair's list is made on first use.
 *
 * @example
 * ```ts
 * const history = continueHistory(await loadHistory(), () => [], "2026-11-21")
 * history.listChanges("FRA", "CHN").at(-1)?.on // => "2024-12-04"
 * ```
 */
export function continueHistory(history: HistoryIndex, listInstalled: ListInstalled, untilOn: string): HistoryIndex {
  const known = new WeakMap<readonly HistoryChange[], readonly HistoryChange[]>()
  return Object.freeze({
    ...history,
    listChanges: (passport: string, destination: string) => {
      const installed = listInstalled(passport, destination)
      const recorded = history.listChanges(passport, destination)
      if (installed.length === 0) return recorded
      return getOrInsert(known, installed, () => {
        const past = installed.filter(({ on }) => on <= untilOn)
        return Object.freeze(mergeSteps(recorded, listUnrecorded(recorded, past)))
      })
    },
  })
}
