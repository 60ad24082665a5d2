import { Effect } from "effect"
import fc from "fast-check"
import { assert, describe, it, vi } from "vitest"
import { type Follower, findFollowers, followFollowers } from "../../adapters/events/followers/fan-out.ts"
import type { SubscriptionTerms } from "../../adapters/events/followers/subscription.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { workInTurns } from "../../adapters/time/yield-turn.ts"

const CODES = Array.from({ length: 12 }, (_, at) => `A${String.fromCharCode(65 + at)}X`)
const code = fc.constantFrom(...CODES)
const codes = fc.oneof(
  fc.constant([]),
  fc.array(code, { maxLength: 3 }),
  fc.array(code, { minLength: 9, maxLength: 20 }),
)
const type = fc.constantFrom("visa.policy_changed" as const, "visa.policy_announced" as const)
const severity = fc.constantFrom("minor" as const, "major" as const)
const terms: fc.Arbitrary<SubscriptionTerms> = fc.record({
  types: fc.uniqueArray(type, { maxLength: 2 }),
  passports: codes,
  destinations: codes,
  severity: fc.option(severity),
})
const event = fc.record({ type, passport: code, destination: code, severity })

describe("the subscriptions that an event concerns", () => {
  /** Does work whose every reading of the clock is half a millisecond later, and counts the turns that others have meanwhile. */
  const countTurns = async <A>(work: Effect.Effect<A>) => {
    let [nowMs, turns, isOver] = [0, 0, false]
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 0.5))
    const others = () => {
      turns++
      if (!isOver) setImmediate(others)
    }
    setImmediate(others)
    const done = await Effect.runPromise(work)
    isOver = true
    clock.mockRestore()
    return { done, turns }
  }

  it("are searched in pieces, between which others run after a millisecond", async () => {
    const all: SubscriptionTerms = { types: [], passports: [], destinations: [], severity: null }
    const followers = Array.from({ length: 10_000 }, (_, at) => ({ id: at + 1, terms: all }))
    const told = { type: "visa.policy_changed", passport: "AAX", destination: "ABX", severity: "major" }
    const { done: found, turns } = await countTurns(workInTurns(findFollowers(followers, told, 9_000)))
    assert.deepStrictEqual([found.length, found[0]], [1_000, 9_001])
    // Of twenty pieces.
    assert.isAtLeast(turns, 6)
  })

  it("are read in pieces too", async () => {
    const rows = Array.from({ length: 2_700 }, (_, at) => ({ id: at + 1, terms: "{}" }))
    const listTerms = (afterId: number, limit: number) => Effect.succeed(rows.slice(afterId, afterId + limit))
    const made = Effect.flatten(followFollowers) as Effect.Effect<readonly Follower[], never, Storage>
    const { done, turns } = await countTurns(Effect.provideService(made, Storage, { webhooks: { listTerms } } as never))
    assert.deepStrictEqual(
      done.map(({ id }) => id),
      rows.map(({ id }) => id),
    )
    assert.isAtLeast(turns, 5)
  })

  it("are those, and only those, whose terms an event meets, each once and in order", () => {
    const includes = (list: readonly string[], one: string) => list.length === 0 || list.includes(one)
    fc.assert(
      fc.property(fc.array(terms, { maxLength: 30 }), event, fc.nat(30), (followed, told, above) => {
        const followers = followed.map((one, at) => ({ id: at + 1, terms: one }))
        const expected = followed.flatMap((one, at) => {
          const isMet =
            includes(one.types, told.type) &&
            includes(one.passports, told.passport) &&
            includes(one.destinations, told.destination) &&
            !(one.severity === "major" && told.severity === "minor")
          return isMet && at + 1 > above ? [at + 1] : []
        })
        assert.deepStrictEqual(findFollowers(followers, told, above).next().value, expected)
      }),
    )
  })
})
