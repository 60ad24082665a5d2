import fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { Caller } from "../../adapters/accounts/account.ts"
import type { Charge, PoolCharge } from "../../adapters/quota/ledger.ts"
import { utcMonthAt } from "../../adapters/time/utc-calendar.ts"
import { callerWith } from "./callers.ts"
import { SoleLedger, type Stored } from "./sole-ledger.ts"

const at = (text: string) => Date.parse(text)
const NOON = at("2026-11-15T12:00:00Z")

const openLedger = (stored: Stored = {}) => new SoleLedger(stored)

const reserve = (ledger: SoleLedger, caller: Caller, request: Charge | PoolCharge = { charge: 1 }, nowMs = NOON) =>
  ledger.reserve(caller, request, nowMs)

const refuse = (ledger: SoleLedger, caller: Caller, request: Charge | PoolCharge = { charge: 1 }, nowMs = NOON) =>
  ledger.refuse(caller, request, nowMs)

describe("the monthly quota", () => {
  it("serves exactly what is left of 1,000 requests under way at once", () => {
    const ledger = openLedger({ "visa 2026-11": 9_900 })
    const caller = callerWith({ requests: 10_000 })
    const answers = Array.from({ length: 1_000 }, () => ledger.judge(caller, { charge: 1 }, NOON))
    const served = answers.filter(answer => answer.ok)
    assert.strictEqual(served.length, 100)
    assert.deepStrictEqual(
      served.map(answer => answer.remaining),
      Array.from({ length: 100 }, (_, i) => 99 - i),
    )
    for (const answer of served) if (answer.ok) answer.commit()
    assert.strictEqual(ledger.readQuota(caller, NOON).remaining, 0)
  })

  it("costs nothing for a request that was not answered with a 2xx", () => {
    const ledger = openLedger()
    const caller = callerWith({ requests: 1 })
    for (let i = 0; i < 10; i++) reserve(ledger, caller).release()
    reserve(ledger, caller).commit()
    assert.strictEqual(refuse(ledger, caller).reason, "monthly")
  })

  it("counts a request once, however often it is settled", () => {
    const ledger = openLedger()
    const caller = callerWith({ requests: 10 })
    const reservation = reserve(ledger, caller, { charge: 3 })
    reservation.commit()
    reservation.commit()
    reservation.release()
    assert.strictEqual(ledger.readQuota(caller, NOON).remaining, 7)
    const released = reserve(ledger, caller)
    released.release()
    released.commit()
    assert.strictEqual(ledger.readQuota(caller, NOON).remaining, 7)
  })

  it("charges what a request came to, and never more than was reserved", () => {
    const ledger = openLedger()
    const caller = callerWith({ requests: 100 })
    const bulk = reserve(ledger, caller, { charge: 25 })
    assert.strictEqual(bulk.remaining, 75)
    bulk.commit(20)
    assert.strictEqual(bulk.remaining, 80)
    reserve(ledger, caller, { charge: 1 }).commit(1_000)
    assert.strictEqual(ledger.readQuota(caller, NOON).remaining, 79)
  })

  it("refuses a charge that is greater than what is left, says how much is left, and serves a smaller one", () => {
    const ledger = openLedger({ "visa 2026-11": 97 })
    const caller = callerWith({ requests: 100 })
    const refusal = refuse(ledger, caller, { charge: 4 })
    assert.deepInclude(refusal, { reason: "monthly", limit: 100, remaining: 3 })
    reserve(ledger, caller, { charge: 3 }).commit()
    assert.strictEqual(refuse(ledger, caller).remaining, 0)
    reserve(ledger, caller, { charge: 0 }).commit()
  })

  it("is one for an account and its team keys", () => {
    const ledger = openLedger()
    const owner = callerWith({ requests: 2 })
    const team = callerWith({ requests: 2, keyId: 2 })
    reserve(ledger, owner).commit()
    reserve(ledger, team).commit()
    assert.strictEqual(refuse(ledger, owner).reason, "monthly")
    assert.strictEqual(refuse(ledger, team).reason, "monthly")
  })

  it("begins anew on the 1st at 00:00 UTC and not a millisecond earlier", () => {
    const ledger = openLedger()
    const caller = callerWith({ requests: 1 })
    reserve(ledger, caller).commit()
    const refusal = refuse(ledger, caller, { charge: 1 }, at("2026-11-30T23:59:59.999Z"))
    assert.strictEqual(refusal.retryAfterSeconds, 1)
    assert.strictEqual(refusal.period?.endsAt, at("2026-12-01T00:00:00Z"))
    reserve(ledger, caller, { charge: 1 }, at("2026-12-01T00:00:00Z")).commit()
  })

  it("charges a request that ends after midnight to the month in which it began", () => {
    const ledger = openLedger()
    const caller = callerWith({ requests: 1 })
    const late = reserve(ledger, caller, { charge: 1 }, at("2026-11-30T23:59:59Z"))
    const early = reserve(ledger, caller, { charge: 1 }, at("2026-12-01T00:00:01Z"))
    late.commit()
    early.commit()
    assert.deepStrictEqual(
      ledger.unsaved.take({ isWhole: true }).entries.map(({ count, add }) => [count.key.period, add]),
      [
        ["2026-11", 1],
        ["2026-12", 1],
      ],
    )
  })

  it("is not given anew when the clock is set back over the 1st", () => {
    const ledger = openLedger()
    const caller = callerWith({ requests: 1 })
    reserve(ledger, caller, { charge: 1 }, at("2026-12-01T00:00:00Z")).commit()
    refuse(ledger, caller, { charge: 1 }, at("2026-11-30T23:59:59Z"))
    refuse(ledger, caller, { charge: 1 }, at("2026-12-01T00:00:01Z"))
  })
})

