import { assert, describe, inject, it } from "vitest"
import { send } from "../http/service.ts"

let strangers = 0

/** Registers from an unused address; returns the duration of the answer, in milliseconds. */
async function timeRegistering(email: string): Promise<number> {
  const address = `192.0.${2 + (++strangers >> 8)}.${strangers & 255}`
  const startedAt = performance.now()
  const { status } = await send(inject("victim").url, "/api/v1/visa/register", {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": address },
    body: JSON.stringify({ name: "Ana", email }),
  })
  assert.strictEqual(status, 200)
  return performance.now() - startedAt
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] as number

/**
 * By how many standard deviations the ranks of two samples of one size differ from what chance gives (Mann and Whitney's U, by its normal approximation). It uses ranks, so a pause of the
 * machine counts as one slow answer only.
 */
function compareRanks(first: readonly number[], second: readonly number[]): number {
  const n = first.length
  const below = first.reduce((count, a) => count + second.filter(b => a < b).length, 0)
  return (below - (n * n) / 2) / Math.sqrt((n * n * (2 * n + 1)) / 12)
}

describe("compareRanks", () => {
  it("distinguishes two samples if one is shifted, and finds no difference if they alternate", () => {
    const times = Array.from({ length: 100 }, (_, at) => at)
    assert.isAbove(
      compareRanks(
        times,
        times.map(time => time + 50),
      ),
      5,
    )
    assert.isBelow(
      Math.abs(
        compareRanks(
          times,
          times.map(time => time + 0.5),
        ),
      ),
      1,
    )
  })
})

describe("the time of registering", () => {
  // test/accounts/signup-work.test.ts compares the statements; this measures the whole answer.
  it("does not reveal whether an address has an account", async () => {
    const emails = Array.from({ length: 100 }, (_, at) => `person-${at}@timing.example`)
    for (const email of emails) await timeRegistering(email)
    const known: number[] = []
    const unknown: number[] = []
    for (const [at, email] of emails.entries()) {
      const ask = [
        async () => known.push(await timeRegistering(email)),
        async () => unknown.push(await timeRegistering(`nobody-${at}@timing.example`)),
      ]
      for (const one of at % 2 === 0 ? ask : ask.toReversed()) await one()
    }
    const deviations = compareRanks(known, unknown)
    const ratio = median(unknown) / median(known)
    console.log(
      `registering: ${median(known).toFixed(2)} ms known, ${median(unknown).toFixed(2)} ms new, z = ${deviations.toFixed(1)}`,
    )
    assert.isFalse(Math.abs(deviations) > 5 && Math.abs(ratio - 1) > 0.2, `z = ${deviations}, ratio ${ratio}`)
  })
})
