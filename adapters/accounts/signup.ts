/**
 * How does a new user get a key, and the owner of an account a link to sign in?
 *
 * Registering is idempotent on the address, and reveals nothing about an existing account. Until the address is confirmed, the whole key is
 * shown, because it is good for a few requests and ends when the owner confirms the address. After that, the answer has a mask, and the
 * mailbox gets a link to sign in. Requesting a link does the same work for a known and an unknown address: an order is written, and the
 * mailer looks up the account, so that neither the answer nor its time reveals it.
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { Language } from "../../src/full.ts"
import { Mails } from "../mail/mails.ts"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { Storage } from "../storage/storage.ts"
import { mailboxOf } from "./account.ts"
import { Accounts } from "./accounts.ts"
import { makeAttempts } from "./attempts.ts"
import { actingAs } from "./audit-trail.ts"

/** Mails cannot be sent here, so nobody can sign in. */
export class NoMail extends Schema.TaggedError<NoMail>()("NoMail", {}) {}

/** Who asks, from where, and in which language to write mails. */
export interface Asking {
  readonly email: string
  readonly language: Language
  /** The name under which limits count the client. */
  readonly client: string
}

interface SignupOptions {
  /** Whether registering shows the whole key of a confirmed account too. */
  readonly revealsKey: boolean
}

/** The key of a confirmed account, as others see it. */
const MASKED_KEY = "svc_visa_****"

// The same for every address, whether it has an account or not.
const MAILED =
  "A link to confirm the address or to sign in was mailed to it. Until then the key of a new account is good for five requests; confirming the address replaces it. The key of a confirmed account is not shown."
const NOT_MAILED =
  "Until the operator confirms the address the key of a new account is good for five requests; confirming it replaces the key. The key of a confirmed account is not shown."
const REVEALED = "There is an account for this address already; this is its key."

/** Signing up to this deployment. */
export class Signup extends Context.Service<Signup>()("landfall/accounts/Signup", {
  make: Effect.fnUntraced(function* ({ revealsKey }: SignupOptions) {
    const storage = yield* Storage
    const accounts = yield* Accounts
    const mails = yield* Mails
    const attempts = makeAttempts(storage, yield* DeploymentSecret)
    const { limit } = attempts

    /** Orders a mail unless the mailbox had too many lately; the caller does not learn which. */
    const order = (email: string, mail: Parameters<typeof mails.order>[0]) =>
      Effect.flatMap(attempts.take("mail", mailboxOf(email)), ({ isAllowed }) =>
        isAllowed ? mails.order(mail) : Effect.void,
      )

    return {
      limit,
      delivery: mails.delivery,

      register: ({ name, email, language, client }: Asking & { readonly name: string }) =>
        Effect.gen(function* () {
          yield* limit("register", client)
          const admit = limit("mailbox", mailboxOf(email))
          const { account, key } = yield* accounts.ensureAccount({ name, email, language }, admit)
          const { id, isConfirmed, isDisabled, plan } = account
          const isUnclaimed = !isConfirmed && plan === "free"
          if (revealsKey && isConfirmed && !isDisabled && key !== null)
            return { apiKey: key, plan, isShown: true, message: REVEALED }
          const canMail = mails.delivery !== "none"
          if (canMail)
            yield* order(
              email,
              isConfirmed ? { kind: "sign_in", email, language } : { kind: "confirm", accountId: id, language },
            )
          const message = canMail ? MAILED : NOT_MAILED
          // The whole key is shown, because it is good for a few requests only.
          const isShown = isUnclaimed && !isDisabled && key !== null
          return { apiKey: isShown ? key : MASKED_KEY, plan: "free" as const, isShown, message }
        }).pipe(actingAs("owner")),

      /** Orders a link to an address; the result does not say whether it has an account. */
      askForLink: ({ email, language, client }: Asking) =>
        Effect.gen(function* () {
          if (mails.delivery === "none") return yield* new NoMail()
          yield* limit("login", client)
          yield* order(email, { kind: "sign_in", email, language })
        }),
    }
  }),
}) {
  static readonly layer = (options: SignupOptions) => Layer.effect(Signup, Signup.make(options))
}
