/**
 * How are answers laid out as slots, so that a table of pairs compresses?
 *
 * The contents of an answer are stored separately from its origin. Answers with the same contents share a slot, and each destination's
 * palette says which of its slots have another origin or day than usual. If one destination has two answers with the same contents, the
 * rarer one gets a further slot of that kind. Slots and origins are numbered by frequency, passports and destinations ordered by
 * similarity. All of it is deterministic.
 */
import type { EpochDay } from "../civil-date.ts"
import { type AnswerRow, MAX_SLOTS, type OriginRow, type PaletteRow, type SlotRow, type TimelineRow } from "./format.ts"
import { orderBySimilarity } from "./similarity.ts"
import { answerIndexOn } from "./timeline.ts"

/** Steps of one pair: (first day, answer) in order of days; answer 0 is no record, answer n the nth row. */
export type Steps = readonly number[]

/** A table of pairs, laid out. */
export interface PairsLayout {
  /** Places of passports and destinations in the order in which they are stored. */
  readonly passportOrder: readonly number[]
  readonly destinationOrder: readonly number[]
  readonly origins: readonly OriginRow[]
  readonly slots: readonly SlotRow[]
  readonly palettes: readonly PaletteRow[]
  readonly pairs: Uint8Array
  readonly timelines: readonly TimelineRow[]
}

/**
 * Lays out columns of steps, one for each destination, with their answers for one day; null if there are more kinds of answers than a byte
 * can distinguish.
 */
export function layOutPairs(
  columns: readonly (readonly Steps[])[],
  rows: readonly AnswerRow[],
  day: EpochDay,
): PairsLayout | null {
  const table = columns.map(column => column.map(steps => answerIndexOn(steps, day)))
  const origins = orderOrigins(rows, countAll(table))
  const assigned = assignSlots(columns, table, rows, origins)
  if (assigned.slots.length > MAX_SLOTS) return null
  const { slots, slotsOf } = assigned
  const slotOf = (d: number, answer: number) => (answer === 0 ? 0 : (slotsOf[d]?.get(answer) as number))
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
        const inSlots = steps.map((step, i) => (i % 2 === 0 ? step : slotOf(d, step)))
        const group = dated.get(inSlots.join()) ?? { steps: inSlots, pairs: [] }
        group.pairs.push(at)
        dated.set(inSlots.join(), group)
      }
      pairs[at++] = slotTable[d]?.[p] as number
    }
  }
  const palettes = destinationOrder.flatMap((d, place): PaletteRow[] => {
    const groups = groupSlots(slotsOf[d] ?? new Map(), slots, rows, origins)
    return groups.length === 0 ? [] : [[place, ...groups]]
  })
  const timelines = [...dated.values()].map(({ steps, pairs: places }): TimelineRow => {
    const distances = places.map((place, i) => place - (places[i - 1] ?? 0))
    return [distances.length === 1 ? (distances[0] as number) : distances, ...steps]
  })
  return { passportOrder, destinationOrder, origins: origins.rows, slots, palettes, pairs, timelines }
}

function countAll(columns: readonly (readonly number[])[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const column of columns) for (const answer of column) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  return counts
}

function originOf([, , source, verifiedOn, , subject, uncertain]: AnswerRow): OriginRow {
  return [source, verifiedOn, subject, uncertain]
}

/** The common contents of answers that look the same in the table. */
function shapeOf([requirement, days, , , basis]: AnswerRow): string {
  return JSON.stringify([requirement, days, basis])
}

interface Origins {
  readonly rows: readonly OriginRow[]
  /** By answer: the index of its origin; nothing for answer 0. */
  readonly placeOf: readonly number[]
}

// Common origins get small numbers.
function orderOrigins(rows: readonly AnswerRow[], counts: ReadonlyMap<number, number>): Origins {
  const keys = rows.map(row => JSON.stringify(originOf(row)))
  const total = new Map<string, number>()
  keys.forEach((key, i) => {
    total.set(key, (total.get(key) ?? 0) + (counts.get(i + 1) ?? 0))
  })
  const order = [...total.keys()].sort((a, b) => (total.get(b) ?? 0) - (total.get(a) ?? 0) || (a < b ? -1 : 1))
  const places = new Map(order.map((key, place) => [key, place]))
  return {
    rows: order.map(key => JSON.parse(key) as OriginRow),
    placeOf: [-1, ...keys.map(key => places.get(key) as number)],
  }
}

function assignSlots(
  columns: readonly (readonly Steps[])[],
  table: readonly (readonly number[])[],
  rows: readonly AnswerRow[],
  origins: Origins,
) {
  const shapes = ["", ...rows.map(shapeOf)]
  const counts = countAll(table)
  const byShape = new Map<string, number[]>()
  for (let answer = 1; answer < shapes.length; answer++) {
    const shape = shapes[answer] as string
    byShape.set(shape, [...(byShape.get(shape) ?? []), answer])
  }
  const countOf = (answer: number) => counts.get(answer) ?? 0
  const compareCount = (a: number, b: number) => countOf(b) - countOf(a) || a - b
  const sizeOf = (answers: readonly number[]) => answers.reduce((sum, answer) => sum + countOf(answer), 0)
  const order = [...byShape].sort(([a, mine], [b, theirs]) => sizeOf(theirs) - sizeOf(mine) || (a < b ? -1 : 1))
  const slots: SlotRow[] = []
  const addSlot = (answer: number) => {
    const [requirement, days, , , basis] = rows[answer - 1] as AnswerRow
    return slots.push([requirement, days, basis, origins.placeOf[answer] as number])
  }
  // The slots of a kind: the first is for the usual answer, further ones if a destination has several.
  const slotsOfShape = new Map(
    order.map(([shape, answers]) => [shape, [addSlot([...answers].sort(compareCount)[0] as number)]]),
  )
  const slotsOf = columns.map((column, d) => {
    const here = countAll([table[d] ?? []])
    // Answers for other days than the table's are in timelines.
    const later = column.flatMap(steps => (steps.length > 2 ? steps.filter((_, i) => i % 2 === 1) : []))
    const answers = [...new Set([...here.keys(), ...later])].filter(answer => answer > 0)
    answers.sort((a, b) => (here.get(b) ?? 0) - (here.get(a) ?? 0) || a - b)
    const taken = new Map<string, number>()
    return new Map(
      answers.map((answer): [answer: number, slot: number] => {
        const shape = shapes[answer] as string
        const place = taken.get(shape) ?? 0
        taken.set(shape, place + 1)
        const ofShape = slotsOfShape.get(shape) as number[]
        if (place === ofShape.length) ofShape.push(addSlot(answer))
        return [answer, ofShape[place] as number]
      }),
    )
  })
  return { slots, slotsOf }
}

// The slots of a destination with another origin than usual, by origin.
function groupSlots(
  slotsOf: ReadonlyMap<number, number>,
  slots: readonly SlotRow[],
  rows: readonly AnswerRow[],
  { placeOf }: Origins,
): (readonly [origin: number, ...slots: number[]])[] {
  const groups = new Map<number, number[]>()
  for (const [answer, slot] of slotsOf) {
    const origin = placeOf[answer] as number
    if (slots[slot - 1]?.[3] === origin || rows[answer - 1] === undefined) continue
    groups.set(origin, [...(groups.get(origin) ?? []), slot])
  }
  return [...groups].sort(([a], [b]) => a - b).map(([origin, list]) => [origin, ...list.sort((a, b) => a - b)] as const)
}
