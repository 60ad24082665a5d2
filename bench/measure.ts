/**
 * How are two implementations compared so that the figure is reliable?
 *
 * Every case must give the same answers before and after it is timed. Rounds alternate the order of the cases; each round gives one ratio; the median ratio is printed with its range, and
 * a range that contains 1 is called inconclusive.
 */
import { execFileSync } from "node:child_process"
import { cpus } from "node:os"
import type { CoreError, Result } from "landfall"

/** One implementation of a task. */
export interface Case {
  readonly name: string
  /** Does the task `count` times and returns a number made of all answers, so that nothing can be optimised away. */
  readonly run: (count: number) => number
  /** The answers as text, which must be equal for every case of a comparison. */
  readonly validate: () => string
}

/** What one case took, over all rounds. */
export interface Measured {
  readonly name: string
  /** Nanoseconds for one task, a figure a round. */
  readonly rounds: readonly number[]
}

/** Whether this is a smoke test: everything runs once and briefly, to check that it works and gives the same answers (`npm run bench -- smoke`). */
export const IS_SMOKE = process.env.BENCH_SMOKE === "1"

/** An amount: the usual one, or the least with a smoke test. */
export const amount = (usual: number, least: number): number => (IS_SMOKE ? least : usual)

/** An option of a bench's command line: its usual default, and its default with a smoke test. */
export const option = (usual: number | string, least: number | string = usual) =>
  ({ type: "string", default: String(IS_SMOKE ? least : usual) }) as const

let sink = 0

/** Runs each of several questions in turn, and adds up a number of each answer. */
export const repeat =
  <Question>(questions: readonly Question[], once: (question: Question) => number): Case["run"] =>
  count => {
    const questionsInAll = questions.length
    let sum = 0
    for (let i = 0; i < count; i++) sum += once(questions[i % questionsInAll] as Question)
    return sum
  }

/** Runs each contestant once a round, in alternating order. */
export async function alternate<Contestant>(
  contestants: readonly Contestant[],
  rounds: number,
  work: (contestant: Contestant, place: number) => unknown,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (let at = 0; at < contestants.length; at++) {
      const place = round % 2 === 0 ? at : contestants.length - 1 - at
      await work(contestants[place] as Contestant, place)
    }
  }
}

export const print = (title: string, lines: readonly string[]) => console.log(`\n${title}\n${lines.join("\n")}`)

export const compare = (title: string, cases: readonly Case[], asked?: Parameters<typeof compareCases>[1]) =>
  print(title, describeComparison(compareCases(cases, asked)))

/** Times the cases against the first of them, in alternating order. */
export function compareCases(cases: readonly Case[], asked: { rounds?: number; roundMs?: number } = {}): Measured[] {
  const rounds = amount(asked.rounds ?? 7, 1)
  const roundMs = amount(asked.roundMs ?? 120, 1)
  const expected = cases[0]?.validate()
  const prove = () => {
    for (const { name, validate } of cases) {
      if (validate() !== expected) throw new Error(`${name} gives different answers from ${cases[0]?.name}`)
    }
  }
  prove()
  const counts = cases.map(({ run }) => calibrate(run, roundMs))
  const times = cases.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    const order = cases.map((_, at) => (round % 2 === 0 ? at : cases.length - 1 - at))
    for (const at of order) {
      const count = counts[at] as number
      const start = process.hrtime.bigint()
      sink += (cases[at] as Case).run(count)
      times[at]?.push(Number(process.hrtime.bigint() - start) / count)
    }
  }
  prove()
  return cases.map(({ name }, at) => ({ name, rounds: times[at] as number[] }))
}

// Warms up, and finds how often a task fits into a round.
function calibrate(run: Case["run"], roundMs: number): number {
  let count = 1
  for (;;) {
    const start = performance.now()
    sink += run(count)
    const took = performance.now() - start
    if (took >= roundMs / 2) return Math.max(1, Math.round((count * roundMs) / took))
    count = Math.ceil(count * (took < 1 ? 10 : Math.min(10, (roundMs / took) * 1.1)))
  }
}

/** The value below which a given share of the values lies. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/**
 * The interval that contains the true median with a certainty of at least 95 %, by the ranks of the rounds (the sign test's interval, which assumes no distribution). With fewer than six
 * rounds it is the whole range.
 */
