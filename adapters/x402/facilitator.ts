/**
 * What does the facilitator say about a payment, and what does a missing answer mean?
 *
 * It verifies a signature and submits the transfer, so that the payer needs no gas. Before a transfer was requested, a missing
 * answer means that nothing has happened; afterwards it means that the outcome is unknown.
 */
import { Effect, Schema } from "effect"
import { type Requirements, X402_VERSION } from "./protocol.ts"

const VERIFY_TIMEOUT_MS = 10_000
/** A transfer waits for a block. */
export const SETTLE_TIMEOUT_MS = 30_000

/** No answer, or none that can be understood. */
class FacilitatorAway extends Schema.TaggedError<FacilitatorAway>()("FacilitatorAway", {
  message: Schema.String,
}) {}

export interface Settlement {
  readonly success: boolean
  readonly transaction: string
  readonly network: string
  readonly payer?: string
  readonly errorReason?: string
}

/** Whether a transfer is on its way, or failed only because it has happened already. */
export const isPending = ({ errorReason = "" }: Settlement): boolean => /pending/i.test(errorReason)
export const isUsedAlready = ({ errorReason = "" }: Settlement): boolean =>
  /nonce_already_used|authorization (is )?used|already[ _](used|settled)/i.test(errorReason)

/** Reaches a facilitator. */
export function makeFacilitator(url: URL, requirements: Requirements) {
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
