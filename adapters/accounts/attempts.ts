/**
 * How often may somebody try?
 *
 * Signing up, requesting links and following them are limited by the address of the client and by the e-mail address in question, over all
 * processes together. Both are counted under a hash, so the database does not reveal who tried.
 */
import { Clock, Effect, Schema } from "effect"
import type { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { makeHasher } from "../secrets/sealing.ts"
import type { StorageShape } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { secondsUntil } from "../time/utc-calendar.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How many attempts of a kind there may be in a window, for each subject. */
export const ATTEMPT_LIMITS = {
  /** Accounts made or asked for, by the client's address. */
  register: { limit: 5, windowMs: HOUR_MS },
  /** Accounts for a mailbox, in any spelling. */
  mailbox: { limit: 1, windowMs: HOUR_MS },
  /** Links asked for, by the client's address. */
  login: { limit: 20, windowMs: HOUR_MS },
  /** Followed links, by the client's address: more than a person needs, fewer than guessing requires. */
  confirm: { limit: 60, windowMs: HOUR_MS },
  /** Mails to one mailbox, from wherever they are asked for. */
  mail: { limit: 5, windowMs: HOUR_MS },
  /** Affiliates made and referrals applied, by the client's address. */
  affiliate: { limit: 30, windowMs: HOUR_MS },
  /** Clicks, by the client's address, over all affiliates. */
  click: { limit: 60, windowMs: HOUR_MS },
  /** Clicks for one affiliate that count, by the client's address. */
  counted_click: { limit: 1, windowMs: DAY_MS },
  /** Statistics asked for with an id and an address, by the client's address. */
  stats: { limit: 60, windowMs: HOUR_MS },
  /** Requests that an account has sent to its receivers by its own requests, and not by a change of the data. */
  send: { limit: 60, windowMs: HOUR_MS },
  /** Changes of what is stored for an account, by its keys and sessions. */
  write: { limit: 240, windowMs: HOUR_MS },
  /** Checkouts and portals opened, by the account. */
  billing: { limit: 30, windowMs: HOUR_MS },
} as const
type AttemptKind = keyof typeof ATTEMPT_LIMITS

/** Whether an attempt is allowed or one too many. */
type Attempt = { readonly isAllowed: true } | { readonly isAllowed: false; readonly retryAfterSeconds: number }

/** What is too much, where that is worth a sentence. */
const REASONS: Readonly<Partial<Record<AttemptKind, string>>> = {
  send: `An account has ${ATTEMPT_LIMITS.send.limit} requests sent an hour: pings, new and enabled webhooks, simulated changes, repeated deliveries and completed jobs together.`,
  write: `An account may make ${ATTEMPT_LIMITS.write.limit} changes an hour to what is stored for it: keys, devices, webhooks, jobs and settings together.`,
}

/** Too many attempts. */
export class TriedTooOften extends Schema.TaggedError<TriedTooOften>()("TriedTooOften", {
  message: Schema.String,
  retryAfterSeconds: Schema.Int,
}) {}

const refuse = (kind: AttemptKind, retryAfterSeconds: number) =>
  new TriedTooOften({
    message: REASONS[kind] ?? `There were too many attempts; try again in ${retryAfterSeconds} seconds.`,
    retryAfterSeconds,
  })

/** Makes the counter of attempts over a storage. */
export const makeAttempts = ({ attempts }: Pick<StorageShape, "attempts">, secret: DeploymentSecret["Service"]) => {
  const hash = makeHasher(secret, "attempt subject")
  const take = (kind: AttemptKind, subject: string, amount = 1): Effect.Effect<Attempt, Unavailable> =>
    Effect.gen(function* () {
      const { limit, windowMs } = ATTEMPT_LIMITS[kind]
      const nowMs = yield* Clock.currentTimeMillis
      const counted = yield* attempts.count({ kind, subject: hash(`${kind} ${subject}`), amount, nowMs, windowMs })
      // An attempt that counts more than once is allowed as long as something is left.
      if (counted.used - amount < limit) return { isAllowed: true }
      return { isAllowed: false, retryAfterSeconds: secondsUntil(counted.window_ends_at, nowMs) }
    })
  return {
    take,
    /** Counts an attempt, or several at once; fails where it is one too many. */
    limit: (kind: AttemptKind, subject: string, amount = 1): Effect.Effect<void, TriedTooOften | Unavailable> =>
      amount === 0
        ? Effect.void
        : Effect.flatMap(take(kind, subject, amount), attempt =>
            attempt.isAllowed ? Effect.void : refuse(kind, attempt.retryAfterSeconds),
          ),
  }
}
