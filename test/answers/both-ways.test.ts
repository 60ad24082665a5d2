import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { bothWays, writeBothWays } from "../../adapters/answers/visa-answers.ts"

const name = fc.stringMatching(/^[a-z]{1,4}$/).filter(text => text !== "data" && text !== "meta")
const record = fc.dictionary(name, fc.jsonValue(), { minKeys: 1, noNullPrototype: true })

describe("writeBothWays", () => {
  it("writes what JSON.stringify writes of a body that has its record at the top and in `data`", () => {
    fc.assert(
      fc.property(record, record, (fields, meta) => {
        const body = bothWays(fields, meta)
        assert.strictEqual(writeBothWays(body), JSON.stringify(body))
      }),
    )
  })
})
