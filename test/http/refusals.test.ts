/**
 * What does it cost to refuse a request, how long is the refusal, and does it say what is required?
 *
 * Every endpoint that takes a body, and every tool, gets bodies that are as full as its documented limits allow, and wrong: empty objects,
 * unknown names, long texts and nested lists wherever a value may stand. Where a body is dear, a quarter of it shows how the time grows.
 */
import { OpenApi } from "effect/http-api"
import { assert, beforeAll, describe, it } from "vitest"
import { judgeBody, writeMistakes } from "../../adapters/batch/lines/judge-body.ts"
import { declareApi } from "../../adapters/http/openapi/api.ts"
import { SURFACES } from "../../adapters/settings/settings.ts"
import { embeddedDataset } from "../../src/index.ts"
import { share } from "../share.ts"
import { startWithPersonas } from "./personas.ts"
import type { Reply } from "./service.ts"

/** One refusal takes at most so much of the processor: twice what the dearest one takes. */
const MOST_MS = 50
/** Below this, how the time grows is not asked. */
const LEAST_MS = 25
/** A body against four quarters of it: by n log n it takes a little longer than they do, by a square four times as long. */
const MOST_GROWTH = 2.5
/** The longest refusal, half of the longest body. */
const MOST_BYTES = 32_768
/** The longest body here, with some room for what is around it. */
const BODY_BYTES = 60_000

/** The part of a JSON schema that says which values fit. */
interface Shape {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly maxItems?: number
  readonly required?: readonly string[]
  readonly anyOf?: readonly Shape[]
}

/** A schema with the documents that its references lead to. */
class Form {
  readonly #root: object

  constructor(root: object) {
    this.#root = root
  }

  /** The schema behind references; of several forms the one with the most in it. */
  open(shape: Shape): Shape {
    if (shape.$ref !== undefined) {
      const steps = shape.$ref.slice(2).split("/")
      const found = steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], this.#root)
      return this.open(found as Shape)
    }
    const forms = (shape.anyOf ?? []).map(form => this.open(form))
    return forms.find(({ properties }) => properties) ?? forms.find(({ items }) => items) ?? shape
  }

  /** The names of an object's fields. */
  namesOf(shape: Shape): readonly string[] {
    return Object.keys(this.open(shape).properties ?? {})
  }

  /** How many objects there are if every list is full. */
  count(shape: Shape): number {
    const { properties, items, maxItems = 250 } = this.open(shape)
    if (items !== undefined) return maxItems * this.count(items)
    return Object.values(properties ?? {}).reduce(
      (sum, each) => sum + (this.open(each).items ? this.count(each) : 0),
      1,
    )
  }

  /** A value in which every outer list has a share of the entries that it may have, every other one all of them, and every object `inside` and nothing else. */
  fill(shape: Shape, share: number, inside: object): unknown {
    const { properties = {}, items, maxItems = 250 } = this.open(shape)
    if (items !== undefined)
      return Array.from({ length: Math.ceil(maxItems * share) }, () => this.fill(items, 1, inside))
    const lists = Object.entries(properties).filter(([, each]) => this.open(each).items !== undefined)
    return { ...inside, ...Object.fromEntries(lists.map(([name, each]) => [name, this.fill(each, share, inside)])) }
  }
}

const nameMany = (count: number, make: (at: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [make(at), 1]))

/** Values that cost some reader much, as JSON of about so many characters. */
const VALUES: Readonly<Record<string, (length: number) => string>> = {
  "a long text": length => JSON.stringify("a ".repeat(length / 2)),
  "a text of signs": length => JSON.stringify("a@-.1:,".repeat(length / 7)),
  "a long number": length => "9".repeat(length),
  "nested lists": length => "[".repeat(length / 2) + "]".repeat(length / 2),
  "nested objects": length => `${'{"a":'.repeat(length / 6)}1${"}".repeat(length / 6)}`,
  "a list of objects": length => JSON.stringify(Array(Math.floor(length / 3)).fill({})),
  "a list of texts": length => JSON.stringify(Array(Math.floor(length / 9)).fill("\u2028xyz")),
  "250 texts": length => JSON.stringify(Array(250).fill("x".repeat(length / 254))),
  "20 lists": length => JSON.stringify(Array(20).fill(Array(Math.floor(length / 40)).fill(1))),
}

/** Bodies for a schema, each by the share of its full size. */
function listBodies(
  form: Form,
  shape: Shape,
  ofValues = Object.keys(VALUES),
): readonly (readonly [name: string, make: (share: number) => string])[] {
  const many = (make: (at: number) => string, length: number) => (share: number) =>
    JSON.stringify(nameMany(Math.floor((BODY_BYTES * share) / (length + 5)), make))
  const known = form.namesOf(shape)
  const inEach = (perName: number) => {
    const room = BODY_BYTES / form.count(shape) - 20
    return nameMany(Math.min(60, Math.max(1, Math.floor(room / perName))), at => `a${at}`)
  }
  const values = known.flatMap(field =>
    ofValues.map(
      name =>
        [
          `${field}: ${name}`,
          (share: number) => `{${JSON.stringify(field)}:${VALUES[name]!(BODY_BYTES * share)}}`,
        ] as const,
    ),
  )
  return [
    ["empty objects", share => JSON.stringify(form.fill(shape, share, {}))],
    ["unknown names in every object", share => JSON.stringify(form.fill(shape, share, inEach(9)))],
    ["unknown names", many(at => `a${String(at).padStart(5, "0")}`, 6)],
    ["names of signs", many(at => `${at}${"\u0001".repeat(200)}`, 1_205)],
    ["names of other letters", many(at => `${at}${"\u6f22".repeat(100)}`, 305)],
    ["names like known ones", many(at => `${known[at % known.length]}${at}`, 16)],
    ["long names", many(at => `${at}${known[0]}`.padEnd(900, "x"), 900)],
    ...values,
  ]
}

