/**
 * How does a stranger get a key, and the owner of an account a link to sign in?
 *
 * Registering is idempotent on the address. As long as the address is not confirmed the key is shown whole, because it is good
 * for a few requests only. Once it is confirmed the key is masked and mailed, because a public endpoint must not hand a stranger
 * somebody's key. Asking for a link does the same work whether the address is known or not: an order is written, and the mailer
 * looks up the account, so that neither the answer nor its time gives it away.
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { Language } from "../../../src/full.ts"
import { DeploymentSecret } from "../../platform/secrets/deployment-secret.ts"
import type { PlanId } from "../../platform/settings/feature-options.ts"
import { Storage } from "../../platform/storage/storage.ts"
import type { Unavailable } from "../../platform/storage/storage-errors.ts"
import { type MailDelivery, Mails } from "../mail/mails.ts"
import { Accounts } from "./accounts.ts"
import { maskApiKey } from "./api-key.ts"
import { type Attempts, makeAttempts } from "./attempts.ts"
import { actingAs } from "./audit-trail.ts"

/** Too many attempts from one place. */
export class TriedTooOften extends Schema.TaggedError<TriedTooOften>()("TriedTooOften", {
  retryAfterSeconds: Schema.Int,
}) {}

/** Mails cannot be sent here, so that nobody can sign in. */
export class NoMail extends Schema.TaggedError<NoMail>()("NoMail", {}) {}

/** Who asks, from where, and in which language mails are written. */
export interface Asking {
  readonly email: string
  readonly language: Language
  /** What limits count the client under. */
  readonly client: string
}

/** The result of registering. */
export interface Registered {
  readonly apiKey: string
  readonly plan: PlanId
  /** Whether the key is shown whole, as long as it is good for a few requests only. */
  readonly isShown: boolean
  /** What to do next, for people. */
  readonly message: string
}

interface SignupShape {
  readonly register: (
    asking: Asking & {
      readonly name: string
      /** What the owner of a confirmed account is mailed: the key, or a link to sign in. */
      readonly mails?: "key" | "sign_in"
    },
  ) => Effect.Effect<Registered, TriedTooOften | Unavailable>
  /** Orders a link to an address; the result does not say whether it has an account. */
  readonly askForLink: (asking: Asking) => Effect.Effect<void, TriedTooOften | NoMail | Unavailable>
  /** Fails when a kind of attempt was made too often. */
  readonly limit: (
    kind: Parameters<Attempts["take"]>[0],
    subject: string,
  ) => Effect.Effect<void, TriedTooOften | Unavailable>
  readonly delivery: MailDelivery
}

/** What can be set of signing up. */
export interface SignupOptions {
  /** Whether registering shows the whole key of a confirmed account too. */
  readonly revealsKey: boolean
}

const MADE = "Keep your key."
const KNOWN = "There is an account for this address already; this is its key."
const MAILED =
  "A link to confirm the address was mailed to it; until it is confirmed the key is good for five requests."
const NOT_MAILED = "Until the operator confirms the address the key is good for five requests."
const MASKED = "There is a confirmed account for this address."
const KEY_MAILED = "Its key was mailed to it; sign in to replace it."
const KEY_NOT_MAILED = "Ask the operator for its key."
const NO_KEY = "Its key was deactivated: sign in to make another."

/** Signing up to this deployment. */
export class Signup extends Context.Service<Signup, SignupShape>()("landfall/accounts/Signup") {
  static readonly layer = ({
    revealsKey,
  }: SignupOptions): Layer.Layer<Signup, never, Storage | Accounts | DeploymentSecret | Mails> =>
    Layer.effect(
      Signup,
      Effect.gen(function* () {
        const storage = yield* Storage
        const accounts = yield* Accounts
        const mails = yield* Mails
        const attempts = makeAttempts(storage, yield* DeploymentSecret)

        const limit: SignupShape["limit"] = (kind, subject) =>
          Effect.flatMap(attempts.take(kind, subject), attempt =>
            attempt.isAllowed ? Effect.void : new TriedTooOften({ retryAfterSeconds: attempt.retryAfterSeconds }),
          )

        /** Orders a mail unless the address had too many lately; the caller is not told which. */
        const order = (email: string, mail: Parameters<typeof mails.order>[0]) =>
          Effect.flatMap(attempts.takeMail(email), ({ isAllowed }) => (isAllowed ? mails.order(mail) : Effect.void))

        return {
          limit,
          delivery: mails.delivery,

          register: ({ name, email, language, client, mails: kind = "key" }) =>
            Effect.gen(function* () {
              yield* limit("register", client)
              const { account, key, isNew } = yield* accounts.ensureAccount({ name, email, language })
              const { id, plan } = account
              const canMail = mails.delivery !== "none"
              if (!account.isConfirmed && !account.isDisabled && key !== null) {
                if (canMail) yield* order(email, { kind: "confirm", accountId: id, language })
                return {
                  apiKey: key,
                  plan,
                  isShown: true,
                  message: `${isNew ? MADE : KNOWN} ${canMail ? MAILED : NOT_MAILED}`,
                }
              }
              const masked = { apiKey: maskApiKey(key ?? ""), plan, isShown: false }
              if (kind === "sign_in") {
                if (canMail) yield* order(email, { kind, email, language })
                return { ...masked, message: MASKED }
              }
              if (key === null) return { ...masked, message: `${MASKED} ${NO_KEY}` }
              if (revealsKey && !account.isDisabled) return { apiKey: key, plan, isShown: true, message: KNOWN }
              if (canMail) yield* order(email, { kind, accountId: id, language })
              return { ...masked, message: `${MASKED} ${canMail ? KEY_MAILED : KEY_NOT_MAILED}` }
            }).pipe(actingAs("owner")),

          askForLink: ({ email, language, client }) =>
            Effect.gen(function* () {
              if (mails.delivery === "none") return yield* new NoMail()
              yield* limit("login", client)
              yield* order(email, { kind: "sign_in", email, language })
            }),
        }
      }),
    )
}
