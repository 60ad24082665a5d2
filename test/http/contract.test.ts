import { cpSync, rmSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import { OpenApi } from "effect/http-api"
import { afterAll, assert, beforeAll, describe, expect, it } from "vitest"
import answerExamples from "../../adapters/http/openapi/answer-examples.json" with { type: "json" }
import { COMMON_HEADERS, declareApi } from "../../adapters/http/openapi/openapi.ts"
import { writePath } from "../../adapters/http/pipeline/describe-row.ts"
import { changesAccount, type Endpoint } from "../../adapters/http/pipeline/endpoint.ts"
import { GROUPS } from "../../adapters/http/routes/all-endpoints.ts"
import { SURFACES } from "../../adapters/settings/settings.ts"
import { sampleOf } from "../sample.ts"
import { ACCOUNT_ROWS } from "./account-contract-rows.ts"
import { isRecording, listDifferences, writeExamples } from "./answer-examples.ts"
import type { ContractRow } from "./contract-row.ts"
import { CONTRACT as DATA_ROWS } from "./contract-rows.ts"
import { HOSTS, type Host, OWN_SERVER } from "./hosts.ts"
import { makeContractJobs } from "./job-contract-rows.ts"
import { askOnce } from "./once-answered.ts"
import { makePersonas, makeSessions, type Persona } from "./personas.ts"
import { type Ask, makeFolder, type Reply } from "./service.ts"

const reference = OpenApi.fromApi(declareApi(SURFACES))
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ ...reference, $id: "reference" } as object)

interface ResponseDocument {
  readonly content?: Readonly<Record<string, object>>
  readonly headers?: Readonly<Record<string, { readonly description: string }>>
}

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, ResponseDocument>>
}

const pathItem = (endpoint: string) => reference.paths[endpoint] as Readonly<Record<string, Operation>> | undefined

const encodePointer = (segment: string) => encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"))

/** A part of the reference, which may be written elsewhere in it. */
function open<Part extends object>(part: Part): Part {
  const place = "$ref" in part ? String(part.$ref).slice(2).split("/") : []
  return place.reduce<unknown>(
    (of, name) => (of as Record<string, unknown>)[name],
    "$ref" in part ? reference : part,
  ) as Part
}

const ALL_ROWS = GROUPS.flatMap(({ endpoints }) => endpoints as unknown as readonly Endpoint[])

const methodOf = ({ ask }: { readonly ask?: Ask | undefined }) => (ask?.method ?? "GET").toLowerCase()

const findResponse = (row: Pick<ContractRow, "ask" | "endpoint">, status: number) => {
  const response = pathItem(row.endpoint)?.[methodOf(row)]?.responses[status]
  return response === undefined ? undefined : open(response)
}

/** Says what is wrong with a body, by the schema that the reference has for it. */
function findBodyMistakes(row: ContractRow, { text }: Reply): string {
  const response = pathItem(row.endpoint)?.[methodOf(row)]?.responses[row.status] ?? {}
  const place =
    "$ref" in response
      ? String(response.$ref).slice(2).split("/")
      : ["paths", row.endpoint, methodOf(row), "responses", String(row.status)]
  const pointer = [...place, "content", "application/json", "schema"].map(encodePointer).join("/")
  const isValid = ajv.validate(`reference#/${pointer}`, JSON.parse(text))
  return isValid ? "" : ajv.errorsText()
}

/** Headers of the transport, of every answer, and of what a proxy or a browser makes of it. */
const UNNAMED =
  /^(date|connection|keep-alive|vary|accept-ranges|content-\w+|transfer-encoding|x-content-type-options|access-control-expose-headers|strict-transport-security)$/

/** The headers of one service, which the reference explains once. */
const SERVICE_HEADERS = { "svc-version": "lookup", "x-plan": "visa" } as const

/** Says which headers the reference does not name, and which it names that are not there. */
function findHeaderMistakes(row: ContractRow, { headers }: Reply): string[] {
  const named = findResponse(row, row.status)?.headers ?? {}
  const names = [...Object.keys(named), ...Object.keys(COMMON_HEADERS)].map(name => name.toLowerCase())
  const isConditional = (name: string) =>
    /only (if|for)/.test(open(named[name] as { readonly description: string }).description)
  const lacking = Object.keys(named).filter(name => !isConditional(name) && headers[name.toLowerCase()] === undefined)
  const { surface } =
    ALL_ROWS.find(({ method, path }) => method.toLowerCase() === methodOf(row) && writePath(path) === row.endpoint) ??
    {}
  const foreign = Object.entries(SERVICE_HEADERS).flatMap(([name, service]) =>
    name in headers && surface !== service ? [name] : [],
  )
  const unversioned = surface === "lookup" && headers["svc-version"] === undefined ? ["svc-version"] : []
  const unnamed = Object.keys(headers).filter(name => !UNNAMED.test(name) && !names.includes(name))
  return [...unnamed, ...foreign, ...unversioned, ...lacking]
}

