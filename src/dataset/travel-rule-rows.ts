/**
 * How are the rules about destinations, not pairs, stored in a dataset's header?
 *
 * Zones, passport validity and transit: each place of a row is described once, by its field and its kind. The reader, the compiler and the
 * check of a header (`check-header.ts`, which defines the values of each kind) use that description, so they agree. After these places
 * every row has its source.
 */

import type { EpochDay } from "../civil-date.ts"
import { copyFrozen } from "./copy-frozen.ts"
import { splitCodes } from "./pair-table.ts"

/** A destination's time in a zone; one that leaves and returns is listed twice. */
export interface ZoneMember {
  /** Destination, ISO 3166-1 alpha-3. */
  readonly code: string
  /** First day whose presence counts, or null where no beginning matters. */
  readonly fromDay: EpochDay | null
  /** First day whose presence no longer counts, or null. */
  readonly untilDay: EpochDay | null
}

/** Codes run together, by the days of membership. */
export type MemberRow = readonly [codes: string, fromDay: number | null, untilDay: number | null]

/** The kinds of places, with their values in an open dataset and in a row. A question mark: or null. */
interface PlaceKinds {
  readonly text: readonly [held: string, stored: string]
  readonly "text?": readonly [held: string | null, stored: string | null]
  readonly span: readonly [held: number, stored: number]
  readonly "span?": readonly [held: number | null, stored: number | null]
  readonly allowance: readonly [held: number, stored: number]
  readonly "amount?": readonly [held: number | null, stored: number | null]
  readonly codes: readonly [held: readonly string[], stored: string]
  readonly "codes?": readonly [held: readonly string[] | null, stored: string | null]
  readonly members: readonly [held: readonly ZoneMember[], stored: readonly MemberRow[]]
}
export type PlaceKind = keyof PlaceKinds

/** A kind; or two values, stored as 0 and 1. */
type Place = PlaceKind | readonly [unknown, unknown]

/** A description of rows: their fields, in the order of their places. */
export type RowShape = Readonly<Record<string, Place>>

type Held<Of> = Of extends PlaceKind
  ? PlaceKinds[Of][0]
  : Of extends readonly [infer Zero, infer One]
    ? Zero | One
    : never
type Stored<Of> = Of extends PlaceKind ? PlaceKinds[Of][1] : Held<Of>

/** The values from which a row is written. */
export type WrittenRow<Shape> = { readonly [Name in keyof Shape]: Stored<Shape[Name]> }

const confidence = ["high", "medium"] as const

/** A stay zone; a window of 0 days is a single permission. */
export const ZONE_ROW = {
  id: "text",
  name: "text",
  instrument: "text?",
  allowanceDays: "allowance",
  windowDays: "span",
  members: "members",
} as const

/** A rule of passport validity, and the destinations that it holds for. */
export const VALIDITY_ROW = {
  anchor: ["departure", "arrival"],
  months: "span",
  days: "span",
  issuedWithinYears: "span?",
  confidence,
  destinations: "codes",
} as const

/** A transit rule, the passports that it names and the countries that it holds for. */
export const TRANSIT_ROW = {
  area: ["airside", "landside"],
  demand: ["no_visa", "visa"],
  hours: "amount?",
  condition: "text?",
  isComplete: [true, false],
  confidence,
  passports: "codes?",
  destinations: "codes",
} as const

function readPlace(place: Place, stored: unknown): unknown {
  if (typeof place !== "string") return place[stored as 0 | 1]
  if (place === "members") {
    return copyFrozen(
      (stored as readonly MemberRow[]).flatMap(([codes, fromDay, untilDay]) =>
        splitCodes(codes).map(code => ({ code, fromDay, untilDay })),
      ),
    )
  }
  return place.startsWith("codes") && stored !== null ? Object.freeze(splitCodes(stored as string)) : stored
}

/** Reads the places of a row that was checked, with frozen lists; the places behind them are left to the caller. */
export function readRow<Shape extends RowShape>(
  shape: Shape,
  row: readonly unknown[],
): { readonly [Name in keyof Shape]: Held<Shape[Name]> } {
  const read: Record<string, unknown> = {}
  let at = 0
  for (const name in shape) read[name] = readPlace(shape[name]!, row[at++])
  return read as never
}

/** Writes the places of a row; codes and members are given as they are stored. */
export function writeRow<Shape extends RowShape>(shape: Shape, given: WrittenRow<Shape>): readonly unknown[] {
  return Object.entries(shape).map(([name, place]) =>
    typeof place === "string" ? given[name] : place.indexOf(given[name]),
  )
}
