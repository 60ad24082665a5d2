/**
 * How many itineraries a second does `landfall batch` judge, and in how much memory?
 *
 * The built command with one and two threads is compared with a plain loop of JSON.parse, decide and JSON.stringify on one thread, and with a loop that only reads and writes JSON (the
 * cost of streaming alone, as with jq). All read the same file; the same trips are also read as CSV. Each is one process, timed from start to end; all that decide must write the same bytes. Answers go to /dev/null, so that
 * no disk is measured. The CPU time of a line, over all threads, is printed too: on a shared machine only that can be compared. Then follow a million lines, with the time of each thread;
 * Dask with two workers, if it is installed; and the time of each stage of one line. Arguments: `--rounds N` (0: no comparison), `--lines N`, `--most N` (0: none).
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { buildSync } from "esbuild"
import { embeddedDataset } from "landfall"
import { compareWithDask } from "./batch-dask.ts"
import { describeStages, writeTrips } from "./batch-process.ts"
import { alternate, amount, describeRatio, describeRun, median, option } from "./measure.ts"
import { makeFolder, readCpu } from "./processes.ts"

const folder = makeFolder()
const at = (name: string) => join(folder, name)
const { values } = parseArgs({
  options: { rounds: option(5, 1), lines: option(300_000, 300), most: option(1_000_000, 600) },
})
const [rounds, lines, most] = [Number(values.rounds), Number(values.lines), Number(values.most)]
const few = amount(20_000, 200)

/** What Linux reports of a running process: its highest resident memory, and the CPU time of its threads by name. */
interface Use {
  readonly peakMb: number
  readonly cpuSeconds: number
  readonly threads: Map<string, number>
}

function readUse(pid: number): Use | null {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    if (kilobytes === undefined) return null
    const threads = new Map<string, number>()
    for (const id of readdirSync(`/proc/${pid}/task`)) {
      const [name, seconds] = readCpu(`/proc/${pid}/task/${id}`)
      threads.set(name, (threads.get(name) ?? 0) + seconds)
    }
    const [, cpuSeconds] = readCpu(`/proc/${pid}`)
    return { peakMb: Number(kilobytes) / 1_024, cpuSeconds, threads }
  } catch {
    return null
  }
}

/** The names that Linux has for the threads of Node. */
const THREADS: Readonly<Record<string, string>> = {
  MainThread: "the main thread: starting, reading, writing",
  WorkerThread: "the threads that judge",
  V8Worker: "compiling and garbage collection",
  "libuv-worker": "the file system",
}

type Command = readonly [command: string, ...args: readonly string[]]

interface Ran extends Use {
  readonly seconds: number
}

