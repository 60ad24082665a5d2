/**
 * What has an account bought, and until when?
 *
 * The state is a function of all events of a subscription, in any order and with any repetition: they are sorted by their time, each counts
 * once, and the state is folded from them. No clock is read: {@link planAt} returns the plan at an instant. The table in docs/operations.md
 * describes the same.
 */
import { PLAN_IDS, type PlanId } from "../settings/feature-options.ts"

/** How long a plan stays after a payment has failed. */
const GRACE_DAYS = 7
export const GRACE_MS = GRACE_DAYS * 86_400_000

/** The provider's word for the state of a subscription. */
export type ProviderStatus = "active" | "past_due" | "waiting" | "stopped" | "ended"

/** An event of a subscription; instants are epoch milliseconds. */
export type BillingEvent = { readonly id: string; readonly at: number } & (
  | { readonly kind: "completed"; readonly plan: PlanId }
  | {
      readonly kind: "updated"
      /** Null for a price that no plan has. */
      readonly plan: PlanId | null
      readonly status: ProviderStatus
      readonly periodEndsAt: number | null
      readonly endsWithPeriod: boolean
    }
  | { readonly kind: "paid"; readonly invoiceId: string; readonly cents: number; readonly currency: string }
  | { readonly kind: "payment_failed"; readonly invoiceId: string }
  /** `cents` is what was given back of the invoice in all. */
  | { readonly kind: "refunded"; readonly invoiceId: string; readonly cents: number; readonly isWhole: boolean }
  | { readonly kind: "ended" }
)

export interface SubscriptionState {
  /** The bought and paid plan; free before a payment. */
  readonly plan: PlanId
  /** Another plan from an instant on. */
  readonly next: { readonly plan: PlanId; readonly at: number } | null
  readonly periodEndsAt: number | null
  /** When the payment that is due failed first; null while none is due. */
  readonly failedAt: number | null
  /** Whether the last payment was refunded. */
  readonly isRefunded: boolean
  /** Whether the provider has stopped it temporarily: paused, or no longer collecting. */
  readonly isStopped: boolean
  readonly isEnded: boolean
  readonly lastPaidInvoice: string | null
}

/** Nothing has happened yet. */
const NO_SUBSCRIPTION: SubscriptionState = Object.freeze({
  plan: "free",
  next: null,
  periodEndsAt: null,
  failedAt: null,
  isRefunded: false,
  isStopped: false,
  isEnded: false,
  lastPaidInvoice: null,
})

const rankOf = (plan: PlanId): number => PLAN_IDS.indexOf(plan)

/** Events of one second are taken in this order: the provider's times are whole seconds. */
const ORDER: Readonly<Record<BillingEvent["kind"], number>> = {
  completed: 0,
  payment_failed: 1,
  updated: 2,
  paid: 3,
  refunded: 4,
  ended: 5,
}

const compare = (a: BillingEvent, b: BillingEvent): number =>
  a.at - b.at || ORDER[a.kind] - ORDER[b.kind] || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** A change that was due before an instant has happened. */
function turnTo(state: SubscriptionState, at: number): SubscriptionState {
  return state.next !== null && state.next.at <= at ? { ...state, plan: state.next.plan, next: null } : state
}

/** A better plan holds at once; a lower one from the end of the paid period. */
function moveTo(state: SubscriptionState, plan: PlanId, at: number): SubscriptionState {
  const { periodEndsAt } = state
  const isPaidFor = periodEndsAt !== null && periodEndsAt > at && !state.isEnded && !state.isRefunded
  if (rankOf(plan) >= rankOf(state.plan) || !isPaidFor) return { ...state, plan, next: null }
  return { ...state, next: { plan, at: periodEndsAt } }
}

function applyUpdate(state: SubscriptionState, event: Extract<BillingEvent, { kind: "updated" }>): SubscriptionState {
  const { at, plan, status, periodEndsAt, endsWithPeriod } = event
  // Not paid for yet, or never will be.
  if (status === "waiting") return state
  if (status === "ended") return { ...state, isEnded: true, next: null }
  if (status === "stopped") return { ...state, isStopped: true }
  const moved = plan === null ? state : moveTo(state, plan, at)
  const failedAt = status === "past_due" ? (state.failedAt ?? at) : null
  // While a lower plan waits for the end of a period, that end stays what it was.
  const ends = moved.next !== null && moved.next.at > at ? moved.next.at : (periodEndsAt ?? moved.periodEndsAt)
  const next = endsWithPeriod && ends !== null ? ({ plan: "free", at: ends } as const) : moved.next
  return { ...moved, isStopped: false, failedAt, next, periodEndsAt: ends }
}

