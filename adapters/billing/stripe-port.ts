/**
 * What does the service need from the payment provider?
 *
 * Two pages that it hosts, one to pay on and one to change what was bought, and whether it has signed an event. Stripe's official client does the work; `LANDFALL_STRIPE_API_BASE` points
 * it elsewhere. An event is accepted within {@link TOLERANCE_SECONDS} before and after its signature: the client refuses only old ones, and one with a later time could be kept and used
 * then.
 */

import { Effect, Redacted, Schema } from "effect"
import type { Stripe } from "stripe"
import type { PaidPlanId, StripeOptions } from "../settings/feature-options.ts"

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

export const makeStripe = ({ apiBase, secretKey, webhookSecret }: StripeOptions) =>
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
        /** The event of a body, if it is signed within the tolerance of an instant. */
        readSigned: (body: string, signature: string, nowMs: number) =>
          Effect.try({
            try: () => {
              const secret = Redacted.value(webhookSecret)
              const aheadSeconds = readTimestamp(signature) - nowMs / 1_000
              if (!(aheadSeconds <= TOLERANCE_SECONDS)) throw new Error("the signature is from the future")
              return stripe.webhooks.constructEvent(
                body,
                signature,
                secret,
                TOLERANCE_SECONDS,
                undefined,
                nowMs,
              ) as unknown
            },
            catch: () => new EventNotSigned({ message: "The signature does not fit the body, or was not made now." }),
          }),
      }
    },
  )
