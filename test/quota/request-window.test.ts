import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { RequestWindow } from "../../adapters/quota/meter.ts"

const MINUTE = 60_000

describe("RequestWindow", () => {
  it("admits 120 checks a minute from one address, then says when the next is admitted", () => {
    const window = new RequestWindow({ limit: 120, windowMs: MINUTE, maximumKeys: 10 })
    for (let i = 0; i < 120; i++) assert.strictEqual(window.admit("192.0.2.1", i * 100), 0)
    assert.strictEqual(window.admit("192.0.2.1", 12_000), 48)
    assert.strictEqual(window.admit("192.0.2.2", 12_000), 0)
    assert.strictEqual(window.admit("192.0.2.1", 59_999), 1)
    assert.strictEqual(window.admit("192.0.2.1", 60_000), 0)
    assert.strictEqual(window.admit("192.0.2.1", 60_000), 1)
  })

  it("admits a client that waits as long as it is told to", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 5_000 }), { minLength: 1, maxLength: 60 }), pauses => {
        const window = new RequestWindow({ limit: 3, windowMs: 7_000, maximumKeys: 10 })
        let nowMs = 0
        for (const pause of pauses) {
          nowMs += pause
          const wait = window.admit("a", nowMs)
          if (wait === 0) continue
          nowMs += wait * 1_000
          assert.strictEqual(window.admit("a", nowMs), 0)
        }
      }),
    )
  })

  it("agrees with counting the admitted requests of the last window anew", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.nat({ max: 400 }))), requests => {
        const window = new RequestWindow({ limit: 4, windowMs: 1_000, maximumKeys: 10 })
        const admitted: { key: string; at: number }[] = []
        let nowMs = 0
        for (const [key, pause] of requests) {
          nowMs += pause
          const recent = admitted.filter(request => request.key === key && request.at > nowMs - 1_000)
          const isAdmitted = window.admit(key, nowMs) === 0
          assert.strictEqual(isAdmitted, recent.length < 4)
          if (isAdmitted) admitted.push({ key, at: nowMs })
        }
      }),
    )
  })

  it("forgets the quietest address when there are too many, and no other", () => {
    const window = new RequestWindow({ limit: 1, windowMs: MINUTE, maximumKeys: 1_000 })
    for (let i = 0; i < 1_000; i++) window.admit(`address ${i}`, 0)
    window.admit("one more", 1)
    assert.strictEqual(window.size, 1_000)
    assert.strictEqual(window.admit("address 1", 2), 60)
    assert.strictEqual(window.admit("address 0", 2), 0)
  })

  it("forgets addresses when their minute is over and another one asks", () => {
    const window = new RequestWindow({ limit: 120, windowMs: MINUTE, maximumKeys: 1_000 })
    for (let i = 0; i < 500; i++) window.admit(`address ${i}`, i)
    window.count("address 0", MINUTE + 250)
    window.admit("another", MINUTE + 250)
    assert.strictEqual(window.size, 250)
    window.admit("another", 2 * MINUTE)
    assert.strictEqual(window.size, 1)
  })
})
