/**
 * What has to be looked after in time where plans are sold, or calls paid for?
 *
 * Plans that change by themselves, because a period or a grace is over, and payments whose answer was lost. Every process that serves or delivers
 * looks; whoever comes first does it, in a transaction that lets nobody else in, so that each change happens once.
 */
import { Effect } from "effect"
import type { ServiceConfig } from "../http/config.ts"
import { Payments } from "../payments/payments.ts"
import { OutageLog } from "../storage/outage-log.ts"
import { Billing } from "./billing.ts"

/** How often it is looked. */
const SETTLE_EVERY_MS = 30_000

/** Begins to look, for what the configuration sells; it ends with the scope. */
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
