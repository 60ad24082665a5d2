/**
 * The whole service as one pipeline, for any host.
 *
 * It has the table of mounted endpoints, their services, and the parts that are added to every answer: the rest of the limits, a notice of
 * deprecation, compression. Internal faults are logged under the request's id.
 */
import { Cause, Clock, Context, Effect, Exit } from "effect"
import { actingAs } from "../../accounts/audit-trail.ts"
import { LiveDataset } from "../../events/live-dataset.ts"
import { Plans } from "../../plans/plans.ts"
import { purgeInSteps } from "../../queue/queue-worker.ts"
import { DeploymentSecret } from "../../secrets/deployment-secret.ts"
import type { AccessLogPlace } from "../../settings/settings.ts"
import { upgradeUrl } from "../../settings/site-links.ts"
import { OutageLog } from "../../storage/outage-log.ts"
import { Storage } from "../../storage/storage.ts"
import { describeReason, Unavailable } from "../../storage/storage-errors.ts"
import { Tracing } from "../../telemetry/tracing.ts"
import { ADMISSION_NEEDS, makeAdmission } from "../pipeline/admission.ts"
import { type Access, type Endpoint, EndpointTable } from "../pipeline/endpoint.ts"
import { FairQueue } from "../pipeline/fair-queue.ts"
import { type Answer, after, CLIENT_LEFT, listDeprecationHeaders, type Soon } from "../pipeline/http-message.ts"
import { makeAnswerOnce, SWEEP_MS } from "../pipeline/idempotency.ts"
import { compress, revalidate, validate } from "../pipeline/negotiation.ts"
import { type Exchange, makePipeline, type Pipeline, type Reply } from "../pipeline/pipeline.ts"
import { openAccessLog, RequestMetrics, ThisProcess, traceRequests } from "../pipeline/process-state.ts"
import { answerRefusal } from "../routes/accounts/account-answers.ts"
import { mountRows, type RowNeeds } from "../routes/all-endpoints.ts"
import { listLookupHeaders } from "../routes/lookup/lookup-endpoints.ts"
import { answerLookupProblem, lookupKeyRules } from "../routes/lookup/lookup-errors.ts"
import { makeSpotsKeyRules } from "../routes/spots/spot-endpoints.ts"
import { makeVisaKeyRules } from "../routes/visa/visa-key-rules.ts"

/** A year. It does not cover names below the service's own, which may belong to others. */
const HTTPS_ONLY = ["strict-transport-security", "max-age=31536000"] as const

const DAY_MS = 86_400_000

/** How long a client is told to wait for an unavailable database. */
const RETRY_AFTER_SECONDS = 1

export interface ServiceOptions {
  /** Where a line for each request is written, cheaply; nowhere by default. */
  readonly accessLog?: AccessLogPlace
  /** Whether answers are kept for repeated questions; true by default. */
  readonly keepsAnswers?: boolean
}

/** The services that rows use, by the names under which they use them. A name that means two services is refused at the start. */
export function findServices(
  rows: readonly Endpoint[],
  context: Context.Context<RowNeeds>,
): Readonly<Record<string, unknown>> {
  const keys = new Map<string, Context.Key<unknown, unknown>>()
  for (const { name, needs = {} } of rows) {
    for (const [word, key] of Object.entries(needs)) {
      const known = keys.get(word) ?? key
      if (known !== key) throw new Error(`${name} calls ${key.key} "${word}", and another row ${known.key}`)
      keys.set(word, key)
    }
  }
  // The table's type ensures that the context has the services of its rows.
  return Object.fromEntries([...keys].map(([word, key]) => [word, Context.get(context, key as never)]))
}

/** How long an account waits for its owner to confirm the address. */
const UNCONFIRMED_MS = 30 * DAY_MS
const ACCOUNTS_AT_ONCE = 100

/** Deletes what anybody can have stored and whose time is over, until the scope ends. */
const startSweeping = Effect.gen(function* () {
  const { accountData, accounts, transact, sweep: deleteEnded } = yield* Storage
  const outages = new OutageLog("what is stored for a time could not be deleted; it is tried again")
  const forgetUnconfirmed = (before: string) =>
    transact(
      Effect.tap(accountData.forgetUnconfirmed(before, ACCOUNTS_AT_ONCE), count =>
        count === 0 ? Effect.void : accounts.bumpRevision,
      ),
    )
  const sweep = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const before = new Date(nowMs - UNCONFIRMED_MS).toISOString()
    yield* deleteEnded(nowMs)
    yield* purgeInSteps(() => forgetUnconfirmed(before), ACCOUNTS_AT_ONCE)
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(outages.watch(sweep), Effect.sleep(SWEEP_MS))))
})

/** Names who makes the changes of a row: the owner in a session, or the holder of a key. */
const actAs = ({ kind }: Access) => actingAs(kind === "session" ? "owner" : kind === "public" ? "service" : "key")

