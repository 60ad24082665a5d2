/**
 * What has to be settled later where plans are sold, or single calls are paid for?
 *
 * Plans that change because a period or a grace period is over, and payments whose answer was lost. Every process that serves or
 * delivers polls for them; the first one settles each in a transaction that excludes the others, so that each change happens
 * once.
 */
import { Effect } from "effect"
import { Billing } from "../../customers/billing/billing.ts"
import { Payments } from "../../customers/x402/payments.ts"
import type { ServiceConfig } from "../../platform/settings/config.ts"
import { OutageLog } from "../../platform/storage/outage-log.ts"

/** How often this is polled. */
const SETTLE_EVERY_MS = 30_000

/** Starts polling for what the configuration sells; it ends with the scope. */
export const settleLater = Effect.fnUntraced(function* ({ stripe, x402 }: Pick<ServiceConfig, "stripe" | "x402">) {
  if (x402 !== null) {
    const { reconcile } = yield* Payments
    const outages = new OutageLog("payments whose answer was lost wait, because the database cannot do its work")
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(outages.watch(reconcile), Effect.sleep(SETTLE_EVERY_MS))))
  }
  if (stripe !== null) {
    const { applyDue } = yield* Billing
    const outages = new OutageLog("plans that change by themselves wait, because the database cannot do its work")
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(outages.watch(applyDue), Effect.sleep(SETTLE_EVERY_MS))))
  }
})
