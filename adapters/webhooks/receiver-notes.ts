/**
 * What happens if a receiver fails repeatedly?
 *
 * The time since which no delivery to it has succeeded is recorded at the first failure and deleted at the first success. If a receiver
 * still fails after {@link FAILING_MS}, its subscription is disabled, and its owner gets a mail.
 */
import { Effect, Option } from "effect"
import { Mails } from "../mail/mails.ts"
import { Storage } from "../storage/storage.ts"
import type { WebhookRow } from "../storage/webhooks-repository.ts"

/** How long a receiver may fail. */
const FAILING_MS = 5 * 86_400_000

/** One attempt that has ended; undefined for a subscription that no longer exists. */
interface Ended {
  readonly webhook: WebhookRow | undefined
  readonly isDelivered: boolean
}

/** Returns a function that records the outcomes of attempts, in the transaction that writes them. */
export const makeReceiverNotes = Effect.gen(function* () {
  const { accounts, webhooks } = yield* Storage
  const mails = Option.getOrUndefined(yield* Effect.serviceOption(Mails))

  const tellOwner = ({ id, account_id }: WebhookRow) =>
    Effect.gen(function* () {
      yield* Effect.logWarning(`webhook ${id} was disabled: every delivery has failed for five days`)
      if (mails === undefined || mails.delivery === "none") return
      const language = (yield* accounts.findAccount(account_id))?.language ?? "en"
      yield* mails.order({ kind: "webhook_stopped", accountId: account_id, language, webhookId: id })
    })

  return (ended: readonly Ended[], nowMs: number) =>
    Effect.gen(function* () {
      const delivered = new Set(
        ended.flatMap(({ webhook, isDelivered }) => (isDelivered && webhook ? [webhook.id] : [])),
      )
      const rows = new Map(ended.flatMap(({ webhook }) => (webhook === undefined ? [] : [[webhook.id, webhook]])))
      const idsOf = (isMet: (row: WebhookRow) => boolean) => [...rows.values()].filter(isMet).map(({ id }) => id)
      const recovered = idsOf(row => delivered.has(row.id) && row.failing_since !== null)
      const failing = idsOf(row => !delivered.has(row.id) && row.failing_since === null)
      if (recovered.length > 0) yield* webhooks.noteFailing(recovered, null)
      if (failing.length > 0) yield* webhooks.noteFailing(failing, nowMs)
      for (const row of rows.values()) {
        const isOver = !delivered.has(row.id) && row.failing_since !== null && row.failing_since <= nowMs - FAILING_MS
        if (isOver && (yield* webhooks.disable(row.id, "every delivery has failed for five days")))
          yield* tellOwner(row)
      }
    })
})
