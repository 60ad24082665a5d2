/**
 * The peer of `npm run bench -- http`: the endpoints of the visa service as one would write them on Fastify 5.
 *
 * The same records, key check, monthly count, count of destinations a day, headers and bodies, with Fastify's own validation by JSON Schema, and its compiled serialiser for the quick
 * check. It has no database: it counts in memory and saves nothing. It listens and prints its port; imported with `--in-process` among the arguments it does not listen. Arguments: the
 * key, the public URL, and the lookup keys, joined by commas.
 */
import { hash, randomBytes } from "node:crypto"
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import { judgeItinerary, readItinerary } from "../adapters/answers/decision.ts"
import { describeLookup, LOOKUP_VERSIONS, writeLookup } from "../adapters/answers/lookup-answer.ts"
import type { Outcome } from "../adapters/answers/visa-answers.ts"
import {
  describeComparison,
  describeGroup,
  describeMeta,
  describeScore,
  weighBulk,
  writeBulk,
} from "../adapters/answers/visa-answers.ts"
import { upgradeUrl as nameUpgradeUrl } from "../adapters/settings/site-links.ts"
import { assembleFullRecord, buildCheckRecord, gateRecord, isLanguage, loadLocalisedFacts } from "../src/full.ts"
import { costOfRequest, datasetOn, embeddedDataset } from "../src/index.ts"
import { describeDecision } from "../test/oracles/describe-decision.ts"

const [key = "", publicUrl = "", lookupKeys = ""] = process.argv.slice(2)

interface Account {
  readonly plan: "business"
  readonly limit: number
  used: number
  readonly seen: Map<string, Set<string>>
}

declare module "fastify" {
  interface FastifyRequest {
    account: Account
  }
}

interface Query {
  readonly passport: string
  readonly destination: string
  readonly lang?: string
}

const accounts = new Map<string, Account>([[key, { plan: "business", limit: 1_000_000, used: 0, seen: new Map() }]])
// As the service does, for the current day.
const today = datasetOn(embeddedDataset(), new Date().toISOString().slice(0, 10))
const dataset = today.ok ? today.value : embeddedDataset()
const localised = await loadLocalisedFacts(dataset, "en")
const upgradeUrl = nameUpgradeUrl({ publicUrl })
const recorded = dataset.pairs.reduce((count, answer) => count + (dataset.answers[answer]?.kind === "found" ? 1 : 0), 0)
const meta = {
  lang: "en",
  api_version: "1.1.0",
  dataset_version: dataset.version,
  coverage: `${recorded} pairs`,
  languages: 15,
}

const code = { type: "string", pattern: "^[A-Z]{3}$" } as const
const querystring = {
  type: "object",
  required: ["passport", "destination"],
  properties: { passport: code, destination: code, lang: { type: "string" } },
} as const

const text = { type: "string" } as const
const whole = { type: "integer" } as const
const claim = { type: "boolean" } as const
const checkFields = {
  passport: text,
  destination: text,
  requirement: text,
  visa_free_days: { type: ["integer", "null"] },
  visa_required: claim,
  home: claim,
  requirement_status: text,
  corroborated: { type: "object", additionalProperties: true },
  evidence: { type: "object", additionalProperties: true },
  last_verified: { type: ["string", "null"] },
  _hint: text,
  _upgrade_preview: {
    type: "object",
    properties: {
      documents_required: whole,
      process_steps: whole,
      transit_visa: claim,
      visa_fees: claim,
      vaccinations: whole,
      dual_nationality_warnings: whole,
      best_apply_period: claim,
      passport_validity_months: claim,
      safety_advisory: text,
      languages: whole,
      reciprocity_history: whole,
      embassy_info: claim,
      upgrade_url: text,
    },
  },
} as const
const metaSchema = {
  type: "object",
  properties: { lang: text, api_version: text, dataset_version: text, coverage: text, languages: whole },
} as const
// The fields of a rule's conditions are present for some pairs only.
const additionalProperties = true
const checkSchema = {
  type: "object",
  additionalProperties,
  properties: {
    ...checkFields,
    data: { type: "object", additionalProperties, properties: checkFields },
    meta: metaSchema,
  },
} as const

const prefix = randomBytes(6).toString("base64url")
let named = 0
export const app = Fastify({
  logger: false,
  requestIdHeader: "x-request-id",
  genReqId: () => `${prefix}-${(++named).toString(36)}`,
})
app.decorateRequest("account", null as unknown as Account)

app.addHook("onRequest", (request, reply, next) => {
  if (request.url.startsWith("/api/v1/visa/score") || request.url.startsWith("/visa?")) return next()
  const given = request.headers["x-api-key"]
  const account = accounts.get(String(given))
  if (given === undefined) reply.code(401).send({ error: "An API key is required." })
  else if (account === undefined) reply.code(403).send({ error: "This API key is not valid." })
  else {
    request.account = account
    next()
  }
})

