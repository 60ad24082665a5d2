/**
 * Which variables do accounts need: mail, payments?
 *
 * A feature whose variables are missing answers 503 and names itself; a value that is wrong stops the start like any other.
 */
import { Redacted } from "effect"
import type { Mailbox } from "../mail/senders.ts"
import { readFlag, setting } from "./setting.ts"

/** Reads the address of a mail server; user and password may stand in it. */
function readSmtpUrl(text: string): Redacted.Redacted<string> | undefined {
  const url = URL.parse(text)
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "") return undefined
  return Redacted.make(text)
}

const ADDRESS = /^[^\s@<>,;"\p{Cc}]+@[^\s@<>,;"\p{Cc}]+$/u

/**
 * Reads a mailbox, `visa@example.org` or `Landfall <visa@example.org>`.
 *
 * @example
 * ```ts
 * readMailbox("Landfall <visa@example.org>") // => {"name": "Landfall", "address": "visa@example.org"}
 * ```
 */
export function readMailbox(text: string): Mailbox | undefined {
  const [, name = "", inBrackets] = /^([^<>\p{Cc}]*)<([^<>]+)>$/u.exec(text) ?? []
  const address = inBrackets ?? text
  return ADDRESS.test(address) ? { name: name.trim().replace(/^"(.*)"$/, "$1"), address } : undefined
}

/** The settings of accounts by the name that a program gives them. */
export const accountSettings = {
  smtpUrl: setting({
    name: "LANDFALL_SMTP_URL",
    unit: "URL",
    default: "none",
    meaning:
      "The server that mails leave by. Without one a development server writes the links into its log, and a production server lets nobody sign in.",
    allowed: "smtp://USER:PASSWORD@HOST:PORT or smtps://…",
    isSecret: true,
    read: readSmtpUrl,
  }),
  mailFrom: setting({
    name: "LANDFALL_MAIL_FROM",
    unit: "mailbox",
    default: "Landfall <noreply@HOST of the public address>",
    meaning: "Who mails are from.",
    allowed: "an address, or NAME <ADDRESS>",
    read: readMailbox,
  }),
  registerRevealsKey: setting({
    name: "LANDFALL_REGISTER_REVEALS_KEY",
    unit: "true or false",
    default: "false",
    meaning: "Whether registering again shows the whole key of a confirmed account; for closed networks only.",
    allowed: "true or false",
    read: readFlag,
  }),
}
