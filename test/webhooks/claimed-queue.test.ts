import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type Claimed, ClaimedQueue, type Finish, MAXIMUM_AHEAD } from "../../adapters/queue/fair-turns.ts"
import type { WorkId } from "../../adapters/storage/work-table.ts"

const LIMITS = { inFlight: 8, perLane: 4, attemptMs: 10_000, isTrusted: false }
const LEASE_MS = 30_000
const quickly: Finish = { isAccepted: true, isAnswered: true, tookMs: 100 }
const silently: Finish = { isAccepted: false, isAnswered: false, tookMs: 10_000 }

let lastId = 0
const claim = (webhookId: number, count: number): Claimed[] =>
  Array.from({ length: count }, () => ({ id: ++lastId, lane: webhookId, lease_until: LEASE_MS }))

/** Begins all that may begin. */
const beginAll = (queue: ClaimedQueue<Claimed>, nowMs = 0): Claimed[] => {
  const begun: Claimed[] = []
  for (let item = queue.next(nowMs); item !== undefined; item = queue.next(nowMs)) begun.push(item)
  return begun
}

/** A queue in which some receivers are known to answer so. */
const knowing = (webhookIds: readonly number[], finish: Finish, limits = LIMITS) => {
  const queue = new ClaimedQueue<Claimed>(limits)
  for (const id of webhookIds) {
    queue.add(claim(id, 1))
    queue.finish(queue.next(0) as Claimed, finish)
  }
  return queue
}
const receiversOf = (items: readonly Claimed[]) => items.map(({ lane }) => lane)

