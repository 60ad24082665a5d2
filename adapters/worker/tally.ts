/**
 * How did a batch end, in numbers?
 *
 * Counted by each thread for its blocks and added up in any order: sums do not depend on it. What is not known is counted by field and reason, whatever
 * the stop or transit country.
 */
import { toSnakeCase } from "../answers/wire-names.ts"
import type { Judgement } from "./line-answer.ts"

/** Counts over lines. */
export interface Tally {
  /** Lines that were answered, failed ones among them; blank lines are none. */
  lines: number
  /** Lines without a decision: malformed, refused, or about a passport that is not recorded. */
  failed: number
  readonly verdicts: Map<string, number>
  /** Blockers by their code: a journey may have several. */
  readonly blockers: Map<string, number>
  /** By `field: reason`. */
  readonly unknowns: Map<string, number>
}

/** A tally of nothing. */
export function startTally(): Tally {
  return { lines: 0, failed: 0, verdicts: new Map(), blockers: new Map(), unknowns: new Map() }
}

/** Counts a line that could not be decided. */
export function countFailure(tally: Tally): void {
  tally.lines++
  tally.failed++
}

/** Counts a decision. */
export function countDecision(tally: Tally, { verdict, blockers, unknowns }: Judgement): void {
  tally.lines++
  add(tally.verdicts, verdict, 1)
  for (const { code } of blockers) add(tally.blockers, code, 1)
  for (const { field, reason } of unknowns) add(tally.unknowns, nameGap(field, reason), 1)
}

/** Adds another tally to one. */
export function addTally(tally: Tally, more: Tally): void {
  tally.lines += more.lines
  tally.failed += more.failed
  for (const counts of ["verdicts", "blockers", "unknowns"] as const) {
    for (const [name, count] of more[counts]) add(tally[counts], name, count)
  }
}

/** The names with the highest counts, highest first; equal ones by name. */
export function listMost(counts: ReadonlyMap<string, number>, most: number): readonly (readonly [string, number])[] {
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, most)
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count)
}

// Fields and reasons are few, and putting them together for each gap would take as long as deciding.
const namesOf = new Map<string, Map<string, string>>()

function nameGap(field: string, reason: string): string {
  let names = namesOf.get(reason)
  if (names === undefined) {
    names = new Map()
    namesOf.set(reason, names)
  }
  const known = names.get(field)
  if (known !== undefined) return known
  const name = `${toSnakeCase(field).replace(/\[\d+\]/g, "[]")}: ${reason}`
  names.set(field, name)
  return name
}
