import fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { Caller } from "../../adapters/accounts/account.ts"
import {
  type Charge,
  Ledger,
  type Refusal,
  type Reservation,
  type StoredUsage,
} from "../../adapters/metering/ledger.ts"
import { formatUtcDay, utcMonthAt } from "../../adapters/metering/utc-calendar.ts"
import { type OracleCaller, OracleMeter } from "../oracles/meter.ts"
import { callerWith } from "./callers.ts"

const at = (text: string) => Date.parse(text)
const NOON = at("2026-11-15T12:00:00Z")
const nothing: StoredUsage = { months: [], seen: [] }

const openLedger = (stored = nothing, nowMs = NOON, accountId = 1) => {
  const ledger = new Ledger({ unconfirmedRequests: 5 })
  ledger.openBook(accountId, stored, nowMs)
  return ledger
}

const reserve = (ledger: Ledger, caller: Caller, request: Charge = { charge: 1 }, nowMs = NOON): Reservation => {
  const answer = ledger.reserve(caller, request, nowMs)
  assert.isTrue(answer?.ok, `refused: ${JSON.stringify(answer)}`)
  return answer as Reservation
}

const refuse = (ledger: Ledger, caller: Caller, request: Charge = { charge: 1 }, nowMs = NOON): Refusal => {
  const answer = ledger.reserve(caller, request, nowMs)
  assert.isFalse(answer?.ok)
  return answer as Refusal
}

describe("the monthly quota", () => {
  it("serves exactly what is left of 1,000 requests under way at once", () => {
    const ledger = openLedger({ months: [{ month: "2026-11", used: 9_900 }], seen: [] })
    const caller = callerWith({ requests: 10_000 })
    const answers = Array.from({ length: 1_000 }, () => ledger.reserve(caller, { charge: 1 }, NOON)!)
    const served = answers.filter(answer => answer.ok)
    assert.strictEqual(served.length, 100)
    assert.deepStrictEqual(
      served.map(reservation => reservation.remaining),
      Array.from({ length: 100 }, (_, i) => 99 - i),
    )
    for (const reservation of served) reservation.commit()
    assert.strictEqual(ledger.readQuota(caller, NOON)?.remaining, 0)
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
    assert.strictEqual(ledger.readQuota(caller, NOON)?.remaining, 7)
    const released = reserve(ledger, caller)
    released.release()
    released.commit()
    assert.strictEqual(ledger.readQuota(caller, NOON)?.remaining, 7)
  })

  it("charges what a request came to, and never more than was reserved", () => {
    const ledger = openLedger()
    const caller = callerWith({ requests: 100 })
    const bulk = reserve(ledger, caller, { charge: 25 })
    assert.strictEqual(bulk.remaining, 75)
    bulk.commit(20)
    assert.strictEqual(bulk.remaining, 80)
    reserve(ledger, caller, { charge: 1 }).commit(1_000)
    assert.strictEqual(ledger.readQuota(caller, NOON)?.remaining, 79)
  })

  it("refuses a charge that is greater than what is left, says how much is left, and serves a smaller one", () => {
    const ledger = openLedger({ months: [{ month: "2026-11", used: 97 }], seen: [] })
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
    const team = callerWith({ requests: 2, isTeamKey: true })
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
      ledger.takeUnsaved().counts.map(count => [count.month.name, count.saving]),
      [
        ["2026-11", 1],
        ["2026-12", 1],
      ],
    )
  })

  it("is not given anew when the clock is set back over the 1st", () => {
    const ledger = openLedger(nothing, at("2026-12-01T00:00:00Z"))
    const caller = callerWith({ requests: 1 })
    reserve(ledger, caller, { charge: 1 }, at("2026-12-01T00:00:00Z")).commit()
    refuse(ledger, caller, { charge: 1 }, at("2026-11-30T23:59:59Z"))
    refuse(ledger, caller, { charge: 1 }, at("2026-12-01T00:00:01Z"))
  })
})

describe("an account whose address is not confirmed", () => {
  it("has five requests in all, whatever the month", () => {
    const ledger = openLedger({ months: [{ month: "2026-09", used: 2 }], seen: [] })
    const caller = callerWith({ requests: 100, isConfirmed: false })
    reserve(ledger, caller).commit()
    reserve(ledger, caller, { charge: 1 }, at("2026-12-01T00:00:00Z")).commit()
    const quota = ledger.readQuota(caller, at("2027-01-01T00:00:00Z"))
    assert.deepStrictEqual(quota, { policy: "unconfirmed", limit: 5, remaining: 1, period: null })
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
    const answers = Array.from({ length: 200 }, (_, i) => ledger.reserve(caller, ask(`D${i}`), NOON)!)
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
    const ledger = openLedger(nothing, at("2026-11-15T00:00:00Z"))
    const caller = callerWith({ cap: 1 })
    reserve(ledger, caller, ask("JPN"), at("2026-11-15T00:00:00Z")).commit()
    assert.strictEqual(refuse(ledger, caller, ask("THA"), at("2026-11-15T00:00:00Z")).retryAfterSeconds, 86_400)
    assert.strictEqual(refuse(ledger, caller, ask("THA"), at("2026-11-15T23:59:59.001Z")).retryAfterSeconds, 1)
    reserve(ledger, caller, ask("THA"), at("2026-11-16T00:00:00Z")).commit()
  })
})

