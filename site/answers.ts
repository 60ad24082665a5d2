/**
 * Which dataset does the page use, and for which day?
 *
 * The dataset that is part of the page, or one that its host offers instead (see offered-dataset.ts). The map needs only its pairs;
 * conditions are loaded with the views that need them (see whole-dataset.ts). Without a day the answer is for the reader's current day; for
 * a day before the dataset's first, it is the history's, after that is loaded (see past.ts).
 */
import { type Dataset, datasetOn, embeddedPairs, formatCivilDate, type PairsDataset, parseCivilDate } from "landfall"
import { readToday } from "./today.ts"

let offered: Dataset | null = null
const views = new Map<string, PairsDataset>()

/** The dataset that the host offers and that answers instead of the page's own; null where there is none. */
export const offeredDataset = (): Dataset | null => offered

/** Returns the pairs of the dataset as it was compiled. */
export const pairsDataset = (): PairsDataset => offered ?? embeddedPairs()

/** Makes the view of a past day; null for a day before the first. */
export type MakePastView = (on: string) => Dataset | null
let makePastView: MakePastView | null = null

/** Answers for past days too, from now on. */
export function answerPastDays(make: MakePastView): void {
  makePastView = make
  views.clear()
}

/** Says whether a day is before the first of the dataset. */
export function isPastDay(on: string | null): on is string {
  return on !== null && dayOf(on) < pairsDataset().sinceDay
}

const listeners = new Set<() => void>()

/** Answers from another dataset from now on. */
export function replaceDataset(dataset: Dataset): void {
  offered = dataset
  views.clear()
  for (const listener of listeners) listener()
}

/** Calls back when another dataset is used; returns the function that ends it. */
export function onDatasetReplaced(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the view of a past day; null for other days, and before the past is loaded. */
export const pastViewOn = (day: string): Dataset | null => (isPastDay(day) ? (makePastView?.(day) ?? null) : null)

/** Returns the pairs as they are on a day, or today; each view is made once. */
export function viewOn(on: string | null): PairsDataset {
  const day = on ?? readToday()
  let view = views.get(day)
  if (view === undefined) {
    const result = datasetOn(pairsDataset(), day)
    view = pastViewOn(day) ?? (result.ok ? result.value : pairsDataset())
    views.set(day, view)
  }
  return view
}

/** The span of days that the page answers for, and the days on which any answer changes. */
export interface DaySpan {
  readonly first: number
  readonly last: number
  /** Days after the first on which an answer changes, in order, with the number of pairs that change. */
  readonly changes: readonly (readonly [day: number, pairs: number])[]
}

const DAYS_AHEAD = 365

/** Finds the days that the page answers for: from the first record to a year from today, or to the last announced change if that is later. */
export function findDaySpan(): DaySpan {
  const { sinceDay, timelines } = pairsDataset()
  const pairs = new Map<number, number>()
  for (const steps of timelines.values()) {
    for (let at = 0; at < steps.length; at += 2) {
      const day = steps[at] as number
      if (day > sinceDay) pairs.set(day, (pairs.get(day) ?? 0) + 1)
    }
  }
  const changes = [...pairs].sort(([one], [other]) => one - other)
  const today = dayOf(readToday())
  return { first: sinceDay, last: Math.max(today + DAYS_AHEAD, (changes.at(-1)?.[0] ?? 0) + 1), changes }
}

/** Reads a date as a day; today for any other text. */
export function dayOf(on: string): number {
  return parseCivilDate(on) ?? (parseCivilDate(readToday()) as number)
}

export function dateOf(day: number): string {
  return formatCivilDate(day)
}
