/**
 * `npm run bench -- NAME [flags]`: runs one bench, on a build of the sources as they are. Without a name it lists the benches.
 *
 * A build that is older than a file that it was made from is made again; an environment with `BENCH_SMOKE` takes the one that is there.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { installPeers } from "../peers/install.ts"
import { IS_SMOKE } from "./measure.ts"

/** Each bench, with what it measures. */
export const BENCHES = {
  batch: "batches against a plain loop",
  engine: "the engine: time, and bytes in a page",
  floods: "what a paying caller waits under twelve floods, and the memory",
  "follow-in-browser": "the cost of a newer dataset from a feed in a page",
  growth: "growth of users, events and years, on both databases",
  history: "the past: bytes and time",
  http: "the service against Fastify",
  itinerary: "decisions of journeys",
  jobs: "jobs of one worker on each database, against the command line",
  package: "the package against other data that apps embed",
  record: "records in fifteen languages",
  site: "the page",
  size: "lines, files and bytes, and what one question runs through",
  smoke: "nothing: runs all of them briefly, to check that they work",
  storage: "metering on SQLite and PostgreSQL",
  webhooks: "deliveries on both databases",
} as const

const BUILT = "dist/index.js"
const SOURCES = ["src", "adapters", "site", "data", "package.json", ".ci/packaging"]

/** Whether a checked-in file is newer than the build. */
function isStale(): boolean {
  if (!existsSync(BUILT)) return true
  const built = statSync(BUILT).mtimeMs
  const files = execFileSync("git", ["ls-files", ...SOURCES], { encoding: "utf8" })
    .split("\n")
    .filter(Boolean)
  return files.some(path => existsSync(path) && statSync(path).mtimeMs > built)
}

const run = (command: string, given: readonly string[]): number =>
  spawnSync(command, given, { stdio: "inherit" }).status ?? 1

if (import.meta.main) {
  const [name = "", ...flags] = process.argv.slice(2)
  if (!Object.hasOwn(BENCHES, name)) {
    const wide = Math.max(...Object.keys(BENCHES).map(each => each.length))
    const lines = Object.entries(BENCHES).map(([each, about]) => `  ${each.padEnd(wide)}  ${about}`)
    console.error(["npm run bench -- NAME, one of", ...lines].join("\n"))
    process.exit(2)
  }
  installPeers()
  if (!IS_SMOKE && isStale()) {
    const status = run("npm", ["run", "--silent", "build"])
    if (status !== 0) process.exit(status)
  }
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string }
  console.error(`landfall ${version}, bench of ${name}`)
  process.exit(run(process.execPath, ["--expose-gc", join("bench", `${name}.ts`), ...flags]))
}