async function run([command, ...args]: Command): Promise<Ran> {
  const start = performance.now()
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] })
  let said = ""
  child.stderr.setEncoding("utf8").on("data", text => {
    said += text
  })
  let use: Use = { peakMb: 0, cpuSeconds: 0, threads: new Map() }
  const timer = setInterval(() => {
    const now = readUse(child.pid as number)
    if (now === null) return
    // A thread that has ended is no longer listed, but its time counts.
    for (const [name, seconds] of use.threads) {
      now.threads.set(name, Math.max(seconds, now.threads.get(name) ?? 0))
    }
    use = now
  }, 10)
  const [status] = await once(child, "exit")
  clearInterval(timer)
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${said}`)
  return { seconds: (performance.now() - start) / 1_000, ...use }
}

buildSync({
  entryPoints: ["bench/batch-process.ts"],
  outfile: at("loop.mjs"),
  bundle: true,
  format: "esm",
  platform: "node",
  logLevel: "error",
})

const NDJSON = ["--from", "ndjson", "--to", "ndjson"]
const toCsv = (path: string) => path.replace(/\.ndjson$/, ".csv")
type Runner = (input: string, output: string) => Command
const command =
  (...flags: readonly string[]): Runner =>
  (input, output) => [process.execPath, "dist/cli.js", "batch", input, "-o", output, ...NDJSON, ...flags]
// Without line numbers, because the first row of CSV names the columns.
const unnumbered = (isCsv: boolean, threads: string): Runner => {
  const flags = ["--to", "ndjson", "--summary", "--stage", "--threads", threads]
  return (input, output) => [
    process.execPath,
    ...["dist/cli.js", "batch", isCsv ? toCsv(input) : input, "-o", output, ...flags],
  ]
}
const loop =
  (task: string): Runner =>
  (input, output) => [process.execPath, at("loop.mjs"), task, input, output]

const hasJq = spawnSync("jq", ["--version"]).status === 0
const NOT_DECIDING = ["a loop that decides nothing", "jq, which decides nothing"]

interface Task {
  readonly title: string
  /** The first is the one that the others are compared with. */
  readonly runners: readonly (readonly [name: string, runner: Runner])[]
}

const tasks: readonly Task[] = [
  {
    title: "Verdicts (--summary)",
    runners: [
      ["a plain loop", loop("verdicts")],
      ["landfall batch, 1 thread", command("--summary", "--threads", "1")],
      ["landfall batch, 2 threads", command("--summary", "--threads", "2")],
      ["a loop that decides nothing", loop("pick")],
      ...(hasJq
        ? [["jq, which decides nothing", (input: string) => ["jq", "-c", "{id, passport}", input] as const] as const]
        : []),
    ],
  },
  {
    title: "Verdicts of the same trips as CSV (--summary --stage)",
    runners: [
      ["landfall batch, lines of JSON", unnumbered(false, "1")],
      ["landfall batch, CSV, 1 thread", unnumbered(true, "1")],
      ["landfall batch, CSV, 2 threads", unnumbered(true, "2")],
    ],
  },
  {
    title: "Whole decisions",
    runners: [
      ["a plain loop", loop("whole")],
      ["landfall batch, 1 thread", command("--answers", "full", "--threads", "1")],
      ["landfall batch, 2 threads", command("--answers", "full", "--threads", "2")],
    ],
  },
]

console.log("Batches of itineraries")
for (const line of describeRun(`embedded, ${embeddedDataset().version}`)) console.log(`  ${line}`)
for (const extension of ["ndjson", "csv"]) {
  await writeTrips(at(`few.${extension}`), few)
  await writeTrips(at(`many.${extension}`), lines)
}
const size = statSync(at("many.ndjson")).size
console.log(
  `  ${lines.toLocaleString("en")} lines of ${Math.round(size / lines)} bytes; load average ${loadavg()[0]?.toFixed(1)}`,
)

for (const { title, runners } of rounds === 0 ? [] : tasks) {
  const deciding = runners.filter(([name]) => !NOT_DECIDING.includes(name))
  for (const [place, [, runner]] of deciding.entries()) await run(runner(at("few.ndjson"), at(`proof-${place}`)))
  // Answers to rows of a table repeat their cells.
  const [expected, ...others] = deciding.map((_, place) =>
    readFileSync(at(`proof-${place}`), "utf8").replace(/,"given":\{[^}]*\}/g, ""),
  )
  if (others.some(other => other !== expected)) throw new Error(`${title}: the answers differ.`)
  const ran = runners.map((): Ran[] => [])
  await alternate(runners, rounds, async ([, runner], place) =>
    ran[place]?.push(await run(runner(at("many.ndjson"), "/dev/null"))),
  )
  const rates = ran.map(each => each.map(({ seconds }) => lines / seconds))
  const show = (rate: number) => Math.round(rate).toLocaleString("en").padStart(9)
  console.log(
    `\n${title}: lines a second, the median of ${rounds} rounds (least … most), the least CPU, the most memory`,
  )
  for (const [place, [name]] of runners.entries()) {
    const own = rates[place] as number[]
    const peak = Math.max(...(ran[place] as Ran[]).map(({ peakMb }) => peakMb))
    const cpu = Math.min(...(ran[place] as Ran[]).map(({ cpuSeconds }) => cpuSeconds))
    console.log(
      `  ${name.padEnd(28)} ${show(median(own))} (${show(Math.min(...own)).trim()} … ${show(Math.max(...own)).trim()})  ${((cpu * 1e6) / lines).toFixed(1).padStart(5)} µs of CPU a line  ${Math.round(peak)} MB`,
    )
  }
  const base = runners[0]?.[0]
  for (const [place, [name]] of runners.entries()) {
    if (place === 0 || !name.startsWith("landfall")) continue
    const ratios = (rates[place] as number[]).map((rate, round) => rate / (rates[0]?.[round] as number))
    console.log(describeRatio(`${name} against ${base}`, ratios))
    const cpuRatios = (ran[place] as Ran[]).map(
      ({ cpuSeconds }, round) => ((ran[0] as Ran[])[round] as Ran).cpuSeconds / cpuSeconds,
    )
    console.log(describeRatio(`${name} against ${base}, lines for a second of CPU`, cpuRatios))
  }
}

if (most > lines) {
  console.log(`\n${most.toLocaleString("en")} lines: memory, and the time of each thread`)
  await writeTrips(at("most.ndjson"), most)
  for (const [name, runner] of [
    ["verdicts, a plain loop", loop("verdicts")],
    ["verdicts, 2 threads", command("--summary", "--threads", "2")],
    ["compact decisions, 2 threads", command("--threads", "2")],
    ["whole decisions, 2 threads", command("--answers", "full", "--threads", "2")],
  ] as const) {
    const { seconds, cpuSeconds, peakMb, threads } = await run(runner(at("most.ndjson"), "/dev/null"))
    console.log(
      `  ${name.padEnd(28)} ${seconds.toFixed(1).padStart(5)} s, ${Math.round(most / seconds).toLocaleString("en")} lines a second, ${((cpuSeconds * 1e6) / most).toFixed(1)} µs of CPU a line, ${Math.round(peakMb)} MB at most`,
    )
    for (const [thread, own] of threads) {
      if (own >= 0.05)
        console.log(
          `    ${(THREADS[thread] ?? thread).padEnd(44)} ${((own * 1e6) / most).toFixed(2).padStart(6)} µs a line`,
        )
    }
  }
}

if (rounds > 0) {
  console.log(`\nWhole decisions of ${lines.toLocaleString("en")} lines on a cluster of two workers`)
  for (const line of await compareWithDask(at("many.ndjson"), rounds)) console.log(line)
}

console.log("\nWhere the time of a line goes, on one thread")
for (const line of describeStages(readFileSync(at("few.ndjson"), "utf8"))) console.log(`  ${line}`)
