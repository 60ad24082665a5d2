import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { bothWays, writeBothWays } from "../../adapters/answers/answer-outcome.ts"

describe("a record at the top and in `data`", () => {
  it("is written as JSON.stringify would", () => {
    const record = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
    fc.assert(
      fc.property(record, fc.jsonValue(), (given, meta) => {
        const { data: _, meta: __, ...free } = given
        if (Object.keys(free).length === 0) return
        const body = bothWays(free, meta)
        assert.strictEqual(writeBothWays(body), JSON.stringify(body))
      }),
    )
  })
})
