/**
 * `/api/v1/visa/stripe/…`: a page to pay on, a page to change a subscription, and the provider's events; `/api/v1/visa/affiliate/…`:
 * registering affiliates, counting clicks and referrals, and what affiliates have earned.
 */
import { Effect, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { foldEmail } from "../../../accounts/account.ts"
import { REFERRAL_REFUSALS, type Referral } from "../../../accounts/referrals.ts"
import { Sessions } from "../../../accounts/sessions.ts"
import { Signup } from "../../../accounts/signup.ts"
import { AFFILIATE_ID, Affiliates } from "../../../billing/affiliates.ts"
import { Billing } from "../../../billing/billing.ts"
import { BILLING_PERIODS, type PaidPlanId } from "../../../settings/feature-options.ts"
import { signInUrl } from "../../../settings/site-links.ts"
import type { AffiliateTotals } from "../../../storage/billing-repository.ts"
import { Clients } from "../../../validation/addresses.ts"
import { makeBody } from "../../pipeline/describe-row.ts"
import { type ContextOf, choice, endpoint, optional, pattern } from "../../pipeline/endpoint.ts"
import { type Answer, answerError, answerJson, NOT_STORED } from "../../pipeline/http-message.ts"
import { MountedSite } from "../../pipeline/process-state.ts"
import { answerNoSession, comesFromElsewhere, readSessionCookie } from "../../pipeline/session-cookie.ts"
import { email, name, signedInOf, takesFields } from "./account-answers.ts"

const shared = { surface: "visa", access: { kind: "session" } } as const

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

const HostedPage = makeBody("HostedPage", "A page of the payment provider.", { url: Schema.String })

/** Opens a page to pay on. */
const checkout = endpoint("POST /api/v1/visa/stripe/checkout", {
  ...shared,
  name: "checkout",
  ...takesFields(checkoutFields),
  needs: { billing: Billing, signup: Signup, site: MountedSite },
  answer: ({ plan, billing: period = "monthly", affiliate_id: affiliateId }, context) => {
    const { billing, signup, site } = context
    const { account } = signedInOf(context)
    const open = billing.openCheckout(account, { plan, period, affiliateId: affiliateId ?? null }, signInUrl(site))
    return signup.limit("billing", String(account.id)).pipe(
      Effect.andThen(open),
      Effect.map(url => answerJson(200, { url }, NOT_STORED)),
    )
  },
  summary: "Buy a plan",
  description: "The address of a page of the payment provider. The plan changes when the provider reports the payment.",
  success: HostedPage,
})

/** Opens a page to change a subscription. */
const portal = endpoint("POST /api/v1/visa/stripe/portal", {
  ...shared,
  name: "portal",
  needs: { billing: Billing, signup: Signup, site: MountedSite },
  answer: (_, context) => {
    const { billing, signup, site } = context
    const { account } = signedInOf(context)
    return signup.limit("billing", String(account.id)).pipe(
      Effect.andThen(billing.openPortal(account, signInUrl(site))),
      Effect.map(url => answerJson(200, { url }, NOT_STORED)),
    )
  },
  summary: "Change or end a subscription",
  description: "The address of a page of the payment provider.",
  success: HostedPage,
  errors: [404],
})

/** Takes an event of the provider. */
const stripeWebhook = endpoint("POST /api/v1/visa/stripe/webhook", {
  ...shared,
  access: { kind: "public" },
  name: "stripeWebhook",
  takesBody: true,
  needs: { billing: Billing },
  read: ({ body }) => ({ ok: true, question: body }),
  answer: (body: string, context) =>
    Effect.map(context.billing.receive(body, context.request.header("stripe-signature") ?? ""), isNew =>
      answerJson(200, { received: true, new: isNew }, NOT_STORED),
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
  success: makeBody("EventTaken", "Whether the event was new; an event about no subscription is not.", {
    received: Schema.Boolean,
    new: Schema.Boolean,
  }),
})

export const billingEndpoints = [checkout, portal, stripeWebhook] as const

const ofAffiliates = { surface: "visa", access: { kind: "public" } } as const

const affiliateId = pattern("an affiliate's id, such as aff_0123abcd", AFFILIATE_ID, {
  description: "The affiliate's id.",
  example: "aff_0123abcd",
})
const AffiliateId = Schema.String.annotate({ description: "`aff_` and eight hexadecimal digits." })

const NO_AFFILIATE = answerError(404, REFERRAL_REFUSALS.no_affiliate)

const AffiliateFound = makeBody("AffiliateFound", "The new or existing affiliate.", {
  affiliate_id: AffiliateId,
  message: Schema.String,
})

/** Makes an affiliate, or finds it. */
export const registerAffiliate = endpoint("POST /api/v1/visa/affiliate/register", {
  ...ofAffiliates,
  name: "registerAffiliate",
  needs: { affiliates: Affiliates, clients: Clients, signup: Signup },
  ...takesFields({ name, email }),
  answer: ({ name, email }, context) => {
    const { affiliates, clients, signup } = context
    return signup.limit("affiliate", clients.name(context.request)).pipe(
      Effect.andThen(affiliates.register(name, email)),
      Effect.map(({ id, isNew }) => {
        const message = isNew ? "Put the id into your links." : "There is an affiliate with this address already."
        return answerJson(isNew ? 201 : 200, { affiliate_id: id, message }, NOT_STORED)
      }),
      Effect.catchTag("Conflict", () =>
        Effect.succeed(answerError(409, "This address is being registered at this moment: ask again.")),
      ),
    )
  },
  summary: "Become an affiliate",
  description:
    "Idempotent on the address: 201 for a new affiliate, 200 for an existing one. After 409, a race, a retry is safe.",
  success: [AffiliateFound.pipe(HttpApiSchema.status(201)), AffiliateFound],
  errors: [409, 429],
})

const trackClick = endpoint("POST /api/v1/visa/affiliate/track-click", {
  ...ofAffiliates,
  name: "trackClick",
  needs: { affiliates: Affiliates, clients: Clients, signup: Signup },
  ...takesFields({ affiliate_id: affiliateId }),
  answer: ({ affiliate_id: id }, context) => {
    const { affiliates, clients, signup } = context
    const client = clients.name(context.request)
    return signup.limit("click", client).pipe(
      Effect.andThen(affiliates.click(id, client)),
      Effect.map(isKnown => (isKnown ? answerJson(200, { ok: true }, NOT_STORED) : NO_AFFILIATE)),
    )
  },
  summary: "Count a click",
  description: "A click counts once a day for each client's address.",
  success: makeBody("ClickCounted", "The affiliate exists.", { ok: Schema.Boolean }),
  errors: [404, 429],
})

function answerReferral(referral: Referral): Answer {
  switch (referral.kind) {
    case "no_affiliate":
      return NO_AFFILIATE
    case "self":
    case "paid_before":
      return answerError(400, REFERRAL_REFUSALS[referral.kind])
    case "referred":
      return answerJson(200, { ok: true, message: "The referral is noted.", referred_by: referral.by }, NOT_STORED)
    case "referred_before": {
      const message = "Somebody else has referred this account before."
      return answerJson(200, { ok: false, message, referred_by: referral.by }, NOT_STORED)
    }
  }
}

const CLAIMED =
  "The referral is noted. It counts if the address has an account whose owner has not confirmed it yet, and does so within 30 days; the owner of a confirmed account repeats it in a session before the first payment."

/** The account of the request's own session if it has an address; null otherwise. */
const findOwner = ({ request, sessions, site }: ContextOf<typeof REFERRAL_NEEDS>, address: string) =>
  Effect.gen(function* () {
    const shown = readSessionCookie(request.header("cookie"))
    if (shown.kind !== "token" || comesFromElsewhere(request, site)) return null
    const account = (yield* sessions.find(shown.token))?.account
    if (account === undefined || account.isDisabled) return null
    return foldEmail(account.email) === foldEmail(address) ? account : null
  })

const REFERRAL_NEEDS = {
  affiliates: Affiliates,
  clients: Clients,
  sessions: Sessions,
  signup: Signup,
  site: MountedSite,
} as const

/** Records who referred the account of the session; without one, what the caller claims about an address. */
const applyReferral = endpoint("POST /api/v1/visa/affiliate/apply-referral", {
  ...ofAffiliates,
  name: "applyReferral",
  needs: REFERRAL_NEEDS,
  ...takesFields({ referral_code: affiliateId, email }),
  answer: ({ referral_code: code, email }, context) => {
    const { affiliates, clients, signup } = context
    return Effect.gen(function* () {
      yield* signup.limit("affiliate", clients.name(context.request))
      const owner = yield* findOwner(context, email)
      if (owner !== null) return answerReferral(yield* affiliates.refer(owner, code))
      // The same for every address, so that it tells nothing about it.
      return (yield* affiliates.claim(code, email))
        ? answerJson(200, { ok: true, message: CLAIMED, referred_by: code }, NOT_STORED)
        : NO_AFFILIATE
    })
  },
  summary: "Record who referred the account",
  description:
    "Without a session it is a claim, with the same answer for every address: it counts if the address has an account that is not confirmed yet, and is confirmed within 30 days. In the session of an account, with its address, it counts before the first payment. The first one that counts stays, until the owner declines it; an affiliate cannot refer an account of the same mailbox.",
  success: makeBody("ReferralApplied", "The affiliate who referred the account; `ok` is false if it was another one.", {
    ok: Schema.Boolean,
    message: Schema.String,
    referred_by: AffiliateId,
  }),
  errors: [404, 429],
})

const toDollars = (cents: number): number => cents / 100

/** Earnings are shown to the owner only: anybody can learn the id of an address by registering it. */
const writeTotals = (totals: AffiliateTotals, isOwner: boolean) => ({
  clicks: totals.clicks,
  referrals: totals.referrals,
  conversions: isOwner ? totals.conversions : null,
  revenue_usd: isOwner ? toDollars(totals.revenue_cents) : null,
  commission_usd: isOwner ? toDollars(totals.commission_cents) : null,
})

const Totals = Schema.Struct({
  clicks: Schema.Int,
  referrals: Schema.Int,
  conversions: Schema.NullOr(Schema.Int),
  revenue_usd: Schema.NullOr(Schema.Number),
  commission_usd: Schema.NullOr(Schema.Number),
})

/** The clicks, referrals and commissions of an affiliate. */
const affiliateStats = endpoint("GET /api/v1/visa/affiliate/stats", {
  name: "affiliateStats",
  surface: "visa",
  access: { kind: "session", isOptional: true },
  needs: { affiliates: Affiliates, clients: Clients, signup: Signup, site: MountedSite },
  parameters: {
    affiliate_id: optional(affiliateId),
    email: optional(email),
  },
  answer: ({ affiliate_id: id, email: given }, context) => {
    const { affiliates, clients, signup, site } = context
    const email = context.session?.account.email ?? given
    if (email === undefined || (context.session === null && id === undefined)) return answerNoSession(site)
    return Effect.gen(function* () {
      yield* signup.limit("stats", clients.name(context.request))
      const found = yield* affiliates.find(email, context.session === null ? id : undefined)
      if (found === null) return NO_AFFILIATE
      const { lifetime, thisMonth } = yield* affiliates.readTotals(found.id)
      const write = (totals: AffiliateTotals) => writeTotals(totals, context.session !== null)
      const body = { affiliate_id: found.id, lifetime: write(lifetime), this_month: write(thisMonth) }
      return answerJson(200, body, NOT_STORED)
    })
  },
  summary: "Statistics of an affiliate",
  description:
    "In a session, for the account's address; else for `affiliate_id` and `email`, without `conversions`, `revenue_usd` and `commission_usd`, because an address proves nothing. The commission is 15 % of payments less refunds.",
  success: makeBody(
    "AffiliateStats",
    "Clicks, referred accounts, those that paid, their payments, and the commission; the last three are null without a session.",
    {
      affiliate_id: AffiliateId,
      lifetime: Totals,
      this_month: Totals,
    },
  ),
  errors: [404, 429],
})

export const affiliateEndpoints = [registerAffiliate, trackClick, applyReferral, affiliateStats] as const