describe("the test keys of an account", () => {
  const test = { ...callerWith({ requests: 1_000 }), isTest: true }

  it("have a hundred requests a UTC day, for every surface together, and leave each quota as it is", () => {
    const ledger = openLedger({ "visa 2026-11": 7 })
    for (let i = 0; i < 34; i++)
      for (const pool of ["visa", "lookup", "spots"] as const)
        if (i < 33 || pool === "visa") reserve(ledger, test, { charge: 1, pool }).commit()
    const refusal = refuse(ledger, test, { charge: 1, pool: "lookup" })
    assert.deepInclude(refusal, { reason: "test", policy: "test", limit: 100, remaining: 0, retryAfterSeconds: 43_200 })
    assert.deepInclude(ledger.readQuota({ ...test, isTest: false }, NOON), { limit: 1_000, remaining: 993 })
    assert.deepInclude(ledger.readQuota(test, at("2026-11-16T00:00:00Z")), { policy: "test", remaining: 100 })
  })

  it("are bound by the five requests of an address that is not confirmed too", () => {
    const ledger = openLedger()
    const caller = { ...test, isConfirmed: false }
    for (let i = 0; i < 5; i++) reserve(ledger, caller).commit()
    assert.strictEqual(refuse(ledger, caller).reason, "unconfirmed")
    assert.strictEqual(refuse(ledger, { ...caller, isTest: false }).reason, "unconfirmed")
  })
})

describe("an account whose address is not confirmed", () => {
  it("has five requests in all, whatever the month", () => {
    const ledger = openLedger({ "unconfirmed ever": 2 })
    const caller = callerWith({ requests: 100, isConfirmed: false })
    reserve(ledger, caller).commit()
    reserve(ledger, caller, { charge: 1 }, at("2026-12-01T00:00:00Z")).commit()
    const quota = ledger.readQuota(caller, at("2027-01-01T00:00:00Z"))
    assert.deepInclude(quota, { policy: "unconfirmed", limit: 5, remaining: 1, period: null })
    reserve(ledger, caller, { charge: 1 }, at("2027-01-01T00:00:00Z")).commit()
    const refusal = refuse(ledger, caller, { charge: 1 }, at("2027-02-01T00:00:00Z"))
    assert.deepInclude(refusal, { reason: "unconfirmed", remaining: 0, retryAfterSeconds: null })
  })

  it("has its plan's quota as soon as it is confirmed, less what it used this month", () => {
    const ledger = openLedger()
    for (let i = 0; i < 5; i++) reserve(ledger, callerWith({ isConfirmed: false })).commit()
    assert.deepInclude(ledger.readQuota(callerWith({}), NOON), { policy: "monthly", limit: 100, remaining: 95 })
  })
})

