/** `/api/v1/visa/stripe/…`: a page to pay on, a page to change a subscription, and the provider's events. */

import { Effect, Schema } from "effect"
import { Signup } from "../../../accounts/signup.ts"
import { AFFILIATE_ID } from "../../../billing/affiliates.ts"
import { Billing, type NotSold } from "../../../billing/billing.ts"
import type { ProviderAway } from "../../../billing/stripe-port.ts"
import { BILLING_PERIODS, type PaidPlanId } from "../../../settings/feature-options.ts"
import { signInUrl } from "../../../settings/site-links.ts"
import { makeBody } from "../../pipeline/describe-row.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { type Answer, answerJson, NOT_STORED } from "../../pipeline/http-answer.ts"
import { answerError } from "../../pipeline/http-errors.ts"
import { MountedSite } from "../../pipeline/mounted-site.ts"
import { choice, optional, pattern } from "../../pipeline/parameters.ts"
import { answerNotSetUp, signedInOf } from "./account-answers.ts"
import { EventTaken, HostedPage } from "./account-schemas.ts"
import { takesFields } from "./read-fields.ts"

const STRIPE = "/api/v1/visa/stripe"
const shared = { surface: "visa", access: { kind: "session" }, parameters: {}, method: "POST" } as const

const PLANS = ["hobby", "starter", "pro", "business"] as const satisfies readonly PaidPlanId[]

const checkoutFields = {
  plan: choice(PLANS, { description: "The plan to buy." }),
  billing: optional(choice(BILLING_PERIODS, { description: "The period of payment; monthly by default." })),
  affiliate_id: optional(
    pattern("an affiliate's id, such as aff_0123abcd", AFFILIATE_ID, {
      description: "The affiliate who referred the customer.",
    }),
  ),
}

const PROVIDER_RETRY_SECONDS = 10

const answerNotSold = ({ message }: NotSold): Effect.Effect<Answer> => Effect.succeed(answerNotSetUp(message))
const answerAway = ({ message }: ProviderAway): Effect.Effect<Answer> =>
  Effect.as(
    Effect.logWarning(`the payment provider has not answered: ${message}`),
    answerError(503, "The payment provider does not answer now.", ["retry-after", String(PROVIDER_RETRY_SECONDS)]),
  )

/** Opens a page to pay on. */
const checkout = endpoint({
  ...shared,
  name: "checkout",
  path: `${STRIPE}/checkout`,
  ...takesFields(checkoutFields),
  needs: { billing: Billing, signup: Signup, site: MountedSite },
  answer: ({ plan, billing: period = "monthly", affiliate_id: affiliateId }, context) => {
    const { billing, signup, site } = context
    const { account } = signedInOf(context)
    const open = billing.openCheckout(account, { plan, period, affiliateId: affiliateId ?? null }, signInUrl(site))
    return signup.limit("billing", String(account.id)).pipe(
      Effect.andThen(open),
      Effect.map(url => answerJson(200, { url }, NOT_STORED)),
      Effect.catchTags({
        NotSold: answerNotSold,
        ProviderAway: answerAway,
        CheckoutRefused: ({ message }) => Effect.succeed(answerError(400, message)),
      }),
    )
  },
  summary: "Buy a plan",
  description: "The address of a page of the payment provider. The plan changes when the provider reports the payment.",
  success: HostedPage,
  errors: [400, 429, 503],
})

/** Opens a page to change a subscription. */
const portal = endpoint({
  ...shared,
  name: "portal",
  path: `${STRIPE}/portal`,
  needs: { billing: Billing, signup: Signup, site: MountedSite },
  answer: (_, context) => {
    const { billing, signup, site } = context
    const { account } = signedInOf(context)
    return signup.limit("billing", String(account.id)).pipe(
      Effect.andThen(billing.openPortal(account, signInUrl(site))),
      Effect.map(url => answerJson(200, { url }, NOT_STORED)),
      Effect.catchTags({
        NotSold: answerNotSold,
        ProviderAway: answerAway,
        NoCustomer: () => Effect.succeed(answerError(404, "The account has never bought anything.")),
      }),
    )
  },
  summary: "Change or end a subscription",
  description: "The address of a page of the payment provider.",
  success: HostedPage,
  errors: [404, 429, 503],
})

/** Takes an event of the provider. */
const stripeWebhook = endpoint({
  ...shared,
  access: { kind: "public" },
  name: "stripeWebhook",
  path: `${STRIPE}/webhook`,
  takesBody: true,
  needs: { billing: Billing },
  read: ({ body }) => ({ ok: true, question: body }),
  answer: (body: string, context) =>
    context.billing.receive(body, context.request.header("stripe-signature") ?? "").pipe(
      Effect.map(isNew => answerJson(200, { received: true, new: isNew }, NOT_STORED)),
      Effect.catchTags({
        NotSold: answerNotSold,
        EventNotSigned: ({ message }) => Effect.succeed(answerError(400, message)),
      }),
    ),
  summary: "Events of the payment provider",
  description: "Signed (`Stripe-Signature`) within the last five minutes. Each event takes effect once, in any order.",
  headers: {
    "Stripe-Signature": {
      description: "The time and the signature of the event.",
      type: "string",
      example: "t=1795435200,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
    },
  },
  payload: makeBody("StripeEvent", "An event, as Stripe writes it.", { id: Schema.String, type: Schema.String }),
  example: { id: "evt_1", type: "checkout.session.completed" },
  success: EventTaken,
  errors: [400, 503],
})

export const billingEndpoints = [checkout, portal, stripeWebhook] as const
