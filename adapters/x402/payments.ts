/**
 * How does a program without an account pay for one call?
 *
 * Its payment is verified, claimed, and settled only when there is an answer to sell; an authorisation buys one answer, over all
 * nodes. If the answer of a settlement was lost, its outcome is unknown: the settlement is then requested again, by the payer's
 * next request or by the service itself, and a transfer that has happened counts as settled. A claim is written before the
 * facilitator is asked, so that a process that dies leaves a trace.
 */

import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { makeSealer } from "../secrets/sealing.ts"
import type { PaymentOptions, PaymentPlace } from "../settings/feature-options.ts"
import type { PaymentName, PaymentRow } from "../storage/billing-repository.ts"
import { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { isFields, readJsonFields } from "../validation/fields.ts"

// How is a payment asked for and shown (x402, version 2)?
// Each header is JSON in base64: `PAYMENT-REQUIRED` says what it costs, `PAYMENT-SIGNATURE` shows a signed `TransferWithAuthorization`
// (EIP-3009), `PAYMENT-RESPONSE` says how it was settled. The payment is checked strictly; the facilitator says whether its signature is
// valid.

const X402_VERSION = 2
/** 0.03 USD in a stablecoin of six decimals. */
const PRICE_UNITS = "30000"
/** How long a payer may take. */
const TIMEOUT_SECONDS = 120

/** The price of a call. The name and version are those of USDC's signatures (EIP-712). */
export const makeRequirements = ({ network, asset, payTo }: PaymentPlace) => ({
  scheme: "exact" as const,
  network,
  asset,
  amount: PRICE_UNITS,
  payTo,
  maxTimeoutSeconds: TIMEOUT_SECONDS,
  extra: { name: "USD Coin", version: "2" },
})

type Requirements = ReturnType<typeof makeRequirements>

/** The answer to a request without a payment. */
const describeRequired = (requirements: Requirements, url: string, error: string) => ({
  x402Version: X402_VERSION,
  error,
  resource: { url, description: "The full visa record of one pair.", mimeType: "application/json" },
  accepts: [requirements],
})

export const writeHeader = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64")

interface ShownPayment {
  readonly name: PaymentName
  /** As the facilitator takes it. */
  readonly payload: unknown
}

const ADDRESS = /^0x[0-9a-f]{40}$/i
const NONCE = /^0x[0-9a-f]{64}$/i

/** Writes a text or a number; nothing else, which may be nested too deeply to be written. */
const writeScalar = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : ""

/** Reads a header; null for a malformed one, a sentence for a payment of something else. */
function readPayment(header: string, requirements: Requirements): ShownPayment | string | null {
  const payload = readJsonFields(Buffer.from(header, "base64").toString("utf8"))
  if (payload === null || !isFields(payload.accepted) || !isFields(payload.payload)) return null
  const { authorization } = payload.payload
  if (!isFields(authorization) || typeof payload.payload.signature !== "string") return null
  const { from, nonce, to, value } = authorization
  if (typeof from !== "string" || typeof nonce !== "string" || !ADDRESS.test(from) || !NONCE.test(nonce)) return null
  if (payload.x402Version !== X402_VERSION) return "This is another version of the protocol."
  const { accepted } = payload
  const isSame = (["scheme", "network", "asset", "amount", "payTo"] as const).every(
    key => writeScalar(accepted[key]).toLowerCase() === requirements[key].toLowerCase(),
  )
  const pays =
    writeScalar(to).toLowerCase() === requirements.payTo.toLowerCase() && writeScalar(value) === requirements.amount
  if (!isSame || !pays) return "This pays for something else."
  const { network, asset } = requirements
  const name = { network, asset: asset.toLowerCase(), payer: from.toLowerCase(), nonce: nonce.toLowerCase() }
  return { name, payload }
}

// What does the facilitator say about a payment? It verifies a signature and submits the transfer, so that the payer needs no gas. Before a
// transfer was requested, a missing answer means that nothing has happened; afterwards it means that the outcome is unknown.

const VERIFY_TIMEOUT_MS = 10_000
/** A transfer waits for a block. */
const SETTLE_TIMEOUT_MS = 30_000

/** No answer, or none that can be understood. */
class FacilitatorAway extends Schema.TaggedError<FacilitatorAway>()("FacilitatorAway", {
  message: Schema.String,
}) {}

interface Settlement {
  readonly success: boolean
  readonly transaction: string
  readonly network: string
  readonly payer?: string
  readonly errorReason?: string
}

/** Whether a transfer is on its way, or failed only because it has happened already. */
const isPending = ({ errorReason = "" }: Settlement): boolean => /pending/i.test(errorReason)
const isUsedAlready = ({ errorReason = "" }: Settlement): boolean =>
  /nonce_already_used|authorization (is )?used|already[ _](used|settled)/i.test(errorReason)

/** Reaches a facilitator. */
function makeFacilitator(url: URL, requirements: Requirements) {
  const base = url.href.replace(/(?<!\/)\/+$/, "")
  const ask = (path: string, payload: unknown, timeoutMs: number) =>
    Effect.tryPromise({
      try: async () => {
        const response = await fetch(base + path, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            x402Version: X402_VERSION,
            paymentPayload: payload,
            paymentRequirements: requirements,
          }),
          signal: AbortSignal.timeout(timeoutMs),
          redirect: "error",
        })
        return (await response.json()) as Readonly<Record<string, unknown>>
      },
      catch: () => new FacilitatorAway({ message: "no answer" }),
    })
  const readText = (value: unknown): string => (typeof value === "string" ? value : "")
  return {
    /** Why a payment is not valid, or null. */
    verify: (payload: unknown) =>
      Effect.flatMap(ask("/verify", payload, VERIFY_TIMEOUT_MS), ({ isValid, invalidReason }) =>
        typeof isValid !== "boolean"
          ? Effect.fail(new FacilitatorAway({ message: "an answer that cannot be read" }))
          : Effect.succeed(isValid ? null : readText(invalidReason) || "invalid_payment"),
      ),
    settle: (payload: unknown) =>
      Effect.flatMap(ask("/settle", payload, SETTLE_TIMEOUT_MS), answer => {
        const { success, payer, errorReason } = answer
        if (typeof success !== "boolean")
          return Effect.fail(new FacilitatorAway({ message: "an answer that cannot be read" }))
        return Effect.succeed<Settlement>({
          success,
          transaction: readText(answer.transaction),
          network: readText(answer.network) || requirements.network,
          ...(typeof payer === "string" ? { payer } : {}),
          ...(typeof errorReason === "string" ? { errorReason } : {}),
        })
      }),
  }
}

