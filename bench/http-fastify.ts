/**
 * The peer of `npm run bench:http`: the quick check as one would write it on Fastify 5.
 *
 * The same lookup, key check, monthly count, count of destinations a day, headers and body, with Fastify's own validation by JSON
 * Schema and its compiled serialiser. It has no database: it counts in memory and saves nothing.
 */
import { randomBytes } from "node:crypto"
import Fastify from "fastify"
import { embeddedDataset, lookup, needsVisa } from "landfall"

const [port = "0", key = "", recordJson = "{}"] = process.argv.slice(2)

interface Account {
  readonly plan: string
  readonly limit: number
  used: number
  readonly seen: Map<string, Set<string>>
}

const accounts = new Map<string, Account>([[key, { plan: "business", limit: 1_000_000, used: 0, seen: new Map() }]])
/** What does not depend on the pair, as the other server has it. */
const shared = JSON.parse(recordJson) as { readonly record: object; readonly meta: object }

const code = { type: "string", pattern: "^[A-Z]{3}$" } as const
const record = {
  type: "object",
  additionalProperties: true,
  properties: {
    passport: { type: "string" },
    destination: { type: "string" },
    requirement: { type: "string" },
    visa_free_days: { type: ["integer", "null"] },
    visa_required: { type: "boolean" },
  },
} as const

const app = Fastify({ logger: false, requestIdHeader: "x-request-id", genReqId: makeRequestIds() })

function makeRequestIds(): () => string {
  const prefix = randomBytes(6).toString("base64url")
  let counted = 0
  return () => `${prefix}-${(++counted).toString(36)}`
}

app.addHook("onRequest", async (request, reply) => {
  const given = request.headers["x-api-key"]
  if (typeof given !== "string") return reply.code(401).send({ error: "An API key is required." })
  const account = accounts.get(given)
  if (account === undefined) return reply.code(403).send({ error: "This API key is not valid." })
  request.account = account
})

declare module "fastify" {
  interface FastifyRequest {
    account: Account
  }
}
app.decorateRequest("account")

interface Query {
  passport: string
  destination: string
}

app.get<{ Querystring: Query }>(
  "/api/v1/visa/check",
  {
    schema: {
      querystring: {
        type: "object",
        required: ["passport", "destination"],
        properties: { passport: code, destination: code },
      },
      response: { 200: { ...record, properties: { ...record.properties, data: record } } },
    },
  },
  async (request, reply) => {
    const { passport, destination } = request.query
    const { account } = request
    if (account.used >= account.limit) return reply.code(429).send({ error: "The monthly quota is spent." })
    const found = lookup(passport, destination)
    if (found.kind !== "found") return reply.code(404).send({ error: "No record." })
    account.used++
    const seen = account.seen.get(passport) ?? new Set<string>()
    seen.add(destination)
    account.seen.set(passport, seen)
    const data = {
      passport,
      destination,
      requirement: found.requirement,
      visa_free_days: found.days,
      visa_required: needsVisa(found.requirement),
      ...shared.record,
    }
    const remaining = account.limit - account.used
    const now = new Date()
    const secondsLeft = Math.ceil((Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime()) / 1_000)
    reply.headers({
      "cache-control": "no-store",
      vary: "Accept, Accept-Encoding",
      "x-powered-by": "Landfall",
      "x-ratelimit-limit": String(account.limit),
      "x-ratelimit-remaining": String(remaining),
      "x-plan": account.plan,
      "ratelimit-policy": `"monthly";q=${account.limit};w=2592000`,
      ratelimit: `"monthly";r=${remaining};t=${secondsLeft}`,
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "*",
      "x-content-type-options": "nosniff",
      "x-request-id": request.id,
    })
    return { ...data, data, meta: shared.meta }
  },
)

embeddedDataset()
await app.listen({ port: Number(port), host: "127.0.0.1" })
console.log(`listens on ${app.listeningOrigin}`)
