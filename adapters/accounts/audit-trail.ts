/**
 * Who has changed an account's keys or plan?
 *
 * A line for each change, written in the transaction of the change. The surrounding effect says who made it: the owner in a
 * session, the holder of a key, an operator at the command line, the payment provider, or the service itself. No line holds a
 * key, a token or an address.
 */
import { Clock, Context, Effect } from "effect"
import type { AuditRow } from "../storage/accounts-repository.ts"
import type { StorageShape } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"

/** The present instant as ISO 8601 text, in UTC. */
export const nowAsText = Effect.map(Clock.currentTimeMillis, ms => new Date(ms).toISOString())

/**
 * Who makes a change. `owner`: in a session, or by a mailed link; `key`: the holder of a key of the account. Operators have their names on
 * the operators' address.
 */
type AuditActor = "owner" | "key" | "operator" | `operator ${string}` | "payment" | "service"

/** What was changed. */
export type AuditAction =
  | "account_made"
  | "email_confirmed"
  | "email_changed"
  | "key_made"
  | "key_replaced"
  | "key_revoked"
  | "team_key_made"
  | "plan_changed"
  | "referral_declined"
  | "sessions_ended"
  | "dataset_installed"
  | "dataset_rolled_back"
  | "delivery_replayed"
  | "disabled"
  | "enabled"
  | "erased"
  | "webhook_made"
  | "webhook_enabled"
  | "webhook_ended"
  | "webhook_secret_replaced"

/** Who makes the changes of an effect; the service itself by default. */
const Actor = Context.Reference<AuditActor>("landfall/accounts/Actor", { defaultValue: () => "service" })

/** Names who makes the changes of an effect. */
export const actingAs =
  (actor: AuditActor) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Actor, actor)

export const makeAuditTrail = ({ audit }: Pick<StorageShape, "audit">) => ({
  /** Notes a change, in the transaction that is under way. */
  note: (accountId: number, action: AuditAction, detail: string): Effect.Effect<void, Unavailable> =>
    Effect.gen(function* () {
      const row = { account_id: accountId, at: yield* nowAsText, actor: yield* Actor, action, detail }
      yield* audit.add(row satisfies Omit<AuditRow, "id">)
    }),
})