export function medianInterval(values: readonly number[]): readonly [number, number] {
  const sorted = [...values].sort((a, b) => a - b)
  const rounds = sorted.length
  let rank = 0
  let outside = 0
  let ways = 1
  for (let at = 0; at < rounds / 2; at++) {
    outside += (2 * ways) / 2 ** rounds
    if (outside > 0.05) break
    rank = at + 1
    ways = (ways * (rounds - at)) / (at + 1)
  }
  const low = Math.max(0, rank - 1)
  return [sorted[low] as number, sorted[rounds - 1 - low] as number]
}

/** Describes a ratio: the median of the rounds and its interval; one that contains 1 is called inconclusive. */
export function describeRatio(name: string, ratios: readonly number[]): string {
  const [low, high] = medianInterval(ratios)
  const verdict =
    low <= 1 && high >= 1 ? `inconclusive, ${median(ratios).toFixed(2)}x` : `${median(ratios).toFixed(2)}x`
  return `  ${name}: ${verdict} [${low.toFixed(2)} … ${high.toFixed(2)}]`
}

/** The median of some numbers, with the least and the most. */
export const range = (numbers: readonly number[], digits: number): string =>
  `${median(numbers).toFixed(digits)} (${Math.min(...numbers).toFixed(digits)} … ${Math.max(...numbers).toFixed(digits)})`

/** How many times longer the peer took, round by round. */
export function ratios(ours: Measured, peer: Measured): number[] {
  return peer.rounds.map((time, round) => time / (ours.rounds[round] as number))
}

/** A line for each case: its time, its spread, and its ratio to the first. */
export function describeComparison(measured: readonly Measured[]): string[] {
  const [ours, ...peers] = measured as [Measured, ...Measured[]]
  const width = Math.max(...measured.map(({ name }) => name.length))
  const time = ({ name, rounds }: Measured) =>
    `  ${name.padEnd(width)}  ${formatNanoseconds(median(rounds)).padStart(10)}  (${formatNanoseconds(Math.min(...rounds))} … ${formatNanoseconds(Math.max(...rounds))})`
  return [
    time(ours),
    ...peers.map(peer => {
      const all = ratios(ours, peer)
      const [low, high, middle] = [Math.min(...all), Math.max(...all), median(all)]
      const verdict =
        low <= 1 && high >= 1
          ? "inconclusive"
          : middle > 1
            ? `${formatRatio(middle)} slower`
            : `${formatRatio(1 / middle)} faster`
      return `${time(peer)}  ${verdict} [${low.toFixed(2)} … ${high.toFixed(2)}]`
    }),
  ]
}

function formatRatio(ratio: number): string {
  return `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)}x`
}

/** Nanoseconds in the unit that reads best. */
export function formatNanoseconds(ns: number): string {
  if (ns < 1e3) return `${ns.toFixed(ns < 10 ? 2 : 1)} ns`
  if (ns < 1e6) return `${(ns / 1e3).toFixed(2)} µs`
  return `${(ns / 1e6).toFixed(2)} ms`
}

/** Pseudo-random numbers from 0 to 1, the same at every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The machine, commit and dataset of a measurement. */
export function describeRun(dataset: string): string[] {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim()
  const dirty = git("status", "--porcelain") === "" ? "" : " with uncommitted changes"
  return [
    `commit ${git("rev-parse", "--short", "HEAD")}${dirty}`,
    `node ${process.version}, ${cpus()[0]?.model.trim() ?? "unknown CPU"}, ${cpus().length} cores`,
    `dataset ${dataset}`,
  ]
}

/** A number made of everything that ran. */
export function consumed(): number {
  return sink
}

/** The value of a result, which a bench cannot do without. */
export function takeValue<Value>(result: Result<Value, CoreError>): Value {
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

/** Runs a script in fresh processes, each of which writes numbers as JSON; returns the median of a number. */
export function runFresh(script: string): (name: string) => number {
  const args = ["--expose-gc", "--input-type=module", "-e", script]
  const runs = Array.from(
    { length: amount(7, 1) },
    (): Readonly<Record<string, number>> => JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })),
  )
  return name => median(runs.map(run => run[name] as number))
}

/** What a process has used since a moment. */
export function startClock(): () => { readonly seconds: number; readonly cpuSeconds: number } {
  const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()]
  return () => {
    const { user, system } = process.cpuUsage(cpuBefore)
    return { seconds: (performance.now() - startedAt) / 1_000, cpuSeconds: (user + system) / 1e6 }
  }
}

/** Writes a line of JSON for the parent process. */
export const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

/** The secret of every deployment that is measured. */
export const SECRET = Buffer.alloc(32, 7).toString("base64")
