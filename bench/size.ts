/**
 * How large is the project, and how much of it does one question run through?
 *
 * One command for every number by which the core is judged. Lines and exported names are those of the checked-in sources, without generated files. What a question runs through is read from V8: it is asked once before, so that what happens only
 * once (opening the dataset, reading a pair for the first time) does not count; then every file of ours with a function that ran counts, with all its lines and with those of the
 * functions that ran. `npm run bench -- size`; `-- size --suite` runs the tests before, and measures them.
 */
import { execFileSync } from "node:child_process"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { Session } from "node:inspector/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { createFetchService } from "../adapters/start/mount.ts"
import { decide, embeddedDataset, type ItineraryRequest, lookupRequirement } from "../src/index.ts"
import { measureImports } from "./bundles.ts"
import { amount, print } from "./measure.ts"

const list = (...patterns: readonly string[]): string[] =>
  execFileSync("git", ["ls-files", ...patterns], { encoding: "utf8" })
    .split("\n")
    .filter(Boolean)
const countLines = (path: string): number => readFileSync(path, "utf8").split("\n").length - 1
/** Lines of a file that are neither empty nor a comment of their own. */
const countCode = (path: string): number =>
  readFileSync(path, "utf8")
    .replace(/^ *\/\*[\s\S]*?\*\/ *$/gm, "")
    .split("\n")
    .filter(line => line.trim() !== "" && !line.trimStart().startsWith("//")).length
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
const format = (number: number): string => number.toLocaleString("en")

/** Checked-in code of a folder. */
const listCode = (folder: string): string[] =>
  list(folder).filter(path => /\.tsx?$/.test(path) && !path.endsWith(".generated.ts"))

/** Names that a file exports, whether it declares them or passes them on. */
function countExports(path: string): number {
  const text = readFileSync(path, "utf8")
  const declared =
    text.match(/^export (?:declare )?(?:async )?(?:const|function\*?|class|interface|type|enum) \w/gm) ?? []
  const passedOn = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = ""]) => names.split(","))
  return declared.length + passedOn.filter(name => name.trim() !== "").length
}

const countWords = (path: string): number => readFileSync(path, "utf8").split(/\s+/).filter(Boolean).length

/** A file of ours that ran: its lines, and the lines of its functions that ran. */
interface Walked {
  readonly path: string
  readonly lines: number
  readonly ran: number
}

/** The lines of the outermost functions that ran, of a text. */
function countRan(text: string, ranges: readonly (readonly [number, number])[]): number {
  const lines = new Set<number>()
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  for (const [from, to] of ranges) {
    starts.forEach((start, at) => {
      const end = starts[at + 1] ?? text.length
      if (end > from && start < to) lines.add(at)
    })
  }
  return lines.size
}

/** How often a question is asked for its walk. */
const WALKS = 5

/** What one question runs through: the least of several walks, because what timers run meanwhile can only add to it. */
async function walkOften(ask: () => unknown): Promise<Walked[]> {
  const walks: Walked[][] = []
  for (let at = 0; at < WALKS; at++) walks.push(await walk(ask))
  return walks.reduce((least, other) => (other.length < least.length ? other : least))
}