/** Builds the pipeline over the services in scope: those of its checks, and all that rows need. */
export const makeService = Effect.fnUntraced(function* (options: ServiceOptions) {
  const { localisedFacts, today } = yield* LiveDataset
  const plans = yield* Plans
  const metrics = yield* RequestMetrics
  const traces = yield* Tracing
  const admissionServices = yield* Effect.all(ADMISSION_NEEDS)
  const { meter, site } = admissionServices
  const clock = yield* Clock.Clock
  yield* startSweeping
  const log = Effect.runForkWith(yield* Effect.context<never>())
  const readClockMs = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const keyRules = { visa: makeVisaKeyRules(site, plans), lookup: lookupKeyRules, spots: makeSpotsKeyRules(plans) }
  const { gate, addQuota } = makeAdmission(admissionServices, keyRules)
  const runToExit = Effect.runPromiseExitWith(yield* Effect.context<never>())

  async function runEffect<Value>(work: Effect.Effect<Value, unknown>, signal: AbortSignal): Promise<Value> {
    const exit = await runToExit(work, { signal })
    if (Exit.isSuccess(exit)) return exit.value
    throw signal.aborted ? CLIENT_LEFT : exit.cause
  }

  const finish = (exchange: Exchange, answer: Answer): Soon<Answer> =>
    after(addQuota(exchange), () => {
      const { added, known } = exchange
      if (known?.deprecation !== undefined) added.push(...listDeprecationHeaders(known.deprecation, site))
      // Browsers use https only, if that is the service's address (RFC 6797).
      if (site.publicUrl.startsWith("https:")) added.push(...HTTPS_ONLY)
      return compress(exchange, revalidate(exchange, answer, true))
    })

  const outages = new OutageLog("requests are answered 503, because the database cannot do its work")
  const accessLog = openAccessLog(options.accessLog ?? "off")
  yield* Effect.addFinalizer(() => Effect.sync(() => accessLog?.flush()))

  const noteReply = (exchange: Exchange, { status }: Reply) => {
    const milliseconds = readClockMs() - exchange.startedAt
    const { caller, endpoint, known, nowMs: atMs, plan, request, requestId } = exchange
    // Named by routes of the service, never by a client's text.
    const method = endpoint === undefined && request.method !== "OPTIONS" ? "other" : request.method
    const kind = metrics.count(method, known?.path ?? "(none)", status, milliseconds / 1_000)
    if (caller && !caller.isTest) meter.noteRequest(caller.accountId, kind, atMs)
    exchange.trace?.end(kind)
    accessLog?.note({ atMs, requestId, kind, milliseconds, plan })
  }

  const rows = mountRows(site.surfaces)
  const thisProcess = yield* ThisProcess
  thisProcess.rows = ["none", ...rows.map(({ method, path }) => `${method} ${path}`)]
  const places = new Map<Endpoint | undefined, number>(rows.map((row, at) => [row, at + 1]))
  const pipeline: Pipeline = makePipeline({
    table: new EndpointTable(rows),
    services: findServices(rows, yield* Effect.context<RowNeeds>()),
    answerProblems: { lookup: answerLookupProblem },
    readNowMs: () => clock.currentTimeMillisUnsafe(),
    today,
    readUpgradeUrl: () => upgradeUrl(site),
    readClockMs,
    beginTrace: traces === null ? undefined : traceRequests(traces),
    gate,
    localisedFacts,
    keepsAnswers: options.keepsAnswers,
    queue: new FairQueue(),
    answerOnce: makeAnswerOnce(yield* Storage, yield* DeploymentSecret),
    listOwnHeaders: (exchange, answer) =>
      exchange.known?.surface === "lookup" ? listLookupHeaders(exchange, answer) : [],
    validate,
    revalidate,
    finish,
    runEffect,
    answerRefusals: (exchange, work) =>
      Effect.catch(actAs(exchange.row.access)(work), failure => {
        if (failure._tag === "Unavailable") return Effect.fail(failure)
        if (failure._tag !== "TriedTooOften")
          return Effect.succeed(answerRefusal(failure, exchange.row.surface, exchange.requestId))
        const { message, retryAfterSeconds } = failure
        return Effect.succeed(exchange.refuse({ kind: "too_often", message, retryAfterSeconds }))
      }),
    reportFault: (cause, requestId) => {
      const fault = Cause.isCause(cause) ? cause : Cause.die(cause)
      const error = Cause.squash(fault)
      if (error instanceof Unavailable) {
        log(outages.watch(error))
        const message = `The service cannot answer this now: ${describeReason(error.reason)}.`
        return { kind: "unavailable", message, retryAfterSeconds: RETRY_AFTER_SECONDS }
      }
      log(Effect.annotateLogs(Effect.logError("request failed", fault), { request_id: requestId }))
      return { kind: "fault" }
    },
    noteWork: ({ endpoint }) => thisProcess.noteTurn(places.get(endpoint) ?? 0),
    noteReply,
  })
  return pipeline
})
