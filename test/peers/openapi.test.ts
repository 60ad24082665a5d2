import { Validator } from "@seriousme/openapi-schema-validator"
import { assert, describe, it } from "vitest"
import { startTestService } from "../http/service.ts"
import { share } from "../share.ts"

const running = share(startTestService)

describe("the reference", () => {
  it("is valid OpenAPI 3.1", async () => {
    const document = (await running.ask("/openapi.json")).read() as Record<string, unknown>
    const validator = new Validator()
    const result = await validator.validate(document)
    assert.isTrue(result.valid, JSON.stringify(result.errors))
    assert.strictEqual(validator.version, "3.1")
  })

  it("has one error type, no internal annotations, and a pattern, a description and an example for each code", async () => {
    const { text } = await running.ask("/openapi.json")
    const document = JSON.parse(text)
    const open = (part: { $ref?: string }) =>
      part.$ref === undefined ? part : document.components.parameters[part.$ref.split("/").at(-1) as string]
    assert.deepStrictEqual(
      Object.keys(document.components.schemas).filter(name => /_\d+$/.test(name)),
      [],
    )
    assert.notMatch(text, /_tag|x-effect/)
    assert.deepStrictEqual(document.servers, [{ url: running.url }])
    for (const operations of Object.values<Record<string, { parameters?: { $ref?: string }[] }>>(document.paths)) {
      for (const { parameters = [] } of Object.values(operations)) {
        for (const parameter of parameters) assert.property(open(parameter), "description")
      }
    }
    assert.deepInclude(open(document.paths["/api/v1/visa/check"].get.parameters[0]), {
      name: "passport",
      schema: { type: "string", pattern: "^[A-Z]{3}$" },
      example: "FRA",
    })
  })
})
