/**
 * A process that works on jobs, to be killed: it says which chunk it has claimed, and judges it only when it is told to go on.
 */
import { Effect, Layer } from "effect"
import { makeJobWorker } from "../../adapters/batch/jobs/job-worker.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { embeddedDataset } from "../../src/index.ts"

const [databaseUrl = "", leaseMs = "0", chunks = "0"] = process.argv.slice(2)
let left = Number(chunks)

const work = Effect.gen(function* () {
  const services = yield* Layer.build(layerStorage(databaseUrl))
  const { run } = yield* Effect.provideContext(
    makeJobWorker(embeddedDataset, {
      leaseMs: Number(leaseMs),
      onClaim: ({ seq }) => {
        process.stdout.write(`${seq}\n`)
        // The process is killed during this chunk.
        if (left-- === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
      },
    }),
    services,
  )
  yield* Effect.provideContext(run, services)
})
await Effect.runPromise(Effect.scoped(work))
