/**
 * What does `landfall watch` remember between two runs?
 *
 * The answer of each pair and which of its changes were announced, as JSON that people can read. A file of another shape is
 * refused and never overwritten.
 */

import { isRequirement, type Requirement } from "../../src/index.ts"
import { isFields, readJsonFields } from "../validation/fields.ts"

export interface RememberedPair {
  /** Null where there was no record. */
  readonly requirement: Requirement | null
  readonly days: number | null
  readonly uncertain: boolean
  /** The announced changes, each by a text that is the same for the same change. */
  readonly announced: readonly string[]
}

/** Keyed by passport and destination, with a blank between them. */
export type Remembered = ReadonlyMap<string, RememberedPair>

export interface State {
  /** The day of the run (`YYYY-MM-DD`). */
  readonly on: string
  readonly version: string
  readonly pairs: Remembered
}

const FORMAT = "landfall-watch-1"

/** Writes a run as the text of its file, a pair a line. */
export function writeState({ on, version, pairs }: State): string {
  const lines = [...pairs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([pair, known]) => `    ${JSON.stringify(pair)}: ${JSON.stringify(known)}`)
  const head = `  "format": "${FORMAT}",\n  "on": ${JSON.stringify(on)},\n  "dataset_version": ${JSON.stringify(version)},`
  return `{\n${head}\n  "pairs": {\n${lines.join(",\n")}\n  }\n}\n`
}

/** Reads the text of a file; null if {@link writeState} has not written it. */
export function readState(text: string): State | null {
  const given = readJsonFields(text)
  if (given?.format !== FORMAT || !isFields(given.pairs)) return null
  const entries = Object.entries(given.pairs)
  if (!entries.every(([, known]) => isRemembered(known))) return null
  const { on, dataset_version: version } = given
  if (typeof on !== "string" || typeof version !== "string") return null
  return { on, version, pairs: new Map(entries as [string, RememberedPair][]) }
}

function isRemembered(value: unknown): boolean {
  if (!isFields(value)) return false
  const { requirement, days, uncertain, announced } = value
  return (
    (requirement === null || isRequirement(requirement)) &&
    (days === null || typeof days === "number") &&
    typeof uncertain === "boolean" &&
    Array.isArray(announced) &&
    announced.every(key => typeof key === "string")
  )
}
