/** What is an account's usage of this month, by limit and day? */
import { Effect } from "effect"
import type { Account, Caller } from "../../../accounts/account.ts"
import { ANY_REQUEST } from "../../../accounts/key-limits.ts"
import { Plans } from "../../../plans/plans.ts"
import type { CallerPool, Limit } from "../../../quota/limits.ts"
import { Meter } from "../../../quota/meter.ts"
import type { Quota } from "../../../quota/reservation.ts"
import { Storage } from "../../../storage/storage.ts"
import {
  formatInstant,
  formatUtcDay,
  startOfUtcHour,
  utcDayAt,
  utcHourAt,
  utcMonthAt,
} from "../../../time/utc-calendar.ts"
import type { Given } from "../../pipeline/endpoint.ts"

const POOLS = ["visa", "lookup", "spots"] as const satisfies readonly CallerPool[]

/** Picks the limit of a surface over a long time; a bucket of tokens a second says nothing about a month. */
const pickLimit = ({ limits }: Quota): Limit =>
  limits.find(({ policy }) => policy !== "second" && policy !== "destinations") as Limit

export const USAGE_NEEDS = { meter: Meter, plans: Plans, storage: Storage } as const

/** The usage of an account, in its wire form. Counts that this process has not saved yet are saved first, so that nothing is missing. */
export const describeUsage = ({ meter, plans, storage }: Given<typeof USAGE_NEEDS>, account: Account, nowMs: number) =>
  Effect.gen(function* () {
    const month = utcMonthAt(nowMs)
    yield* meter.flush
    const subject = String(account.id)
    const byDay = new Map<string, number>()
    const add = (pool: string, day: string, used: number) =>
      byDay.set(`${pool} ${day}`, (byDay.get(`${pool} ${day}`) ?? 0) + used)
    for (const { pool, day, used } of yield* storage.pools.listDays(subject, formatUtcDay(utcDayAt(month.startsAt))))
      add(pool, day, used)
    for (const { pool, hour, used } of yield* storage.pools.listHours(subject, utcHourAt(month.startsAt)))
      add(pool, formatUtcDay(utcDayAt(startOfUtcHour(hour))), used)
    const days: string[] = []
    for (let day = utcDayAt(month.startsAt); day <= utcDayAt(nowMs); day++) days.push(formatUtcDay(day))
    const caller: Caller = {
      keyId: 0,
      accountId: account.id,
      plan: plans.byId[account.plan],
      isConfirmed: account.isConfirmed,
      apiVersion: account.apiVersion,
      ...ANY_REQUEST,
    }
    const describePool = (pool: CallerPool) =>
      Effect.map(meter.loadQuota(caller, pool), quota => {
        const { limit, remaining, renewsAt } = pickLimit(quota)
        return {
          limit,
          used: limit - remaining,
          remaining,
          resets_at: formatInstant(renewsAt),
          days: days.map(on => ({ on, used: byDay.get(`${pool} ${on}`) ?? 0 })),
        }
      })
    const described = yield* Effect.forEach(POOLS, pool => Effect.map(describePool(pool), of => [pool, of] as const))
    return { month: month.name, plan: account.plan, pools: Object.fromEntries(described) }
  })
