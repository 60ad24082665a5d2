import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { bothWays, writeBothWays } from "../../adapters/answers/answer-outcome.ts"
import { describeGroup, writeGroup } from "../../adapters/answers/group.ts"
import { embeddedDataset, REQUIREMENTS } from "../../src/index.ts"

const dataset = embeddedDataset()
const code = fc.constantFrom(...dataset.passports)

describe("a group's answer, written from kept pieces", () => {
  it("is the text that JSON.stringify makes of the record", () => {
    const question = fc.record({
      passports: fc.uniqueArray(code, { minLength: 2, maxLength: 10 }),
      allow: fc.option(fc.uniqueArray(fc.constantFrom(...REQUIREMENTS), { minLength: 1 }), { nil: undefined }),
    })
    fc.assert(
      fc.property(question, asked => {
        const described = describeGroup(dataset, asked)
        const written = writeGroup(dataset, asked)
        assert.strictEqual(written.kind, "found")
        if (described.kind !== "found" || written.kind !== "found") return
        assert.strictEqual(written.body, JSON.stringify(described.body))
      }),
      { numRuns: 60 },
    )
  })

  it("refuses the same questions as the record, with the same message", () => {
    for (const passports of [["FRA", "FRA"], ["FRA", "ZZZ"], ["fr", "DEU"], []]) {
      assert.deepStrictEqual(writeGroup(dataset, { passports }), describeGroup(dataset, { passports }) as never)
    }
  })
})

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
