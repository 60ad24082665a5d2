/**
 * How can an answer name its passport without being built again each time?
 *
 * A lookup's answers are shared by all passports, so they do not name one. Results that compare passports must name it.
 * A passport's row of named answers is therefore made once for each dataset, on first use, and shared by every result.
 * A row has about twenty distinct answers, so it takes 2 KB of indices and as much of records.
 */
import type { Found, NoRecord, PairsDataset } from "../dataset/open.ts"

/** An answer with its passport. */
export interface PassportAnswer extends Found {
  readonly passport: string
}

/** One passport's answers by destination index; null if there is no record. */
export type PassportRow = readonly (PassportAnswer | null)[]

const rowsByDataset = new WeakMap<PairsDataset, PassportRow[]>()

/** Returns the named answers of one passport, the same list at every call. Its frozen records may be returned to callers. */
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
