/**
 * How does a payment change a plan?
 *
 * Each event of the provider is stored once, and the state of its subscription follows from all of its events together
 * (`subscription-state.ts`), so order and repetition do not matter. Only one process changes a subscription at a time. The plan of an
 * account is the best of its subscriptions; an account that never had one keeps the plan that an operator has given it.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { Account } from "../accounts/account.ts"
import { Accounts } from "../accounts/accounts.ts"
import { actingAs } from "../accounts/audit-trail.ts"
import { REFERRAL_REFUSALS } from "../accounts/referrals.ts"
import { Mails } from "../mail/mails.ts"
import {
  type BillingEvent,
  commissionOf,
  findNextChange,
  foldSubscription,
  GRACE_MS,
  isRunning,
  listInvoices,
  planAt,
  type SubscriptionState,
} from "../plans/subscription-state.ts"
import {
  BILLING_PERIODS,
  type BillingPeriod,
  type PaidPlanId,
  PLAN_IDS,
  type PlanId,
  type PriceTable,
  type StripeOptions,
} from "../settings/feature-options.ts"
import type { EventNames, SubscriptionRow } from "../storage/billing-repository.ts"
import { Storage } from "../storage/storage.ts"
import { utcMonthAt } from "../time/utc-calendar.ts"
import { Affiliates } from "./affiliates.ts"
import { type KeptEvent, makeStripe, type PaymentProvider, type ProviderPrice } from "./stripe-port.ts"

/** Payments are not set up on this deployment, or not for this offer. */
export class NotSold extends Schema.TaggedError<NotSold>()("NotSold", { message: Schema.String }) {}
/** The account cannot buy this now. */
export class CheckoutRefused extends Schema.TaggedError<CheckoutRefused>()("CheckoutRefused", {
  message: Schema.String,
}) {}
/** The account has never bought anything. */
export class NoCustomer extends Schema.TaggedError<NoCustomer>()("NoCustomer", {}) {}

/** The order of a checkout. */
interface Purchase {
  readonly plan: PaidPlanId
  readonly period: BillingPeriod
  readonly affiliateId: string | null
}

/** A plan with its price for a period. */
export interface Offer {
  readonly plan: PaidPlanId
  readonly period: BillingPeriod
  /** The provider's name of the price. */
  readonly priceId: string
}

/** An offer with the provider's price; null if the provider has not given one. */
export interface PricedOffer extends Offer {
  readonly price: ProviderPrice | null
}

const DUE_AT_ONCE = 100
/** For how long a price that the provider has named is shown, and how soon it is asked again when it did not answer. */
const PRICES_MS = 3_600_000
const PRICES_AGAIN_MS = 60_000
/** How long a page waits for prices. */
const PRICES_TIMEOUT_MS = 1_500
const refuseToSell = (what: string) => new NotSold({ message: `${what} is not set up on this deployment.` })
const NOT_SET_UP = refuseToSell("Payment")

const listOffers = (prices: PriceTable): readonly Offer[] =>
  PLAN_IDS.filter(plan => plan !== "free").flatMap(plan =>
    BILLING_PERIODS.flatMap(period => {
      const priceId = prices[plan]?.[period]
      return priceId === undefined ? [] : [{ plan, period, priceId }]
    }),
  )

const better = (a: PlanId, b: PlanId): PlanId => (PLAN_IDS.indexOf(a) >= PLAN_IDS.indexOf(b) ? a : b)

const unique = (values: readonly (string | null)[]): string[] => [...new Set(values.filter(value => value !== null))]

