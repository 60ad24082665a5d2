/**
 * How are answers laid out as slots, so that a table of pairs compresses?
 *
 * Answers that ask the same and rest on the same kind of basis share a slot, whatever their source and their day: in each destination the
 * palette says which of them the slot means there. Where one destination gives two such answers, the rarer takes a slot of its own. Slots
 * and answers are numbered by how common they are, passports and destinations ordered by how alike they are; all of it deterministic.
 */
import type { EpochDay } from "../civil-date.ts"
import { type AnswerRow, MAX_SLOTS, type PaletteRow, type TimelineRow } from "./format.ts"
import { orderBySimilarity } from "./similarity.ts"
import { answerIndexOn } from "./timeline.ts"

/** Steps of one pair: (first day, answer) in order of days; answer 0 is no record. */
export type Steps = readonly number[]

/** A table of pairs, laid out. */
export interface PairsLayout {
  /** Places of passports and destinations in the order in which they are stored. */
  readonly passportOrder: readonly number[]
  readonly destinationOrder: readonly number[]
  readonly answers: readonly AnswerRow[]
  readonly slots: readonly number[]
  readonly palettes: readonly PaletteRow[]
  readonly pairs: Uint8Array
  readonly timelines: readonly TimelineRow[]
}

/**
 * Lays out columns of steps, one a destination, with their answers for one day; null where there are more kinds of answers than a byte
 * tells apart.
 */
export function layOutPairs(
  columns: readonly (readonly Steps[])[],
  rows: readonly AnswerRow[],
  day: EpochDay,
): PairsLayout | null {
  const answersOn = columns.map(column => column.map(steps => answerIndexOn(steps, day)))
  const counts = countAnswers(answersOn)
  const { numbers, answers } = numberAnswers(rows, counts)
  const table = answersOn.map(column => column.map(answer => numbers[answer] as number))
  const layout = assignSlots(table, answers)
  if (layout === null) return null
  const { slots, slotOf } = layout
  const slotTable = table.map((column, d) => column.map(answer => slotOf(d, answer)))
  const passportOrder = orderBySimilarity(
    (columns[0] ?? []).map((_, p) => slotTable.map(column => column[p] as number)),
  )
  const destinationOrder = orderBySimilarity(slotTable)
  const pairs = new Uint8Array(passportOrder.length * destinationOrder.length)
  const dated = new Map<string, { readonly steps: readonly number[]; readonly pairs: number[] }>()
  let at = 0
  for (const d of destinationOrder) {
    for (const p of passportOrder) {
      const steps = columns[d]?.[p] as Steps
      if (steps.length > 2) {
        const numbered = steps.map((step, i) => (i % 2 === 0 ? step : (numbers[step] as number)))
        const key = numbered.join()
        const group = dated.get(key) ?? { steps: numbered, pairs: [] }
        group.pairs.push(at)
        dated.set(key, group)
      }
      pairs[at++] = slotTable[d]?.[p] as number
    }
  }
  const palettes = destinationOrder.flatMap((d, place): PaletteRow[] => {
    const row = layout.paletteOf(d)
    return row.length === 0 ? [] : [[place, ...row]]
  })
  const timelines = [...dated.values()].map(({ steps, pairs: places }): TimelineRow => {
    const distances = places.map((place, i) => place - (places[i - 1] ?? 0))
    return [distances.length === 1 ? (distances[0] as number) : distances, ...steps]
  })
  return { passportOrder, destinationOrder, answers, slots, palettes, pairs, timelines }
}

function countAnswers(columns: readonly (readonly number[])[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const column of columns) for (const answer of column) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  return counts
}

// Common answers get small numbers; answer 0, no record, keeps its own.
function numberAnswers(rows: readonly AnswerRow[], counts: ReadonlyMap<number, number>) {
  const keys = rows.map(row => JSON.stringify(row))
  const order = rows.map((_, i) => i + 1)
  const countOf = (answer: number) => counts.get(answer) ?? 0
  order.sort((a, b) => countOf(b) - countOf(a) || ((keys[a - 1] as string) < (keys[b - 1] as string) ? -1 : 1))
  const numbers: number[] = [0]
  order.forEach((old, place) => {
    numbers[old] = place + 1
  })
  return { numbers, answers: order.map(old => rows[old - 1] as AnswerRow) }
}

/** What two answers have in common that look alike in the table. */
function shapeOf([requirement, days, , , basis]: AnswerRow): string {
  return JSON.stringify([requirement, days, basis])
}

function assignSlots(table: readonly (readonly number[])[], answers: readonly AnswerRow[]) {
  const shapes = ["", ...answers.map(shapeOf)]
  // Answers have numbers by how common they are, so the first of a shape is its usual one.
  const usual = new Map<string, number>()
  for (let answer = 1; answer < shapes.length; answer++) {
    const shape = shapes[answer] as string
    if (!usual.has(shape)) usual.set(shape, answer)
  }
  const used = new Set(table.flat())
  const slots: number[] = []
  const slotOfShape = new Map<string, number>()
  for (const [shape, answer] of usual) if (used.has(answer)) slotOfShape.set(shape, slots.push(answer))
  // Slots of their own, for the second and further answers of one shape in one destination; the same for all destinations.
  const extras: number[] = []
  const slotsOf = table.map(column => {
    const counts = countAnswers([column])
    const placed = new Map<number, number>()
    const taken = new Set<number>()
    let extra = 0
    const byCount = [...counts.keys()]
      .filter(answer => answer > 0)
      .sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || a - b)
    for (const answer of byCount) {
      const slot = slotOfShape.get(shapes[answer] as string) as number
      if (!taken.has(slot)) {
        taken.add(slot)
        placed.set(answer, slot)
        continue
      }
      if (extra === extras.length) extras.push(slots.push(answer))
      placed.set(answer, extras[extra++] as number)
    }
    return placed
  })
  if (slots.length > MAX_SLOTS) return null
  return {
    slots,
    slotOf: (destination: number, answer: number) => (answer === 0 ? 0 : (slotsOf[destination]?.get(answer) as number)),
    paletteOf: (destination: number): number[] =>
      [...(slotsOf[destination] ?? [])]
        .filter(([answer, slot]) => slots[slot - 1] !== answer)
        .sort(([, a], [, b]) => a - b)
        .flatMap(([answer, slot]) => [slot, answer]),
  }
}
