/** Where can these people go? Each place with the verdict on each of them, and on all of them together. */
import type { Dataset } from "landfall"
import { type Question, travellersOf, visitorOf } from "../ask/question.ts"
import { readToday } from "../today.ts"
import { findHardest, judgeVisit, type Verdict } from "../verdict/judge-visit.ts"
import { LOOKS, type Look } from "../verdict/looks.ts"
import { REGION_CODES } from "./region-codes.ts"

/** A place, with the verdict on each person. */
export interface FoundPlace {
  readonly code: string
  readonly verdicts: readonly Verdict[]
  /** That of the person for whom it is hardest. */
  readonly verdict: Verdict
}

/** The days of the visit that a question is about. */
export function daysOf({ from, until }: Question): { readonly from: string; readonly to: string } {
  const first = from === "" ? readToday() : from
  return { from: first, to: until === "" ? first : until }
}

/** Judges one place for everybody. */
export function judgePlace(dataset: Dataset, question: Question, code: string): FoundPlace {
  const visit = { destination: code, ...daysOf(question), purpose: question.purpose }
  const verdicts = travellersOf(question).map(person => judgeVisit(dataset, visitorOf(person), visit))
  return { code, verdicts, verdict: findHardest(verdicts) }
}

/** Judges every place. */
export const findPlaces = (dataset: Dataset, question: Question): readonly FoundPlace[] =>
  dataset.destinations.map(code => judgePlace(dataset, question, code))

/** Counts the places of each look; together they are all places. */
export function countLooks(places: readonly FoundPlace[]): ReadonlyMap<Look, number> {
  const counts = new Map<Look, number>(LOOKS.map(look => [look, 0]))
  for (const { verdict } of places) counts.set(verdict.look, (counts.get(verdict.look) ?? 0) + 1)
  return counts
}

/** The code of a place's sub-region. */
export function regionOf(dataset: Dataset, code: string): string | undefined {
  const region = dataset.regionOf[dataset.destinations.indexOf(code)]
  const codes: Readonly<Record<string, string>> = REGION_CODES
  return region == null ? undefined : codes[dataset.regions[region] ?? ""]
}
