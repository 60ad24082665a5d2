/**
 * How is a written mail sent?
 *
 * Over SMTP, or, on a development server without one, as a line in the log that shows the link and not the recipient. A refusal
 * says whether it is final; it does not repeat the server's own words, which may hold an address.
 */

import { Effect, Redacted, Schema } from "effect"
import type { Mailbox } from "../settings/feature-options.ts"
import type { WrittenMail } from "./texts.ts"

/** A mail that was not accepted; `isFinal` where trying again would not help. */
export class MailNotTaken extends Schema.TaggedError<MailNotTaken>()("MailNotTaken", {
  isFinal: Schema.Boolean,
  message: Schema.String,
}) {}

export interface OutgoingMail extends WrittenMail {
  readonly to: string
  /** The same at every attempt. */
  readonly messageId: string
  readonly language: string
  /** The line in a development server's log. */
  readonly logLine: string
}

export type SendMail = (mail: OutgoingMail) => Effect.Effect<void, MailNotTaken>

/** How mails are sent. */
export interface SmtpOptions {
  readonly url: Redacted.Redacted<string>
  readonly from: Mailbox
}

const CONNECTION_TIMEOUT_MS = 10_000
const SOCKET_TIMEOUT_MS = 20_000
/** How long one mail may take in all. */
export const SEND_TIMEOUT_MS = 45_000
const AT_ONCE = 4

/** A permanent reply code is final (RFC 5321, section 4.2.1); a failed login is reported to the operator and tried again. */
function describeFailure(cause: unknown): MailNotTaken {
  const { code, responseCode } = (typeof cause === "object" && cause !== null ? cause : {}) as {
    readonly code?: unknown
    readonly responseCode?: unknown
  }
  const status = typeof responseCode === "number" ? responseCode : null
  const isFinal = status !== null && status >= 500 && code !== "EAUTH"
  const what = [typeof code === "string" ? code : "not sent", ...(status === null ? [] : [`status ${status}`])]
  return new MailNotTaken({ isFinal, message: what.join(", ") })
}

/** Sends over SMTP; connections are closed with the scope. */
export const makeSmtpSender = Effect.fnUntraced(function* ({ url, from }: SmtpOptions) {
  // Loaded here, because most deployments never need it.
  const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
  const transport = createTransport(
    {
      url: Redacted.value(url),
      pool: true,
      maxConnections: AT_ONCE,
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      greetingTimeout: CONNECTION_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    } as Parameters<typeof createTransport>[0],
    // The sender's name is given apart from the address: in one text a comma would make two senders.
    { from: { name: from.name, address: from.address } },
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => transport.close()))
  const send: SendMail = ({ to, subject, text, html, messageId, language }) =>
    Effect.tryPromise({
      try: () =>
        transport.sendMail({
          to: { name: "", address: to },
          subject,
          text,
          html,
          messageId,
          headers: { "content-language": language, "auto-submitted": "auto-generated" },
        }),
      catch: describeFailure,
    }).pipe(
      Effect.timeout(SEND_TIMEOUT_MS),
      Effect.catchTag("TimeoutError", () => new MailNotTaken({ isFinal: false, message: "not sent in time" })),
      Effect.asVoid,
    )
  return send
})

/** Writes a line into the log instead of a mail. */
export const sendToLog: SendMail = ({ logLine }) =>
  Effect.logInfo(`LANDFALL_SMTP_URL is not set, so that nothing is mailed: ${logLine}`)
