/**
 * How many itineraries a second does `landfall batch` judge, and in how much memory?
 *
 * The built command with one and two threads, against a plain loop of JSON.parse, decide and JSON.stringify on one thread, and against a loop that only reads and writes JSON (what
 * streaming alone costs, as with jq). Each is a process of its own, from its start to its end; all that decide are proved to write the same bytes first. Rates are of answers written
 * to /dev/null, so that no disk is measured. Then a million lines, for memory; and at last where the time of one line goes.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { buildSync } from "esbuild"
import { embeddedDataset } from "landfall"
import { describeStages } from "./batch-stages.ts"
import { makeTrip } from "./batch-trips.ts"
import { describeRatio, describeRun, median, seededRandom } from "./measure.ts"

const folder = mkdtempSync(join(tmpdir(), "landfall-bench-batch-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)
const option = (name: string, usual: number) => {
  const place = process.argv.indexOf(`--${name}`)
  return place < 0 ? usual : Number(process.argv[place + 1])
}
const rounds = option("rounds", 5)
const lines = option("lines", 300_000)
const most = option("most", 1_000_000)

async function writeTrips(path: string, count: number): Promise<void> {
  const random = seededRandom(7)
  const file = createWriteStream(path)
  const perBlock = 10_000
  for (let from = 0; from < count; from += perBlock) {
    const own = Array.from({ length: Math.min(perBlock, count - from) }, (_, place) =>
      JSON.stringify(makeTrip(embeddedDataset(), from + place, random)),
    )
    if (!file.write(`${own.join("\n")}\n`)) await once(file, "drain")
  }
  file.end()
  await once(file, "close")
}

/** What Linux says of a process that runs: its resident memory at its highest, and the time of processors it took. */
function readUse(pid: number): { readonly peakMb: number; readonly cpuSeconds: number } | null {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ")
    if (kilobytes === undefined) return null
    return { peakMb: Number(kilobytes) / 1_024, cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100 }
  } catch {
    return null
  }
}

type Command = readonly [command: string, ...args: readonly string[]]

interface Ran {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakMb: number
}

async function run([command, ...args]: Command): Promise<Ran> {
  const start = performance.now()
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "inherit"] })
  let use = { peakMb: 0, cpuSeconds: 0 }
  const timer = setInterval(() => {
    use = readUse(child.pid as number) ?? use
  }, 10)
  const [status] = await once(child, "exit")
  clearInterval(timer)
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}.`)
  return { seconds: (performance.now() - start) / 1_000, ...use }
}

buildSync({
  entryPoints: ["bench/batch-loop.ts"],
  outfile: at("loop.mjs"),
  bundle: true,
  format: "esm",
  platform: "node",
  logLevel: "error",
})

type Runner = (input: string, output: string) => Command
const command =
  (...flags: readonly string[]): Runner =>
  (input, output) => [
    process.execPath,
    "dist/cli.js",
    "batch",
    input,
    "-o",
    output,
    "--from",
    "ndjson",
    "--to",
    "ndjson",
    ...flags,
  ]
const loop =
  (task: string): Runner =>
  (input, output) => [process.execPath, at("loop.mjs"), task, input, output]

const hasJq = spawnSync("jq", ["--version"]).status === 0
const NOT_DECIDING = ["a loop that decides nothing", "jq, which decides nothing"]

interface Task {
  readonly title: string
  /** The first is the one that the others are compared to. */
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
    title: "Whole decisions",
    runners: [
      ["a plain loop", loop("whole")],
      ["landfall batch, 1 thread", command("--threads", "1")],
      ["landfall batch, 2 threads", command("--threads", "2")],
    ],
  },
]

console.log("Batches of itineraries")
for (const line of describeRun(`embedded, ${embeddedDataset().version}`)) console.log(`  ${line}`)
await writeTrips(at("few.ndjson"), 20_000)
await writeTrips(at("many.ndjson"), lines)
const size = statSync(at("many.ndjson")).size
console.log(
  `  ${lines.toLocaleString("en")} lines of ${Math.round(size / lines)} bytes; load average ${loadavg()[0]?.toFixed(1)}`,
)

for (const { title, runners } of tasks) {
  const deciding = runners.filter(([name]) => !NOT_DECIDING.includes(name))
  for (const [place, [, runner]] of deciding.entries()) await run(runner(at("few.ndjson"), at(`proof-${place}`)))
  const [expected, ...others] = deciding.map((_, place) => readFileSync(at(`proof-${place}`)))
  if (others.some(other => !other.equals(expected as Buffer))) throw new Error(`${title}: the answers differ.`)
  const ran = runners.map((): Ran[] => [])
  for (let round = 0; round < rounds; round++) {
    const order = runners.map((_, place) => (round % 2 === 0 ? place : runners.length - 1 - place))
    for (const place of order) {
      ran[place]?.push(await run((runners[place] as Task["runners"][number])[1](at("many.ndjson"), "/dev/null")))
    }
  }
  const rates = ran.map(each => each.map(({ seconds }) => lines / seconds))
  const show = (rate: number) => Math.round(rate).toLocaleString("en").padStart(9)
  console.log(
    `\n${title}: lines a second, the middle of ${rounds} rounds (least … most), the least CPU, the most memory`,
  )
  for (const [place, [name]] of runners.entries()) {
    const own = rates[place] as number[]
    const peak = Math.max(...(ran[place] as Ran[]).map(({ peakMb }) => peakMb))
    const cpu = Math.min(...(ran[place] as Ran[]).map(({ cpuSeconds }) => cpuSeconds))
    console.log(
      `  ${name.padEnd(28)} ${show(median(own))} (${show(Math.min(...own)).trim()} … ${show(Math.max(...own)).trim()})  ${((cpu * 1e6) / lines).toFixed(1).padStart(5)} µs of CPU a line  ${Math.round(peak)} MB`,
    )
  }
  for (const [place, [name]] of runners.entries()) {
    if (!name.startsWith("landfall")) continue
    const ratios = (rates[place] as number[]).map((rate, round) => rate / (rates[0]?.[round] as number))
    console.log(describeRatio(`${name} against the loop`, ratios))
  }
}

if (most > lines) {
  console.log(`\n${most.toLocaleString("en")} lines, 2 threads: does the memory stay?`)
  await writeTrips(at("most.ndjson"), most)
  for (const [name, runner] of [
    ["verdicts", command("--summary", "--threads", "2")],
    ["whole decisions", command("--threads", "2")],
  ] as const) {
    const { seconds, peakMb } = await run(runner(at("most.ndjson"), "/dev/null"))
    console.log(
      `  ${name.padEnd(16)} ${seconds.toFixed(1)} s, ${Math.round(most / seconds).toLocaleString("en")} lines a second, ${Math.round(peakMb)} MB at most`,
    )
  }
}

console.log("\nWhere the time of a line goes, on one thread")
for (const line of describeStages(readFileSync(at("few.ndjson"), "utf8"))) console.log(`  ${line}`)
