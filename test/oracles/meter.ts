/**
 * The slow, obvious meter: keep every request that was ever reserved, and count the matching ones anew each time. Months and days
 * are the first characters of the ISO text of an instant. Imports nothing of what it judges.
 */

export interface OracleCaller {
  readonly accountId: number
  readonly isConfirmed: boolean
  readonly requestsPerMonth: number
  readonly destinationsCap: number | null
}

export interface OracleRequest {
  readonly caller: OracleCaller
  readonly charge: number
  readonly passports: readonly string[]
  readonly destinations: readonly string[]
  readonly at: number
}

interface Kept extends OracleRequest {
  /** What it costs as far as is known: the reserved charge, the committed one, or nothing. */
  cost: number
  isReleased: boolean
}

const monthOf = (instant: number) => new Date(instant).toISOString().slice(0, 7)
const dayOf = (instant: number) => new Date(instant).toISOString().slice(0, 10)

export class OracleMeter {
  readonly #unconfirmedRequests: number
  readonly #kept: Kept[] = []

  constructor(unconfirmedRequests: number) {
    this.#unconfirmedRequests = unconfirmedRequests
  }

  remaining(caller: OracleCaller, at: number): number {
    const ofAccount = this.#kept.filter(request => request.caller.accountId === caller.accountId)
    const counted = caller.isConfirmed ? ofAccount.filter(request => monthOf(request.at) === monthOf(at)) : ofAccount
    const limit = caller.isConfirmed ? caller.requestsPerMonth : this.#unconfirmedRequests
    return Math.max(0, limit - counted.reduce((sum, request) => sum + request.cost, 0))
  }

  /** The number under which the request is kept, or why it is refused. */
  reserve(request: OracleRequest): number | "monthly" | "unconfirmed" | "anti_abuse" {
    const { caller, charge, at } = request
    if (charge > 0 && charge > this.remaining(caller, at)) return caller.isConfirmed ? "monthly" : "unconfirmed"
    const cap = caller.destinationsCap
    if (cap !== null) {
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
