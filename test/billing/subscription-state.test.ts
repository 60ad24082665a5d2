import fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  type BillingEvent,
  commissionOf,
  findNextChange,
  foldSubscription,
  GRACE_MS,
  isRunning,
  listInvoices,
  planAt,
} from "../../adapters/plans/subscription-state.ts"
import { PLAN_IDS, type PlanId } from "../../adapters/settings/feature-options.ts"
import { tellPlan } from "../oracles/subscription.ts"

const DAY = 86_400_000
const START = Date.parse("2026-11-01T00:00:00Z")
const day = (n: number) => START + n * DAY

let counted = 0
const make = (kind: BillingEvent["kind"], n: number, more: object = {}) =>
  ({ id: `evt_${++counted}`, at: day(n), kind, ...more }) as BillingEvent

const completed = (n: number, plan: PlanId) => make("completed", n, { plan })
const updated = (n: number, plan: PlanId | null, more: object = {}) =>
  make("updated", n, { plan, status: "active", periodEndsAt: day(30), endsWithPeriod: false, ...more })
const paid = (n: number, invoiceId: string, cents = 1_999) => make("paid", n, { invoiceId, cents, currency: "usd" })
const failed = (n: number, invoiceId: string) => make("payment_failed", n, { invoiceId })
const refunded = (n: number, invoiceId: string, cents: number, isWhole: boolean) =>
  make("refunded", n, { invoiceId, cents, isWhole })
const ended = (n: number) => make("ended", n)

/** The plans on some days. */
const plansOn = (events: readonly BillingEvent[], ...days: number[]) => {
  const state = foldSubscription(events)
  return days.map(n => planAt(state, day(n)))
}

const pro = [completed(0, "pro"), updated(0, "pro"), paid(0, "in_1")]

describe("a subscription", () => {
  it("has the bought plan from the moment of the payment", () => {
    assert.deepStrictEqual(plansOn([], 0), ["free"])
    assert.deepStrictEqual(plansOn(pro, 0, 29, 31), ["pro", "pro", "pro"])
  })

  it("has a better plan at once, and a lower one when the paid period ends", () => {
    assert.deepStrictEqual(plansOn([...pro, updated(5, "business")], 5, 31), ["business", "business"])
    const lower = [...pro, updated(5, "hobby")]
    assert.deepStrictEqual(plansOn(lower, 5, 29, 30), ["pro", "pro", "hobby"])
    assert.strictEqual(findNextChange(foldSubscription(lower), day(5)), day(30))
    assert.deepStrictEqual(plansOn([...lower, updated(9, "starter", { periodEndsAt: day(40) })], 9, 30), [
      "pro",
      "starter",
    ])
    assert.deepStrictEqual(plansOn([...lower, updated(9, "pro")], 9, 30), ["pro", "pro"])
  })

  it("stays for seven days after a failed payment, and continues if it is paid later", () => {
    const owing = [...pro, failed(30, "in_2"), failed(33, "in_2"), updated(33, "pro", { status: "past_due" })]
    assert.deepStrictEqual(plansOn(owing, 30, 36, 37), ["pro", "pro", "free"])
    assert.strictEqual(findNextChange(foldSubscription(owing), day(30)), day(30) + GRACE_MS)
    assert.deepStrictEqual(plansOn([...owing, paid(38, "in_2")], 38, 60), ["pro", "pro"])
  })

  it("ends at once if it was ended, with its period if it was canceled, and does not begin again", () => {
    assert.deepStrictEqual(plansOn([...pro, ended(9)], 9), ["free"])
    const canceled = [...pro, updated(9, "pro", { endsWithPeriod: true })]
    assert.deepStrictEqual(plansOn(canceled, 9, 29, 30), ["pro", "pro", "free"])
    assert.deepStrictEqual(plansOn([...canceled, updated(12, "pro")], 30), ["pro"])
    assert.deepStrictEqual(plansOn([...pro, ended(9), updated(10, "pro"), paid(10, "in_2")], 11), ["free"])
    assert.isFalse(isRunning(foldSubscription([...pro, ended(9)]), day(9)))
  })

  it("is free if the last payment is fully refunded, until the next payment", () => {
    assert.deepStrictEqual(plansOn([...pro, refunded(3, "in_1", 500, false)], 3), ["pro"])
    const back = [...pro, refunded(3, "in_1", 1_999, true)]
    assert.deepStrictEqual(plansOn(back, 3), ["free"])
    assert.deepStrictEqual(plansOn([...back, paid(4, "in_2")], 4), ["pro"])
    assert.deepStrictEqual(plansOn([...pro, paid(30, "in_2"), refunded(31, "in_1", 1_999, true)], 31), ["pro"])
  })

  it("has no paid plan before the payment, while it is stopped, and for an unknown price", () => {
    assert.deepStrictEqual(plansOn([updated(0, "pro", { status: "waiting" })], 0), ["free"])
    const stopped = [...pro, updated(3, "pro", { status: "stopped" })]
    assert.deepStrictEqual(plansOn(stopped, 3), ["free"])
    assert.deepStrictEqual(plansOn([...stopped, updated(4, "pro")], 4), ["pro"])
    assert.deepStrictEqual(plansOn([updated(0, null)], 0), ["free"])
  })
})

