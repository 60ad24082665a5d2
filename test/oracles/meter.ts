/**
 * The slow, obvious meter: keep every request that was ever reserved, and count the matching ones anew each time. Months and days
 * are the first characters of the ISO text of an instant. Imports nothing of what it judges.
 */

export interface OracleCaller {
  readonly accountId: number
  readonly isConfirmed: boolean
  readonly requestsPerMonth: number
  readonly lookupsPer30Days: number
  readonly destinationsCap: number | null
}

export interface OracleRequest {
  readonly caller: OracleCaller
  readonly pool: "visa" | "lookup"
  readonly charge: number
  readonly passports: readonly string[]
  readonly destinations: readonly string[]
  readonly at: number
}

export type OracleRefusal = "monthly" | "rolling" | "unconfirmed" | "anti_abuse"

interface Kept extends OracleRequest {
  /** What it costs as far as is known: the reserved charge, the committed one, or nothing. */
  cost: number
  isReleased: boolean
}

const DAY_MS = 24 * 60 * 60 * 1_000

const monthOf = (instant: number) => new Date(instant).toISOString().slice(0, 7)
const dayOf = (instant: number) => new Date(instant).toISOString().slice(0, 10)

/** Whether a lookup of a moment still counts: on its day and the 29 days after. */
const stillCounts = (then: number, now: number): boolean => dayOf(then + 29 * DAY_MS) >= dayOf(now)

export class OracleMeter {
  readonly #unconfirmedRequests: number
  readonly #kept: Kept[] = []

  constructor(unconfirmedRequests: number) {
    this.#unconfirmedRequests = unconfirmedRequests
  }

  /** What is left under the limit that decides. */
  remaining(caller: OracleCaller, at: number, pool: OracleRequest["pool"] = "visa"): number {
    return caller.isConfirmed ? this.#left(caller, at, pool) : this.#leftUnconfirmed(caller)
  }

  #left(caller: OracleCaller, at: number, pool: OracleRequest["pool"]): number {
    const ofPool = this.#kept.filter(request => request.caller.accountId === caller.accountId && request.pool === pool)
    const counted = ofPool.filter(request =>
      pool === "visa" ? monthOf(request.at) === monthOf(at) : stillCounts(request.at, at),
    )
    const limit = pool === "visa" ? caller.requestsPerMonth : caller.lookupsPer30Days
    return Math.max(0, limit - counted.reduce((sum, request) => sum + request.cost, 0))
  }

  #leftUnconfirmed(caller: OracleCaller): number {
    const counted = this.#kept.filter(
      request => request.caller.accountId === caller.accountId && !request.caller.isConfirmed,
    )
    return Math.max(0, this.#unconfirmedRequests - counted.reduce((sum, request) => sum + request.cost, 0))
  }

  /** The number under which the request is kept, or why it is refused. */
  reserve(request: OracleRequest): number | OracleRefusal {
    const { caller, charge, at, pool } = request
    if (charge > 0) {
      if (!caller.isConfirmed && charge > this.#leftUnconfirmed(caller)) return "unconfirmed"
      if (charge > this.#left(caller, at, pool)) return pool === "visa" ? "monthly" : "rolling"
    }
    const cap = caller.destinationsCap
    if (pool === "visa" && cap !== null) {
      for (const passport of request.passports) {
        const seen = this.#destinationsOn(caller.accountId, passport, dayOf(at))
        const fresh = new Set(request.destinations.filter(destination => !seen.has(destination)))
        if (fresh.size > 0 && seen.size + fresh.size > cap) return "anti_abuse"
      }
    }
    return this.#kept.push({ ...request, cost: charge, isReleased: false }) - 1
  }

  #destinationsOn(accountId: number, passport: string, day: string): Set<string> {
    const asked = this.#kept.filter(
      request =>
        request.caller.accountId === accountId &&
        request.pool === "visa" &&
        request.caller.destinationsCap !== null &&
        request.passports.includes(passport) &&
        dayOf(request.at) === day &&
        !request.isReleased,
    )
    return new Set(asked.flatMap(request => request.destinations))
  }

  commit(number: number, charge: number): void {
    this.#kept[number]!.cost = charge
  }

  release(number: number): void {
    this.#kept[number]!.cost = 0
    this.#kept[number]!.isReleased = true
  }
}
