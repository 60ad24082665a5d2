/**
 * Was this request sent before?
 *
 * A client that does not know what became of a request sends it again under the same `Idempotency-Key`, a UUID. The first answer
 * is kept for a day and replayed to the byte; of two that come at once one is answered, and the other told to ask again. Answers
 * that are not final (a limit, a fault, an unavailable database) are not kept. Only rows that say so read the header; requests
 * without it do not wait for this.
 */
import { hash, randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { DeploymentSecret } from "../../../platform/secrets/deployment-secret.ts"
import { sealText, unsealText } from "../../../platform/secrets/sealing.ts"
import type { StorageShape } from "../../../platform/storage/storage.ts"
import type { Answer } from "./answer.ts"
import type { Exchange } from "./exchange.ts"
import { Later, mapLater, Refused, type StageOutcome, waitFor } from "./later.ts"
import type { Stage } from "./pipeline.ts"
import { rowOf } from "./stages.ts"

/** How long a first answer is replayed. */
export const KEPT_MS = 24 * 3_600_000
/** How long a process that is making an answer is waited for, before another may make it. */
const CLAIM_MS = 60_000
/** How often expired answers are deleted. */
export const SWEEP_MS = 600_000

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

type KeptAnswer = Pick<Answer, "status" | "contentType" | "headers"> & { readonly body: string }

/** Whether an answer is kept: not one that says to try again later. */
const isFinal = ({ status }: Answer): boolean => status < 500 && status !== 403 && status !== 429

const fingerprintOf = ({ request, body }: Exchange): string =>
  hash("sha256", `${request.method} ${request.path}?${request.search}\n${body}`, "base64url")

/** Wraps a stage that answers, so that a request that is sent again under its name is answered once. */
export function makeAnswerOnce(
  { keptRequests }: Pick<StorageShape, "keptRequests">,
  secret: DeploymentSecret["Service"],
  answer: Stage,
): Stage {
  const sealingKey = secret.deriveKey("kept answers")

  return exchange => {
    const { caller, nowMs, request } = exchange
    const given = rowOf(exchange).isRepeatable === true ? request.header("idempotency-key") : undefined
    if (given === undefined || !caller || exchange.isHead) return answer(exchange)
    if (!UUID.test(given)) return new Refused({ kind: "bad_idempotency_key", given })
    const name = { keyId: caller.keyId, idempotencyKey: given.toLowerCase() }
    const boundTo = `${name.keyId} ${name.idempotencyKey}`
    const claim = randomUUID()

    const keep = (made: Answer): StageOutcome => {
      const { status, contentType, headers, body } = made
      // Streams are not replayed, and answers that are not final are not kept.
      const isKept = isFinal(made) && typeof body === "string"
      const kept: KeptAnswer = { status, contentType, headers, body: String(body) }
      const work = isKept
        ? keptRequests.keep(name, claim, sealText(sealingKey, boundTo, JSON.stringify(kept)))
        : keptRequests.release(name, claim)
      // The work is done, so the answer is sent even if it could not be kept.
      return waitFor(Effect.ignore(work), () => made)
    }
    const settle = (outcome: StageOutcome): StageOutcome => {
      if (outcome instanceof Later) return mapLater(outcome, settle)
      if (outcome !== undefined && "body" in outcome) return keep(outcome)
      return waitFor(Effect.ignore(keptRequests.release(name, claim)), () => outcome)
    }
    const run = (): StageOutcome => {
      try {
        return settle(answer(exchange))
      } catch (cause) {
        return waitFor(Effect.ignore(keptRequests.release(name, claim)), () => {
          throw cause
        })
      }
    }

    const asked = keptRequests.claim({
      ...name,
      fingerprint: fingerprintOf(exchange),
      claim,
      nowMs,
      claimedUntil: nowMs + CLAIM_MS,
      expiresAt: nowMs + KEPT_MS,
    })
    return waitFor(asked, found => {
      switch (found.kind) {
        case "claimed":
          return run()
        case "under_way":
          return new Refused({ kind: "idempotency_key_in_use" })
        case "reused":
          return new Refused({ kind: "idempotency_key_reused" })
        case "answered": {
          const opened = unsealText(sealingKey, boundTo, found.sealedAnswer)
          if (opened === null) throw new Error("a kept answer does not open")
          const kept = JSON.parse(opened) as KeptAnswer
          return { ...kept, headers: [...kept.headers, "idempotency-replayed", "true"] }
        }
      }
    })
  }
}
