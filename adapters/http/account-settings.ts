/**
 * Which variables do accounts need: mail, payments?
 *
 * A feature whose variables are missing answers 503 and names itself; a value that is wrong stops the start like any other.
 */
import { Redacted } from "effect"
import { BILLING_PERIODS, type PriceTable } from "../billing/stripe-port.ts"
import type { Mailbox } from "../mail/senders.ts"
import { readFlag, readHttpUrl, setting } from "./setting.ts"

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

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Reads the prices of plans: `{"hobby": {"monthly": "price_…", "annual": "price_…"}}`. */
function readPrices(text: string): PriceTable | undefined {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return undefined
  }
  const isPrice = ([period, id]: [string, unknown]) =>
    (BILLING_PERIODS as readonly string[]).includes(period) && typeof id === "string" && id !== ""
  const isPlan = ([plan, byPeriod]: [string, unknown]) =>
    ["hobby", "starter", "pro", "business"].includes(plan) &&
    isFields(byPeriod) &&
    Object.entries(byPeriod).every(isPrice)
  return isFields(given) && Object.entries(given).every(isPlan) ? (given as PriceTable) : undefined
}

const readSecret = (text: string) => Redacted.make(text)

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
  stripeSecretKey: setting({
    name: "LANDFALL_STRIPE_SECRET_KEY",
    unit: "text",
    default: "none",
    meaning: "The secret key of Stripe; without it and the next one nothing is sold.",
    allowed: "a secret key",
    isSecret: true,
    read: readSecret,
  }),
  stripeWebhookSecret: setting({
    name: "LANDFALL_STRIPE_WEBHOOK_SECRET",
    unit: "text",
    default: "none",
    meaning: "The secret that Stripe signs its events with.",
    allowed: "a signing secret",
    isSecret: true,
    read: readSecret,
  }),
  stripeApiBase: setting({
    name: "LANDFALL_STRIPE_API_BASE",
    unit: "URL",
    default: "Stripe's own",
    meaning: "Another address that speaks Stripe's interface, for tests.",
    allowed: "an http or https URL without user, query and fragment",
    read: readHttpUrl,
  }),
  stripePrices: setting({
    name: "LANDFALL_STRIPE_PRICES",
    unit: "JSON",
    default: "none",
    meaning: "The ids of Stripe's prices by plan (hobby, starter, pro, business) and period (monthly, annual).",
    allowed: '{"hobby": {"monthly": "price_…", "annual": "price_…"}, …}',
    read: readPrices,
  }),
}
