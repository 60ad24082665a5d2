/** Where can these people go? Each place with the verdict on each of them, and on all of them together. */
import type { Dataset } from "landfall"
import { readToday } from "../answers.ts"
import { groupBy, type Person, type Question, travellersOf, visitorOf } from "../ask/question.ts"
import { findHardest, judgeVisit, type Verdict } from "../verdict/judge-visit.ts"
import { LOOKS, type Look, rankOf } from "../verdict/looks.ts"

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

/** Judges places for everybody: people with the same papers once. */
function openJudge(dataset: Dataset, question: Question): (code: string) => FoundPlace {
  const visit = { ...daysOf(question), purpose: question.purpose }
  const papers = travellersOf(question).map(({ name, ...person }) => JSON.stringify(person))
  const visitors = new Map(
    travellersOf(question).map((person, at) => [papers[at] ?? "", visitorOf(person, question.leave)]),
  )
  return code => {
    const judged = new Map<string, Verdict>()
    for (const [own, visitor] of visitors)
      judged.set(own, judgeVisit(dataset, visitor, { destination: code, ...visit }))
    const verdicts = papers.flatMap(own => judged.get(own) ?? [])
    return { code, verdicts, verdict: findHardest(verdicts) }
  }
}

/** Judges one place for everybody. */
export const judgePlace = (dataset: Dataset, question: Question, code: string): FoundPlace =>
  openJudge(dataset, question)(code)

/** Judges every place. */
export const findPlaces = (dataset: Dataset, question: Question): readonly FoundPlace[] =>
  dataset.destinations.map(openJudge(dataset, question))

/** Joins the people for whom the same is said, the hardest verdict first. */
export function groupPeople(
  { verdicts }: FoundPlace,
  question: Question,
  say: (verdict: Verdict) => string,
): readonly { readonly people: readonly Person[]; readonly verdict: Verdict }[] {
  const people = travellersOf(question)
  return groupBy(verdicts.keys(), at => say(verdicts[at] as Verdict))
    .map(places => ({
      people: places.flatMap(at => people[at] ?? []),
      verdict: verdicts[places[0]] as Verdict,
    }))
    .sort((one, other) => rankOf(other.verdict) - rankOf(one.verdict))
}

/** Counts the places of each look; together they are all places. */
export function countLooks(places: readonly FoundPlace[]): ReadonlyMap<Look, number> {
  const counts = new Map<Look, number>(LOOKS.map(look => [look, 0]))
  for (const { verdict } of places) counts.set(verdict.look, (counts.get(verdict.look) ?? 0) + 1)
  return counts
}