describe("closing books", () => {
  it("keeps every book that is in use or has something left to save", () => {
    const ledger = openLedger()
    const caller = callerWith({})
    const open = reserve(ledger, caller)
    ledger.closeIdleBooks(NOON + 1)
    assert.isTrue(ledger.hasBook(1))
    open.commit()
    ledger.closeIdleBooks(NOON + 1)
    assert.isTrue(ledger.hasBook(1))
    const batch = ledger.takeUnsaved()
    ledger.confirmSaved(batch, [1])
    ledger.closeIdleBooks(NOON)
    assert.isTrue(ledger.hasBook(1))
    ledger.closeIdleBooks(NOON + 1)
    assert.isFalse(ledger.hasBook(1))
    assert.isNull(ledger.reserve(caller, { charge: 1 }, NOON))
    assert.isNull(ledger.readQuota(caller, NOON))
  })
})

/** A store of counts and destinations as a database keeps them. */
class Store {
  readonly months = new Map<string, number>()
  readonly seen = new Map<string, { accountId: number; day: string; passport: string; destination: string }>()

  read(accountId: number, nowMs: number): StoredUsage {
    const months = [...this.months].flatMap(([key, used]) => {
      const [id, month = ""] = key.split(" ")
      return Number(id) === accountId ? [{ month, used }] : []
    })
    const today = formatUtcDay(Math.floor(nowMs / 86_400_000))
    return { months, seen: [...this.seen.values()].filter(row => row.accountId === accountId && row.day === today) }
  }

  save(ledger: Ledger, between: () => void): void {
    const batch = ledger.takeUnsaved()
    between()
    const totals = batch.counts.map(count => {
      const key = `${count.book.accountId} ${count.month.name}`
      const total = (this.months.get(key) ?? 0) + count.saving
      this.months.set(key, total)
      return total
    })
    for (const row of batch.seen) this.seen.set(JSON.stringify(row), { ...row, day: formatUtcDay(row.day) })
    ledger.confirmSaved(batch, totals)
  }
}

describe("the ledger", () => {
  const oracleCallers: readonly OracleCaller[] = [
    { accountId: 1, isConfirmed: true, requestsPerMonth: 12, destinationsCap: 3 },
    { accountId: 1, isConfirmed: true, requestsPerMonth: 30, destinationsCap: null },
    { accountId: 1, isConfirmed: true, requestsPerMonth: 6, destinationsCap: 2 },
    { accountId: 2, isConfirmed: false, requestsPerMonth: 12, destinationsCap: 2 },
    { accountId: 2, isConfirmed: true, requestsPerMonth: 12, destinationsCap: 4 },
  ]
  const callers = oracleCallers.map(caller =>
    callerWith({ ...caller, requests: caller.requestsPerMonth, cap: caller.destinationsCap }),
  )
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("reserve" as const),
        who: fc.nat({ max: callers.length - 1 }),
        charge: fc.nat({ max: 4 }),
        passports: fc.constantFrom<string[]>(["FRA"], ["PER"], ["FRA", "PER"], ["PER", "FRA", "KEN"], []),
        destinations: fc.array(fc.constantFrom("JPN", "THA", "BRA", "KEN", "FJI"), { maxLength: 4 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("commit" as const), which: fc.nat(), less: fc.nat({ max: 2 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("release" as const), which: fc.nat() }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("wait" as const),
        ms: fc.constantFrom(1, 3_600_000, 86_400_000, 864_000_000),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("save" as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("fail to save" as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
  )

  it("agrees with counting every request anew, through failed saves, restarts and month ends", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const oracle = new OracleMeter(5)
        const store = new Store()
        let nowMs = at("2026-11-29T22:00:00Z")
        let ledger = new Ledger({ unconfirmedRequests: 5 })
        const openBooks = () => {
          for (const accountId of [1, 2]) ledger.openBook(accountId, store.read(accountId, nowMs), nowMs)
        }
        let open: { reservation: Reservation; number: number; charge: number }[] = []
        const takeOpen = (which: number) => (open.length === 0 ? [] : open.splice(which % open.length, 1))
        const commit = (which: number, less: number) => {
          for (const { reservation, number, charge } of takeOpen(which)) {
            const cost = Math.max(0, charge - less)
            reservation.commit(cost)
            oracle.commit(number, cost)
          }
        }
        openBooks()
        for (const doing of steps) {
          if (doing.kind === "wait") nowMs += doing.ms
          if (doing.kind === "commit") commit(doing.which, doing.less)
          if (doing.kind === "save") store.save(ledger, () => commit(doing.which, 0))
          if (doing.kind === "fail to save") {
            const batch = ledger.takeUnsaved()
            commit(doing.which, 0)
            ledger.returnUnsaved(batch)
          }
          if (doing.kind === "release") {
            for (const { reservation, number } of takeOpen(doing.which)) {
              reservation.release()
              oracle.release(number)
            }
          }
          if (doing.kind === "restart") {
            for (const { number } of open) oracle.release(number)
            open = []
            store.save(ledger, () => undefined)
            ledger = new Ledger({ unconfirmedRequests: 5 })
            openBooks()
          }
          if (doing.kind === "reserve") {
            const { charge, passports, destinations } = doing
            const caller = oracleCallers[doing.who]!
            const expected = oracle.reserve({ caller, charge, passports, destinations, at: nowMs })
            const answer = ledger.reserve(callers[doing.who]!, { charge, passport: passports, destinations }, nowMs)!
            assert.strictEqual(answer.ok ? "served" : answer.reason, typeof expected === "number" ? "served" : expected)
            if (answer.ok && typeof expected === "number") open.push({ reservation: answer, number: expected, charge })
          }
          for (const [i, caller] of oracleCallers.entries()) {
            assert.strictEqual(ledger.readQuota(callers[i]!, nowMs)?.remaining, oracle.remaining(caller, nowMs))
          }
        }
      }),
      { numRuns: 300 },
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
