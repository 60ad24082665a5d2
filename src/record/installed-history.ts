/**
 * How does the history of a pair continue after the last dated table?
 *
 * With the changes by installed datasets and their dated rules since. The two overlap: a table may show a step that an installation also
 * made. Such a step is listed once, as in the table. Two reports within a year of each other are the same step, unless it was undone and
 * redone in between.
 */
import { parseCivilDate } from "../civil-date.ts"
import { getOrInsert } from "../collections.ts"
import type { Requirement } from "../dataset/requirement.ts"
import type { HistoryChange, HistoryIndex } from "./history.ts"

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
  return [...recorded, ...installed].sort((a, b) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0))
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
