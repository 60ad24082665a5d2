import { readFileSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import { OpenApi } from "effect/http-api"
import { assert, describe, it } from "vitest"
import { EVENT_TYPES } from "../../adapters/events/followers/subscription.ts"
import answerExamples from "../../adapters/http/openapi/answer-examples.json" with { type: "json" }
import { declareApi } from "../../adapters/http/openapi/openapi.ts"
import { SURFACES } from "../../adapters/settings/settings.ts"
import { share } from "../share.ts"
import { startTestService } from "./service.ts"

interface Referred {
  readonly $ref?: string
}

/** A part of a document, which may be written elsewhere in it. */
function open<Part extends object>(document: object, part: Part): Part {
  const place = "$ref" in part ? String(part.$ref).slice(2).split("/") : []
  if (place.length === 0) return part
  return place.reduce<unknown>((of, name) => (of as Record<string, unknown>)[name], document) as Part
}

interface ExampleDocument {
  readonly deprecated?: boolean
  readonly parameters?: readonly (Referred & {
    readonly name: string
    readonly schema: object
    readonly example?: unknown
  })[]
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema: { readonly $ref?: string }; readonly example?: unknown }>
  }
}

interface AnsweredOperation {
  readonly operationId: string
  readonly responses: Record<string, { readonly content?: Record<string, object> }>
}

const running = share(startTestService)