// Reads have a validator.
app.addHook("onSend", ({ method }, reply, body, next) => {
  const isRead = method === "GET" && reply.statusCode === 200 && typeof body === "string"
  if (isRead && !reply.hasHeader("etag")) reply.header("etag", validatorOf(body))
  if (!reply.hasHeader("cache-control")) reply.header("cache-control", isRead ? "private, no-cache" : "no-store")
  next(null, body)
})

const validatorOf = (body: string): string => `W/"${hash("sha256", body, "base64url").slice(0, 22)}"`

const COMMON = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  "x-content-type-options": "nosniff",
}

/** Counts requests and destinations, and sets the headers of every answer to a caller. */
function count(
  { account, id }: FastifyRequest,
  reply: FastifyReply,
  { charge, passport, destinations = [] }: { charge: number; passport?: string; destinations?: readonly string[] },
): void {
  account.used += charge
  if (passport !== undefined) {
    let seen = account.seen.get(passport)
    if (seen === undefined) {
      seen = new Set()
      account.seen.set(passport, seen)
    }
    for (const destination of destinations) seen.add(destination)
  }
  const now = Date.now()
  const date = new Date(now)
  const ends = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  const window = (ends - Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)) / 1_000
  const remaining = account.limit - account.used
  reply.headers({
    "x-ratelimit-limit": String(account.limit),
    "x-ratelimit-remaining": String(remaining),
    "x-plan": account.plan,
    "ratelimit-policy": `"monthly";q=${account.limit};w=${window}`,
    ratelimit: `"monthly";r=${remaining};t=${Math.ceil((ends - now) / 1_000)}`,
    ...COMMON,
    "x-request-id": id,
  })
}

const PAIR = { vary: "Accept, Accept-Encoding", "x-powered-by": "Landfall" }
const ENCODED = { vary: "Accept-Encoding" }

const isSpent = ({ account }: FastifyRequest): boolean => account.used >= account.limit
const SPENT = { error: "The monthly quota is spent." }
const NO_RECORD = { error: "No record for this passport and destination." }

app.get<{ Querystring: Query }>(
  "/api/v1/visa/check",
  { schema: { querystring, response: { 200: checkSchema } } },
  (request, reply) => {
    if (isSpent(request)) return reply.code(429).send(SPENT)
    const { passport, destination } = request.query
    const record = buildCheckRecord(localised, passport, destination, { upgradeUrl })
    if (record === null) return reply.code(404).send(NO_RECORD)
    count(request, reply.headers(PAIR), { charge: 1, passport, destinations: [destination] })
    return reply.send({ ...record, data: record, meta })
  },
)

app.get<{ Querystring: Query }>("/api/v1/visa", { schema: { querystring } }, (request, reply) => {
  if (isSpent(request)) return reply.code(429).send(SPENT)
  const { passport, destination, lang = "en" } = request.query
  if (!isLanguage(lang)) return reply.code(400).send({ error: "lang" })
  const record = assembleFullRecord(localised, passport, destination)
  if (record === null) return reply.code(404).send(NO_RECORD)
  count(request, reply.headers(PAIR), { charge: 1, passport, destinations: [destination] })
  return reply.send({
    data: gateRecord(record, { plan: request.account.plan, locale: localised.locale, upgradeUrl }),
    meta,
  })
})

/** Sends the result of a question. */
function send(reply: FastifyReply, outcome: Outcome<unknown>) {
  if (outcome.kind === "found") return reply.headers(ENCODED).send(outcome.body)
  return reply.code(outcome.kind === "refused" ? 400 : 404).send({ error: outcome.message })
}

const required = (...names: readonly string[]) => ({
  type: "object",
  required: names,
  properties: Object.fromEntries(names.map(name => [name, code])),
})

app.get<{ Querystring: { passport: string } }>(
  "/api/v1/visa/score",
  { schema: { querystring: required("passport") } },
  ({ id, query }, reply) => {
    reply.headers({ "cache-control": "public, max-age=300", ...COMMON, "x-request-id": id })
    return send(reply, describeScore(dataset, query.passport))
  },
)

app.get<{ Querystring: { passport1: string; passport2: string } }>(
  "/api/v1/visa/score/compare",
  { schema: { querystring: required("passport1", "passport2") } },
  ({ id, query }, reply) => {
    reply.headers({ "cache-control": "public, max-age=300", ...COMMON, "x-request-id": id })
    return send(reply, describeComparison(dataset, query))
  },
)

const passportsSchema = {
  type: "object",
  required: ["passports"],
  properties: { passports: { type: "string", pattern: "^[A-Z]{3}(,[A-Z]{3}){1,9}$" } },
} as const

app.get<{ Querystring: { passports: string } }>(
  "/api/v1/visa/group",
  { schema: { querystring: passportsSchema } },
  (request, reply) => {
    if (isSpent(request)) return reply.code(429).send(SPENT)
    const outcome = describeGroup(dataset, { passports: request.query.passports.split(",") })
    if (outcome.kind === "found") count(request, reply, { charge: 1 })
    return send(reply, outcome)
  },
)

