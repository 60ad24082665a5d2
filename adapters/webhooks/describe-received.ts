/**
 * What did a listening receiver get, and is it genuine?
 *
 * The text is for a person at a terminal: the event in a line or two, and the result of each of the three signatures by the verifier for
 * receivers. Without a secret nothing can be verified, and the text says so.
 */

import { type SignatureScheme, verifyDelivery } from "../../src/engine.ts"
import { type Fields, isFields, readJsonFields, showValue } from "../validation/fields.ts"

/** The answer to the sender, and what is shown. */
export type Received = ReturnType<typeof describeReceived>

const SCHEMES: readonly (readonly [scheme: SignatureScheme, header: string])[] = [
  ["svc", "Svc-Signature"],
  ["body", "Svc-Body-Signature"],
  ["standard", "webhook-signature"],
]

/** One line without control characters for the terminal. */
const plain = (value: unknown): string =>
  (typeof value === "string" ? value : showValue(value)).replace(/\p{C}/gu, "\ufffd").slice(0, 200)

function describeTerms(terms: unknown): string {
  if (!isFields(terms)) return "nothing known"
  const days = typeof terms.stay_days === "number" ? ` ${terms.stay_days} days` : ""
  return `${plain(terms.requirement)}${days}`
}

function describeData(event: Fields): string {
  const { data } = event
  if (!isFields(data)) return plain(data)
  if (typeof data.passport !== "string") return plain(data.message ?? data)
  const pair = `${plain(data.passport)} to ${plain(data.destination)}`
  if (event.type === "visa.source_updated") return `${pair}: other sources`
  const from = typeof data.effective_from === "string" ? ` from ${plain(data.effective_from.slice(0, 10))} on` : ""
  return `${pair}: ${describeTerms(data.previous)} → ${describeTerms(data.current)}${from} (${plain(data.severity)})`
}

/**
 * Reads and verifies a delivery; `isKnown` says whether its event was received before. Returns the status of the answer to the sender, the
 * lines to show, and the record for programs.
 */
export function describeReceived(
  {
    headers,
    body,
  }: { readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>; readonly body: string },
  given: {
    readonly secret: string | null
    readonly nowSeconds: number
    readonly isKnown: (eventId: string) => boolean
  },
) {
  const { secret, nowSeconds, isKnown } = given
  const verified = SCHEMES.map(([scheme, header]) => {
    if (secret === null) return { scheme, header, ok: false, message: "not verified: no --secret was given" }
    const options = { scheme, headers, body, secrets: [secret], nowSeconds } as Parameters<typeof verifyDelivery>[0]
    const result = verifyDelivery(options)
    return { scheme, header, ok: result.ok, message: result.ok ? "verified" : result.error.message }
  })
  const isBelieved = verified.every(({ ok }) => ok)
  const event = readJsonFields(body)
  const eventId = typeof event?.id === "string" ? event.id : null
  const isAgain = eventId !== null && (isBelieved || secret === null) && isKnown(eventId)
  const title =
    event === null
      ? "no event: the body is not a JSON object"
      : `${plain(event.type)}  ${plain(event.id)}${isAgain ? "  (has come before: same id)" : ""}`
  const signatures =
    isBelieved || secret === null
      ? [`  ${isBelieved ? "all three signatures are verified" : verified[0]?.message}`]
      : verified.map(({ header, message }) => `  ${header}: ${message}`)
  return {
    status: event === null ? 400 : isBelieved || secret === null ? 204 : 401,
    lines: [title, ...(event === null ? [] : [`  ${describeData(event)}`]), ...signatures],
    record: {
      verified: secret === null ? null : Object.fromEntries(verified.map(({ scheme, ok }) => [scheme, ok])),
      has_come_before: isAgain,
      event,
    },
  }
}
