/**
 * `npm run bench -- smoke`: does every bench still run?
 *
 * Each runs once, briefly and on the least input, and must end with 0; a bench whose answers differ does not. Nothing that it prints is a measurement.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startPostgres } from "../test/storage/postgres-server.ts"
import { BENCHES } from "./run.ts"

/** The time limit of one bench. */
const TIMEOUT_MS = 300_000

const benches = Object.keys(BENCHES).filter(name => name !== "smoke")

/** The compile cache of one process serves the next: most of their time goes into reading the sources. */
const compiled = mkdtempSync(join(tmpdir(), "landfall-bench-"))

const postgres = await startPostgres()

/** Ends a bench and all its processes. */
function end(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // They have ended already.
  }
}

/** Runs a bench; returns whether it succeeded. */
async function runBench(name: string): Promise<boolean> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ["--expose-gc", join("bench", `${name}.ts`)], {
    env: { ...process.env, BENCH_SMOKE: "1", BENCH_POSTGRES: postgres.urlOf("postgres"), NODE_COMPILE_CACHE: compiled },
    stdio: ["ignore", "pipe", "pipe"],
    // A process group, so that all its processes end with it.
    detached: true,
  })
  const pid = child.pid as number
  const timer = setTimeout(() => end(pid), TIMEOUT_MS)
  child.once("exit", () => end(pid))
  const said: Buffer[] = []
  child.stdout.on("data", (chunk: Buffer) => said.push(chunk))
  child.stderr.on("data", (chunk: Buffer) => said.push(chunk))
  const [status, signal] = (await once(child, "close")) as [number | null, string | null]
  clearTimeout(timer)
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  if (status === 0) {
    console.log(`  ${name.padEnd(20)} ${seconds.padStart(6)} s`)
    return true
  }
  console.log(`\n  ${name} ended with ${signal ?? status} after ${seconds} s:\n${Buffer.concat(said).toString("utf8")}`)
  return false
}

console.log("Benches, once and for a moment each")
const failed: string[] = []
for (const name of benches) {
  if (!(await runBench(name))) failed.push(name)
}
await postgres.stop()
rmSync(compiled, { recursive: true, force: true })
if (failed.length > 0) {
  console.log(`${failed.join(", ")} failed.`)
  process.exitCode = 1
}