describe("the queue of claimed deliveries", () => {
  it("claims one delivery for an unknown receiver", () => {
    const queue = new ClaimedQueue<Claimed>(LIMITS)
    assert.strictEqual(queue.measureRoom(1), 1)
    queue.add(claim(1, 1))
    assert.strictEqual(queue.measureRoom(1), 0)
  })

  it("claims as many deliveries ahead as a receiver answers within two seconds, in powers of two", () => {
    // Four at a time of a tenth of a second each are eighty.
    assert.strictEqual(knowing([1], quickly).measureRoom(1), 64)
    assert.strictEqual(knowing([1], { ...quickly, tookMs: 0 }).measureRoom(1), MAXIMUM_AHEAD)
    assert.strictEqual(knowing([1], { ...quickly, tookMs: 9_000 }).measureRoom(1), 4)
    assert.strictEqual(knowing([1], { ...quickly, isAccepted: false }).measureRoom(1), 4)
    assert.strictEqual(knowing([1], silently).measureRoom(1), 1)
  })

  it("claims no more while half of them are left", () => {
    const queue = knowing([1], { ...quickly, tookMs: 9_000 })
    queue.add(claim(1, 3))
    assert.strictEqual(queue.measureRoom(1), 0)
    queue.finish(queue.next(0) as Claimed, { ...quickly, tookMs: 9_000 })
    assert.strictEqual(queue.measureRoom(1), 2)
  })

  it("serves receivers in turns, each with its deliveries in order and four at a time", () => {
    const queue = knowing([1, 2], quickly)
    queue.add(claim(1, 6))
    queue.add(claim(2, 3))
    const begun = beginAll(queue)
    assert.deepStrictEqual(receiversOf(begun), [1, 2, 1, 2, 1, 2, 1])
    const first = begun.filter(({ lane }) => lane === 1).map(({ id }) => id)
    assert.deepStrictEqual(
      first,
      [...first].sort((a, b) => Number(a) - Number(b)),
    )
    queue.finish(begun[0] as Claimed, quickly)
    assert.deepStrictEqual(receiversOf(beginAll(queue)), [1])
  })

  it.each([
    ["nothing is known", null],
    ["answers are slow", { ...quickly, tookMs: 1_001 }],
    ["there was no answer", silently],
  ])("keeps half of all places for others than receivers of which %s", (_, finish) => {
    const others = [1, 2, 3, 4, 5, 6]
    const queue = knowing(finish === null ? [] : others, finish ?? quickly)
    for (const id of others) queue.add(claim(id, 1))
    assert.strictEqual(beginAll(queue).length, 4)
    queue.add(claim(9, 1))
    assert.strictEqual(beginAll(queue).length, 0)
  })

  it("serves a fast receiver while all others hang", () => {
    const queue = knowing([9], quickly)
    for (const id of [1, 2, 3, 4, 5, 6]) queue.add(claim(id, 1))
    assert.strictEqual(beginAll(queue).length, 4)
    queue.add(claim(9, 6))
    assert.deepStrictEqual(receiversOf(beginAll(queue)), [9, 9, 9, 9])
  })

  it("gives back the waiting deliveries of a receiver that fails", () => {
    const queue = knowing([1], quickly)
    const claimed = claim(1, 6)
    queue.add(claimed)
    const [first] = beginAll(queue)
    queue.finish(first as Claimed, { ...quickly, isAccepted: false })
    assert.deepStrictEqual(queue.givenBack, claimed.slice(4))
    assert.deepStrictEqual(beginAll(queue), [])
    assert.strictEqual(queue.waiting, 0)
  })

  it("gives back a delivery whose claim may expire during the attempt", () => {
    const queue = knowing([1], quickly)
    const [item] = claim(1, 1) as [Claimed]
    queue.add([item])
    assert.isUndefined(queue.next(LEASE_MS - LIMITS.attemptMs + 1))
    assert.deepStrictEqual(queue.givenBack, [item])
    const [next] = claim(1, 1) as [Claimed]
    queue.add([next])
    assert.strictEqual(queue.next(LEASE_MS - LIMITS.attemptMs), next)
  })

  it("gives all places to a lane that is trusted, also one that is slow, and a turn to each", () => {
    const queue = knowing([1], { ...quickly, tookMs: 9_000 }, { ...LIMITS, perLane: 8, isTrusted: true })
    assert.strictEqual(queue.measureRoom(2), MAXIMUM_AHEAD)
    queue.add(claim(1, 9))
    queue.add(claim(2, 2))
    assert.deepStrictEqual(receiversOf(beginAll(queue)), [1, 2, 1, 2, 1, 1, 1, 1])
  })

  it("never exceeds a limit, and begins or gives back everything once", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("add" as const), webhookId: fc.integer({ min: 1, max: 5 }) }),
      fc.record({
        kind: fc.constant("finish" as const),
        which: fc.nat(),
        tookMs: fc.constantFrom(1, 500, 1_500, 10_000),
        how: fc.constantFrom("accepted", "refused", "silent"),
      }),
      fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(1_000, 25_000) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const queue = new ClaimedQueue<Claimed>(LIMITS)
        let nowMs = 0
        const active: Claimed[] = []
        const added: WorkId[] = []
        const ended: WorkId[] = []
        for (const one of steps) {
          if (one.kind === "add") {
            const items = claim(one.webhookId, queue.measureRoom(one.webhookId)).map(item => ({
              ...item,
              lease_until: nowMs + LEASE_MS,
            }))
            queue.add(items)
            added.push(...items.map(({ id }) => id))
          } else if (one.kind === "wait") nowMs += one.ms
          else if (active.length > 0) {
            const [item] = active.splice(one.which % active.length, 1) as [Claimed]
            queue.finish(item, {
              isAccepted: one.how === "accepted",
              isAnswered: one.how !== "silent",
              tookMs: one.tookMs,
            })
            ended.push(item.id)
          }
          active.push(...beginAll(queue, nowMs))
          assert.isAtMost(active.length, LIMITS.inFlight)
          assert.strictEqual(queue.active, active.length)
          for (const id of receiversOf(active)) {
            assert.isAtMost(active.filter(({ lane }) => lane === id).length, LIMITS.perLane)
          }
        }
        queue.close()
        assert.strictEqual(queue.waiting, 0)
        const all = [...active.map(({ id }) => id), ...ended, ...queue.givenBack.map(({ id }) => id)]
        assert.sameMembers(all, added)
        assert.strictEqual(new Set(all).size, all.length)
      }),
    )
  })
})
