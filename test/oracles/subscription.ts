/**
 * The plan of a subscription at an instant, told by walking through its events with a clock, a day's end at a time: the table of docs/operations.md
 * read aloud. It keeps what is owed and what was promised, and knows nothing of how the service folds events.
 */
const PLANS = ["free", "hobby", "starter", "pro", "business"]
const WEEK_MS = 7 * 24 * 3_600_000

export interface ToldEvent {
  readonly at: number
  readonly kind: "completed" | "updated" | "paid" | "payment_failed" | "refunded" | "ended"
  readonly plan?: string | null
  readonly status?: string
  readonly periodEndsAt?: number | null
  readonly endsWithPeriod?: boolean
  readonly invoiceId?: string
  readonly isWhole?: boolean
}

/** The plan at an instant; events come in the order in which they happened, each at another instant. */
export function tellPlan(events: readonly ToldEvent[], now: number): string {
  let [bought, later, laterFrom] = ["free", "", Number.POSITIVE_INFINITY]
  let paidUntil = Number.NEGATIVE_INFINITY
  let owingSince = Number.POSITIVE_INFINITY
  let [isOver, isGivenBack, isStopped, lastInvoice] = [false, false, false, ""]
  const isBetter = (plan: string) => PLANS.indexOf(plan) >= PLANS.indexOf(bought)
  const passTo = (at: number) => {
    if (laterFrom <= at) [bought, later, laterFrom] = [later, "", Number.POSITIVE_INFINITY]
  }
  const choose = (plan: string, at: number) => {
    const waits = !isBetter(plan) && paidUntil > at && !isGivenBack
    if (waits) [later, laterFrom] = [plan, paidUntil]
    else [bought, later, laterFrom] = [plan, "", Number.POSITIVE_INFINITY]
    return waits
  }
  for (const event of events) {
    if (event.at > now || isOver) break
    passTo(event.at)
    if (event.kind === "completed") choose(event.plan as string, event.at)
    if (event.kind === "ended") isOver = true
    if (event.kind === "paid") {
      owingSince = Number.POSITIVE_INFINITY
      isGivenBack = false
      lastInvoice = event.invoiceId as string
    }
    if (event.kind === "payment_failed") owingSince = Math.min(owingSince, event.at)
    if (event.kind === "refunded" && event.isWhole === true && event.invoiceId === lastInvoice) isGivenBack = true
    if (event.kind === "updated") {
      if (event.status === "ended") isOver = true
      if (event.status === "stopped") isStopped = true
      if (event.status === "active" || event.status === "past_due") {
        const waits = event.plan == null ? laterFrom > event.at && later !== "" : choose(event.plan, event.at)
        owingSince = event.status === "active" ? Number.POSITIVE_INFINITY : Math.min(owingSince, event.at)
        isStopped = false
        if (waits) paidUntil = laterFrom
        else if (event.periodEndsAt != null) paidUntil = event.periodEndsAt
        if (event.endsWithPeriod && Number.isFinite(paidUntil)) [later, laterFrom] = ["free", paidUntil]
      }
    }
  }
  if (isOver || isGivenBack || isStopped || now >= owingSince + WEEK_MS) return "free"
  passTo(now)
  return bought
}
