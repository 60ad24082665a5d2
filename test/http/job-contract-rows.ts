/** The contract of jobs, a row a case, and the jobs that its questions are about. */
import { join } from "node:path"
import { Effect } from "effect"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { packBytes } from "../../adapters/batch/jobs/jobs.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { inProcess } from "../storage/deployment.ts"
import type { ContractRow } from "./contract-row.ts"
import type { Persona } from "./personas.ts"

const PATH = "/api/v1/visa/jobs"
const nameJob = (last: string) => `job_${last.padStart(32, "0")}`
const DONE = nameJob("d")
const RUNNING = nameJob("a")
const DELETED = nameJob("e")
/** What the completed job has answered. */
const RESULT = '{"line":1,"verdict":"blocked"}\n{"line":2,"verdict":"blocked"}\n'

/** Makes the jobs of an account in the database of a folder, before any service runs there. */
export function makeContractJobs(folder: string, key: string): Promise<void> {
  const make = Effect.gen(function* () {
    const { jobs } = yield* Storage
    const accounts = yield* Accounts
    const caller = yield* accounts.findCaller(key)
    const account_id = caller?.accountId ?? 0
    const nowMs = Date.now()
    const expires_at = nowMs + 86_400_000
    for (const id of [DONE, DELETED, RUNNING]) {
      yield* jobs.insert({ id, account_id, answers: "summary", as_of: "2026-11-21", created_at: nowMs, expires_at }, 20)
      yield* jobs.addChunk(
        { job_id: id, seq: 0, first_line: 1 },
        yield* packBytes(new TextEncoder().encode("{}\n{}\n")),
      )
      yield* jobs.start(id, { lines: 2, chunks: 1, pairs_charged: 2, expires_at })
      if (id === RUNNING) continue
      const content = yield* packBytes(new TextEncoder().encode(RESULT))
      const done = { content, resultBytes: RESULT.length, lines: 2, failed: 0, blocked: 2 }
      const [chunk] = yield* jobs.claim({ worker: "test", nowMs, leaseMs: 60_000, lanes: [id], each: 1 })
      if (chunk === undefined) throw new Error("there is nothing to claim")
      const note = { result_bytes: done.resultBytes }
      yield* jobs.settle("test", [{ ticket: chunk, state: "done", counts: true, dueMs: nowMs, note }])
      yield* jobs.finish(chunk, done)
      yield* jobs.complete(id, nowMs, expires_at)
    }
  })
  const databasePath = join(folder, "landfall.db")
  return Effect.runPromise(
    Effect.scoped(make.pipe(inProcess({ folder, databasePath, databaseUrl: `file:${databasePath}` }))),
  )
}

const row = (
  claim: string,
  endpoint: string,
  path: string,
  status: number,
  more: Partial<ContractRow> = {},
): ContractRow => ({
  claim,
  endpoint,
  path,
  as: "pro",
  status,
  ...more,
})

/** The refusals that every question about jobs has: no key, a key that nobody has, a plan that is too low. */
const refusals = (endpoint: string, path: string, ask?: ContractRow["ask"]): readonly ContractRow[] => {
  const shared = ask === undefined ? {} : { ask }
  const { as: _, ...stranger } = row("no key is 401", endpoint, path, 401, shared)
  return [
    stranger,
    row("an unknown key is 403", endpoint, path, 403, { ...shared, as: "stranger" }),
    row("a plan that is too low is 403", endpoint, path, 403, {
      ...shared,
      as: "starter" satisfies Persona,
      reads: { required_plan: "pro" },
    }),
  ]
}

const post = (body: string, headers: Readonly<Record<string, string>> = {}) => ({
  ask: { method: "POST", headers: { "content-type": "application/x-ndjson", ...headers }, body },
})
const remove = { ask: { method: "DELETE" } }
const LINES =
  '{"id":"a","passport":"FRA","stops":[{"destination":"JPN","from":"2026-12-01","to":"2026-12-09"}]}\n{"id":"b"}\n'
const ONE = `${PATH}/{id}`
const RESULTS = `${ONE}/result`
const BODY = "application/x-ndjson"