const arbitraryEvent = fc.record({
  kind: fc.constantFrom<BillingEvent["kind"]>("completed", "updated", "paid", "payment_failed", "refunded", "ended"),
  plan: fc.constantFrom(...PLAN_IDS.slice(1)),
  hasPlan: fc.integer({ min: 0, max: 5 }).map(n => n > 0),
  status: fc.constantFrom("active", "active", "active", "past_due", "waiting", "stopped", "ended"),
  periodEndsOn: fc.option(fc.integer({ min: 0, max: 90 })),
  endsWithPeriod: fc.integer({ min: 0, max: 3 }).map(n => n === 0),
  invoice: fc.integer({ min: 1, max: 3 }),
  isWhole: fc.boolean(),
  cents: fc.integer({ min: 0, max: 5_000 }),
})

/** A history: events at distinct instants, rarely an end. */
const arbitraryHistory = fc.array(arbitraryEvent, { maxLength: 12 }).map(drawn =>
  drawn.map((of, at) => {
    const kind = of.kind === "ended" && at % 3 !== 0 ? "updated" : of.kind
    return make(kind, at * 4, {
      plan: kind === "updated" && !of.hasPlan ? null : of.plan,
      status: of.status,
      periodEndsAt: of.periodEndsOn === null ? null : day(of.periodEndsOn),
      endsWithPeriod: of.endsWithPeriod,
      invoiceId: `in_${of.invoice}`,
      cents: of.cents,
      currency: "usd",
      isWhole: of.isWhole,
    })
  }),
)

describe("every history of events", () => {
  it("leads to the plan of a slow day-by-day calculation", () => {
    fc.assert(
      fc.property(arbitraryHistory, fc.integer({ min: 0, max: 120 }), (events, n) => {
        const until = events.filter(({ at }) => at <= day(n))
        assert.strictEqual(planAt(foldSubscription(until), day(n)), tellPlan(events, day(n)))
      }),
      { numRuns: 2_000 },
    )
  })

  it("leads to the same plan in any order and with any repetition", () => {
    const told = arbitraryHistory.chain(events =>
      fc.tuple(
        fc.constant(events),
        fc.array(fc.nat({ max: Math.max(0, events.length - 1) }), { maxLength: 8 }).chain(again =>
          fc.shuffledSubarray(
            [...events, ...(events.length === 0 ? [] : again.map(at => events[at] as BillingEvent))],
            {
              minLength: events.length === 0 ? 0 : events.length + again.length,
            },
          ),
        ),
      ),
    )
    fc.assert(
      fc.property(told, ([events, shuffled]) => {
        assert.deepStrictEqual(foldSubscription(shuffled), foldSubscription(events))
        assert.deepStrictEqual(listInvoices(shuffled), listInvoices(events))
      }),
      { numRuns: 1_000 },
    )
  })

  it("changes its plan by itself only when it says so", () => {
    fc.assert(
      fc.property(arbitraryHistory, events => {
        const state = foldSubscription(events)
        let at = day(60)
        for (let step = 0; step < 4; step++) {
          const next = findNextChange(state, at)
          const before = planAt(state, at)
          const last = next === null ? at + 400 * DAY : next - 1
          assert.strictEqual(planAt(state, last), before)
          if (next === null) return
          at = next
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe("the commission on an invoice", () => {
  it("is 15 % of the payments less refunds, in whole cents, and never negative", () => {
    assert.deepStrictEqual(
      listInvoices([...pro, refunded(3, "in_1", 500, false), refunded(4, "in_1", 700, false)]).map(invoice => [
        invoice.refundedCents,
        commissionOf(invoice),
      ]),
      [[700, 194]],
    )
    assert.strictEqual(commissionOf({ paidCents: 1_999, refundedCents: 0 }), 299)
    const [over] = listInvoices([...pro, refunded(3, "in_1", 9_999, true)])
    assert.strictEqual(commissionOf(over as NonNullable<typeof over>), 0)
  })
})