describe("the guard against harvesting", () => {
  const ask = (destinations: string | string[], passport = "FRA") => ({ charge: 1, passport, destinations })

  it("serves as many distinct destinations for a passport as the plan has, and those again and again", () => {
    const ledger = openLedger()
    const caller = callerWith({ cap: 2 })
    for (const destination of ["JPN", "THA", "JPN", "THA"]) reserve(ledger, caller, ask(destination)).commit()
    assert.deepInclude(refuse(ledger, caller, ask("BRA")), { reason: "anti_abuse", destinationsCap: 2, remaining: 96 })
    reserve(ledger, caller, ask("BRA", "DEU")).commit()
    reserve(ledger, callerWith({ cap: null }), ask("BRA")).commit()
  })

  it("serves exactly the cap when all are asked at once", () => {
    const ledger = openLedger()
    const caller = callerWith({ cap: 25, requests: 1_000 })
    const answers = Array.from({ length: 200 }, (_, i) => ledger.judge(caller, ask(`D${i}`), NOON))
    assert.strictEqual(answers.filter(answer => answer.ok).length, 25)
  })

  it("takes a list whole or not at all", () => {
    const ledger = openLedger()
    const caller = callerWith({ cap: 3 })
    refuse(ledger, caller, ask(["JPN", "THA", "BRA", "PER"]))
    reserve(ledger, caller, ask(["JPN", "THA", "JPN", "BRA"])).commit()
    refuse(ledger, caller, ask(["JPN", "PER"]))
  })

  it("counts every destination for every passport of a request, or none for any", () => {
    const ledger = openLedger()
    const caller = callerWith({ cap: 2 })
    const askBoth = (destination: string) => ({ charge: 1, passport: ["FRA", "DEU"], destinations: destination })
    reserve(ledger, caller, ask("JPN", "DEU")).commit()
    reserve(ledger, caller, askBoth("THA")).commit()
    refuse(ledger, caller, askBoth("BRA"))
    reserve(ledger, caller, ask("BRA", "FRA")).commit()
    refuse(ledger, caller, ask("PER", "FRA"))
    refuse(ledger, caller, ask("PER", "DEU"))
  })

  it("forgets a destination when the last request that holds it is not answered with a 2xx", () => {
    const ledger = openLedger()
    const caller = callerWith({ cap: 1 })
    const first = reserve(ledger, caller, ask("JPN"))
    const second = reserve(ledger, caller, ask("JPN"))
    first.release()
    refuse(ledger, caller, ask("THA"))
    second.release()
    const third = reserve(ledger, caller, ask("THA"))
    const fourth = reserve(ledger, caller, ask("THA"))
    third.commit()
    fourth.release()
    refuse(ledger, caller, ask("JPN"))
  })

  it("ends at the next UTC midnight, which Retry-After points to", () => {
    const ledger = openLedger()
    const caller = callerWith({ cap: 1 })
    reserve(ledger, caller, ask("JPN"), at("2026-11-15T00:00:00Z")).commit()
    assert.strictEqual(refuse(ledger, caller, ask("THA"), at("2026-11-15T00:00:00Z")).retryAfterSeconds, 86_400)
    assert.strictEqual(refuse(ledger, caller, ask("THA"), at("2026-11-15T23:59:59.001Z")).retryAfterSeconds, 1)
    reserve(ledger, caller, ask("THA"), at("2026-11-16T00:00:00Z")).commit()
  })
})

describe("an address that is not confirmed", () => {
  it("has five requests over every surface together, and its month counts them too", () => {
    const ledger = openLedger()
    const caller = callerWith({ requests: 100, isConfirmed: false })
    reserve(ledger, caller, { charge: 2 }).commit()
    reserve(ledger, caller, { pool: "lookup", charge: 1 }).commit()
    reserve(ledger, caller, { pool: "spots", charge: 2 }).commit()
    for (const pool of ["visa", "lookup", "spots"] as const) {
      assert.deepInclude(refuse(ledger, caller, { pool, charge: 1 } as PoolCharge), { reason: "unconfirmed", limit: 5 })
    }
    const confirmed = callerWith({ requests: 100 })
    assert.strictEqual(ledger.readQuota(confirmed, NOON).remaining, 98)
    assert.strictEqual(ledger.readQuota(confirmed, NOON, "spots").remaining, 998)
  })

  it("holds nothing of one limit when the other refuses", () => {
    const ledger = openLedger({ "visa 2026-11": 99 })
    const caller = callerWith({ requests: 100, isConfirmed: false })
    assert.strictEqual(refuse(ledger, caller, { charge: 2 }).reason, "monthly")
    assert.strictEqual(ledger.readQuota(caller, NOON).remaining, 5)
    reserve(ledger, caller).commit()
    assert.strictEqual(ledger.readQuota(caller, NOON).remaining, 4)
  })
})

