/**
 * How did a batch end, in numbers?
 *
 * Counted by each thread for its blocks and added up in any order: sums do not depend on it. Unknowns are counted by field and
 * code, over all stops and transit countries.
 */
import { toSnakeCase } from "../../answers/wire-names.ts"
import type { Judgement, LineOutcome } from "./judge-body.ts"

/** What an outcome says of a journey. */
export const OUTCOME_WORDS: Readonly<Record<Judgement["outcome"], string>> = {
  blocked: "Blocked.",
  obtain: "Something has to be obtained or done before departure.",
  unknown: "No blocker found, but something that decides is unknown.",
  clear: "No blocker found.",
}

/** Counts over lines. */
export interface Tally {
  /** Lines that were answered, failed ones among them, without blank lines. */
  lines: number
  /** Lines without a decision: malformed, refused, or about a passport that is not recorded. */
  failed: number
  readonly outcomes: Map<Judgement["outcome"], number>
  readonly verdicts: Map<string, number>
  /** Blockers by their code: a journey may have several. */
  readonly blockers: Map<string, number>
  /** Keyed by `field: code`. */
  readonly unknowns: Map<string, number>
}

/** A tally of nothing. */
export function startTally(): Tally {
  return { lines: 0, failed: 0, outcomes: new Map(), verdicts: new Map(), blockers: new Map(), unknowns: new Map() }
}

/** The names of unknowns by code and field: to put one together for each line would take as long as deciding. */
const unknownNames = new Map<string, Map<string, string>>()

function nameUnknown(field: string, code: string): string {
  const byField = unknownNames.get(code) ?? new Map<string, string>()
  const known = byField.get(field)
  if (known !== undefined) return known
  const name = `${toSnakeCase(field).replace(/\[\d+\]/g, "[]")}: ${code}`
  unknownNames.set(code, byField.set(field, name))
  return name
}

/** Counts a line, by its decision or as one without. */
export function countLine(tally: Tally, outcome: LineOutcome): void {
  tally.lines++
  if (!outcome.ok) {
    tally.failed++
    return
  }
  const { decision } = outcome
  add(tally.outcomes, decision.outcome, 1)
  add(tally.verdicts, decision.verdict, 1)
  for (const { code } of decision.blockers) add(tally.blockers, code, 1)
  for (const { field, code } of decision.unknowns) add(tally.unknowns, nameUnknown(field, code), 1)
}

/** Adds another tally to one. */
export function addTally(tally: Tally, more: Tally): void {
  tally.lines += more.lines
  tally.failed += more.failed
  for (const counts of ["outcomes", "verdicts", "blockers", "unknowns"] as const) {
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
