/** How does a configuration send mail, and from which address? */
import type { ServiceConfig } from "../settings/config.ts"
import type { MailDelivery } from "./mails.ts"
import type { SmtpOptions } from "./senders.ts"

/** How mails leave: a production server without a mail server sends none. */
export const deliveryOf = ({ smtpUrl, mode }: Pick<ServiceConfig, "smtpUrl" | "mode">): MailDelivery =>
  smtpUrl !== null ? "smtp" : mode === "development" ? "log" : "none"

/** The mail server, or null. */
export const smtpOf = ({ smtpUrl, mailFrom }: Pick<ServiceConfig, "smtpUrl" | "mailFrom">): SmtpOptions | null =>
  smtpUrl === null ? null : { url: smtpUrl, from: mailFrom }