const running = share(() => startWithPersonas())

/** How much of the processor some requests take, one after the other, in milliseconds. */
async function measure(ask: () => Promise<Reply>, times = 1): Promise<readonly [ms: number, reply: Reply]> {
  const before = process.threadCpuUsage()
  let reply = await ask()
  for (let at = 1; at < times; at++) reply = await ask()
  const { user, system } = process.threadCpuUsage(before)
  return [(user + system) / 1_000, reply]
}

/** Sends all bodies and lists what is wrong with the refusals. */
async function listFaults(
  what: string,
  bodies: ReturnType<typeof listBodies>,
  send: (body: string) => Promise<Reply>,
  isRefusal = ({ status }: Reply) => status >= 400,
): Promise<readonly string[]> {
  const faults: string[] = []
  for (const [name, make] of bodies) {
    const [whole, quarter] = [make(1), make(0.25)]
    const report = (fault: string) => faults.push(`${what}, ${name}, ${whole.length} characters: ${fault}`)
    let [ms, reply] = await measure(() => send(whole))
    const { status, bytes, text } = reply
    if (![200, 201, 202, 400, 404, 503].includes(status)) report(`${status} ${text.slice(0, 200)}`)
    if (isRefusal(reply) && bytes.length > MOST_BYTES) report(`${bytes.length} bytes`)
    // The best of three: the first request may load something, and others may use the machine too.
    for (let at = 0; at < 2 && ms > LEAST_MS; at++) ms = Math.min(ms, (await measure(() => send(whole)))[0])
    if (ms > MOST_MS) report(`${ms.toFixed(1)} ms`)
    if (ms <= LEAST_MS) continue
    const [wholes] = await measure(() => send(whole), 3)
    const [quarters] = await measure(() => send(quarter), 12)
    if (wholes > MOST_GROWTH * quarters) report(`${wholes.toFixed(0)} ms, and ${quarters.toFixed(0)} ms for quarters`)
  }
  return faults
}

const reference = OpenApi.fromApi(declareApi(SURFACES))
const operations = Object.entries(reference.paths).flatMap(([path, methods]) =>
  Object.entries(
    methods as Readonly<
      Record<
        string,
        { readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Shape }>> } }
      >
    >,
  ).flatMap(([method, { requestBody }]) => {
    const schema = requestBody?.content["application/json"]?.schema
    return schema === undefined
      ? []
      : [[`${method.toUpperCase()} ${path}`, method.toUpperCase(), path, schema] as const]
  }),
)

/** Asks as whoever may. */
function askOf(method: string, path: string, body: string): Promise<Reply> {
  const key = running.keys[path.endsWith("/simulate") ? "test" : "business"]
  const cookie = `svc_token=${running.sessions.pro}`
  const headers = { "content-type": "application/json", "x-api-key": key, authorization: `Bearer ${key}`, cookie }
  return running.ask(path.replace(/\{\w+\}/, "1"), { method, headers, body })
}

describe("a refusal is cheap and short, whatever the body", () => {
  it.each(operations)("%s", async (name, method, path, schema) => {
    const bodies = listBodies(new Form(reference), schema)
    const send = (body: string) => askOf(method, path, body)
    assert.deepStrictEqual(await listFaults(name, bodies, send), [])
  })
})

describe("a tool's refusal is cheap and short, whatever its arguments", () => {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  }
  const post = (method: string, params: string) =>
    running.ask("/mcp", {
      method: "POST",
      headers,
      body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`,
    })
  beforeAll(async () => {
    headers["x-api-key"] = running.keys.business
    const clientInfo = { name: "test", version: "1" }
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
    headers["mcp-session-id"] = String((await post("initialize", JSON.stringify(params))).headers["mcp-session-id"])
  })

  it("of every tool", async () => {
    const { tools } = (await post("tools/list", "{}")).read("result") as {
      readonly tools: readonly { readonly name: string; readonly inputSchema: Shape }[]
    }
    const faults: string[] = []
    for (const { name, inputSchema } of tools) {
      const bodies = listBodies(new Form(inputSchema), inputSchema, [
        "a long text",
        "nested lists",
        "a list of objects",
      ])
      const send = (body: string) => post("tools/call", `{"name":"${name}","arguments":${body}}`)
      faults.push(...(await listFaults(name, bodies, send, ({ text }) => /"(isError|error)":/.test(text))))
    }
    assert.deepStrictEqual(faults, [])
  })
})

/** The body of a decision, which a line of a batch or of a job has too. */
const decision = operations.find(([name]) => name === "POST /api/v1/visa/decision")!

it("a refused line of a batch or of a job is short, whatever the line", () => {
  const lengths = listBodies(new Form(reference), decision[3]).map(([name, make]) => {
    const { outcome } = judgeBody(embeddedDataset(), JSON.parse(make(1)), null)
    return [name, outcome.ok ? 0 : Buffer.byteLength(writeMistakes(outcome))] as const
  })
  assert.deepStrictEqual(
    lengths.filter(([, length]) => length > MOST_BYTES),
    [],
  )
})

describe("a field that is required and missing is named as required", () => {
  it.each(operations)("%s", async (_, method, path, schema) => {
    const { required = [] } = new Form(reference).open(schema)
    const reply = await askOf(method, path, "{}")
    const said = reply.text.match(/Missing, expected|It is required/g) ?? []
    // The lookup names the first mistake only.
    const expected = path.startsWith("/webhooks") ? required.slice(0, 1) : required
    if (reply.status === 400) for (const name of expected) assert.include(reply.text, name)
    assert.isAtLeast(said.length, reply.status === 400 ? expected.length : 0, reply.text)
  })
})
