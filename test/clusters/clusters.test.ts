import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { pipeline } from "node:stream/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundleCli } from "../cli/bundle.ts"
import { makeTrips, toLines } from "../worker/trips.ts"
import { DASK_PYTHON, HAS_PARALLEL, HAS_SLURM, listMissing, startDask, startSlurm } from "./engines.ts"

/** How many lines are judged; `LANDFALL_CLUSTER_LINES=1000000` for the figures of docs/clusters.md. */
const LINES = Number(process.env.LANDFALL_CLUSTER_LINES ?? 40_000)
const LINES_A_PIECE = 10_000
const PARTITIONS = 8

const EXAMPLES = join(import.meta.dirname, "../../examples/clusters")
const landfall = [process.execPath, bundleCli()]
const stage = [...landfall, "batch", "-", "--stage", "--summary", "--threads", "1"]
const quote = (words: readonly string[]) => words.map(word => `'${word}'`).join(" ")

let folder = ""
let expected = ""
let bytes = 0
const at = (name: string) => join(folder, name)

const hash = async (path: string): Promise<string> => {
  const sum = createHash("sha256")
  await pipeline(createReadStream(path), sum)
  return sum.digest("hex")
}
const timed = async (what: string, run: () => Promise<void> | void) => {
  const start = performance.now()
  await run()
  console.log(`${what}: ${LINES.toLocaleString("en")} lines in ${((performance.now() - start) / 1_000).toFixed(1)} s`)
}
const inShell = (line: string, env: NodeJS.ProcessEnv = process.env) => {
  const { status, stderr } = spawnSync("sh", ["-c", line], {
    cwd: folder,
    env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  })
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" })
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "landfall-clusters-"))
  const lines = toLines(makeTrips(LINES_A_PIECE))
  const input = createWriteStream(at("trips.ndjson"))
  for (let written = 0; written < LINES; written += LINES_A_PIECE) if (!input.write(lines)) await once(input, "drain")
  input.end()
  await once(input, "finish")
  bytes = input.bytesWritten
  await timed("one process, one thread", () => inShell(`${quote(stage)} < trips.ndjson > one.ndjson`))
  expected = await hash(at("one.ndjson"))
  for (const missing of listMissing()) console.log(`Not tested here, not installed: ${missing}`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it("has at least one engine to test", () => expect(listMissing().length).toBeLessThan(3))

describe.skipIf(DASK_PYTHON === null)("Dask with a scheduler and two workers", () => {
  it.each([0, 1])("writes the bytes of one process, with %i workers killed while they judge", async killed => {
    const engine = await startDask(DASK_PYTHON as string, mkdtempSync(at("dask-")))
    try {
      await timed(`Dask, two workers, ${killed} killed`, async () => {
        const size = ["--partition-bytes", String(Math.ceil(bytes / PARTITIONS))]
        const args = [
          `${EXAMPLES}/dask-batch.py`,
          engine.env.LANDFALL_SCHEDULER as string,
          at("trips.ndjson"),
          at("dask.ndjson"),
        ]
        const child = spawn(DASK_PYTHON as string, [...args, ...size, "--command", quote(stage)], {
          stdio: ["ignore", "pipe", "inherit"],
        })
        const ended = once(child, "exit")
        let last = ""
        for await (const line of createInterface({ input: child.stdout })) {
          if (line.startsWith("1 of") && killed === 1) engine.workers[0]?.kill("SIGKILL")
          last = line
        }
        expect(await ended).toEqual([0, null])
        expect(JSON.parse(last)).toEqual({ partitions: expect.any(Number), lines: LINES, failed: 0 })
      })
      expect(engine.workers.filter(({ signalCode }) => signalCode === "SIGKILL").length).toBe(killed)
      expect(await hash(at("dask.ndjson"))).toBe(expected)
    } finally {
      await engine.stop()
    }
  })
})

it.skipIf(!HAS_PARALLEL)("GNU parallel writes the bytes of one process", async () => {
  const size = Math.ceil(bytes / PARTITIONS)
  await timed("GNU parallel, two at a time", () =>
    inShell(`parallel --pipe --keep-order --jobs 2 --block ${size} ${quote(stage)} < trips.ndjson > parallel.ndjson`),
  )
  expect(await hash(at("parallel.ndjson"))).toBe(expected)
})

describe.skipIf(!HAS_SLURM)("Slurm", () => {
  it("writes the bytes of one process with an array of tasks", async () => {
    const engine = await startSlurm(mkdtempSync(at("slurm-")))
    try {
      await timed(`Slurm, an array of ${PARTITIONS}`, () =>
        inShell(
          `sbatch --wait --array=0-${PARTITIONS - 1} '${EXAMPLES}/slurm-batch.sh' trips.ndjson slurm.ndjson --summary`,
          { ...engine.env, LANDFALL: landfall.join(" ") },
        ),
      )
      inShell(`for n in $(seq 0 ${PARTITIONS - 1}); do cat slurm.ndjson.$n; done > slurm.ndjson`)
      expect(await hash(at("slurm.ndjson"))).toBe(expected)
    } finally {
      await engine.stop()
    }
  })
})