describe("the reference", () => {
  it("names every status of the quick check, the ways to send a key, and the headers of its answers", async () => {
    const reply = await running.ask("/openapi.json")
    const operation = (reply.read("paths") as Record<string, { get: Record<string, unknown> }>)["/api/v1/visa/check"]
      ?.get
    const responses = operation?.responses as Record<string, { headers: object; content: object }>
    const statuses = ["200", "304", "400", "401", "403", "404", "405", "429", "500", "503"]
    assert.sameMembers(Object.keys(responses), statuses)
    assert.deepStrictEqual(operation?.security, [{ apiKeyHeader: [] }, { bearer: [] }, { apiKeyQuery: [] }, {}])
    const find = (status: string) => open(reply.read() as object, responses[status] ?? {}) as { headers: object }
    assert.hasAllKeys(find("200").headers, ["X-Powered-By", "ETag"])
    assert.hasAllKeys(find("429").headers, ["Retry-After"])
    const about = reply.read("info.description") as string
    for (const name of ["Limit", "Remaining", "Reset"]) assert.include(about, `\`X-RateLimit-${name}\``)
    for (const name of ["X-Plan", "Svc-Version"]) assert.include(about, `\`${name}\``)
  })

  it("writes once what several endpoints share, so that it stays short", async () => {
    const reply = await running.ask("/openapi.json")
    assert.isBelow(reply.bytes.length, 200_000)
    const { headers, parameters, responses, schemas } = reply.read("components") as Record<string, object>
    for (const shared of [headers, parameters, responses]) assert.isAbove(Object.keys(shared ?? {}).length, 10)
    assert.hasAnyKeys(schemas, ["Error"])
  })

  it("has one kind of content for each answer, so that clients read fields without asking for its type", async () => {
    const paths = (await running.ask("/openapi.json")).read("paths") as Record<
      string,
      Record<string, AnsweredOperation>
    >
    const several = Object.entries(paths).flatMap(([path, operations]) =>
      Object.values(operations).flatMap(({ responses }) =>
        Object.values(responses).flatMap(({ content = {} }) => (Object.keys(content).length > 1 ? [path] : [])),
      ),
    )
    assert.deepStrictEqual(several, [])
  })

  it("describes each event that a webhook gets", async () => {
    const webhooks = (await running.ask("/openapi.json")).read("webhooks") as object
    assert.sameMembers(Object.keys(webhooks), [...EVENT_TYPES])
    // On each surface that has subscriptions, also alone.
    const described = SURFACES.filter(surface => "webhooks" in OpenApi.fromApi(declareApi([surface])))
    assert.deepStrictEqual(described, ["visa", "lookup"])
  })

  it("still names the parameters of the withdrawn feed", async () => {
    const reply = await running.ask("/openapi.json")
    const paths = reply.read("paths") as Record<string, { get: { parameters: { name: string; required: boolean }[] } }>
    const parameters = paths["/api/v1/visa/changes"]?.get.parameters ?? []
    assert.deepStrictEqual(
      parameters.filter(({ required }) => !required).map(({ name }) => name),
      ["passport", "destination", "since", "type", "severity", "wishlist", "limit", "offset"],
    )
  })

  it("is rendered as a page that loads nothing from elsewhere", async () => {
    const page = await running.ask("/docs")
    assert.strictEqual(page.status, 200)
    assert.match(String(page.headers["content-type"]), /^text\/html/)
    const policy = String(page.headers["content-security-policy"])
    assert.match(policy, /^default-src 'none'; script-src 'self';/)
    assert.match(policy, /frame-ancestors 'none'$/)
    assert.notInclude(policy, "unsafe")
    assert.notMatch(page.text, /<script>| on\w+="|style="/)
    assert.notMatch(page.text, /<(?:script|link|img)[^>]+(?:src|href)="https?:/)
    assert.isBelow(page.bytes.length, 1_000_000)
    for (const [path, type] of [
      ["/docs/reference.js", "text/javascript"],
      ["/docs/reference.css", "text/css"],
    ] as const) {
      const { status, headers, bytes } = await running.ask(path)
      assert.deepStrictEqual([status, String(headers["content-type"]).split(";")[0]], [200, type])
      assert.isBelow(bytes.length, 20_000)
      const again = await running.ask(path, { headers: { "if-none-match": String(headers.etag) } })
      assert.deepStrictEqual([again.status, again.bytes.length], [304, 0])
    }
  })

  it("has an example of every parameter and body that fits its schema", async () => {
    const document = (await running.ask("/openapi.json")).read() as {
      readonly paths: Record<string, Record<string, ExampleDocument>>
    }
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ ...document, $id: "reference" })
    const mistakes = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { deprecated, parameters = [], requestBody }]) => {
        const place = `${method} ${path}`
        const named = deprecated === true ? [] : parameters.map(parameter => open(document, parameter))
        return [
          ...named
            .filter(({ schema, example }) => !ajv.validate(schema, example))
            .map(({ name }) => `${place} ${name}`),
          ...Object.values(requestBody?.content ?? {})
            .filter(({ schema, example }) => {
              const { $ref = "" } = schema
              return !ajv.validate($ref === "" ? schema : `reference${$ref}`, example)
            })
            .map(() => `${place}: ${ajv.errorsText()}`),
        ]
      }),
    )
    assert.deepStrictEqual(mistakes, [])
  })

  it("shows an example of every successful JSON answer, which fits its schema", async () => {
    const document = (await running.ask("/openapi.json")).read() as {
      readonly paths: Record<string, Record<string, AnsweredOperation>>
    }
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ ...document, $id: "reference" })
    const pointer = (...path: string[]) =>
      path.map(part => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")
    const lacking: string[] = []
    const examples: Readonly<Record<string, unknown>> = answerExamples
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { operationId, responses }] of Object.entries(operations)) {
        for (const [status, { content }] of Object.entries(responses)) {
          const answer = content?.["application/json"]
          if (!status.startsWith("2") || answer === undefined) continue
          const place = pointer("paths", path, method, "responses", status, "content", "application/json", "schema")
          const example = examples[operationId]
          if (example === undefined) lacking.push(`${method} ${path}`)
          else assert.isTrue(ajv.validate(`reference#/${place}`, example), `${path}: ${ajv.errorsText()}`)
        }
      }
    }
    assert.deepStrictEqual(lacking, [])
    const { text } = await running.ask("/docs")
    assert.strictEqual(text.split("<h3>An answer</h3>").length - 1, Object.keys(examples).length)
  })

  it("shows the owners of the data, with every required notice, to people and programs", async () => {
    const licences = readFileSync("data/LICENSES.md", "utf8")
    const info = (await running.ask("/openapi.json")).read("info") as { readonly description: string }
    assert.include(info.description, licences)
    const page = await running.ask("/docs")
    for (const name of ["AXG Sp. z o.o.", "MultiPass Rank", "Ilya Ilyankou", "Open Government Licence v3.0"]) {
      assert.include(page.text, name)
    }
  })
})
