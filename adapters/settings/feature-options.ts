/**
 * What does the configuration say to each feature?
 *
 * The shapes of the options with which plans, payments, mail and pushes are opened. They are declared here, so that settings import no
 * feature and each feature imports them from below.
 */
import type { Redacted } from "effect"

/** The plans, lowest first. */
export const PLAN_IDS = ["free", "hobby", "starter", "pro", "business"] as const
export type PlanId = (typeof PLAN_IDS)[number]

export type PaidPlanId = Exclude<PlanId, "free">
export const BILLING_PERIODS = ["monthly", "annual"] as const
export type BillingPeriod = (typeof BILLING_PERIODS)[number]

/** The provider's ids of prices. */
export type PriceTable = { readonly [Plan in PaidPlanId]?: { readonly [Period in BillingPeriod]?: string } }

/** How the provider is reached. */
export interface StripeOptions {
  readonly secretKey: Redacted.Redacted<string>
  readonly webhookSecret: Redacted.Redacted<string>
  readonly prices: PriceTable
  /** Null for Stripe itself. */
  readonly apiBase: URL | null
}

export interface PaymentPlace {
  readonly network: string
  readonly asset: string
  readonly payTo: string
}

/** How calls are paid for. */
export interface PaymentOptions extends PaymentPlace {
  readonly facilitatorUrl: URL
}

export interface Mailbox {
  readonly name: string
  readonly address: string
}
