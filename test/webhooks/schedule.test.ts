import { describe, expect, it } from "vitest"
import { readRetryAfter, waitAfter } from "../../adapters/queue/queue-worker.ts"
import { DELIVERY_RETRIES } from "../../adapters/webhooks/dispatcher.ts"

describe("the schedule", () => {
  it("is that of the specification", () => {
    const waits = Array.from({ length: 10 }, (_, at) => waitAfter(DELIVERY_RETRIES, at + 1, null))
    const sixHours = 6 * 3_600_000
    expect(waits).toEqual([30_000, 300_000, 1_800_000, ...Array.from({ length: 6 }, () => sixHours), null])
  })

  it("accepts a longer Retry-After of a receiver, up to a day", () => {
    expect(waitAfter(DELIVERY_RETRIES, 1, 60_000)).toBe(60_000)
    expect(waitAfter(DELIVERY_RETRIES, 1, 1)).toBe(30_000)
    expect(waitAfter(DELIVERY_RETRIES, 1, 1e12)).toBe(86_400_000)
    expect(waitAfter(DELIVERY_RETRIES, 10, 60_000)).toBe(null)
  })

  it("reads seconds and dates, and nothing else", () => {
    expect(readRetryAfter("120", 0)).toBe(120_000)
    expect(readRetryAfter("Thu, 01 Jan 1970 00:01:00 GMT", 0)).toBe(60_000)
    expect(readRetryAfter("Thu, 01 Jan 1970 00:01:00 GMT", 90_000)).toBe(0)
    for (const text of ["soon", "-1", "1.5", "2026", "", undefined])
      expect(readRetryAfter(text, 0)).toBe(text === "2026" ? 2_026_000 : null)
  })
})