export const JOB_ROWS: readonly ContractRow[] = [
  row("lines make a job", PATH, `${PATH}?answers=summary`, 202, {
    ...post(LINES),
    reads: {
      "job.state": "running",
      "job.lines": 2,
      "job.lines_done": 0,
      "job.pairs_charged": 1,
      "job.answers": "summary",
      "job.result": null,
    },
  }),
  row("an unknown form of answers is 400", PATH, `${PATH}?answers=half`, 400, post(LINES)),
  row("lines that cost more than the job's limit are 400", PATH, `${PATH}?max_pairs=1`, 400, {
    ...post(LINES + LINES),
    reads: {
      error:
        "max_pairs: The job would cost more than 1 pairs. The 4 lines read so far cost 2 pairs: a line costs one for each different country of its stops and transits, for each traveller.",
    },
  }),
  row("a body without lines is 400", PATH, PATH, 400, {
    ...post("\n \n"),
    reads: { error: "The body has no lines: an itinerary on each, as JSON, is expected." },
  }),
  row("a body of more than a million lines is 413", PATH, PATH, 413, {
    ...post("\n".repeat(1_000_001)),
    reads: { error: "A job may have at most 1,000,000 lines." },
  }),
  row("lines that cost more than the rest of the quota are 429", PATH, PATH, 429, {
    ...post(LINES),
    as: "spent",
    headers: { "retry-after": /^\d+$/ },
  }),
  ...refusals(PATH, PATH, post(LINES).ask),
  row("a job has its progress", ONE, `${PATH}/${RUNNING}`, 200, {
    reads: { "job.id": RUNNING, "job.state": "running", "job.lines": 2, "job.result": null },
  }),
  row("a completed job has the address of its answers", ONE, `${PATH}/${DONE}`, 200, {
    reads: {
      "job.state": "completed",
      "job.verdicts": { blocked: 2, no_blocker_found: 0 },
      "job.result": { path: `${PATH}/${DONE}/result`, bytes: RESULT.length },
    },
  }),
  row("an invalid id is 400", ONE, `${PATH}/job_1`, 400),
  row("an unknown job is 404", ONE, `${PATH}/${nameJob("0")}`, 404),
  row("another account's job is 404", ONE, `${PATH}/${DONE}`, 404, { as: "business" }),
  ...refusals(ONE, `${PATH}/${DONE}`),
  row("answers come whole", RESULTS, `${PATH}/${DONE}/result`, 200, {
    headers: { "content-type": BODY, "content-length": String(RESULT.length), "accept-ranges": "bytes" },
  }),
  row("answers come in parts", RESULTS, `${PATH}/${DONE}/result`, 206, {
    ask: { headers: { range: "bytes=31-" } },
    headers: { "content-range": `bytes 31-61/${RESULT.length}`, "content-length": "31" },
    reads: { line: 2 },
  }),
  row("a range after the end is 416", RESULTS, `${PATH}/${DONE}/result`, 416, {
    ask: { headers: { range: "bytes=62-" } },
    headers: { "content-range": `bytes */${RESULT.length}` },
  }),
  row("a range after the end is a problem for who asks for problems", RESULTS, `${PATH}/${DONE}/result`, 416, {
    ask: { headers: { range: "bytes=62-", accept: "application/problem+json" } },
    headers: { "content-type": "application/problem+json" },
    reads: { title: "Range Not Satisfiable", status: 416 },
  }),
  row("the answers of a job that is not completed are 409", RESULTS, `${PATH}/${RUNNING}/result`, 409, {
    reads: { error: "The job is not completed: 0 of 2 lines are answered." },
  }),
  row("the answers of an invalid id are 400", RESULTS, `${PATH}/x/result`, 400),
  row("the answers of an unknown job are 404", RESULTS, `${PATH}/${nameJob("0")}/result`, 404),
  ...refusals(RESULTS, `${PATH}/${DONE}/result`),
  ...refusals(ONE, `${PATH}/${DELETED}`, remove.ask),
  row("another account's job is not deleted", ONE, `${PATH}/${DELETED}`, 404, { ...remove, as: "business" }),
  row("an invalid id is not deleted", ONE, `${PATH}/x`, 400, remove),
  row("a job is deleted", ONE, `${PATH}/${DELETED}`, 200, { ...remove, reads: { deleted: true, id: DELETED } }),
  row("a job that was deleted is 404", ONE, `${PATH}/${DELETED}`, 404),
]