const CONTRACT = [...DATA_ROWS, ...ACCOUNT_ROWS]

let origin = ""
let keys: Readonly<Record<Persona, string>>
let sessions: Readonly<Record<string, string>>
beforeAll(async () => {
  origin = makeFolder()
  keys = await makePersonas(origin)
  await makeContractJobs(origin, keys.pro)
  sessions = await makeSessions(origin)
})
afterAll(() => rmSync(origin, { recursive: true }))

function askOf({
  as,
  bears,
  keyless,
  session,
  ask,
}: Pick<ContractRow, "as" | "bears" | "keyless" | "session"> & { readonly ask?: Ask | undefined }): Ask {
  const key = as === "stranger" ? "svc_visa_nobody" : as && keys[as]
  const headers = {
    origin: keyless ? "http://localhost:3000" : "https://other.example",
    ...(key === undefined ? {} : bears ? { authorization: `Bearer ${key}` } : { "x-api-key": key }),
    ...(session === undefined ? {} : { cookie: `svc_token=${sessions[session]}` }),
    ...ask?.headers,
  }
  return { ...ask, headers }
}

/** The ids of a host in the order in which it has made them: rows name the first webhook 1, as a host does whose ids count. */
class MadeIds {
  readonly #webhooks: number[] = []
  readonly #devices: number[] = []
  #delivery = 2

