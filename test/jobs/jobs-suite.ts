/** What jobs have to do on every engine: one suite, run over a file and over PostgreSQL. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Caller } from "../../adapters/accounts/account.ts"
import { GIVEN_UP, type JobWorkerOptions, makeJobWorker, nameJobEvent } from "../../adapters/batch/jobs/job-worker.ts"
import { Jobs, MAXIMUM_JOBS, MAXIMUM_LINE_BYTES } from "../../adapters/batch/jobs/jobs.ts"
import { Meter } from "../../adapters/quota/meter.ts"
import type { ClaimedChunk, JobRow } from "../../adapters/storage/jobs-repository.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { embeddedDataset } from "../../src/index.ts"
import { bundleProgram } from "../cli/bundle.ts"
import { eventually } from "../eventually.ts"
import { callerWith } from "../quota/callers.ts"
import { build, layerProcess } from "../storage/deployment.ts"
import type { MakePlace } from "../storage/storage-suite.ts"
import { answerPlainly, makeTrips, toLines, toLongLines } from "../worker/trips.ts"

const dataset = embeddedDataset()

/** The outcome of a chunk whose answers have five bytes. */
const end = (ticket: ClaimedChunk) =>
  ({ ticket, state: "done", counts: true, dueMs: 0, note: { result_bytes: 5 } }) as const

async function* streamOf(...texts: readonly string[]) {
  for (const text of texts) yield new TextEncoder().encode(text)
}

