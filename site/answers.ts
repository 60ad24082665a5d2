/**
 * Which dataset does the page use, and for which day?
 *
 * The dataset that is part of the page, or one that its host offers instead (see offered-dataset.ts). The map needs only its pairs;
 * conditions are loaded with the views that need them (see whole-dataset.ts). Without a day the answer is for the reader's current day; for
 * a day before the dataset's first, it is the history's, after that is loaded (see past.ts).
 */
import { type Dataset, datasetOn, embeddedPairs, formatCivilDate, type PairsDataset, parseCivilDate } from "landfall"
import type { Words } from "./language/words.ts"

let offered: Dataset | null = null
const views = new Map<string, PairsDataset>()

/** The dataset that the host offers and that answers instead of the page's own; null where there is none. */
export const offeredDataset = (): Dataset | null => offered

/** Returns the pairs of the dataset as it was compiled. */
export const pairsDataset = (): PairsDataset => offered ?? embeddedPairs()

/** Makes the view of a past day; null for a day before the first. */
type MakePastView = (on: string) => Dataset | null
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
const pastViewOn = (day: string): Dataset | null => (isPastDay(day) ? (makePastView?.(day) ?? null) : null)

/** Makes a dataset as it is on a day, or today. */
export function openView<Of extends PairsDataset>(whole: Of, on: string | null): Of | Dataset {
  const day = on ?? readToday()
  const view = datasetOn(whole, day)
  return pastViewOn(day) ?? (view.ok ? view.value : whole)
}

/** Returns the pairs as they are on a day, or today; each view is made once. */
export function viewOn(on: string | null): PairsDataset {
  const day = on ?? readToday()
  const view = views.get(day) ?? openView(pairsDataset(), day)
  views.set(day, view)
  return view
}

const DAYS_AHEAD = 365

/** Finds the days that the page answers for: from the first record to a year from today, or to the last announced change if that is later. */
function findDaySpan() {
  const { sinceDay, timelines } = pairsDataset()
  let last = dayOf(readToday()) + DAYS_AHEAD
  for (const steps of timelines.values()) {
    for (let at = 0; at < steps.length; at += 2) last = Math.max(last, (steps[at] as number) + 1)
  }
  return { first: sinceDay, last }
}

/** Reads a date as a day; today for any other text. */
export function dayOf(on: string): number {
  return parseCivilDate(on) ?? (parseCivilDate(readToday()) as number)
}

export function dateOf(day: number): string {
  return formatCivilDate(day)
}

/* Which day is it for the reader of a page? */

/** The reader's own calendar date. */
export function readToday(): string {
  const now = new Date()
  const pad = (value: number) => String(value).padStart(2, "0")
  return `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`
}

/* Is a day too far ahead for the rules, and what does the page say then? */

/** Says whether nothing is known of a day because it is too far ahead. */
export const isTooFarAhead = (on: string): boolean => dayOf(on) > findDaySpan().last

/** Says that nothing is known for such a day, and for which days the rules are known. */
export function sayTooFarAhead(words: Words, on: string): string {
  const { first, last } = findDaySpan()
  return words.say("day.outside", { date: { on }, first: { on: dateOf(first) }, last: { on: dateOf(last) } })
}
