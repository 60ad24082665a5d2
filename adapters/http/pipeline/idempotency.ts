/**
 * Was this request sent before?
 *
 * A client that does not know the result of a request sends it again under the same `Idempotency-Key`, a UUID. The first answer is kept for
 * a day and replayed byte for byte. Of two parallel requests one is answered, and the other told to retry. Only an answer that was charged,
 * or that changed something, is kept: a refusal costs nothing, so keeping it would be free storage. An account keeps as many as a tenth of
 * its plan's lookups, at most {@link MAXIMUM_KEPT_ANSWERS}; beyond that, its oldest are deleted. Only rows that declare it read the header; requests without it do not wait
 * for this.
 */
import { hash, randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { Caller } from "../../accounts/account.ts"
import type { DeploymentSecret } from "../../secrets/deployment-secret.ts"
import { sealText, unsealText } from "../../secrets/sealing.ts"
import type { StorageShape } from "../../storage/storage.ts"
import type { Exchange } from "./exchange.ts"
import { type Answer, isSuccess } from "./http-answer.ts"
import { Later, mapLater, Refused, type StageOutcome, waitFor } from "./later.ts"
import type { Stage } from "./pipeline.ts"
import { rowOf } from "./stages.ts"

/** How long a first answer is replayed. */
export const KEPT_MS = 24 * 3_600_000
/** How long another process waits for the one that is making an answer, before it may make the answer itself. */
const CLAIM_MS = 60_000
/** How often expired answers are deleted. */
export const SWEEP_MS = 600_000

/** How many answers of an account are kept. */
const MAXIMUM_KEPT_ANSWERS = 20_000
/** The oldest answers of an account are deleted whenever so much of its maximum was kept since the last time. */
const TRIMMED_SHARE = 0.05
const mostKept = ({ plan }: Caller): number => Math.min(MAXIMUM_KEPT_ANSWERS, Math.ceil(plan.lookup.per30Days / 10))
/** How many accounts are counted at once. */
const MAXIMUM_COUNTED = 100_000

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

type KeptAnswer = Pick<Answer, "status" | "contentType" | "headers"> & { readonly body: string }

/** Identifies a request: the same key under another version of the answer is another request. */
const fingerprintOf = ({ request, body, caller, endpoint }: Exchange): string => {
  // An upload is not read before it is known whether the request is new: its length is used instead.
  const sent = endpoint?.uploadBytes === undefined ? body : (request.header("content-length") ?? "")
  const version = request.header("svc-version") ?? caller?.apiVersion ?? ""
  return hash("sha256", `${request.method} ${request.path}?${request.search} ${version}\n${sent}`, "base64url")
}

/** Wraps a stage that answers, so that a request that is sent again under its name is answered once. */
export function makeAnswerOnce(
  { keptRequests }: Pick<StorageShape, "keptRequests">,
  secret: DeploymentSecret["Service"],
  answer: Stage,
): Stage {
  const sealingKey = secret.deriveKey("kept answers")
  /** How many answers of an account were kept since its oldest were deleted. */
  const keptSince = new Map<number, number>()

  /** Deletes the oldest answers of an account now and then. */
  const trim = (caller: Caller): Effect.Effect<void, unknown> => {
    const { accountId } = caller
    const most = mostKept(caller)
    const kept = (keptSince.get(accountId) ?? 0) + 1
    if (kept < most * TRIMMED_SHARE) {
      if (keptSince.size >= MAXIMUM_COUNTED) keptSince.clear()
      keptSince.set(accountId, kept)
      return Effect.void
    }
    keptSince.delete(accountId)
    return keptRequests.trim(accountId, most)
  }

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
      // Streams are not replayed.
      const isKept = isSuccess(made) && typeof body === "string"
      const kept: KeptAnswer = { status, contentType, headers, body: String(body) }
      const work = isKept
        ? Effect.andThen(
            keptRequests.keep(name, claim, sealText(sealingKey, boundTo, JSON.stringify(kept))),
            trim(caller),
          )
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
