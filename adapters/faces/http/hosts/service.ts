/**
 * The whole service as one pipeline, for any host.
 *
 * The table of what is mounted, the stages in the order of the specification (key, plan, parameters, quota, record), and what is
 * added to every answer: what is left of the limits, a notice of deprecation, compression. Internal faults are logged under the
 * request's id.
 */
import { Cause, Clock, Effect } from "effect"
import { DeploymentSecret } from "../../../platform/secrets/deployment-secret.ts"
import type { ServiceConfig } from "../../../platform/settings/config.ts"
import type { AccessLogPlace } from "../../../platform/settings/settings.ts"
import { type Site, upgradeUrl } from "../../../platform/settings/site-links.ts"
import { OutageLog } from "../../../platform/storage/outage-log.ts"
import { Storage } from "../../../platform/storage/storage.ts"
import { describeReason, Unavailable } from "../../../platform/storage/storage-errors.ts"
import { answerLookupProblem } from "../endpoints/lookup/errors.ts"
import { lookupKeyRules } from "../endpoints/lookup/key-rules.ts"
import { makeSpotsKeyRules } from "../endpoints/spots/key-rules.ts"
import { mountRows } from "../endpoints/table.ts"
import { makeVisaKeyRules } from "../endpoints/visa/key-rules.ts"
import { openAccessLog } from "../pipeline/access-log.ts"
import { makeAdmission } from "../pipeline/admission.ts"
import { compress } from "../pipeline/compression.ts"
import { listDeprecationHeaders } from "../pipeline/deprecations.ts"
import { EndpointTable } from "../pipeline/endpoint-table.ts"
import type { Exchange } from "../pipeline/exchange.ts"
import { makeAnswerOnce } from "../pipeline/idempotency.ts"
import { type Finish, makePipeline, type Pipeline, type Reply } from "../pipeline/pipeline.ts"
import { revalidate } from "../pipeline/revalidation.ts"
import { Backend, type BackendShape } from "../pipeline/services.ts"
import { decodeParameters, makeAnswerer, openLanguage, readBody, readQuestion } from "../pipeline/stages.ts"

/** Adds the notice to every answer of a deprecated endpoint. */
const addNotice =
  ({ site }: BackendShape): Finish =>
  ({ known, added }) => {
    if (known !== undefined) added.push(...listDeprecationHeaders(known.path, site))
    return undefined
  }

/** A year. Names below the service's own are not ours to speak for. */
const HTTPS_ONLY = ["strict-transport-security", "max-age=31536000"] as const

/** Tells browsers to come by https only, where that is the service's address (RFC 6797). */
const addTransport =
  (site: Site): Finish =>
  ({ added }) => {
    if (site.publicUrl.startsWith("https:")) added.push(...HTTPS_ONLY)
    return undefined
  }

/** Names a request for the metrics and the log: by routes of the service, never by a client's text. */
const nameRoute = ({ known, endpoint, request }: Exchange) => ({
  method: endpoint === undefined && request.method !== "OPTIONS" ? "other" : request.method,
  route: known?.path ?? "(none)",
})

/** How long a client is told to wait for an unavailable database. */
const RETRY_AFTER_SECONDS = 1

/** Options of a service. */
export interface ServiceOptions {
  /** Whether a line is written for each request, at the level debug. */
  readonly logsRequests: boolean
  /** Where a line is written for each request, cheaply; nowhere by default. */
  readonly accessLog?: AccessLogPlace
  /** Whether answers are kept for questions that are asked again; true by default. */
  readonly keepsAnswers?: boolean
}

/** What the configuration says of that. */
export const serviceOptionsOf = ({ logLevel, accessLog }: ServiceConfig): ServiceOptions => ({
  logsRequests: logLevel === "debug",
  accessLog,
})

/** Builds the pipeline over the backend in scope. */
export const makeService = Effect.fnUntraced(function* (options: ServiceOptions) {
  const backend = yield* Backend
  const clock = yield* Clock.Clock
  const log = Effect.runForkWith(yield* Effect.context<never>())
  const { localisedFacts, metrics, plans, site, surfaces, today } = backend
  const readClockMs = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const keyRules = { visa: makeVisaKeyRules(site, plans), lookup: lookupKeyRules, spots: makeSpotsKeyRules(plans) }
  const admission = makeAdmission(backend, keyRules, makeAnswerer(options))

  const outages = new OutageLog("requests are answered 503, because the database cannot do its work")
  const accessLog = openAccessLog(options.accessLog ?? "off")
  yield* Effect.addFinalizer(() => Effect.sync(() => accessLog?.flush()))

  const noteReply = (exchange: Exchange, { status }: Reply) => {
    const milliseconds = readClockMs() - exchange.startedAt
    const { method, route } = nameRoute(exchange)
    metrics.count(method, route, status, milliseconds / 1_000)
    const { nowMs: atMs, plan, requestId } = exchange
    accessLog?.note({ atMs, requestId, method, route, status, milliseconds, plan })
    if (!options.logsRequests) return
    const annotations = { request_id: requestId, method, route, status, milliseconds }
    log(Effect.annotateLogs(Effect.logDebug("request"), annotations))
  }

  const pipeline: Pipeline = makePipeline({
    table: new EndpointTable(mountRows(surfaces)),
    answerProblems: { lookup: answerLookupProblem },
    readMoment: () => {
      const nowMs = clock.currentTimeMillisUnsafe()
      return { nowMs, dataset: today(nowMs), upgradeUrl: upgradeUrl(site), service: backend }
    },
    readClockMs,
    recognise: admission.recognise,
    stages: [
      admission.authenticate,
      decodeParameters,
      readBody,
      admission.checkLanguage,
      openLanguage(localisedFacts),
      readQuestion,
      makeAnswerOnce(yield* Storage, yield* DeploymentSecret, admission.answerCharged),
    ],
    finishes: [admission.addQuota, addNotice(backend), addTransport(site), revalidate, compress],
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
    noteReply,
  })
  return pipeline
})
