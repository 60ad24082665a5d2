/**
 * How is a mail sent at least once, without a request waiting for it?
 *
 * It is ordered: a row in the database, in the transaction of its cause. The dispatcher (see `mail-dispatcher.ts`) determines its text and
 * recipient later. It makes a link's token at that moment, so no token is ever in the database. The contents of an order are sealed.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Language } from "../../src/full.ts"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { makeSealer } from "../secrets/sealing.ts"
import type { ServiceConfig } from "../settings/config.ts"
import { Storage } from "../storage/storage.ts"
import type { SmtpOptions } from "./senders.ts"

// How does a configuration send mail, and from which address?

/** How mails leave: a production server without a mail server sends none. */
export const deliveryOf = ({ smtpUrl, mode }: Pick<ServiceConfig, "smtpUrl" | "mode">): MailDelivery =>
  smtpUrl !== null ? "smtp" : mode === "development" ? "log" : "none"

/** The mail server, or null. */
export const smtpOf = ({ smtpUrl, mailFrom }: Pick<ServiceConfig, "smtpUrl" | "mailFrom">): SmtpOptions | null =>
  smtpUrl === null ? null : { url: smtpUrl, from: mailFrom }

export type MailOrder =
  | { readonly kind: "confirm"; readonly accountId: number; readonly language: Language }
  /** To the owner of the account with this address; to nobody if there is none. */
  | { readonly kind: "sign_in"; readonly email: string; readonly language: Language }
  | {
      readonly kind: "payment_failed"
      readonly accountId: number
      readonly language: Language
      readonly graceUntilMs: number
    }
  | {
      readonly kind: "webhook_stopped"
      readonly accountId: number
      readonly language: Language
      readonly webhookId: number
    }

/** How mails leave: to a mail server, as a line in the log (development), or not at all. */
export type MailDelivery = "smtp" | "log" | "none"

/** The name of mails among queued work. */
export const MAILS = "mails"

/** Seals and opens orders, each bound to its row. */
export const makeOrderBox = (secret: DeploymentSecret["Service"]) => {
  const { seal, open } = makeSealer(secret, { purpose: "mail orders", table: MAILS })
  return {
    seal: (number: number, order: MailOrder) => seal(number, JSON.stringify(order)),
    /** The order of a row; null for one that was changed. */
    open: (number: number, sealed: string): MailOrder | null => JSON.parse(open(number, sealed) ?? "null"),
  }
}

export class Mails extends Context.Service<Mails>()("landfall/mail/Mails", {
  make: Effect.fnUntraced(function* (delivery: MailDelivery) {
    const { order } = (yield* Storage).queuedWork(MAILS)
    const box = makeOrderBox(yield* DeploymentSecret)
    return {
      delivery,
      /** Orders a mail; inside a transaction it is ordered only if that commits. */
      order: (mail: MailOrder) =>
        Effect.flatMap(Clock.currentTimeMillis, nowMs => order(number => box.seal(number, mail), { nowMs })),
    }
  }),
}) {
  static readonly layer = (delivery: MailDelivery) => Layer.effect(Mails, Mails.make(delivery))
}