describe("the surfaces", () => {
  it("have a limit each, which the others never consume", () => {
    const ledger = openLedger()
    const caller = callerWith({ requests: 1 })
    reserve(ledger, caller).commit()
    refuse(ledger, caller)
    reserve(ledger, caller, { pool: "lookup", charge: 1 }).commit()
    reserve(ledger, caller, { pool: "spots", charge: 1 }).commit()
    assert.strictEqual(ledger.readQuota(caller, NOON, "lookup").remaining, 9_999)
    assert.strictEqual(ledger.readQuota(caller, NOON, "spots").remaining, 999)
  })

  it("count spots by calendar month", () => {
    const ledger = openLedger({ "spots 2026-11": 999 })
    const caller = callerWith({})
    reserve(ledger, caller, { pool: "spots", charge: 1 }).commit()
    const refusal = refuse(ledger, caller, { pool: "spots", charge: 1 })
    assert.strictEqual(refusal.reason, "monthly")
    assert.deepStrictEqual(refusal.limits, [
      {
        policy: "monthly",
        limit: 1_000,
        remaining: 0,
        windowSeconds: 30 * 86_400,
        renewsAt: at("2026-12-01T00:00:00Z"),
      },
    ])
  })

  it("say how often each limit refused, by reason and plan", () => {
    const ledger = openLedger()
    const caller = callerWith({ requests: 0 })
    refuse(ledger, caller)
    refuse(ledger, caller)
    assert.deepStrictEqual(ledger.refusals.list(), [{ pool: "visa", reason: "monthly", plan: "hobby", count: 2 }])
  })
})

describe("a lookup", () => {
  const lookup = { pool: "lookup", charge: 1 } as const

  it("may be asked for as often a second as the plan says, and again as the bucket is refilled", () => {
    const ledger = openLedger()
    const caller = callerWith({})
    for (let i = 0; i < 10; i++) reserve(ledger, caller, lookup).commit()
    const refusal = refuse(ledger, caller, lookup)
    assert.deepInclude(refusal, { reason: "second", retryAfterSeconds: 1 })
    assert.deepStrictEqual(refusal.limits[0], {
      policy: "second",
      limit: 10,
      remaining: 0,
      windowSeconds: 1,
      renewsAt: NOON + 1_000,
    })
    refuse(ledger, caller, lookup, NOON + 99)
    reserve(ledger, caller, lookup, NOON + 100).commit()
    refuse(ledger, caller, lookup, NOON + 199)
    for (let i = 0; i < 10; i++) reserve(ledger, caller, lookup, NOON + 5_000).commit()
    refuse(ledger, caller, lookup, NOON + 5_000)
  })

  it("that is refused for its speed costs nothing of the thirty days, and one that fails gives no token back", () => {
    const ledger = openLedger()
    const caller = callerWith({})
    for (let i = 0; i < 10; i++) reserve(ledger, caller, lookup).release()
    refuse(ledger, caller, lookup)
    assert.strictEqual(ledger.readQuota(caller, NOON, "lookup").remaining, 10_000)
  })

  it("describes both limits, the second first, with what is left after it", () => {
    const ledger = openLedger({ "lookup rolling": 4_000 })
    const reservation = reserve(ledger, callerWith({}), lookup)
    assert.deepStrictEqual(
      reservation.limits.map(({ policy, limit, remaining, windowSeconds }) => [
        policy,
        limit,
        remaining,
        windowSeconds,
      ]),
      [
        ["second", 10, 9, 1],
        ["rolling", 10_000, 5_999, 30 * 86_400],
      ],
    )
  })
})

describe("utcMonthAt", () => {
  it("puts every instant into the month of its ISO text, and months end where the next begins", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date("1970-01-01"), max: new Date("2199-12-31"), noInvalidDate: true }), date => {
        const month = utcMonthAt(date.getTime())
        assert.strictEqual(month.name, date.toISOString().slice(0, 7))
        assert.isTrue(month.startsAt <= date.getTime() && date.getTime() < month.endsAt)
        assert.strictEqual(new Date(month.startsAt).toISOString(), `${month.name}-01T00:00:00.000Z`)
        assert.strictEqual(utcMonthAt(month.endsAt).startsAt, month.endsAt)
        assert.strictEqual(utcMonthAt(month.endsAt).index, month.index + 1)
      }),
    )
  })
})
