/** A bar on a terminal, with rate and time left where there is an end to see; nothing in a pipe, and nothing among answers. */
import type { Source } from "../batch/files/sources.ts"
import { count } from "./inputs.ts"

// With the numbers behind it, it fits a terminal of 80 columns.
const WIDTH = 24
const DRAWN_EVERY_SECONDS = 0.1

/** Returns what says how many seconds have passed since. */
export function countSeconds(): () => number {
  const startedAt = performance.now()
  return () => (performance.now() - startedAt) / 1_000
}

/** Shows how far a command has come. */
export function startBar(
  { total, done }: Pick<Source, "total" | "done">,
  isPiped: boolean,
  seconds: () => number,
  units = "lines",
): { readonly update: (done: { readonly lines: number }) => void; readonly stop: () => void } {
  const { stdout, stderr } = process
  if (!stderr.isTTY || (isPiped && stdout.isTTY)) return { update: () => {}, stop: () => {} }
  let lines = 0
  let drawnAt = Number.NEGATIVE_INFINITY
  const draw = () => {
    drawnAt = seconds()
    const spent = Math.max(drawnAt, 0.001)
    const rate = `${count(lines)} ${units}, ${count(Math.round(lines / spent))} a second`
    const part = total === null ? 0 : total === 0 ? 1 : Math.min(1, done() / total)
    const left = part === 0 ? "?" : String(Math.round(spent / part - spent))
    const bar = "=".repeat(Math.floor(part * WIDTH)).padEnd(WIDTH, "-")
    const whole = total === null ? rate : `${bar} ${Math.floor(part * 100)} % | ${rate} | ${left}s left`
    stderr.write(`\r\u001b[K${whole.slice(0, stderr.columns || undefined)}`)
  }
  // The cursor is hidden while the bar is shown: from the beginning, also where no line has come yet.
  stderr.write("\u001b[?25l")
  draw()
  return {
    update: done => {
      lines = done.lines
      if (seconds() - drawnAt >= DRAWN_EVERY_SECONDS) draw()
    },
    stop: () => {
      draw()
      stderr.write("\r\u001b[K\u001b[?25h")
    },
  }
}
