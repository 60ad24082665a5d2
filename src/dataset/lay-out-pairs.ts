/**
 * How are answers numbered, so that a table of pairs compresses?
 *
 * The contents of an answer are stored separately from its origin, and each destination numbers its own answers, the most frequent first.
 * Contents and origins are in the order of their frequency, passports and destinations in that of their similarity: a greedy walk from the
 * first row to the nearest one not yet visited, ties to the earlier. That makes the embedded pairs about 40 % smaller than in the order of
 * codes. All of it is deterministic.
 */
import type { EpochDay } from "../civil-date.ts"
import {
  answerIndexOn,
  type ContentRow,
  MAX_NUMBERS,
  type OriginRow,
  type PairsHeader,
  type TimelineRow,
} from "./format.ts"

/** A distinct answer. */
export interface AnswerParts {
  readonly content: ContentRow
  readonly origin: OriginRow
}

/** Steps of one pair: (first day, answer) in order of days; answer 0 is no record, answer n the nth of the answers. */
export type Steps = readonly number[]

/** A table of pairs, laid out. */
export interface PairsLayout extends Pick<PairsHeader, "contents" | "origins" | "answers" | "timelines"> {
  /** Places of passports and destinations in the order in which they are stored. */
  readonly passportOrder: readonly number[]
  readonly destinationOrder: readonly number[]
  readonly pairs: Uint8Array
}

/**
 * Lays out columns of steps, one for each destination, with their answers for one day; `homes`: the place of each destination's own passport,
 * or -1. Null if a destination has more answers than a byte can distinguish.
 */
export function layOutPairs(
  columns: readonly (readonly Steps[])[],
  answers: readonly AnswerParts[],
  homes: readonly number[],
  day: EpochDay,
): PairsLayout | null {
  const table = columns.map((column, d) =>
    column.map((steps, p) => (p === homes[d] ? HOME : answerIndexOn(steps, day))),
  )
  const counts = countAll(table)
  const contents = order(
    answers.map(({ content }) => content),
    counts,
  )
  const origins = order(
    answers.map(({ origin }) => origin),
    counts,
  )
  const listed = columns.map((column, d) => {
    const here = countAll([table[d] ?? []])
    // Answers for other days than the table's are in timelines.
    const all = new Set(column.flatMap((steps, p) => (p === homes[d] ? [] : steps.filter((_, at) => at % 2 === 1))))
    return [...all].filter(answer => answer > 0).sort((a, b) => (here.get(b) ?? 0) - (here.get(a) ?? 0) || a - b)
  })
  if (listed.some(({ length }) => length > MAX_NUMBERS)) return null
  const looks = table.map(column =>
    column.map(answer => (answer > 0 ? (contents.placeOf[answer - 1] as number) + 1 : answer)),
  )
  const passportOrder = orderBySimilarity((columns[0] ?? []).map((_, p) => looks.map(column => column[p] as number)))
  const destinationOrder = orderBySimilarity(looks)
  const pairs = new Uint8Array(passportOrder.length * destinationOrder.length)
  const timelines: TimelineRow[] = []
  destinationOrder.forEach((d, row) => {
    const numbers = new Map((listed[d] as readonly number[]).map((answer, at) => [answer, at + 1]))
    const dated = new Map<string, { readonly steps: readonly number[]; readonly places: number[] }>()
    const home = passportOrder.indexOf(homes[d] as number)
    passportOrder.forEach((p, at) => {
      const place = row * passportOrder.length + at
      // The byte of citizens is not read: it is their neighbour's, which compresses best.
      const q = at === home ? (passportOrder[at - 1] ?? passportOrder[at + 1]) : p
      pairs[place] = numbers.get(table[d]?.[q ?? p] as number) ?? 0
      const steps = columns[d]?.[p] as Steps
      if (steps.length === 2 || at === home) return
      const numbered = steps.map((step, i) => (i % 2 === 0 ? step : (numbers.get(step) ?? 0)))
      const group = dated.get(numbered.join()) ?? { steps: numbered, places: [] }
      group.places.push(place)
      dated.set(numbered.join(), group)
    })
    for (const { steps, places } of dated.values()) {
      const distances = places.map((place, i) => place - (places[i - 1] ?? 0))
      timelines.push([distances.length === 1 ? (distances[0] as number) : distances, ...steps])
    }
  })
  const partsOf = (answer: number) => [contents.placeOf[answer - 1] as number, origins.placeOf[answer - 1] as number]
  return {
    passportOrder,
    destinationOrder,
    contents: contents.rows,
    origins: origins.rows,
    answers: destinationOrder.map(d => (listed[d] as readonly number[]).flatMap(partsOf)),
    pairs,
    timelines,
  }
}

/** In place of the answer for a passport's own country. */
const HOME = -1

function countAll(columns: readonly (readonly number[])[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const column of columns) for (const answer of column) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  return counts
}

// The distinct rows of answers, common ones first, and the place of each answer's; `counts`: how often there is an answer, by its number.
function order<Row>(all: readonly Row[], counts: ReadonlyMap<number, number>) {
  const keys = all.map(row => JSON.stringify(row))
  const total = new Map<string, number>()
  keys.forEach((key, i) => {
    total.set(key, (total.get(key) ?? 0) + (counts.get(i + 1) ?? 0))
  })
  const sorted = [...total].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)).map(([key]) => key)
  return { rows: sorted.map(key => JSON.parse(key) as Row), placeOf: keys.map(key => sorted.indexOf(key)) }
}

/** Orders rows so that neighbours are similar; returns the indices of the rows. Quadratic in rows, once at compile time. */
export function orderBySimilarity(rows: readonly (readonly number[])[]): number[] {
  const left = rows.map((_, index) => index)
  const sorted: number[] = []
  let current = left.shift()
  while (current !== undefined) {
    sorted.push(current)
    const row = rows[current] as readonly number[]
    let nearest = -1
    let least = Number.POSITIVE_INFINITY
    left.forEach((candidate, place) => {
      const distance = countDifferences(row, rows[candidate] as readonly number[], least)
      if (distance < least) {
        least = distance
        nearest = place
      }
    })
    current = nearest < 0 ? undefined : left.splice(nearest, 1)[0]
  }
  return sorted
}

function countDifferences(a: readonly number[], b: readonly number[], limit: number): number {
  let count = 0
  for (let i = 0; i < a.length && count < limit; i++) if (a[i] !== b[i]) count++
  return count
}
