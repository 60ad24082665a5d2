/** How do the endpoints of accounts write an account and its usage, and answer requests that they cannot fulfil? */
import { Effect } from "effect"
import type { Account, Caller } from "../../../accounts/account.ts"
import { ANY_REQUEST } from "../../../accounts/key-limits.ts"
import type { SignedIn } from "../../../accounts/sessions.ts"
import { Plans } from "../../../plans/plans.ts"
import type { CallerPool, Limit, Quota } from "../../../quota/limits.ts"
import { Meter } from "../../../quota/meter.ts"
import { Storage } from "../../../storage/storage.ts"
import { formatInstant, formatUtcDay, utcDayAt, utcMonthAt } from "../../../time/utc-calendar.ts"
import type { AnswerContext, Given } from "../../pipeline/endpoint.ts"
import type { Answer } from "../../pipeline/http-answer.ts"
import { answerError } from "../../pipeline/http-errors.ts"

// How is an account written for its owner?

/** An account under its names on the wire. */
export const writeUser = ({ id, name, email, plan, isConfirmed, apiVersion, language, createdAt }: Account) => ({
  id,
  name,
  email,
  plan,
  confirmed: isConfirmed,
  api_version: apiVersion,
  lang: language,
  created_at: createdAt,
})

// What is an account's usage of this month, by limit and day?

const POOLS = ["visa", "lookup", "spots"] as const satisfies readonly CallerPool[]

/** Picks the limit of a surface over a long time; a bucket of tokens a second says nothing about a month. */
const pickLimit = ({ limits }: Quota): Limit =>
  limits.find(({ policy }) => policy !== "second" && policy !== "destinations") as Limit

export const USAGE_NEEDS = { meter: Meter, plans: Plans, storage: Storage } as const

/** The usage of an account, in its wire form. What this process holds and has not served is given back first. */
export const describeUsage = ({ meter, plans, storage }: Given<typeof USAGE_NEEDS>, account: Account, nowMs: number) =>
  Effect.gen(function* () {
    const month = utcMonthAt(nowMs)
    yield* meter.giveBackOf(account.id)
    const byDay = new Map<string, number>()
    const fromDay = formatUtcDay(utcDayAt(month.startsAt))
    for (const { pool, day, used } of yield* storage.pools.listDays(String(account.id), fromDay)) {
      byDay.set(`${pool} ${day}`, used)
    }
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

/** When to retry a feature that is not set up yet. */
const NOT_SET_UP_RETRY_SECONDS = 3_600

/** The answer for a feature that this deployment does not have. It does not name the missing setting. */
export const answerNotSetUp = (feature: string): Answer =>
  answerError(503, `${feature} is not set up on this deployment.`, ["retry-after", String(NOT_SET_UP_RETRY_SECONDS)])

/** The account of a request, for rows that require a key. */
export const accountOf = ({ caller }: AnswerContext): number => (caller as Caller).accountId

/** Who is signed in, on a row that takes only signed-in users. */
export function signedInOf({ session }: AnswerContext): SignedIn {
  if (session === null) throw new Error("a row for sessions was answered without one")
  return session
}