/** The purchase. */
interface Bought {
  readonly url: string
  /** The question, for the ledger. */
  readonly question: string
  /** Whether there is an answer to sell. */
  readonly isAnswered: boolean
}

/** The outcome of a request with or without a payment. */
export type PaymentOutcome =
  | { readonly kind: "required"; readonly body: object; readonly header: string; readonly response?: string }
  | { readonly kind: "malformed" }
  | { readonly kind: "away"; readonly message: string }
  /** There is nothing to sell, and nothing was charged. */
  | { readonly kind: "not_charged" }
  | { readonly kind: "settled"; readonly response: string }

const CLAIM_MS = SETTLE_TIMEOUT_MS + 30_000
const RECONCILED_AT_ONCE = 20
/** How long after a lost answer the service asks again by itself. */
const AGAIN_MS = 30_000
/** An authorisation is valid for minutes; a person has to look after an outcome that is unknown after a day. */
const GIVE_UP_MS = 86_400_000

const USED = "This authorisation was used, or is being used."
const AWAY = "The payment cannot be made now: the facilitator does not answer."

/** Payments for single calls. */
export class Payments extends Context.Service<Payments>()("landfall/payments/Payments", {
  make: Effect.fnUntraced(function* (options: PaymentOptions | null) {
    // Nothing is sold by the call.
    if (options === null) return { buy: null, reconcile: Effect.succeed(0) }
    const { payments } = yield* Storage
    const { seal, open } = makeSealer(yield* DeploymentSecret, { purpose: "payments", table: "payments" })
    const requirements = makeRequirements(options)
    const facilitator = makeFacilitator(options.facilitatorUrl, requirements)

    const nameRow = ({ network, asset, payer, nonce }: ShownPayment["name"]) => `${network}/${asset}/${payer}/${nonce}`

    const require = (url: string, error: string, response?: string): PaymentOutcome => {
      const body = describeRequired(requirements, url, error)
      return { kind: "required", body, header: writeHeader(body), ...(response === undefined ? {} : { response }) }
    }

    /** Settles a claimed payment; an earlier attempt whose answer was lost may have succeeded. */
    const settle = (row: PaymentRow, claim: string, payload: unknown, isDelivered: boolean) =>
      Effect.gen(function* () {
        if (row.state === "settled") {
          const atMs = yield* Clock.currentTimeMillis
          if (isDelivered)
            yield* payments.settle(row.id, claim, { state: "settled", delivered_at: atMs, claimed_until: atMs })
          return JSON.parse(row.settlement ?? "{}") as Settlement
        }
        const beganMs = yield* Clock.currentTimeMillis
        yield* payments.settle(row.id, claim, { state: "settling", claimed_until: beganMs + CLAIM_MS })
        const asked = yield* Effect.result(facilitator.settle(payload))
        const nowMs = yield* Clock.currentTimeMillis
        if (asked._tag === "Failure" || isPending(asked.success)) {
          const isOver = nowMs - row.created_at > GIVE_UP_MS
          const error = isOver ? "the answer was lost, and never found" : "the answer was lost"
          const state = isOver ? "failed" : "unknown"
          // Its payer may ask again at once.
          yield* payments.settle(row.id, claim, { state, error, claimed_until: nowMs })
          return null
        }
        const wasLost = row.state === "settling" || row.state === "unknown"
        const said = asked.success
        const settlement: Settlement =
          !said.success && wasLost && isUsedAlready(said)
            ? { success: true, transaction: said.transaction, network: said.network, payer: row.payer }
            : said
        yield* payments.settle(row.id, claim, {
          state: settlement.success ? "settled" : "failed",
          settlement: JSON.stringify(settlement),
          error: settlement.errorReason ?? null,
          ...(settlement.success ? { settled_at: nowMs } : {}),
          ...(settlement.success && isDelivered ? { delivered_at: nowMs } : {}),
          claimed_until: 0,
        })
        return settlement
      })

    /** Claims a payment for a question; undefined where it is used already. */
    const claimPayment = (shown: ShownPayment, question: string, claim: string) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        return yield* payments.claim(shown.name, {
          id: yield* payments.nextId,
          amount: requirements.amount,
          question,
          claim,
          sealed_payment: seal(nameRow(shown.name), JSON.stringify(shown.payload)),
          created_at: nowMs,
          claimed_until: nowMs + CLAIM_MS,
        })
      })

    const buy = (header: string | undefined, { url, question, isAnswered }: Bought) =>
      Effect.gen(function* (): Effect.fn.Return<PaymentOutcome, Unavailable> {
        if (header === undefined || header === "") return require(url, "Payment is required.")
        const shown = readPayment(header, requirements)
        if (shown === null) return { kind: "malformed" }
        if (typeof shown === "string") return require(url, shown)
        const known = yield* payments.find(shown.name)
        if (known === undefined || known.state === "failed" || known.state === "claimed") {
          const verified = yield* Effect.result(facilitator.verify(shown.payload))
          if (verified._tag === "Failure") return { kind: "away", message: AWAY }
          if (verified.success !== null) return require(url, verified.success)
        } else if (known.delivered_at !== null) return require(url, USED)
        if (!isAnswered) return { kind: "not_charged" }
        const claim = randomUUID()
        const row = yield* claimPayment(shown, question, claim)
        if (row === undefined) return require(url, USED)
        const settlement = yield* settle(row, claim, shown.payload, true)
        if (settlement === null) return { kind: "away", message: AWAY }
        const response = writeHeader(settlement)
        return settlement.success
          ? { kind: "settled", response }
          : require(url, settlement.errorReason ?? "The payment was not settled.", response)
        // A payer who disconnects must not leave a transfer that is not recorded.
      }).pipe(Effect.uninterruptible)

    /** Settles payments whose answer was lost; returns their number. */
    const reconcile = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const claim = randomUUID()
      const rows = yield* payments.claimOpen(claim, nowMs - AGAIN_MS, nowMs + CLAIM_MS, RECONCILED_AT_ONCE)
      for (const row of rows) {
        const text = row.sealed_payment === null ? null : open(nameRow(row), row.sealed_payment)
        if (text !== null) yield* settle(row, claim, JSON.parse(text), false)
      }
      return rows.length
    }).pipe(Effect.uninterruptible)

    return { buy, reconcile }
  }),
}) {
  static readonly layer = (options: PaymentOptions | null) => Layer.effect(Payments, Payments.make(options))
}
