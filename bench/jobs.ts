/**
 * `npm run bench -- jobs`: how fast does one worker judge the lines of a job, compared with the command line on one thread?
 *
 * The same lines on each engine: submitted, then judged by a worker of one thread in this process until the job is complete. The command line writes its answers to /dev/null; the worker
 * writes them to its database. Arguments: `--lines N`, `--postgres URL` (else one is started), `--only sqlite,postgres`.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createReadStream } from "node:fs"
import { loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { makeJobWorker } from "../adapters/batch/jobs/job-worker.ts"
import { Jobs } from "../adapters/batch/jobs/jobs.ts"
import { embeddedDataset } from "../src/index.ts"
import { callerWith } from "../test/quota/callers.ts"
import { layerProcess } from "../test/storage/deployment.ts"
import { writeTrips } from "./batch-process.ts"
import { describeRun, option, SECRET } from "./measure.ts"
import { ENGINE_OPTIONS, makeFolder, onEngines } from "./processes.ts"

const { values } = parseArgs({
  options: {
    lines: option(1_000_000, 2_000),
    ...ENGINE_OPTIONS,
  },
})
const lines = Number(values.lines)
const dataset = embeddedDataset()
const path = join(makeFolder(), "trips.ndjson")
await writeTrips(path, lines)

const describe = (name: string, seconds: number) =>
  console.log(
    `  ${name.padEnd(14)} ${seconds.toFixed(1)} s, ${Math.round(lines / seconds)} lines a second; load average ${loadavg()[0]?.toFixed(1)}`,
  )

async function runCommand(answers: "whole" | "summary"): Promise<void> {
  const since = performance.now()
  const shape = answers === "summary" ? ["--summary"] : []
  const args = ["dist/cli.js", "batch", path, "-o", "/dev/null", "--from", "ndjson", "--to", "ndjson", "--threads", "1"]
  const [status] = await once(spawn(process.execPath, [...args, ...shape], { stdio: ["ignore", "ignore", 2] }), "exit")
  if (status !== 0) throw new Error(`the command ended with ${status}`)
  describe("command line", (performance.now() - since) / 1_000)
}

/** Submits a job and has it judged; returns the seconds from the first claim to the end. */
const judgeJob = (databaseUrl: string, answers: "whole" | "summary") =>
  Effect.gen(function* () {
    const services = yield* Layer.build(
      Jobs.layer.pipe(Layer.provideMerge(layerProcess({ databaseUrl, secret: Redacted.make(SECRET) }))),
    )
    const jobs = Context.get(services, Jobs)
    const caller = callerWith({ accountId: 7, requests: 1_000_000_000 })
    const handed = yield* jobs.create(caller, { answers, dataset, body: createReadStream(path) })
    if (handed.kind !== "accepted") return yield* Effect.die(handed)
    const worker = yield* Effect.provideContext(makeJobWorker(embeddedDataset), services)
    const since = performance.now()
    const running = yield* Effect.forkChild(Effect.provideContext(worker.run, services))
    for (;;) {
      yield* Effect.sleep(50)
      if ((yield* jobs.find(caller, handed.job.id))?.state === "completed") break
    }
    const seconds = (performance.now() - since) / 1_000
    yield* Fiber.interrupt(running)
    return seconds
  }).pipe(Effect.scoped)

console.log(describeRun(dataset.version).join("\n"))
for (const answers of ["summary", "whole"] as const) {
  console.log(`${lines} lines, ${answers}`)
  await runCommand(answers)
  await onEngines(values, async (withDatabase, engine) =>
    describe(engine, await withDatabase(databaseUrl => Effect.runPromise(judgeJob(databaseUrl, answers)))),
  )
}
process.exit()
