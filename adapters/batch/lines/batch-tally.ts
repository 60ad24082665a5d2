/**
 * How did a batch end, in numbers?
 *
 * Counted by each thread for its blocks and added up in any order: sums do not depend on it. Unknowns are counted by field and
 * code, over all stops and transit countries.
 */
import { toSnakeCase } from "../../answers/wire-names.ts"
import type { Judgement } from "./judge-body.ts"

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

/** Counts a line that could not be decided. */
export function countFailure(tally: Tally): void {
  tally.lines++
  tally.failed++
}

interface Count {
  readonly name: string
  count: number
}

/** Counts the decisions of one thread, block after block. Names are put together once for each reason and field: for each line that would take as long as deciding. */
export function makeDecisionCounter() {
  const outcomes = new Map<string, Count>()
  const verdicts = new Map<string, Count>()
  const blockerCodes = new Map<string, Count>()
  const gaps = new Map<string, Map<string, Count>>()
  const unknownNames = new Map<string, Count>()
  let lines = 0
  const countName = (counts: Map<string, Count>, name: string): Count => {
    const known = counts.get(name)
    if (known !== undefined) return known
    const made = { name, count: 0 }
    counts.set(name, made)
    return made
  }
  const startGap = (field: string, code: string): Count => {
    const fields = gaps.get(code) ?? new Map<string, Count>()
    gaps.set(code, fields)
    const made = countName(unknownNames, `${toSnakeCase(field).replace(/\[\d+\]/g, "[]")}: ${code}`)
    fields.set(field, made)
    return made
  }
  const pour = (from: Map<string, Count>, to: Map<string, number>) => {
    for (const each of from.values()) {
      if (each.count > 0) add(to, each.name, each.count)
      each.count = 0
    }
  }
  return {
    count: ({ outcome, verdict, blockers, unknowns }: Judgement) => {
      lines++
      countName(outcomes, outcome).count++
      countName(verdicts, verdict).count++
      for (let at = 0; at < blockers.length; at++)
        countName(blockerCodes, (blockers[at] as Judgement["blockers"][number]).code).count++
      for (let at = 0; at < unknowns.length; at++) {
        const { field, code } = unknowns[at] as Judgement["unknowns"][number]
        const gap = gaps.get(code)?.get(field) ?? startGap(field, code)
        gap.count++
      }
    },
    /** Adds the counts since the last time to a tally. */
    empty: (tally: Tally) => {
      tally.lines += lines
      lines = 0
      pour(outcomes, tally.outcomes)
      pour(verdicts, tally.verdicts)
      pour(blockerCodes, tally.blockers)
      pour(unknownNames, tally.unknowns)
    },
  }
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
