/**
 * How much faster are two Dask workers than one process, with the example of docs/clusters.md? Both must write the same bytes. The time of Dask covers the whole example, with splitting
 * and joining the file, but not starting the scheduler and workers.
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { DASK_PYTHON, startDask } from "../test/clusters/engines.ts"
import { alternate, describeRatio } from "./measure.ts"

const PARTITIONS = 8

/** Compares them over a file of itineraries, and returns the figures. */
export async function compareWithDask(input: string, rounds: number): Promise<readonly string[]> {
  if (DASK_PYTHON === null) return ["not measured: Dask is not installed (apt-get install python3-distributed)"]
  const folder = mkdtempSync(`${input}-dask-`)
  const [one, shared] = [join(folder, "one.ndjson"), join(folder, "shared.ndjson")]
  const command = [process.execPath, join(process.cwd(), "dist/cli.js"), "batch", "-", "--stage", "--threads", "1"]
  const quoted = command.map(word => `'${word}'`).join(" ")
  const engine = await startDask(DASK_PYTHON, folder)
  const runs = {
    one: () => spawn("sh", ["-c", `${quoted} < '${input}' > '${one}'`], { stdio: "ignore" }),
    shared: () => {
      rmSync(`${shared}.parts`, { recursive: true, force: true })
      const size = String(Math.ceil(statSync(input).size / PARTITIONS))
      const args = ["examples/clusters/dask-batch.py", engine.env.LANDFALL_SCHEDULER as string, input, shared]
      return spawn(DASK_PYTHON as string, [...args, "--partition-bytes", size, "--command", quoted], {
        stdio: "ignore",
      })
    },
  }
  const seconds: Record<keyof typeof runs, number[]> = { one: [], shared: [] }
  try {
    await alternate(["one", "shared"] as const, rounds, async name => {
      const since = performance.now()
      const [status] = await once(runs[name](), "exit")
      if (status !== 0) throw new Error(`${name} ended with ${status}.`)
      seconds[name].push((performance.now() - since) / 1_000)
    })
    execFileSync("cmp", [one, shared])
  } finally {
    await engine.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  const ratios = seconds.one.map((own, round) => own / (seconds.shared[round] as number))
  return [describeRatio("Dask with two workers against one process on one thread", ratios)]
}
