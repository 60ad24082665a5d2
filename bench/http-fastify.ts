/**
 * The peer of `npm run bench:http`: the quick check and the full record as one would write them on Fastify 5.
 *
 * The same records, key check, monthly count, count of destinations a day, headers and bodies, with Fastify's own validation by JSON
 * Schema and its compiled serialiser. It has no database: it counts in memory and saves nothing. Arguments: the key, the public URL.
 */
import { randomBytes } from "node:crypto"
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import { assembleFullRecord, buildCheckRecord, gateRecord, isLanguage, loadRecordBook } from "../src/full.ts"
import { embeddedDataset } from "../src/index.ts"

const [key = "", publicUrl = ""] = process.argv.slice(2)

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
const dataset = embeddedDataset()
const book = await loadRecordBook(dataset, "en")
const upgradeUrl = `${publicUrl}/docs`
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
      safety_advisory: text,
      languages: whole,
      embassy_info: claim,
      upgrade_url: text,
    },
  },
} as const
const metaSchema = {
  type: "object",
  properties: { lang: text, api_version: text, dataset_version: text, coverage: text, languages: whole },
} as const
const checkSchema = {
  type: "object",
  properties: { ...checkFields, data: { type: "object", properties: checkFields }, meta: metaSchema },
} as const

const prefix = randomBytes(6).toString("base64url")
let named = 0
const app = Fastify({
  logger: false,
  requestIdHeader: "x-request-id",
  genReqId: () => `${prefix}-${(++named).toString(36)}`,
})
app.decorateRequest("account", null as unknown as Account)

app.addHook("onRequest", (request, reply, next) => {
  const given = request.headers["x-api-key"]
  const account = accounts.get(String(given))
  if (given === undefined) reply.code(401).send({ error: "An API key is required." })
  else if (account === undefined) reply.code(403).send({ error: "This API key is not valid." })
  else {
    request.account = account
    next()
  }
})

/** Counts a request, and sends what every answer says. */
function count({ account, id, query }: FastifyRequest<{ Querystring: Query }>, reply: FastifyReply): void {
  account.used++
  let seen = account.seen.get(query.passport)
  if (seen === undefined) {
    seen = new Set()
    account.seen.set(query.passport, seen)
  }
  seen.add(query.destination)
  const now = Date.now()
  const date = new Date(now)
  const ends = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  const window = (ends - Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)) / 1_000
  const remaining = account.limit - account.used
  reply.headers({
    "cache-control": "no-store",
    vary: "Accept, Accept-Encoding",
    "x-powered-by": "Landfall",
    "x-ratelimit-limit": String(account.limit),
    "x-ratelimit-remaining": String(remaining),
    "x-plan": account.plan,
    "ratelimit-policy": `"monthly";q=${account.limit};w=${window}`,
    ratelimit: `"monthly";r=${remaining};t=${Math.ceil((ends - now) / 1_000)}`,
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "*",
    "x-content-type-options": "nosniff",
    "x-request-id": id,
  })
}

const isSpent = ({ account }: FastifyRequest): boolean => account.used >= account.limit
const SPENT = { error: "The monthly quota is spent." }
const NO_RECORD = { error: "No record for this passport and destination." }

app.get<{ Querystring: Query }>(
  "/api/v1/visa/check",
  { schema: { querystring, response: { 200: checkSchema } } },
  (request, reply) => {
    if (isSpent(request)) return reply.code(429).send(SPENT)
    const { passport, destination } = request.query
    const record = buildCheckRecord(book, passport, destination, { upgradeUrl })
    if (record === null) return reply.code(404).send(NO_RECORD)
    count(request, reply)
    return reply.send({ ...record, data: record, meta })
  },
)

app.get<{ Querystring: Query }>("/api/v1/visa", { schema: { querystring } }, (request, reply) => {
  if (isSpent(request)) return reply.code(429).send(SPENT)
  const { passport, destination, lang = "en" } = request.query
  if (!isLanguage(lang)) return reply.code(400).send({ error: "lang" })
  const record = assembleFullRecord(book, passport, destination)
  if (record === null) return reply.code(404).send(NO_RECORD)
  count(request, reply)
  return reply.send({ data: gateRecord(record, { plan: request.account.plan, locale: book.locale, upgradeUrl }), meta })
})

console.log(`listens on ${await app.listen({ port: 0, host: "127.0.0.1" })}`)
