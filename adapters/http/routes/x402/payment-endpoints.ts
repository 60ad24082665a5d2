/** `GET /api/x402/visa`: the full record of one pair, paid by the call, without an account and a key. */

import { Effect, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { Language } from "../../../../src/full.ts"
import { DEFAULT_LANGUAGE } from "../../../answers/answer-languages.ts"
import { describeRecord } from "../../../answers/visa-answers.ts"
import { Meter } from "../../../quota/meter.ts"
import { Clients } from "../../../validation/addresses.ts"
import { type PaymentOutcome, Payments } from "../../../x402/payments.ts"
import { makeBody } from "../../pipeline/describe-row.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { type Answer, answerError, answerJson, NOT_STORED } from "../../pipeline/http-message.ts"
import { MountedSite } from "../../pipeline/process-state.ts"
import { answerNotSetUp } from "../accounts/account-answers.ts"
import { answerOutcome, destination, lang, localisedFactsOf, passport } from "../visa/visa-endpoints.ts"
import { VisaAnswer } from "../visa/visa-schemas.ts"

const AWAY_RETRY_SECONDS = 5
const FACILITATOR_HEADERS = ["retry-after", String(AWAY_RETRY_SECONDS)]

function answerPayment(outcome: PaymentOutcome, record: Answer): Answer {
  switch (outcome.kind) {
    case "required": {
      const response = outcome.response === undefined ? [] : ["payment-response", outcome.response]
      return answerJson(402, outcome.body, [...NOT_STORED, "payment-required", outcome.header, ...response])
    }
    case "malformed":
      return answerError(400, "PAYMENT-SIGNATURE: Expected a payment of x402 version 2, as JSON in base64")
    case "away":
      return answerError(503, outcome.message, FACILITATOR_HEADERS)
    case "not_charged":
      return record
    case "settled":
      return { ...record, headers: [...record.headers, "payment-response", outcome.response] }
  }
}

const answerTooMany = (retryAfterSeconds: number): Answer =>
  answerError(429, `Too many payments were shown from one address; try again in ${retryAfterSeconds} seconds.`, [
    "retry-after",
    String(retryAfterSeconds),
  ])

/** Everything that is known of a pair, as a pro plan shows it. */
const paidVisa = endpoint("GET /api/x402/visa", {
  name: "paidVisa",
  surface: "visa",
  access: { kind: "public" },
  needs: { clients: Clients, meter: Meter, payments: Payments, site: MountedSite },
  parameters: { passport, destination, lang },
  language: ({ lang }): Language => lang ?? DEFAULT_LANGUAGE,
  answer: (pair, context) => {
    const { clients, meter, payments, site } = context
    if (payments.buy === null) return answerNotSetUp("Payment by the call")
    const { request, upgradeUrl } = context
    const record = answerOutcome(
      describeRecord(localisedFactsOf(context), pair, { plan: "pro", upgradeUrl }),
      NOT_STORED,
    )
    const url = `${site.publicUrl}${request.path}?${request.search}`
    const question = `${pair.passport} ${pair.destination} ${pair.lang ?? DEFAULT_LANGUAGE}`
    // A request for the headers only buys nothing.
    const shown = request.method === "HEAD" ? undefined : request.header("payment-signature")
    if (shown !== undefined) {
      // For each presented payment the service asks the facilitator.
      const held = meter.reserveKeyless(`payments ${clients.name(request)}`, { pool: "checks" }, context.nowMs)
      if (held !== null && !held.ok) return answerTooMany(held.retryAfterSeconds ?? 1)
    }
    return Effect.map(payments.buy(shown, { url, question, isAnswered: record.status < 400 }), outcome =>
      answerPayment(outcome, record),
    )
  },
  summary: "Full record of one pair, paid by the call",
  description:
    "0.03 USD in USDC by the x402 protocol, version 2. Without a payment, the 402 answer has the data to sign. A payment is settled only if there is a record, and an authorisation pays for one call. The record has the fields of the pro plan.",
  headers: {
    "PAYMENT-SIGNATURE": {
      description: "A signed payment, as JSON in base64.",
      type: "string",
      example: "eyJ4NDAyVmVyc2lvbiI6Mn0=",
    },
  },
  sends: {
    200: { "PAYMENT-RESPONSE": "The settlement of the payment, as JSON in base64." },
    402: {
      "PAYMENT-REQUIRED": "The required payment, as JSON in base64.",
      "PAYMENT-RESPONSE": "The reason why settling failed, as JSON in base64; only if it was tried.",
    },
  },
  success: VisaAnswer,
  errors: [
    makeBody("PaymentRequired", "The price, or the reason why the payment is not valid.", {
      x402Version: Schema.Int,
      error: Schema.String,
      resource: Schema.Struct({ url: Schema.String, description: Schema.String, mimeType: Schema.String }),
      accepts: Schema.Array(
        Schema.Struct({
          scheme: Schema.String,
          network: Schema.String,
          asset: Schema.String,
          amount: Schema.String,
          payTo: Schema.String,
          maxTimeoutSeconds: Schema.Int,
          extra: Schema.Struct({ name: Schema.String, version: Schema.String }),
        }),
      ),
    }).pipe(HttpApiSchema.status(402)),
    404,
    429,
  ],
})

export const paymentEndpoints = [paidVisa] as const