/** Applies one event to a state; events come in the order of their times. */
function applyEvent(before: SubscriptionState, event: BillingEvent): SubscriptionState {
  const state = turnTo(before, event.at)
  // A subscription that has ended does not begin again: the provider makes another one.
  if (state.isEnded) return state
  switch (event.kind) {
    case "completed":
      return moveTo(state, event.plan, event.at)
    case "updated":
      return applyUpdate(state, event)
    case "paid":
      return { ...state, failedAt: null, isRefunded: false, lastPaidInvoice: event.invoiceId }
    case "payment_failed":
      return { ...state, failedAt: state.failedAt ?? event.at }
    case "refunded": {
      const isOfThisPeriod = event.isWhole && event.invoiceId === state.lastPaidInvoice
      return isOfThisPeriod ? { ...state, isRefunded: true } : state
    }
    case "ended":
      return { ...state, isEnded: true, next: null }
  }
}

/** Every event once, in the order in which they happened. */
function inOrder(events: readonly BillingEvent[]): readonly BillingEvent[] {
  return [...new Map(events.map(event => [event.id, event])).values()].sort(compare)
}

/** The state after all events, in any order. */
export const foldSubscription = (events: readonly BillingEvent[]): SubscriptionState =>
  inOrder(events).reduce(applyEvent, NO_SUBSCRIPTION)

export function planAt(state: SubscriptionState, at: number): PlanId {
  if (state.isEnded || state.isRefunded || state.isStopped) return "free"
  if (state.failedAt !== null && at >= state.failedAt + GRACE_MS) return "free"
  return turnTo(state, at).plan
}

/** When the plan changes without anything happening, after an instant; null for never. */
export function findNextChange(state: SubscriptionState, at: number): number | null {
  if (state.isEnded || state.isRefunded || state.isStopped) return null
  const instants = [
    ...(state.failedAt === null ? [] : [state.failedAt + GRACE_MS]),
    ...(state.next === null ? [] : [state.next.at]),
  ].filter(instant => instant > at)
  return instants.length === 0 ? null : Math.min(...instants)
}

/** Says whether a subscription is running: something still has to be paid or provided. */
export const isRunning = (state: SubscriptionState, at: number): boolean =>
  !state.isEnded && planAt(state, at) !== "free"

/** The payments and refunds of one invoice. */
export interface InvoiceTotal {
  readonly invoiceId: string
  readonly paidAt: number
  readonly currency: string
  readonly paidCents: number
  readonly refundedCents: number
}

/** Every invoice that was paid, the oldest first. */
export function listInvoices(events: readonly BillingEvent[]): readonly InvoiceTotal[] {
  const refunded = new Map<string, number>()
  const paid = new Map<string, InvoiceTotal>()
  for (const event of inOrder(events)) {
    // The provider reports the total refunded so far, and the last total may arrive first.
    if (event.kind === "refunded")
      refunded.set(event.invoiceId, Math.max(event.cents, refunded.get(event.invoiceId) ?? 0))
    if (event.kind === "paid" && !paid.has(event.invoiceId)) {
      const { invoiceId, at: paidAt, currency, cents: paidCents } = event
      paid.set(invoiceId, { invoiceId, paidAt, currency, paidCents, refundedCents: 0 })
    }
  }
  return [...paid.values()].map(invoice => ({
    ...invoice,
    refundedCents: Math.min(invoice.paidCents, refunded.get(invoice.invoiceId) ?? 0),
  }))
}

/** The share of an invoice that an affiliate gets, in per cent. */
const COMMISSION_PERCENT = 15

/**
 * The commission on an invoice, rounded down to whole cents.
 *
 * @example
 * ```ts
 * commissionOf({ paidCents: 1999, refundedCents: 0 }) // => 299
 * commissionOf({ paidCents: 1999, refundedCents: 1999 }) // => 0
 * ```
 */
export const commissionOf = ({ paidCents, refundedCents }: Pick<InvoiceTotal, "paidCents" | "refundedCents">): number =>
  Math.floor(((paidCents - refundedCents) * COMMISSION_PERCENT) / 100)
