/**
 * Who sends ordered mails, and what happens if one fails?
 *
 * Mails are one kind of claimed work (see `queue-worker.ts`). A dispatcher finds the recipient and the text of each order, and sends it. If its
 * process dies, another one sends the mail under the same message id. No request waits for it: an unavailable mail server delays only
 * mails.
 */
import { Effect } from "effect"
import { MAILS, type MailOrder, makeOrderBox } from "../mail/mails.ts"
import {
  makeSmtpSender,
  type OutgoingMail,
  SEND_TIMEOUT_MS,
  type SendMail,
  type SmtpOptions,
  sendToLog,
} from "../mail/senders.ts"
import { writeMail } from "../mail/texts.ts"
import { attemptByEffect, makeWorker, type Retries } from "../queue/queue-worker.ts"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { signInUrl } from "../settings/site-links.ts"
import { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import type { QueuedNote, QueuedRow } from "../storage/work-table.ts"
import { foldEmail } from "./account.ts"
import { LINK_MINUTES, makeLinks } from "./sessions.ts"

/** How long a claim holds: longer than sending takes. */
export const MAIL_LEASE_MS = 60_000
const STOP_MS = 10_000
/** How long after each failed attempt the next one follows; after the last one the mail is given up. */
export const MAIL_RETRIES: Retries = {
  waitsMs: [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000],
  longestAskedMs: 0,
}
/** How long the record of a mail that was sent or given up is kept. */
const RETENTION_MS = 30 * 86_400_000

/** Where links lead, and how mails are sent. */
interface MailDispatcherOptions {
  /** The address under which clients reach the service; it may be known only when the port is open. */
  readonly readPublicUrl: () => string
  /** Null writes lines into the log. */
  readonly smtp: SmtpOptions | null
}

/** The path of a link that signs in. */
export const CONFIRM_PATH = "/api/v1/visa/auth/confirm"

const formatDay = (language: string, instant: number): string =>
  new Intl.DateTimeFormat(language === "tl" ? "fil" : language, { dateStyle: "long", timeZone: "UTC" }).format(instant)

/** Makes a dispatcher; `run` works until it is interrupted, `drain` until nothing is due. */
export const makeMailDispatcher = Effect.fnUntraced(function* ({ readPublicUrl, smtp }: MailDispatcherOptions) {
  const storage = yield* Storage
  const { accounts, queuedWork } = storage
  const secret = yield* DeploymentSecret
  const box = makeOrderBox(secret)
  const links = makeLinks(storage, secret)
  const send: SendMail = smtp === null ? sendToLog : yield* makeSmtpSender(smtp)

  /** The recipient of an order; undefined where there is none any more. */
  const findRecipient = (order: MailOrder) =>
    Effect.map(
      order.kind === "sign_in"
        ? accounts.find({ email_folded: foldEmail(order.email) })
        : accounts.find({ id: order.accountId }),
      account => (account?.is_disabled === true ? undefined : account),
    )

  /** The mail of an order, as it is now; null where there is no recipient. */
  const write = (number: number, order: MailOrder) =>
    Effect.gen(function* () {
      const account = yield* findRecipient(order)
      if (account === undefined) return null
      const publicUrl = readPublicUrl()
      const { host, hostname } = new URL(publicUrl)
      const isLink = order.kind === "confirm" || order.kind === "sign_in"
      const line = isLink
        ? `${publicUrl}${CONFIRM_PATH}?token=${yield* links.make(account.id)}`
        : signInUrl({ publicUrl })
      const { kind: topic, language } = order
      const written = writeMail({
        ...{ topic, language, service: host, line, minutes: LINK_MINUTES },
        ...(order.kind === "payment_failed" && { date: formatDay(language, order.graceUntilMs) }),
        ...(order.kind === "webhook_stopped" && { webhook: String(order.webhookId) }),
      })
      return {
        ...written,
        to: account.email,
        language,
        messageId: `<landfall-${number}@${hostname}>`,
        logLine: isLink ? `the link of account ${account.id} is ${line}` : `${written.subject}, account ${account.id}`,
      } satisfies OutgoingMail
    })

  const attempt = yield* attemptByEffect<QueuedRow, QueuedNote, Unavailable>("a mail", ({ number, payload }) =>
    Effect.gen(function* () {
      const order = box.open(number, payload)
      if (order === null)
        return { kind: "given_up", note: { last_error: "the order does not open: its row was changed" } }
      const mail = yield* write(number, order)
      if (mail === null) return { kind: "done", note: { last_error: null } }
      return yield* Effect.match(send(mail), {
        onSuccess: () => ({ kind: "done", note: { last_error: null } }) as const,
        onFailure: ({ isFinal, message }) =>
          ({ kind: isFinal ? "given_up" : "again", note: { last_error: message } }) as const,
      })
    }),
  )

  return yield* makeWorker<QueuedRow, QueuedRow, QueuedNote>({
    name: MAILS,
    table: queuedWork(MAILS),
    leaseMs: MAIL_LEASE_MS,
    attemptMs: SEND_TIMEOUT_MS,
    stopMs: STOP_MS,
    inFlight: 4,
    ahead: 16,
    settleAt: 1,
    idleMs: 250,
    retries: MAIL_RETRIES,
    keepsMs: RETENTION_MS,
    find: Effect.succeed,
    attempt,
    fault: () => ({ kind: "again", note: { last_error: "the attempt could not be made" } }),
    settled: ended =>
      Effect.forEach(
        ended.filter(({ state }) => state === "given_up"),
        ({ item, outcome }) => Effect.logWarning(`mail ${item.number} was given up: ${outcome.note.last_error}`),
        { discard: true },
      ),
  })
})
