import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { CallerCache } from "../../adapters/accounts/accounts.ts"
import { callerWith } from "../quota/callers.ts"

const makeCache = (capacity: number) => {
  const cache = new CallerCache({ maximumAgeMs: 1_000, capacity })
  cache.confirm(0)
  return cache
}

describe("CallerCache", () => {
  it("does not keep an answer that was requested before a change", () => {
    const cache = makeCache(10)
    const clearings = cache.clearings
    cache.clear()
    cache.remember("key", callerWith({}), clearings)
    assert.isUndefined(cache.find("key", 0))
    cache.remember("key", callerWith({}), cache.clearings)
    assert.isDefined(cache.find("key", 0))
  })

  it("is valid as long as it was confirmed recently, and never before", () => {
    const cache = new CallerCache({ maximumAgeMs: 1_000, capacity: 10 })
    cache.remember("key", callerWith({}), cache.clearings)
    assert.isUndefined(cache.find("key", 0))
    cache.confirm(5_000)
    assert.isDefined(cache.find("key", 6_000))
    assert.isUndefined(cache.find("key", 6_001))
  })

  it("stays within its bound, and has the callers that were found last", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 1_000 }), { maxLength: 300 }), others => {
        const cache = makeCache(20)
        for (const other of others) {
          cache.remember(`other ${other}`, callerWith({}), cache.clearings)
          assert.isDefined(cache.find(`other ${other}`, 0))
          assert.isAtMost(cache.size, 20)
        }
      }),
    )
  })
})