/** The payments of this deployment. */
export class Billing extends Context.Service<Billing>()("landfall/billing/Billing", {
  make: Effect.fnUntraced(function* (options: StripeOptions | null) {
    const storage = yield* Storage
    const accounts = yield* Accounts
    const affiliates = yield* Affiliates
    const mails = yield* Mails
    const { billing } = storage
    const offers = listOffers(options?.prices ?? {})
    const provider: PaymentProvider | null = options === null ? null : yield* makeStripe(options)

    /** What is known of some subscriptions, invoices and payments, and of those that these events name. */
    const listConnected = (names: EventNames) =>
      Effect.gen(function* () {
        let known: readonly KeptEvent[] = []
        for (let found = yield* billing.listEvents(names); found.length > known.length; ) {
          known = found.map(({ body }) => JSON.parse(body) as KeptEvent)
          found = yield* billing.listEvents({
            subscriptionIds: unique(known.map(({ subscriptionId }) => subscriptionId)),
            invoiceIds: unique(known.map(({ invoiceId }) => invoiceId)),
            paymentIds: unique(known.map(({ paymentId }) => paymentId)),
          })
        }
        return known
      })

    /** The events of a subscription, among those that are known: its own, and those that name no subscription. */
    const listEvents = (subscriptionId: string, known: readonly KeptEvent[]): readonly BillingEvent[] =>
      known.flatMap(({ event, paymentId, subscriptionId: named }) => {
        if (event === null || (named !== null && named !== subscriptionId)) return []
        if (event.kind !== "refunded" || event.invoiceId !== "") return [event]
        const paid = known.find(other => other.paymentId === paymentId && other.invoiceId !== null)
        return paid?.invoiceId == null ? [] : [{ ...event, invoiceId: paid.invoiceId }]
      })

    const setPlan = (accountId: number, nowMs: number) =>
      Effect.gen(function* () {
        const rows = yield* billing.listOf(accountId)
        const plan = rows.map(({ state }) => planAt(JSON.parse(state), nowMs)).reduce(better, "free")
        yield* accounts.setPlan(accountId, plan)
      }).pipe(
        // An account that no longer exists has no plan.
        Effect.catchTag("AccountNotFound", () => Effect.void),
      )

    const payCommissions = (accountId: number, events: readonly BillingEvent[]) =>
      Effect.gen(function* () {
        const referral = yield* storage.affiliates.findReferral(accountId)
        if (referral === undefined) return
        for (const invoice of listInvoices(events)) {
          // The second in which an event was made may be that of the referral.
          if (invoice.paidAt + 1_000 <= referral.referred_at || invoice.currency !== "usd") continue
          yield* storage.affiliates.saveCommission({
            invoice_id: invoice.invoiceId,
            affiliate_id: referral.referred_by,
            account_id: accountId,
            month: utcMonthAt(invoice.paidAt).name,
            paid_cents: invoice.paidCents,
            refunded_cents: invoice.refundedCents,
            commission_cents: commissionOf(invoice),
          })
        }
      })

    const tellOfFailure = (
      accountId: number,
      before: SubscriptionRow | undefined,
      state: SubscriptionState,
      nowMs: number,
    ) => {
      const { failedAt } = state
      const isNews = failedAt !== null && before?.failed_at !== failedAt && isRunning(state, nowMs)
      if (!isNews || mails.delivery === "none") return Effect.void
      return Effect.flatMap(accounts.findAccount(accountId), account =>
        mails.order({
          kind: "payment_failed",
          accountId,
          language: account?.language ?? "en",
          graceUntilMs: failedAt + GRACE_MS,
        }),
      )
    }

    /** Works out what a subscription is now, and applies what follows from it. */
    const settle = (subscriptionId: string, known: readonly KeptEvent[], nowMs: number) =>
      Effect.gen(function* () {
        const before = yield* billing.find({ id: subscriptionId })
        const events = listEvents(subscriptionId, known)
        const kept = known.filter(event => event.subscriptionId === subscriptionId)
        const accountId = kept.find(({ accountId }) => accountId !== null)?.accountId ?? before?.account_id ?? null
        const state = foldSubscription(events)
        yield* billing.save({
          id: subscriptionId,
          account_id: accountId,
          customer_id: kept.find(({ customerId }) => customerId !== null)?.customerId ?? before?.customer_id ?? null,
          plan: planAt(state, nowMs),
          state: JSON.stringify(state),
          failed_at: state.failedAt,
          next_change_at: findNextChange(state, nowMs),
        })
        if (accountId === null) return
        yield* setPlan(accountId, nowMs)
        yield* payCommissions(accountId, events)
        yield* tellOfFailure(accountId, before, state, nowMs)
      }).pipe(actingAs("payment"))

    /** Whether an account has a running subscription, and the provider's name of it if it ever bought anything. */
    const readCustomer = (accountId: number) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const rows = yield* billing.listOf(accountId)
        return {
          isSubscribed: rows.some(({ state }) => isRunning(JSON.parse(state), nowMs)),
          customerId: rows.find(row => row.customer_id !== null)?.customer_id ?? null,
        }
      })

    const priceOf = ({ priceId }: Offer) =>
      provider === null ? Effect.succeed(null) : Effect.orElseSucceed(provider.readPrice(priceId), () => null)
    let priced: readonly PricedOffer[] = offers.map(offer => ({ ...offer, price: null }))
    let askAgainAt = Number.NEGATIVE_INFINITY
    const readPrices = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      if (nowMs < askAgainAt) return
      // If several pages are opened at the same time, only one sends the request.
      askAgainAt = nowMs + PRICES_AGAIN_MS
      const found = yield* Effect.forEach(offers, priceOf, { concurrency: offers.length || 1 })
      // The last known prices are shown until the new ones arrive.
      priced = offers.map((offer, at) => ({ ...offer, price: found[at] ?? priced[at]?.price ?? null }))
      if (found.every(price => price !== null)) askAgainAt = nowMs + PRICES_MS
    })

    return {
      /** What can be bought, the lowest plan first, with the prices, which are requested from the provider once an hour. A slow or unavailable provider delays nobody. */
      priceOffers: Effect.map(
        offers.length === 0 ? Effect.void : Effect.timeoutOption(readPrices, PRICES_TIMEOUT_MS),
        () => priced,
      ),

      /** The paid invoices of an account, the newest first. */
      listInvoices: (accountId: number, limit: number) =>
        Effect.gen(function* () {
          const ids = (yield* billing.listOf(accountId)).map(({ id }) => id)
          const known = yield* listConnected({ subscriptionIds: ids })
          const invoices = ids.flatMap(id => listInvoices(listEvents(id, known)))
          return invoices.sort((one, other) => other.paidAt - one.paidAt).slice(0, limit)
        }),

      readCustomer,

      /** The address of a page to pay on. */
      openCheckout: ({ id: accountId, email }: Account, { plan, period, affiliateId }: Purchase, returnUrl: string) =>
        Effect.gen(function* () {
          if (provider === null) return yield* NOT_SET_UP
          const priceId = offers.find(offer => offer.plan === plan && offer.period === period)?.priceId
          if (priceId === undefined) return yield* refuseToSell(`The plan ${plan} (${period})`)
          const { isSubscribed, customerId } = yield* readCustomer(accountId)
          if (isSubscribed) {
            const message = "The account has a subscription: change it in the portal."
            return yield* new CheckoutRefused({ message })
          }
          if (affiliateId !== null) {
            const { kind } = yield* affiliates.refer({ id: accountId, email }, affiliateId)
            if (kind in REFERRAL_REFUSALS) {
              const refusal = REFERRAL_REFUSALS[kind as keyof typeof REFERRAL_REFUSALS]
              return yield* new CheckoutRefused({ message: `affiliate_id: ${refusal}` })
            }
          }
          const order = { accountId, email, customerId, plan, priceId, affiliateId, returnUrl }
          return yield* provider.openCheckout(order)
        }),

      /** The address of a page to change what was bought. */
      openPortal: (account: Account, returnUrl: string) =>
        Effect.gen(function* () {
          if (provider === null) return yield* NOT_SET_UP
          const { customerId } = yield* readCustomer(account.id)
          if (customerId === null) return yield* new NoCustomer()
          return yield* provider.openPortal(customerId, returnUrl)
        }),

      /** Takes an event; says whether it was new. */
      receive: (body: string, signature: string) =>
        Effect.gen(function* () {
          if (provider === null) return yield* NOT_SET_UP
          const nowMs = yield* Clock.currentTimeMillis
          const read = yield* provider.readSigned(body, signature, nowMs)
          if (read === null) return false
          const { id, at: created_at, subscriptionId, invoiceId, paymentId } = read
          const names = { subscription_id: subscriptionId, invoice_id: invoiceId, payment_id: paymentId }
          return yield* storage.transact(
            Effect.gen(function* () {
              yield* billing.hold
              if (!(yield* billing.addEvent({ id, ...names, created_at, body: JSON.stringify(read) }))) return false
              const [subscriptionIds, invoiceIds, paymentIds] = Object.values(names).map(name => unique([name]))
              const known = yield* listConnected({ subscriptionIds, invoiceIds, paymentIds })
              for (const each of unique(known.map(event => event.subscriptionId))) yield* settle(each, known, nowMs)
              return true
            }),
          )
        }),

      /** Moves the plans that change because a period or a grace period is over; says how many. */
      applyDue: Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        if ((yield* billing.listDue(nowMs, 1)).length === 0) return 0
        return yield* storage.transact(
          Effect.gen(function* () {
            yield* billing.hold
            const due = yield* billing.listDue(nowMs, DUE_AT_ONCE)
            for (const { id } of due) yield* settle(id, yield* listConnected({ subscriptionIds: [id] }), nowMs)
            return due.length
          }),
        )
      }),
    }
  }),
}) {
  /** With null nothing is sold. */
  static readonly layer = (options: StripeOptions | null) => Layer.effect(Billing, Billing.make(options))
}