  /** Takes the ids of what a reply has made. */
  learn({ endpoint, ask }: ContractRow, { status, headers, read }: Reply): void {
    if (ask?.method !== "POST" || status > 201 || headers["content-type"] !== "application/json") return
    const id = read("webhook.id") ?? read("id")
    if (endpoint.endsWith("/webhooks")) this.#webhooks.push(Number(String(id).replace("wh_", "")))
    if (endpoint.endsWith("/ping")) this.#delivery = id as number
    const device = read("device_id") as number | undefined
    if (device !== undefined && !this.#devices.includes(device)) this.#devices.push(device)
  }

  #findWebhook = (at: string | number) => this.#webhooks[Number(at) - 1] ?? Number(at)
  #findDevice = (at: string | number) => this.#devices[Number(at) - 1] ?? Number(at)

  /** A row with these ids. */
  name({ path, reads, ...row }: ContractRow): ContractRow {
    const named = path
      .replace(/wh_(\d)/, (_, at) => `wh_${this.#findWebhook(at)}`)
      .replace(/(webhooks(?:\/enable)?\?id=)(\d)/, (_, before, at) => before + this.#findWebhook(at))
      .replace(/(devices\/)(\d)/, (_, before, at) => before + this.#findDevice(at))
      .replace(/(deliveries\/)\d/, `$1${this.#delivery}`)
    const nameValue = (field: string, value: unknown) => {
      if (typeof value === "string") return value.replace(/^wh_(\d)$/, (_, at) => `wh_${this.#findWebhook(at)}`)
      if (typeof value !== "number") return value
      return field === "device_id"
        ? this.#findDevice(value)
        : /(^|\.)id$/.test(field)
          ? this.#findWebhook(value)
          : value
    }
    const values = Object.entries(reads ?? {}).map(([field, value]) => [field, nameValue(field, value)])
    return { ...row, path: named, ...(reads === undefined ? {} : { reads: Object.fromEntries(values) }) }
  }
}

const remaining = (reply: Reply) => Number(reply.headers["x-ratelimit-remaining"])

function judge(row: ContractRow, reply: Reply): void {
  assert.strictEqual(reply.status, row.status, reply.text)
  for (const [name, expected] of Object.entries(row.headers ?? {})) {
    const found = reply.headers[name]
    if (expected === null) assert.isUndefined(found, name)
    else if (typeof expected === "string") assert.strictEqual(found, expected, name)
    else assert.match(String(found), expected, name)
  }
  assert.strictEqual(reply.headers["access-control-allow-origin"], "*")
  assert.match(String(reply.headers["x-request-id"]), /^[\w.:-]+$/)
  if (reply.headers["content-type"] === "application/json") assert.strictEqual(findBodyMistakes(row, reply), "")
  assert.deepStrictEqual(findHeaderMistakes(row, reply), [])
  for (const [path, expected] of Object.entries(row.reads ?? {}))
    assert.deepStrictEqual(reply.read(path), expected, path)
}

describe("the contract", () => {
  it("has a row for every status of the reference, except internal errors and an unavailable database", () => {
    const named = Object.entries(reference.paths).flatMap(([endpoint]) =>
      Object.entries(pathItem(endpoint) ?? {}).flatMap(([method, { responses }]) =>
        Object.keys(responses).map(status => `${method.toUpperCase()} ${endpoint} ${status}`),
      ),
    )
    const rows = new Set(CONTRACT.map(({ endpoint, ask, status }) => `${ask?.method ?? "GET"} ${endpoint} ${status}`))
    // Below, every path is asked by a wrong method, every row with a body is sent an encoded one, and every answer with an ETag is asked again.
    const everywhere = / (304|405|409|415|500|503)$/
    // `storage-bounds.test.ts` makes each of these changes until it is refused.
    const changes = ALL_ROWS.filter(changesAccount).map(
      ({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")} 429`,
    )
    const missing = named.filter(name => !everywhere.test(name) && !rows.has(name) && !changes.includes(name))
    // Each of these has a test of its own: a stream, too many listeners, too many questions in a second, a request that is sent again, a link that is
    // good once, too many attempts, a key of another scope, and payments.
    expect(missing).toEqual([
      "GET /api/x402/visa 200",
      "GET /api/x402/visa 404",
      "GET /api/x402/visa 429",
      "GET /changes.atom 429",
      "GET /changes.ics 429",
      "GET /api/v1/visa/live 200",
      "GET /api/v1/visa/live 429",
      "POST /api/v1/visa/register 429",
      "POST /api/v1/visa/auth/login 429",
      "POST /api/v1/visa/auth/confirm 200",
      "POST /api/v1/visa/auth/confirm 429",
      "POST /api/v1/visa/auth/account/erase 200",
      "POST /api/v1/visa/auth/account/erase 404",
      "POST /api/v1/visa/keys/{id}/rotate 201",
      "DELETE /api/v1/visa/keys/{id} 200",
      "DELETE /api/v1/visa/team-keys 200",
      "POST /api/v1/visa/stripe/checkout 200",
      "POST /api/v1/visa/stripe/portal 200",
      "POST /api/v1/visa/stripe/webhook 200",
      "POST /api/v1/visa/affiliate/register 429",
      "POST /api/v1/visa/affiliate/track-click 200",
      "POST /api/v1/visa/affiliate/track-click 429",
      "POST /api/v1/visa/affiliate/apply-referral 200",
      "POST /api/v1/visa/affiliate/apply-referral 429",
      "GET /api/v1/visa/affiliate/stats 200",
      "GET /api/v1/visa/affiliate/stats 403",
      "GET /api/v1/visa/affiliate/stats 429",
      "GET /visa 429",
      "GET /passports 403",
      "GET /passports 429",
      "GET /destinations 403",
      "GET /destinations 429",
      "GET /zones 403",
      "GET /zones 429",
      "GET /policies/history 429",
    ])
    const unnamed = [...rows].filter(name => !named.includes(name))
    expect(unnamed).toEqual([])
  })
})

const listRowsWithBodies = (mountedAt: string) =>
  ALL_ROWS.filter(row => row.takesBody === true || row.uploadBytes !== undefined)
    .filter(({ path }) => path.startsWith(mountedAt))
    .map(row => [`${row.method} ${row.path}`, row] as const)

/** By operation, the first answer in JSON to a request that succeeds. */
const answered = new Map<string, unknown>()

function keepAnswer({ endpoint, ask }: ContractRow, { status, headers, read }: Reply): void {
  const operation = pathItem(endpoint)?.[methodOf({ ask })]
  const isShown = status < 300 && headers["content-type"] === "application/json"
  if (operation === undefined || !isShown || answered.has(operation.operationId)) return
  answered.set(operation.operationId, read())
}

describe.each(Object.entries(HOSTS))("in %s", (name, { start, mountedAt }) => {
  let folder = ""
  let host: Host
  const made = new MadeIds()
  beforeAll(async () => {
    folder = makeFolder()
    cpSync(origin, folder, { recursive: true })
    host = await start(folder)
  })
  afterAll(async () => {
    await host.close()
    rmSync(folder, { recursive: true })
  })

  const rows = CONTRACT.filter(row => row.path.startsWith(mountedAt))
  // What a host may get wrong it gets wrong for most rows.
  const someOf = <Of>(all: readonly Of[]) => (name === OWN_SERVER ? all : sampleOf(all, 5))
  const reads = someOf(rows.filter(row => row.status === 200 && !row.ask?.method).map(row => [row.path, row] as const))
  it.each(
    rows.map(row => [`${row.claim}: ${row.ask?.method ?? "GET"} ${row.path} as ${row.as ?? "nobody"}`, row] as const),
  )("%s", async (_name, row) => {
    const ask = askOf(row)
    // A refused question shows what is left without costing anything.
    const before =
      row.charge === undefined ? undefined : await host.ask(`${row.endpoint}?passport=&passports=&limit=`, ask)
    const reply = await host.ask(made.name(row).path, ask)
    made.learn(row, reply)
    judge(made.name(row), reply)
    keepAnswer(row, reply)
    if (before !== undefined) assert.strictEqual(remaining(before) - remaining(reply), row.charge)
  })

  it.each(reads)("HEAD answers like GET, without a body: %s", async (_name, row) => {
    const { path } = made.name(row)
    const got = await host.ask(path, askOf(row))
    const headed = await host.ask(path, { ...askOf(row), method: "HEAD" })
    assert.strictEqual(headed.status, 200)
    assert.strictEqual(headed.text, "")
    assert.strictEqual(headed.headers["content-type"], got.headers["content-type"])
  })

  it.each(reads)("an answer that the client has is not sent again, and costs nothing: %s", async (_name, row) => {
    const ask = askOf(row)
    const got = await host.ask(row.path, ask)
    const { etag } = got.headers
    const row304 = { ...row, status: 304 }
    assert.strictEqual(etag !== undefined, findResponse(row304, 304) !== undefined, "the reference names the 304")
    if (etag === undefined) return
    const again = await host.ask(row.path, { ...ask, headers: { ...ask.headers, "if-none-match": `"x", ${etag}` } })
    assert.deepStrictEqual([again.status, again.text], [304, ""])
    assert.deepStrictEqual(findHeaderMistakes(row304, again), [])
    if (!row.path.startsWith("/visa") && row.charge !== undefined) assert.strictEqual(remaining(got), remaining(again))
  })

  it.each(someOf([...new Set(rows.map(row => row.endpoint))]))("allows only its own methods: %s", async path => {
    const reply = await host.ask(path, { method: "PUT" })
    assert.strictEqual(reply.status, 405)
    assert.sameMembers(Object.keys(reply.read() as object), ["error"])
    const [asked] = Object.keys(pathItem(path) ?? {})
    const wrong = { claim: "", endpoint: path, path, ask: { method: asked?.toUpperCase() as string }, status: 405 }
    assert.strictEqual(findBodyMistakes(wrong, reply), "")
    assert.deepStrictEqual(findHeaderMistakes(wrong, reply), [])
    const allow = String(reply.headers.allow).split(", ")
    const methods = Object.keys(pathItem(path) ?? {}).map(method => method.toUpperCase())
    // A page for browsers, which the reference does not list.
    if (path === "/api/v1/visa/auth/confirm") methods.push("GET")
    assert.sameMembers(allow, [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])
    const preflight = await host.ask(path, { method: "OPTIONS", headers: { origin: "https://other.example" } })
    assert.strictEqual(preflight.status, 204)
    assert.strictEqual(preflight.headers["access-control-allow-methods"], allow.join(", "))
    assert.strictEqual(preflight.headers["access-control-allow-origin"], "*")
  })

  it.each(someOf(listRowsWithBodies(mountedAt)))("does not read an encoded body: %s", async (_, row) => {
    const headers = { ...askOf({ as: "business", session: "pro" }).headers, "content-encoding": "gzip" }
    const path = row.path.replaceAll(/:\w+/g, "1")
    const reply = await host.ask(path, { method: row.method, headers, body: "{}" })
    assert.strictEqual(reply.status, 415, reply.text)
    const endpoint = row.path.replaceAll(/:(\w+)/g, "{$1}")
    const asked = { claim: "", endpoint, path, ask: { method: row.method }, status: 415 }
    assert.strictEqual(findBodyMistakes(asked, reply), "")
    assert.deepStrictEqual(findHeaderMistakes(asked, reply), [])
  })

  it("answers unknown paths with 404 in JSON", async () => {
    const reply = await host.ask("/api/v1/visa/nothing/here")
    assert.strictEqual(reply.status, 404)
    assert.sameMembers(Object.keys(reply.read() as object), ["error"])
  })
})

describe("answers that are given once, or need a payment or a mail", () => {
  it("have the form of the reference", async () => {
    await askOnce((row, reply) => {
      assert.strictEqual(reply.status, row.status, `${row.endpoint}: ${reply.text}`)
      assert.strictEqual(findBodyMistakes(row, reply), "", row.endpoint)
      keepAnswer(row, reply)
    })
  })
})

describe("the examples of the reference", () => {
  it("are answers of the service: the same fields with values of the same kinds", () => {
    if (isRecording) writeExamples(answered)
    else {
      const examples: Readonly<Record<string, unknown>> = answerExamples
      assert.sameMembers(Object.keys(examples), [...answered.keys()])
      const differences = [...answered].flatMap(([name, answer]) => listDifferences(examples[name], answer, name))
      assert.deepStrictEqual(differences, [])
    }
  })
})
