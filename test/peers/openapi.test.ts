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
})
