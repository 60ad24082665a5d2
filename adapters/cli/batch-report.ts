/**
 * What does `landfall batch` print while it runs, and at its end?
 *
 * A bar on a terminal only; at the end the outcomes, the blockers by kind and the most frequent unknowns, as text or as a record.
 */
import { SingleBar } from "cli-progress"
import type { Progress } from "../batch/files/resume.ts"
import type { Source } from "../batch/files/sources.ts"
import { listMost, OUTCOME_WORDS, type Tally } from "../batch/lines/batch-tally.ts"
import { formatTable } from "./print.ts"

/** A number as people read it. */
export const count = (number: number): string => number.toLocaleString("en")

/** A number of lines, as people read it. */
export const countLines = (lines: number): string => (lines === 1 ? "1 line" : `${count(lines)} lines`)

/** Shows the progress of a batch. */
export interface Bar {
  readonly update: (tally: Pick<Tally, "lines">) => void
  readonly stop: () => void
}

const NO_BAR: Bar = { update: () => {}, stop: () => {} }

/** A bar on a terminal, with rate and time left where there is an end to see; nothing in a pipe, and nothing among answers. */
export function startBar(
  source: Pick<Source, "total" | "done">,
  isPiped: boolean,
  seconds: () => number,
  units = "lines",
): Bar {
  const isShown = process.stderr.isTTY === true && !(isPiped && process.stdout.isTTY)
  if (!isShown) return NO_BAR
  const known = `{bar} {percentage} % | {lines} ${units}, {rate} a second | {eta_formatted} left`
  const format = source.total === null ? `{lines} ${units}, {rate} a second` : known
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true, clearOnComplete: true, etaBuffer: 50 })
  bar.start(source.total ?? 0, 0, { lines: "0", rate: "0" })
  return {
    update: ({ lines }) => {
      const rate = count(Math.round(lines / Math.max(seconds(), 0.001)))
      bar.update(source.total === null ? lines : source.done(), { lines: count(lines), rate })
    },
    stop: () => bar.stop(),
  }
}

/** How many of the most frequent gaps are named. */
const MOST_UNKNOWNS = 8

/** The counts of a batch, as a record and as text. */
export function describeBatch(tally: Tally, resumed: Progress, seconds: number) {
  const rate = Math.round(tally.lines / Math.max(seconds, 0.001))
  const unknowns = listMost(tally.unknowns, MOST_UNKNOWNS)
  const blockers = listMost(tally.blockers, tally.blockers.size)
  const record = {
    lines: tally.lines,
    failed: tally.failed,
    outcomes: Object.fromEntries([...tally.outcomes].sort()),
    verdicts: Object.fromEntries([...tally.verdicts].sort()),
    blockers: Object.fromEntries(blockers),
    unknowns: unknowns.map(([gap, lines]) => ({ gap, count: lines })),
    seconds: Math.round(seconds * 1_000) / 1_000,
    lines_per_second: rate,
    ...(resumed.lines === 0
      ? {}
      : { resumed: { after_line: resumed.afterLine, lines: resumed.lines, failed: resumed.failed } }),
  }
  const list = (title: string, counts: readonly (readonly [name: string, lines: number, words?: string])[]) =>
    counts.length === 0
      ? []
      : [
          "",
          title,
          formatTable(
            ["", "count", ""],
            counts.map(([name, lines, words = ""]) => [name, count(lines), words]),
          ),
        ]
  const before = resumed.lines === 0 ? "" : ` after the ${count(resumed.lines)} of the earlier run`
  const text = [
    `${countLines(tally.lines)}${before} in ${seconds.toFixed(1)} s (${count(rate)} a second), ${count(tally.failed)} of them failed.`,
    ...list(
      "Outcomes",
      [...tally.outcomes].sort().map(([outcome, lines]) => [outcome, lines, OUTCOME_WORDS[outcome]]),
    ),
    ...list("Blockers", blockers),
    ...list("Unknown most often", unknowns),
  ].join("\n")
  return { record, text }
}
