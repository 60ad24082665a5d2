/**
 * Who sends the mails that were ordered, and what happens when one fails?
 *
 * A dispatcher claims orders that are due, finds out to whom each goes and what it says, and sends it. Any number of them share a
 * database: no other touches a claimed order until the claim expires, so the mail of a process that died is sent by another one,
 * under the same message id. No request waits for it: an unavailable mail server delays only mails.
 */
import { randomUUID } from "node:crypto"
import { Clock, Effect, Schedule } from "effect"
import { DeploymentSecret } from "../../platform/secrets/deployment-secret.ts"
import { signInUrl } from "../../platform/settings/site-links.ts"
import type { ClaimedMail, SettledMail } from "../../platform/storage/mails-repository.ts"
import { OutageLog } from "../../platform/storage/outage-log.ts"
import { Storage } from "../../platform/storage/storage.ts"
import { type MailOrder, makeOrderBox } from "../mail/mails.ts"
import { makeSmtpSender, type OutgoingMail, type SendMail, type SmtpOptions, sendToLog } from "../mail/senders.ts"
import { type MailContent, writeMail } from "../mail/texts.ts"
import { foldEmail } from "./account.ts"
import { LINK_MINUTES, makeLinks } from "./sessions.ts"

/** How long a claim holds: longer than sending takes. */
export const MAIL_LEASE_MS = 60_000
const CLAIM_LIMIT = 20
const IN_FLIGHT = 4
/** How long a dispatcher that has found nothing to do waits. */
const IDLE_MS = 250
/** How long after each failed attempt the next one follows; after the last one the mail is given up. */
export const MAIL_WAITS_MS: readonly number[] = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000]
/** How long the record of a mail that was sent or given up is kept. */
const RETENTION_MS = 30 * 86_400_000
const SWEEP_EVERY_MS = 600_000

/** Where links lead, and how mails are sent. */
export interface MailDispatcherOptions {
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
  const { accounts, mails, sessions, attempts } = storage
  const secret = yield* DeploymentSecret
  const box = makeOrderBox(secret)
  const links = makeLinks(storage, secret)
  const send: SendMail = smtp === null ? sendToLog : yield* makeSmtpSender(smtp)
  const worker = randomUUID()

  /** The recipient of an order; undefined where there is none any more. */
  const findRecipient = (order: MailOrder) =>
    Effect.map(
      order.kind === "sign_in"
        ? accounts.findAccountByEmail(foldEmail(order.email))
        : accounts.findAccount(order.accountId),
      account => (account?.is_disabled === true ? undefined : account),
    )

  /** The mail of an order, as it is now; null where there is no recipient. */
  const write = (id: number, order: MailOrder) =>
    Effect.gen(function* () {
      const account = yield* findRecipient(order)
      if (account === undefined) return null
      const publicUrl = readPublicUrl()
      const { host, hostname } = new URL(publicUrl)
      const about = { language: order.language, service: host, minutes: LINK_MINUTES }
      const finish = (content: MailContent, logLine: string): OutgoingMail => ({
        ...writeMail(content),
        to: account.email,
        language: order.language,
        messageId: `<landfall-${id}@${hostname}>`,
        logLine,
      })
      switch (order.kind) {
        case "confirm":
        case "sign_in": {
          const line = `${publicUrl}${CONFIRM_PATH}?token=${yield* links.make(account.id)}`
          return finish({ ...about, topic: order.kind, line }, `the link of account ${account.id} is ${line}`)
        }
        case "payment_failed": {
          const line = signInUrl({ publicUrl })
          const date = formatDay(order.language, order.graceUntilMs)
          const logLine = `a payment of account ${account.id} has failed, its plan stays until ${date}`
          return finish({ ...about, topic: "payment_failed", line, date }, logLine)
        }
      }
    })

  const attempt = ({ id, sealed_order, attempt }: ClaimedMail) =>
    Effect.gen(function* () {
      const settle = (state: SettledMail["state"], dueAt: number, error: string | null) =>
        mails.settle(worker, { id, attempt, state, dueAt, error })
      const nowMs = yield* Clock.currentTimeMillis
      const order = box.open(id, sealed_order)
      if (order === null) return yield* settle("given_up", nowMs, "the order does not open: its row was changed")
      const mail = yield* write(id, order)
      if (mail === null) return yield* settle("sent", nowMs, null)
      const failure = yield* Effect.match(send(mail), { onSuccess: () => null, onFailure: error => error })
      if (failure === null) return yield* settle("sent", nowMs, null)
      const wait = failure.isFinal ? undefined : MAIL_WAITS_MS[attempt - 1]
      if (wait === undefined) {
        yield* Effect.logWarning(`mail ${id} was given up: ${failure.message}`)
        return yield* settle("given_up", nowMs, failure.message)
      }
      yield* settle("pending", (yield* Clock.currentTimeMillis) + wait, failure.message)
    })

  /** Claims the due orders and sends them; gives their number. */
  const look = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const claimed = yield* mails.claim({ worker, nowMs, leaseMs: MAIL_LEASE_MS, limit: CLAIM_LIMIT })
    yield* Effect.forEach(claimed, attempt, { concurrency: IN_FLIGHT, discard: true })
    return claimed.length
  })

  const sweep = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    yield* mails.purge(nowMs - RETENTION_MS)
    yield* sessions.forgetExpired(nowMs)
    yield* attempts.forgetEnded(nowMs)
  })

  const outages = new OutageLog("mails wait")
  const run = Effect.gen(function* () {
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(sweep), Schedule.spaced(SWEEP_EVERY_MS)))
    const persist = outages.insist(look, IDLE_MS)
    yield* Effect.forever(Effect.flatMap(persist, count => (count === 0 ? Effect.sleep(IDLE_MS) : Effect.yieldNow)))
  })
  const drain = Effect.repeat(look, { until: count => count === 0 })

  yield* Effect.addFinalizer(() => Effect.ignore(mails.release(worker)))
  return { run: Effect.scoped(run), drain, sweep }
})