const bulkSchema = {
  type: "object",
  required: ["passport", "destination"],
  properties: { passport: code, destination: { type: "string", pattern: "^[A-Z]{3}(,[A-Z]{3}){0,24}$" } },
} as const

app.get<{ Querystring: { passport: string; destination: string } }>(
  "/api/v1/visa/bulk",
  { schema: { querystring: bulkSchema } },
  (request, reply) => {
    if (isSpent(request)) return reply.code(429).send(SPENT)
    const { passport, destination } = request.query
    const units = { withDestinations: "pair", withoutDestinations: "call" } as const
    const weighed = weighBulk(dataset, { passport, destinations: destination.split(",") }, units)
    const outcome = writeBulk(localised, weighed, { plan: request.account.plan, upgradeUrl })
    if (outcome.kind !== "found") return send(reply, outcome)
    count(request, reply, weighed)
    return reply
      .headers(ENCODED)
      .type("application/json")
      .send([...outcome.body].join(""))
  },
)

const day = { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" } as const
const tripSchema = {
  type: "object",
  required: ["passport", "stops"],
  properties: {
    passport: code,
    passport_expiry: day,
    stops: {
      type: "array",
      minItems: 1,
      maxItems: 12,
      items: {
        type: "object",
        required: ["destination", "from", "to"],
        properties: { destination: code, from: day, to: day },
      },
    },
    transit: { type: "array", maxItems: 12, items: code },
  },
} as const

app.post("/api/v1/visa/decision", { schema: { body: tripSchema } }, (request, reply) => {
  if (isSpent(request)) return reply.code(429).send(SPENT)
  const read = readItinerary(request.body)
  if (!read.ok) return reply.code(400).send(read.refusal)
  const { passports, destinations, pairsCharged } = costOfRequest(dataset, read.request)
  const judged = judgeItinerary(dataset, read.request, localised.facts)
  if (judged.kind !== "found") return send(reply, judged)
  for (const passport of passports) count(request, reply, { charge: 0, passport, destinations })
  count(request, reply, { charge: pairsCharged })
  return reply.headers(ENCODED).send(describeDecision(judged.body, describeMeta(dataset)))
})

/** A caller of the lookup: the rest of this second's limit, and the use in thirty days. */
interface LookupCaller {
  tokens: number
  filledMs: number
  used: number
}

const PER_SECOND = 1_000
const PER_30_DAYS = 10_000_000
const MS_PER_DAY = 86_400_000
const callers = new Map<string, LookupCaller>(
  lookupKeys.split(",").map(each => [each, { tokens: PER_SECOND, filledMs: 0, used: 0 }]),
)
const lookupSchema = {
  type: "object",
  required: ["passport", "destination"],
  properties: { passport: code, destination: code, locale: text },
} as const

app.get<{ Querystring: Query }>("/visa", { schema: { querystring: lookupSchema } }, (request, reply) => {
  const caller = callers.get(/^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "")
  if (caller === undefined) return reply.code(401).send({ error: { code: "invalid_api_key" } })
  const nowMs = Date.now()
  caller.tokens = Math.min(PER_SECOND, caller.tokens + ((nowMs - caller.filledMs) * PER_SECOND) / 1_000)
  caller.filledMs = nowMs
  if (caller.tokens < 1) return reply.code(429).send({ error: { code: "rate_limited" } })
  if (caller.used >= PER_30_DAYS) return reply.code(403).send({ error: { code: "quota_exceeded" } })
  caller.tokens--
  caller.used++
  const { passport, destination } = request.query
  const question = { passport, destination, purpose: "tourism", stayDays: null } as const
  const outcome = describeLookup(localised, question, Math.floor(nowMs / MS_PER_DAY))
  if (outcome.kind !== "found") return reply.code(404).send({ error: { code: "not_found" } })
  const body = JSON.stringify(writeLookup(outcome.body, LOOKUP_VERSIONS[0]))
  const etag = validatorOf(body)
  reply.headers({
    "cache-control": "private, max-age=3600",
    vary: "Authorization, X-Api-Key, Svc-Version, Accept-Encoding",
    "svc-version": LOOKUP_VERSIONS[0],
    etag,
    "x-ratelimit-limit": String(PER_SECOND),
    "x-ratelimit-remaining": String(Math.floor(caller.tokens)),
    "x-ratelimit-reset": String(Math.ceil(nowMs / 1_000)),
    "ratelimit-policy": `"second";q=${PER_SECOND};w=1, "rolling";q=${PER_30_DAYS};w=${30 * 86_400}`,
    ratelimit: `"second";r=${Math.floor(caller.tokens)}, "rolling";r=${PER_30_DAYS - caller.used}`,
    ...COMMON,
    "x-request-id": request.id,
  })
  if (request.headers["if-none-match"] === etag) return reply.code(304).send()
  return reply.type("application/json; charset=utf-8").send(body)
})

if (!process.argv.includes("--in-process")) {
  console.log(`listens on ${await app.listen({ port: 0, host: "127.0.0.1" })}`)
}
