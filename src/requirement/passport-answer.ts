/**
 * How can an answer say whose it is without being built again each time?
 *
 * A lookup's answers are shared by all passports, so they do not name one. Where several passports are compared, each answer has
 * to. A passport's row of named answers is therefore made once a dataset, at first use, and shared by every result; a row has about
 * twenty distinct answers, so it costs 2 KB of places and as much of records.
 */
import type { Found, NoRecord, PairsDataset } from "../dataset/open.ts"

/** An answer, and the passport that it is for. */
export interface PassportAnswer extends Found {
  readonly passport: string
}

/** One passport's answers by destination index; null where there is no record. */
export type PassportRow = readonly (PassportAnswer | null)[]

const rowsByDataset = new WeakMap<PairsDataset, PassportRow[]>()

/** Gives the named answers of one passport, the same list at every call; its frozen records may be handed out. */
export function passportRow(dataset: PairsDataset, passportIndex: number): PassportRow {
  let rows = rowsByDataset.get(dataset)
  if (rows === undefined) {
    rows = new Array<PassportRow>(dataset.passports.length)
    rowsByDataset.set(dataset, rows)
  }
  const known = rows[passportIndex]
  if (known !== undefined) return known
  const passport = dataset.passports[passportIndex] as string
  const width = dataset.destinations.length
  const records: (PassportAnswer | null | undefined)[] = new Array(dataset.answers.length).fill(undefined)
  const row: (PassportAnswer | null)[] = new Array(width)
  for (let column = 0; column < width; column++) {
    const answer = dataset.pairs[passportIndex * width + column] as number
    let record = records[answer]
    if (record === undefined) {
      const found = dataset.answers[answer] as Found | NoRecord
      record = found.kind === "found" ? Object.freeze({ passport, ...found }) : null
      records[answer] = record
    }
    row[column] = record
  }
  rows[passportIndex] = row
  return row
}