/** What one question runs through, once everything that happens only once has happened. */
async function walk(ask: () => unknown): Promise<Walked[]> {
  for (let before = 0; before < 3; before++) await ask()
  const session = new Session()
  session.connect()
  await session.post("Profiler.enable")
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  await session.post("Profiler.takePreciseCoverage")
  await ask()
  const { result } = await session.post("Profiler.takePreciseCoverage")
  session.disconnect()
  return result.flatMap(({ url, functions }) => {
    if (!url.startsWith("file:")) return []
    const path = relative(process.cwd(), fileURLToPath(url))
    if (!/^(?:src|adapters|site)\//.test(path) || path.endsWith(".generated.ts")) return []
    const ran = functions.flatMap(({ functionName, ranges: [range] }) =>
      range !== undefined && range.count > 0 && (functionName !== "" || range.startOffset > 0)
        ? [[range.startOffset, range.endOffset] as const]
        : [],
    )
    const text = readFileSync(path, "utf8")
    return ran.length === 0 ? [] : [{ path, lines: countLines(path), ran: countRan(text, ran) }]
  })
}

function describeWalk(name: string, walked: readonly Walked[]): string[] {
  const total = (field: "lines" | "ran") => format(sum(walked.map(file => file[field])))
  const head = `${name}: ${walked.length} files of ${total("lines")} lines, ${total("ran")} of them in functions that ran`
  const files = walked.map(({ path, lines, ran }) => `    ${path} ${ran}/${lines}`)
  return process.argv.includes("--files") ? [head, ...files] : [head]
}

/** Bytes of what `npm ci` installs, without what tools have put there since. */
const countInstalled = (): number =>
  sum(
    readdirSync("node_modules", { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !/^node_modules\/\.(?:cache|vite|vitest)/.test(entry.parentPath))
      .map(entry => lstatSync(join(entry.parentPath, entry.name)).size),
  )

/** The last measured run of the tests. */
interface SuiteRun {
  readonly seconds: number
  readonly commit: string
  readonly on: string
}
const KEPT_RUN = "node_modules/.cache/suite-run.json"

/** Runs the tests under `perf`, which also counts the processes that nobody waits for: half of a browser's. */
function measureSuite(): void {
  const folder = mkdtempSync(join(tmpdir(), "landfall-suite-"))
  const counted = join(folder, "counted")
  const given = ["stat", "-x", ",", "-e", "task-clock", "-o", counted, "npm", "test"]
  execFileSync("perf", given, { stdio: ["ignore", process.stderr, "inherit"] })
  const [, milliseconds] = /^([\d.]+),/m.exec(readFileSync(counted, "utf8")) ?? []
  rmSync(folder, { recursive: true })
  const run: SuiteRun = {
    seconds: Math.round(Number(milliseconds) / 1000),
    commit: execFileSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" }).trim(),
    on: new Date().toISOString().slice(0, 10),
  }
  mkdirSync("node_modules/.cache", { recursive: true })
  writeFileSync(KEPT_RUN, JSON.stringify(run))
}

function describeSuite(): string {
  if (process.argv.includes("--suite")) measureSuite()
  if (!existsSync(KEPT_RUN)) return "npm test: not measured here; `-- size --suite` runs and measures it"
  const { seconds, commit, on } = JSON.parse(readFileSync(KEPT_RUN, "utf8")) as SuiteRun
  return `npm test: ${format(seconds)} s of the processor, measured on ${on} at ${commit}`
}

const inMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`
const [packed] = JSON.parse(
  execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"], { encoding: "utf8" }),
) as readonly { readonly unpackedSize: number; readonly entryCount: number }[]

const folders = ["src", "adapters", "site"].map(name => ({ name, files: listCode(name) }))
const lines = folders.map(({ name, files }) => ({
  name,
  files: files.length,
  lines: sum(files.map(countLines)),
  code: sum(files.map(countCode)),
}))
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, object>
const docs = list("docs/*.md")
const data = list("data")
print("Size", [
  ...lines.map(
    folder =>
      `${folder.name}: ${format(folder.lines)} lines in ${folder.files} files, ${format(folder.code)} without comments and empty lines`,
  ),
  `all three: ${format(sum(lines.map(folder => folder.lines)))} lines, ${format(sum(lines.map(folder => folder.code)))} without comments and empty lines`,
  `tests: ${format(sum(listCode("test").map(countLines)))} lines`,
  describeSuite(),
  `exported names inside src/: ${format(sum(listCode("src").map(countExports)))}`,
  `declarations of the package: ${format((readFileSync(".ci/packaging/api-report.md", "utf8").match(/^export /gm) ?? []).length)}`,
  `data/: ${data.length} files, ${inMegabytes(sum(data.map(path => readFileSync(path).length)))}`,
  `README.md: ${format(countWords("README.md"))} words; docs/: ${format(sum(docs.map(countWords)))} words, with ${list("docs/decisions/*.md").length - 1} decisions; docs/data.md: ${format(countWords("docs/data.md"))} words`,
  `package.json: ${Object.keys(manifest.scripts ?? {}).length} scripts, ${Object.keys(manifest.devDependencies ?? {}).length} development dependencies; npm ci: ${inMegabytes(countInstalled())}`,
  `the package: ${inMegabytes(packed?.unpackedSize ?? 0)} in ${packed?.entryCount} files`,
])

const bundles = ["lookup", "embeddedRules, lookupHeld", "embeddedRules, decide"]
print(
  "Bytes in a page",
  await Promise.all(
    bundles.map(async names => `${names}: ${((await measureImports(names)).gzip / 1024).toFixed(1)} KiB compressed`),
  ),
)

const dataset = embeddedDataset()
const oneStop: ItineraryRequest = {
  passport: "GBR",
  passportExpiry: "2030-01-01",
  stops: [{ destination: "THA", from: "2027-02-08", to: "2027-02-22" }],
}
const twoStops: ItineraryRequest = {
  passports: [
    { passport: "IND", passportExpiry: "2030-01-01" },
    { passport: "PHL", passportExpiry: "2030-01-01" },
  ],
  stops: [
    { destination: "KOR", from: "2027-03-01", to: "2027-03-08" },
    { destination: "JPN", from: "2027-03-09", to: "2027-03-14" },
  ],
  transit: [{ country: "ARE", airside: true }],
  held: [{ kind: "visa", issuer: "USA", validUntil: "2028-01-01" }],
}
const judge = (request: ItineraryRequest) => {
  const decided = decide(dataset, request)
  if (!decided.ok) throw new Error(decided.error.message)
}
const folder = mkdtempSync(join(tmpdir(), "landfall-size-"))
const service = await createFetchService({
  databaseUrl: `file:${join(folder, "size.db")}`,
  publicUrl: "http://localhost",
  host: "127.0.0.1",
  logLevel: "error",
})
const recorded = dataset.destinations.filter(code => lookupRequirement(dataset, "FRA", code).kind === "found")
let asked = 0
/** A pair that nobody asked for before, so that its answer is made. */
async function checkNext() {
  const to = recorded[asked++ % recorded.length]
  const request = new Request(`http://localhost/api/v1/visa/check?passport=FRA&destination=${to}`)
  const answer = await service.fetch(request, "127.0.0.1")
  if (answer.status !== 200) throw new Error(await answer.text())
  await answer.text()
}
/** Nanoseconds of the processor that one question takes: the least of several rounds, because other work can only add to it. */
function measureCpu(ask: (round: number) => number): string {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < amount(15, 2); round++) {
    const before = process.cpuUsage()
    const asked = ask(round)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (1000 * (user + system)) / asked)
  }
  return `${format(Math.round(least))} ns of the processor`
}
const repeatDecision = (request: ItineraryRequest, times: number) => () => {
  for (let at = 0; at < times; at++) judge(request)
  return times
}
const twelveStops: ItineraryRequest = {
  ...oneStop,
  stops: ["FRA", "DEU", "ITA", "THA", "JPN", "USA", "GTM", "HND", "AUS", "IND", "KOR", "TUR"].map(
    (destination, at) => ({
      destination,
      from: `2027-${String(at + 1).padStart(2, "0")}-03`,
      to: `2027-${String(at + 1).padStart(2, "0")}-12`,
    }),
  ),
}
/** A passport's decisions for all destinations, none of which was asked for before. */
const decideFirst = (round: number) => {
  const { passports, destinations } = dataset
  for (const destination of destinations) {
    judge({ ...oneStop, passport: passports[round]!, stops: [{ ...oneStop.stops[0]!, destination }] })
  }
  return destinations.length
}
print("Time of a decision", [
  `one stop: ${measureCpu(repeatDecision(oneStop, amount(5000, 100)))}`,
  `twelve stops: ${measureCpu(repeatDecision(twelveStops, amount(1000, 100)))}`,
  `two passports, a visa, two stops and a transit: ${measureCpu(repeatDecision(twoStops, amount(1000, 100)))}`,
  `the first on a pair: ${measureCpu(decideFirst)}`,
])

print("Run through by one question", [
  ...describeWalk("decide, one stop", await walkOften(() => judge(oneStop))),
  ...describeWalk("decide, two passports, a visa, two stops and a transit", await walkOften(() => judge(twoStops))),
  ...describeWalk("a check made anew over HTTP", await walkOften(checkNext)),
])
await service.close()
rmSync(folder, { recursive: true })