/** All of it; else what depends on the locks and statements of the engine, where another one is asked the rest. */
export function describeJobs(makePlace: MakePlace, isWhole = true): void {
  const open = Effect.gen(function* () {
    const place = yield* makePlace
    const services = yield* build(Jobs.layer.pipe(Layer.provideMerge(layerProcess(place))))
    const jobs = Context.get(services, Jobs)
    const storage = Context.get(services, Storage)
    const meter = Context.get(services, Meter)
    const makeWorker = (options?: JobWorkerOptions) =>
      Effect.provideContext(makeJobWorker(embeddedDataset, options), services)
    return { place, jobs, storage, meter, makeWorker }
  })
  const caller: Caller = callerWith({ accountId: 7, requests: 1_000_000 })
  const request = (...texts: readonly string[]) => ({ answers: "whole" as const, dataset, body: streamOf(...texts) })
  const accept = Effect.fnUntraced(function* (jobs: Jobs["Service"], ...texts: readonly string[]) {
    const handed = yield* jobs.create(caller, request(...texts))
    assert.strictEqual(handed.kind, "accepted")
    return (handed as { readonly job: JobRow }).job
  })
  const readAll = async (pieces: AsyncIterable<Uint8Array>) => {
    const parts: Uint8Array[] = []
    for await (const piece of pieces) parts.push(piece)
    return Buffer.concat(parts).toString("utf8")
  }
  const readWhole = Effect.fnUntraced(function* (jobs: Jobs["Service"], { id }: JobRow) {
    const job = (yield* jobs.find(caller, id)) as JobRow
    return {
      job,
      text: yield* Effect.promise(() => readAll(jobs.readResult(job, { from: 0, to: job.result_bytes }, () => {}))),
    }
  })
  const used = ({ meter }: { readonly meter: Meter["Service"] }) =>
    Effect.map(meter.loadQuota(caller), ({ limit, remaining }) => limit - remaining)
  // While a block goes back to the database, what is left of it counts as used.
  const settled = (opened: { readonly meter: Meter["Service"] }, wanted: number) =>
    eventually(used(opened), found => found === wanted)

  describe("the chunks of jobs", () => {
    it.live(
      "are claimed by one worker at a time, written by a valid claim only, and restarted when it has expired",
      () =>
        Effect.gen(function* () {
          const { jobs, storage } = yield* open
          const job = yield* accept(jobs, toLines(makeTrips(1)))
          const claim = (worker: string, nowMs: number) =>
            Effect.map(
              storage.jobs.claim({ worker, nowMs, leaseMs: 1_000, lanes: [job.id], each: 1 }),
              chunks => chunks[0],
            )
          const lost = yield* claim("one", 1_000)
          assert.deepInclude(lost, { lane: job.id, seq: 0, attempt: 1 })
          assert.isUndefined(yield* claim("two", 1_999))
          const held = yield* claim("two", 2_000)
          assert.deepInclude(held, { seq: 0, attempt: 2 })
          const [first, second] = [lost, held] as [ClaimedChunk, ClaimedChunk]
          assert.isEmpty(yield* storage.jobs.settle("one", [end(first)]))
          assert.sameMembers([...(yield* storage.jobs.settle("two", [end(second)]))], [second.id])
          const done = { content: "right", resultBytes: 5, lines: 1, failed: 0, blocked: 0 }
          const finished = yield* storage.jobs.finish(second, done)
          assert.deepInclude(finished, { chunks_done: 1, lines_done: 1 })
          assert.strictEqual(yield* storage.jobs.readAnswers(job.id, 0), "right")
          assert.isEmpty(yield* storage.jobs.settle("two", [end(second)]))
        }),
    )

    it.live("are given back by a worker that stops, and fail after too many such stops", () =>
      Effect.gen(function* () {
        const { jobs, storage, makeWorker } = yield* open
        const job = yield* accept(jobs, toLines(makeTrips(2)))
        const claim = { worker: "one", leaseMs: 60_000, lanes: [job.id], each: 1 }
        yield* storage.jobs.release("one", yield* storage.jobs.claim({ ...claim, nowMs: Date.now() }))
        for (let tries = 0; tries < 5; tries++) yield* storage.jobs.claim({ ...claim, nowMs: 0, leaseMs: 0 })
        yield* (yield* makeWorker()).drain
        const { job: done, text } = yield* readWhole(jobs, job)
        assert.deepInclude(done, { state: "completed", failed: 2 })
        assert.deepStrictEqual(
          text
            .split("\n")
            .slice(0, -1)
            .map(line => JSON.parse(line)),
          [
            { line: 1, error: GIVEN_UP },
            { line: 2, error: GIVEN_UP },
          ],
        )
      }),
    )

    it.live("of a large job do not delay those of a small one", () =>
      Effect.gen(function* () {
        const { jobs, makeWorker } = yield* open
        const large = yield* accept(jobs, toLongLines(makeTrips(180)))
        const small = yield* accept(jobs, toLines(makeTrips(1)))
        const begun: ClaimedChunk[] = []
        const { drain } = yield* makeWorker({ onClaim: chunk => void begun.push(chunk) })
        yield* drain
        const ofLarge = begun.filter(({ lane }) => lane === large.id)
        assert.deepStrictEqual(
          ofLarge.map(({ seq }) => seq),
          Array.from({ length: large.chunks }, (_, seq) => seq),
        )
        assert.isAtLeast(large.chunks, 3)
        assert.isAtMost(
          begun.findIndex(({ lane }) => lane === small.id),
          1,
        )
      }),
    )
  })

  if (!isWhole) return

  describe("a job", () => {
    it.live("is answered in chunks like a plain loop, in order, and charged like decisions", () =>
      Effect.gen(function* () {
        const opened = yield* open
        const { jobs, makeWorker } = opened
        const lines = toLongLines(makeTrips(150))
        const before = yield* used(opened)
        const job = yield* accept(jobs, lines.slice(0, 1_001), lines.slice(1_001))
        assert.deepInclude(job, { state: "running", lines: 150, lines_done: 0, account_id: 7 })
        assert.isAbove(job.chunks, 1)
        const claimed: number[] = []
        yield* (yield* makeWorker({ onClaim: ({ seq }) => void claimed.push(seq) })).drain
        assert.strictEqual(claimed.length, job.chunks)
        const { job: done, text } = yield* readWhole(jobs, job)
        assert.deepInclude(done, { state: "completed", lines_done: 150, failed: 0, chunks_done: job.chunks })
        assert.isTrue(text === answerPlainly(lines))
        assert.strictEqual(done.result_bytes, Buffer.byteLength(text))
        const answers = text
          .split("\n")
          .slice(0, -1)
          .map(line => JSON.parse(line))
        assert.strictEqual(done.blocked, answers.filter(({ data }) => data.verdict === "blocked").length)
        const charged = answers.reduce((sum, { meta }) => sum + meta.pairs_charged, 0)
        assert.strictEqual(done.pairs_charged, charged)
        assert.strictEqual(yield* settled(opened, before + charged), before + charged)
        for (const [from, to] of [
          [0, 10],
          [70_000, 70_100],
          [done.result_bytes - 5, done.result_bytes],
          [100, 100_000],
        ]) {
          const part = yield* Effect.promise(() =>
            readAll(jobs.readResult(done, { from: from as number, to: to as number }, () => {})),
          )
          assert.strictEqual(part, Buffer.from(text).subarray(from, to).toString("utf8"))
        }
      }),
    )

    it.live("answers bad lines with their mistakes, free of charge", () =>
      Effect.gen(function* () {
        const opened = yield* open
        const { jobs, makeWorker } = opened
        const before = yield* used(opened)
        const good = JSON.stringify(makeTrips(1)[0])
        const job = yield* accept(
          jobs,
          `{\n\n${"x".repeat(MAXIMUM_LINE_BYTES)}\n{"id":"a"}\n`,
          `{"id":"z","passport":"ZZZ"}\n${good}`,
        )
        yield* (yield* makeWorker()).drain
        const { job: done, text } = yield* readWhole(jobs, job)
        const answers = text
          .split("\n")
          .slice(0, -1)
          .map(line => JSON.parse(line))
        assert.deepStrictEqual(
          answers.map(({ line }) => line),
          [1, 3, 4, 5, 6],
        )
        assert.match(answers[0].error, /^The line is not JSON/)
        assert.strictEqual(answers[1].error, "The line is longer than 64 KiB.")
        assert.strictEqual(answers[2].id, "a")
        assert.deepInclude(done, { lines: 5, lines_done: 5, failed: 4, pairs_charged: answers[4].meta.pairs_charged })
        assert.strictEqual(yield* settled(opened, before + done.pairs_charged), before + done.pairs_charged)
      }),
    )

    it.live(
      "is refused and not stored if it has no lines, ends too early, or costs more than the rest of the quota",
      () =>
        Effect.gen(function* () {
          const opened = yield* open
          const { jobs, storage } = opened
          const before = yield* used(opened)
          assert.strictEqual((yield* jobs.create(caller, request("\n", " \n"))).kind, "empty")
          const broken = (async function* () {
            yield new TextEncoder().encode(toLongLines(makeTrips(150)))
            throw new Error("the client is gone")
          })()
          assert.strictEqual((yield* jobs.create(caller, { ...request(), body: broken })).kind, "cut_off")
          const poor = { ...caller, plan: { ...caller.plan, requestsPerMonth: before + 10 } }
          const handed = yield* jobs.create(poor, request(toLines(makeTrips(50))))
          assert.strictEqual(handed.kind === "refused" && handed.refusal.reason, "monthly")
          assert.strictEqual(yield* storage.jobs.count({ account_id: 7 }), 0)
          assert.isEmpty(yield* storage.jobs.listReady({ nowMs: 0, after: null, limit: 1 }))
          assert.strictEqual(yield* settled(opened, before), before)
        }),
    )

    it.live("is refused while it is read, as soon as it costs more than the quota or its own limit covers", () =>
      Effect.gen(function* () {
        const opened = yield* open
        const { jobs, storage } = opened
        const before = yield* used(opened)
        const block = toLines(makeTrips(500))
        let given = 0
        const endless = (async function* () {
          for (;;) {
            given++
            yield new TextEncoder().encode(block)
          }
        })()
        const poor = { ...caller, plan: { ...caller.plan, requestsPerMonth: before + 3_000 } }
        const handed = yield* jobs.create(poor, { ...request(), body: endless })
        if (handed.kind !== "refused") return assert.fail(handed.kind)
        assert.strictEqual(handed.refusal.reason, "monthly")
        assert.isAbove(handed.cost.pairs, 3_000)
        assert.isAtMost(handed.cost.lines, given * 500)
        const costOf = (lines: number) => handed.cost.pairs / (handed.cost.lines / lines)
        assert.isAtMost(given * costOf(500), 3_000 + 4 * costOf(500))
        const dear = yield* jobs.create(caller, { ...request(block), mostPairs: 100 })
        assert.strictEqual(dear.kind, "too_dear")
        assert.strictEqual((yield* jobs.create(caller, { ...request(block), mostPairs: 10_000 })).kind, "accepted")
        assert.strictEqual(yield* storage.jobs.count({ account_id: 7 }), 1)
      }),
    )

    it.live("may ask for destinations, which are counted for each passport as if asked separately", () =>
      Effect.gen(function* () {
        const { jobs } = yield* open
        const guarded = { ...caller, plan: { ...caller.plan, destinationsPerPassportAndDay: 3 } }
        const trip = (passport: string, destination: string) => ({
          passport,
          stops: [{ destination, from: "2026-12-01", to: "2026-12-04" }],
        })
        const some = ["JPN", "THA", "IND"].flatMap(code => [trip("FRA", code), trip("DEU", code)])
        assert.strictEqual((yield* jobs.create(guarded, request(toLines(some)))).kind, "accepted")
        const handed = yield* jobs.create(guarded, request(toLines([trip("USA", "JPN"), trip("FRA", "CHN")])))
        assert.strictEqual(handed.kind === "refused" && handed.refusal.reason, "anti_abuse")
      }),
    )

    it.live("is private to its account, and is removed when it is deleted, also while a worker has a chunk of it", () =>
      Effect.gen(function* () {
        const { jobs, storage, makeWorker } = yield* open
        const job = yield* accept(jobs, toLongLines(makeTrips(100)))
        assert.isUndefined(yield* jobs.find({ accountId: 8, isTest: false }, job.id))
        assert.isFalse(yield* jobs.remove({ accountId: 8, isTest: false }, job.id))
        const [chunk] = yield* storage.jobs.claim({
          worker: "w",
          nowMs: Date.now(),
          leaseMs: 60_000,
          lanes: [job.id],
          each: 1,
        })
        assert.isTrue(yield* jobs.remove({ accountId: 7, isTest: false }, job.id))
        assert.isEmpty(yield* storage.jobs.settle("w", [end(chunk as NonNullable<typeof chunk>)]))
        yield* (yield* makeWorker()).drain
        assert.isUndefined(yield* jobs.find({ accountId: 7, isTest: false }, job.id))
        assert.isUndefined(yield* storage.jobs.readLines(job.id, 1))
      }),
    )

    it.live("is one of at most twenty, and is removed when it expires", () =>
      Effect.gen(function* () {
        const { jobs, storage, makeWorker } = yield* open
        const line = toLines(makeTrips(1))
        const first = yield* accept(jobs, line)
        for (let more = 1; more < MAXIMUM_JOBS; more++) yield* accept(jobs, line)
        assert.strictEqual((yield* jobs.create(caller, request(line))).kind, "too_many_jobs")
        yield* storage.jobs.complete(first.id, 0, 1)
        yield* (yield* makeWorker()).sweep
        assert.isUndefined(yield* jobs.find({ accountId: 7, isTest: false }, first.id))
        assert.strictEqual(yield* storage.jobs.count({ account_id: 7 }), MAXIMUM_JOBS - 1)
      }),
    )
  })

  it.live("a job whose workers are killed twice answers each line once and notifies its owner once", () =>
    Effect.gen(function* () {
      const { place, jobs, storage, makeWorker } = yield* open
      const subscribe = (id: number, account_id: number, types: readonly string[]) =>
        storage.webhooks.insert({
          id,
          account_id,
          url: "https://example.org/hook",
          terms: JSON.stringify({ types, passports: [], destinations: [], severity: null }),
          description: "",
          sealed_secret: "",
          sealed_old_secret: null,
          old_secret_until: 0,
          disabled_because: null,
          created_at: "2026-11-21T00:00:00Z",
        })
      yield* subscribe(1, 7, [])
      yield* subscribe(2, 7, ["visa.policy_changed"])
      yield* subscribe(3, 8, ["job.completed"])
      yield* subscribe(4, 7, ["job.completed"])
      const lines = toLongLines(makeTrips(180))
      const job = yield* accept(jobs, lines)
      assert.isAtLeast(job.chunks, 3)
      for (const chunksBefore of [1, 0]) {
        yield* Effect.promise(() => killAtChunk(place.databaseUrl, 300, chunksBefore))
      }
      const [between] = [yield* jobs.find({ accountId: 7, isTest: false }, job.id)]
      assert.strictEqual(between?.chunks_done, 1)
      // Their own claims last longer than a busy machine keeps them from a chunk: one that ran out five times would be given up.
      const workers = yield* Effect.all([makeWorker(), makeWorker(), makeWorker()])
      // The claims of the killed processes have to expire first.
      const isDone = Effect.map(
        jobs.find({ accountId: 7, isTest: false }, job.id),
        found => found?.state === "completed",
      )
      const all = Effect.all(
        workers.map(({ drain }) => drain),
        { concurrency: "unbounded" },
      )
      yield* Effect.repeat(Effect.andThen(all, isDone), { until: done => done })
      const { job: done, text } = yield* readWhole(jobs, job)
      assert.deepInclude(done, { lines_done: 180, failed: 0, chunks_done: job.chunks })
      const given = text.split("\n")
      const wrong = answerPlainly(lines)
        .split("\n")
        .flatMap((line, at) => (line === given[at] ? [] : [{ line, given: given[at] }]))
      assert.deepStrictEqual(wrong.slice(0, 1), [])
      assert.isTrue(text === answerPlainly(lines))
      for (const webhookId of [1, 4]) {
        const deliveries = yield* storage.deliveries.list({ webhookId, state: null, beforeId: 1_000, limit: 10 })
        assert.deepStrictEqual(
          deliveries.map(({ event_id, type }) => [event_id, type]),
          [[nameJobEvent(job.id), "job.completed"]],
        )
        assert.deepInclude(JSON.parse((deliveries[0] as { readonly body: string }).body).data, {
          job_id: job.id,
          lines: 180,
          failed: 0,
        })
      }
      for (const webhookId of [2, 3])
        assert.deepStrictEqual(
          yield* storage.deliveries.list({ webhookId, state: null, beforeId: 1_000, limit: 10 }),
          [],
        )
    }),
  )
}

/** Lets a process finish a number of chunks, and kills it during the next. */
async function killAtChunk(databaseUrl: string, leaseMs: number, chunks: number): Promise<void> {
  const child = spawn(process.execPath, [bundleProgram("job-process"), databaseUrl, String(leaseMs), String(chunks)], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let claimed = 0
  for await (const _ of createInterface({ input: child.stdout })) if (++claimed > chunks) break
  child.kill("SIGKILL")
  await once(child, "exit")
}
