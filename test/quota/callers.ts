/** Callers of made-up plans. */
import type { Caller } from "../../adapters/accounts/account.ts"
import { ANY_REQUEST } from "../../adapters/accounts/key-limits.ts"

export const callerWith = (options: {
  readonly accountId?: number
  readonly requests?: number
  readonly lookups?: number
  readonly lookupsPerSecond?: number
  readonly cap?: number | null
  readonly isConfirmed?: boolean
  readonly keyId?: number
}): Caller => ({
  keyId: options.keyId ?? 1,
  accountId: options.accountId ?? 1,
  isConfirmed: options.isConfirmed ?? true,
  ...ANY_REQUEST,
  apiVersion: null,
  plan: {
    id: "hobby",
    requestsPerMonth: options.requests ?? 100,
    destinationsPerPassportAndDay: options.cap ?? null,
    lookup: { tier: "free", perSecond: options.lookupsPerSecond ?? 10, per30Days: options.lookups ?? 10_000 },
    spotsPerMonth: 1_000,
    languages: "all",
    bulk: false,
    group: true,
    webhooks: false,
    teamKeys: false,
  },
})
