/**
 * What does a Stripe event say about a subscription?
 *
 * Only what the state needs is read, and nothing is taken for granted: the shape differs from one version of Stripe's API to the next. An event that is not understood says nothing. A
 * refund names a payment, and another event which invoice that payment was for, so that events are found by three names.
 */

import type { BillingEvent, ProviderStatus } from "../plans/subscription-state.ts"
import { PLAN_IDS, type PlanId } from "../settings/feature-options.ts"
import { isFields, readWhole } from "../validation/fields.ts"

/** The subject and the contents of an event, as they are kept. */
export interface KeptEvent {
  readonly id: string
  readonly at: number
  readonly subscriptionId: string | null
  readonly invoiceId: string | null
  readonly paymentId: string | null
  readonly customerId: string | null
  readonly accountId: number | null
  /** Null for one that only says which payment was for which invoice. */
  readonly event: BillingEvent | null
}

/** Finds the plan of a price; null where no plan has it. */
type FindPlan = (priceId: string) => PlanId | null

/** A part of an object by its path; undefined where there is none. */
const read = (from: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((part, key) => {
    if (Array.isArray(part)) return part[Number(key)]
    return isFields(part) ? part[key] : undefined
  }, from)

const readText = (from: unknown, ...paths: readonly string[]): string | null => {
  for (const path of paths) {
    const value = read(from, path)
    if (typeof value === "string" && value !== "") return value
    // An expanded reference is an object with its id.
    const id = read(value, "id")
    if (typeof id === "string") return id
  }
  return null
}

const readNumber = (from: unknown, ...paths: readonly string[]): number | null => {
  for (const path of paths) {
    const value = read(from, path)
    if (typeof value === "number" && Number.isSafeInteger(value)) return value
  }
  return null
}

const readPlan = (from: unknown, path: string): PlanId | null => {
  const name = readText(from, path)
  return PLAN_IDS.find(id => id === name) ?? null
}

const readAccount = (from: unknown, ...paths: readonly string[]): number | null => {
  const text = readText(from, ...paths)
  return text === null ? null : (readWhole(text) ?? null)
}

const STATUSES: Readonly<Record<string, ProviderStatus>> = {
  active: "active",
  trialing: "active",
  past_due: "past_due",
  incomplete: "waiting",
  incomplete_expired: "ended",
  unpaid: "stopped",
  paused: "stopped",
  canceled: "ended",
}

const INVOICE_SUBSCRIPTION = ["subscription", "parent.subscription_details.subscription"] as const
const INVOICE_ACCOUNT = [
  "parent.subscription_details.metadata.account_id",
  "subscription_details.metadata.account_id",
] as const
const INVOICE_PAYMENT = ["payment_intent", "payments.data.0.payment.payment_intent"] as const

/** Reads an event; null for one that says nothing of a subscription. */
export function readBillingEvent(given: unknown, findPlan: FindPlan): KeptEvent | null {
  const id = readText(given, "id")
  const seconds = readNumber(given, "created")
  const object = read(given, "data.object")
  if (id === null || seconds === null || !isFields(object)) return null
  const at = seconds * 1_000
  const about = (more: Partial<KeptEvent>): KeptEvent => ({
    id,
    at,
    subscriptionId: null,
    invoiceId: null,
    paymentId: null,
    customerId: readText(object, "customer"),
    accountId: null,
    event: null,
    ...more,
  })
  const ofInvoice = (invoiceId: string, event: BillingEvent): KeptEvent =>
    about({
      subscriptionId: readText(object, ...INVOICE_SUBSCRIPTION),
      invoiceId,
      paymentId: readText(object, ...INVOICE_PAYMENT),
      accountId: readAccount(object, ...INVOICE_ACCOUNT),
      event,
    })
  switch (readText(given, "type")) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded": {
      const plan = readPlan(object, "metadata.plan")
      const subscriptionId = readText(object, "subscription")
      // A payment that is still under way is reported by the second of these events.
      if (plan === null || subscriptionId === null || readText(object, "payment_status") === "unpaid") return null
      const accountId = readAccount(object, "client_reference_id", "metadata.account_id")
      return about({ subscriptionId, accountId, event: { id, at, kind: "completed", plan } })
    }
    case "customer.subscription.created":
    case "customer.subscription.updated":
    case "customer.subscription.resumed":
    case "customer.subscription.paused": {
      const priceId = readText(object, "items.data.0.price")
      const status = STATUSES[readText(object, "status") ?? ""]
      if (status === undefined) return null
      const endsAt = readNumber(object, "items.data.0.current_period_end", "current_period_end")
      return about({
        subscriptionId: readText(object, "id"),
        accountId: readAccount(object, "metadata.account_id"),
        event: {
          id,
          at,
          kind: "updated",
          plan: priceId === null ? null : findPlan(priceId),
          status,
          periodEndsAt: endsAt === null ? null : endsAt * 1_000,
          endsWithPeriod: object.cancel_at_period_end === true,
        },
      })
    }
    case "customer.subscription.deleted":
      return about({
        subscriptionId: readText(object, "id"),
        accountId: readAccount(object, "metadata.account_id"),
        event: { id, at, kind: "ended" },
      })
    case "invoice.paid":
    case "invoice.payment_succeeded": {
      const invoiceId = readText(object, "id")
      const cents = readNumber(object, "amount_paid")
      if (invoiceId === null || cents === null) return null
      const currency = readText(object, "currency") ?? ""
      return ofInvoice(invoiceId, { id, at, kind: "paid", invoiceId, cents, currency })
    }
    case "invoice.payment_failed": {
      const invoiceId = readText(object, "id")
      return invoiceId === null ? null : ofInvoice(invoiceId, { id, at, kind: "payment_failed", invoiceId })
    }
    case "invoice_payment.paid":
      return about({ invoiceId: readText(object, "invoice"), paymentId: readText(object, "payment.payment_intent") })
    case "charge.refunded": {
      const cents = readNumber(object, "amount_refunded")
      if (cents === null) return null
      const invoiceId = readText(object, "invoice")
      const isWhole = object.refunded === true
      return about({
        invoiceId,
        paymentId: readText(object, "payment_intent"),
        // If the charge does not name its invoice, the payment leads to it.
        event: { id, at, kind: "refunded", invoiceId: invoiceId ?? "", cents, isWhole },
      })
    }
    default:
      return null
  }
}
