/**
 * Which variables do accounts need: mail, payments?
 *
 * A feature whose variables are missing answers 503 and names itself; a value that is wrong stops the start like any other.
 */
import { Redacted } from "effect"
import type { Mailbox } from "./feature-options.ts"
import { BILLING_PERIODS, type PriceTable } from "./feature-options.ts"
import { readFlag, readHttpUrl, setting } from "./setting.ts"

/** Reads the address of a mail server, which may hold user and password. */
function readSmtpUrl(text: string): Redacted.Redacted<string> | undefined {
  const url = URL.parse(text)
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "") return undefined
  return Redacted.make(text)
}

const ADDRESS = /^[^\s@<>,;"\p{Cc}]+@[^\s@<>,;"\p{Cc}]+$/u

/** Reads a mailbox, `visa@example.org` or `Landfall <visa@example.org>`. */
function readMailbox(text: string): Mailbox | undefined {
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

const readChainAddress = (text: string): string | undefined => (/^0x[0-9a-fA-F]{40}$/.test(text) ? text : undefined)

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
  x402PayTo: setting({
    name: "LANDFALL_X402_PAY_TO",
    unit: "address",
    default: "none",
    meaning: "Who is paid for single calls; without it and a facilitator there are none.",
    allowed: "an Ethereum address, 0x and 40 hexadecimal digits",
    read: readChainAddress,
  }),
  x402FacilitatorUrl: setting({
    name: "LANDFALL_X402_FACILITATOR_URL",
    unit: "URL",
    default: "none",
    meaning: "The facilitator that verifies payments and submits them.",
    allowed: "an http or https URL without user, query and fragment",
    read: readHttpUrl,
  }),
  x402Network: setting({
    name: "LANDFALL_X402_NETWORK",
    unit: "CAIP-2 name",
    default: "eip155:8453",
    meaning: "The network that payments are made on.",
    allowed: "eip155: and a number",
    read: text => (/^eip155:\d{1,12}$/.test(text) ? text : undefined),
  }),
  x402Asset: setting({
    name: "LANDFALL_X402_ASSET",
    unit: "address",
    default: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    meaning: "The contract of the coin that is paid in: USDC, with six decimals.",
    allowed: "an Ethereum address, 0x and 40 hexadecimal digits",
    read: readChainAddress,
  }),
}
