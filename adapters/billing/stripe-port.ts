/**
 * What does the service need from the payment provider?
 *
 * Two pages that it hosts, one to pay on and one to change what was bought, and what its signed events say. Stripe's official client does the work; `LANDFALL_STRIPE_API_BASE` points
 * it elsewhere. An event is accepted within {@link TOLERANCE_SECONDS} before and after its signature: the client refuses only old ones, and one with a later time could be kept and used
 * then.
 */

import { Effect, Redacted, Schema } from "effect"
import type { Stripe } from "stripe"
import type { BillingEvent, ProviderStatus } from "../plans/subscription-state.ts"
import {
  type PaidPlanId,
  PLAN_IDS,
  type PlanId,
  type PriceTable,
  type StripeOptions,
} from "../settings/feature-options.ts"
import { isFields, readWhole } from "../validation/fields.ts"

/** How far the clocks of the provider and of the service may be apart. */
const TOLERANCE_SECONDS = 300
const TIMEOUT_MS = 10_000
const RETRIES = 2

/** The provider did not answer, or not as expected. */
export class ProviderAway extends Schema.TaggedError<ProviderAway>()("ProviderAway", { message: Schema.String }) {}

/** An event that the provider has not signed, or not recently. The declarations of other files name it, so it is exported. @public */
export class EventNotSigned extends Schema.TaggedError<EventNotSigned>()("EventNotSigned", {
  message: Schema.String,
}) {}

interface CheckoutOrder {
  readonly accountId: number
  readonly email: string
  /** Where the account has bought something before. */
  readonly customerId: string | null
  readonly plan: PaidPlanId
  readonly priceId: string
  readonly affiliateId: string | null
  readonly returnUrl: string
}

/** The amount of a price for one period. */
export interface ProviderPrice {
  /** In the smallest unit of the currency, such as cents. */
  readonly amount: number
  /** ISO 4217, in small letters. */
  readonly currency: string
}

/** The provider, as it is used. */
export type PaymentProvider = Effect.Success<ReturnType<typeof makeStripe>>

function addressOf(apiBase: URL | null): Stripe.StripeConfig {
  if (apiBase === null) return {}
  const isPlain = apiBase.protocol === "http:"
  const port = apiBase.port === "" ? (isPlain ? 80 : 443) : Number(apiBase.port)
  return { host: apiBase.hostname, port, protocol: isPlain ? "http" : "https" }
}

/** When a signature says that it was made, in seconds. */
const readTimestamp = (signature: string): number =>
  Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1] ?? Number.NaN)

export const makeStripe = ({ apiBase, prices, secretKey, webhookSecret }: StripeOptions) =>
  Effect.map(
    // Loaded here, because most deployments never need it.
    Effect.promise(() => import("stripe")),
    ({ default: Client }) => {
      const stripe = new Client(Redacted.value(secretKey), {
        ...addressOf(apiBase),
        telemetry: false,
        maxNetworkRetries: RETRIES,
        timeout: TIMEOUT_MS,
      })
      /** Sends a request; the provider's message goes only to the log, because it may contain an address. */
      const ask = <Value>(request: () => Promise<Value>): Effect.Effect<Value, ProviderAway> =>
        Effect.tryPromise({
          try: request,
          catch: cause => new ProviderAway({ message: (cause as { readonly type?: string }).type ?? "no answer" }),
        }).pipe(
          Effect.tapError(({ message }) => Effect.logWarning(`the payment provider has not answered: ${message}`)),
        )
      const askPage = (request: () => Promise<{ readonly url: string | null }>): Effect.Effect<string, ProviderAway> =>
        Effect.flatMap(ask(request), ({ url }) =>
          url === null ? Effect.fail(new ProviderAway({ message: "no address" })) : Effect.succeed(url),
        )
      return {
        /** The address of a page to pay on. */
        openCheckout: ({ accountId, email, customerId, plan, priceId, affiliateId, returnUrl }: CheckoutOrder) => {
          const metadata = {
            account_id: String(accountId),
            plan,
            ...(affiliateId === null ? {} : { affiliate_id: affiliateId }),
          }
          return askPage(() =>
            stripe.checkout.sessions.create({
              mode: "subscription",
              line_items: [{ price: priceId, quantity: 1 }],
              success_url: `${returnUrl}?checkout=done`,
              cancel_url: `${returnUrl}?checkout=canceled`,
              client_reference_id: String(accountId),
              ...(customerId === null ? { customer_email: email } : { customer: customerId }),
              metadata,
              subscription_data: { metadata },
            }),
          )
        },
        /** The address of a page to change what was bought. */
        openPortal: (customerId: string, returnUrl: string) =>
          askPage(() => stripe.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl })),
        /** The amount of a price; null if it is not fixed. */
        readPrice: (priceId: string) =>
          Effect.map(
            ask(() => stripe.prices.retrieve(priceId)),
            ({ unit_amount, currency }): ProviderPrice | null =>
              Number.isSafeInteger(unit_amount) && /^[a-z]{3}$/.test(currency)
                ? { amount: unit_amount as number, currency }
                : null,
          ),
        /** Reads the event of a body, if it is signed within the tolerance of an instant; null for one that says nothing of a subscription. */
        readSigned: (body: string, signature: string, nowMs: number) =>
          Effect.map(
            Effect.try({
              try: () => {
                const secret = Redacted.value(webhookSecret)
                const aheadSeconds = readTimestamp(signature) - nowMs / 1_000
                if (!(aheadSeconds <= TOLERANCE_SECONDS)) throw new Error("the signature is from the future")
                return stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS, undefined, nowMs)
              },
              catch: () => new EventNotSigned({ message: "The signature does not fit the body, or was not made now." }),
            }),
            event => readEvent(event, prices),
          ),
      }
    },
  )

// What does an event say about a subscription?
// Only what the state needs is read, and nothing is taken for granted: the shape differs from one version of Stripe's API to the next. An event
// that is not understood says nothing. A refund names a payment, and another event which invoice that payment was for, so that events are found
// by three names.

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
function readEvent(given: unknown, prices: PriceTable): KeptEvent | null {
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
          plan: PLAN_IDS.find(id => id !== "free" && Object.values(prices[id] ?? {}).includes(priceId ?? "")) ?? null,
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
