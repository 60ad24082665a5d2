/**
 * Was this request sent before?
 *
 * A client that does not know the result of a request sends it again under the same `Idempotency-Key`, a UUID. The first answer is kept for
 * a day and replayed byte for byte. Of two parallel requests one is answered, and the other told to retry. Kept are the answers that the row
 * gave, its refusals too: a client that repeats a request learns what became of it. A request that was refused before, for its key, its
 * parameters or a limit, or that failed, has done nothing and may be sent again. An account keeps as many as a tenth of its plan's lookups,
 * at most {@link MAXIMUM_KEPT_ANSWERS}; beyond that, its oldest are deleted. Requests without the header do not wait for this.
 */
import { hash, randomUUID } from "node:crypto"
import { deflateRawSync, inflateRawSync } from "node:zlib"
import { Effect } from "effect"
import type { Caller } from "../../accounts/account.ts"
import type { DeploymentSecret } from "../../secrets/deployment-secret.ts"
import { sealText, unsealText } from "../../secrets/sealing.ts"
import type { StorageShape } from "../../storage/storage.ts"
import { type Answer, CLIENT_LEFT, isSuccess, type Soon } from "./http-message.ts"
import type { Exchange } from "./pipeline.ts"

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

/** Whether an answer is what became of a request. An upload that is refused may come again corrected, with the same length. */
const isFinal = ({ hasReachedRow, row }: Exchange, answer: Answer): boolean => {
  const isRefused = answer.status >= 400 && answer.status < 500 && answer.status !== 429
  return isSuccess(answer) || (hasReachedRow && isRefused && row.uploadBytes === undefined)
}

type KeptAnswer = Pick<Answer, "status" | "contentType" | "headers"> & { readonly body: string }

/** Compressed with little work: a decision on ten travellers has half a megabyte, and an eighth of that compressed. */
const pack = (kept: KeptAnswer): string => deflateRawSync(JSON.stringify(kept), { level: 1 }).toString("base64")
const unpack = (packed: string): KeptAnswer =>
  JSON.parse(inflateRawSync(Buffer.from(packed, "base64")).toString("utf8")) as KeptAnswer

/** Identifies a request: the same key under another version of the answer is another request. */
const fingerprintOf = ({ request, body, caller, endpoint }: Exchange): string => {
  // An upload is not read before it is known whether the request is new: its length is used instead.
  const sent = endpoint?.uploadBytes === undefined ? body : (request.header("content-length") ?? "")
  const version = request.header("svc-version") ?? caller?.apiVersion ?? ""
  return hash("sha256", `${request.method} ${request.path}?${request.search} ${version}\n${sent}`, "base64url")
}

/** Answers a request that is sent again under its name once. */
export function makeAnswerOnce(
  { keptRequests }: Pick<StorageShape, "keptRequests">,
  secret: DeploymentSecret["Service"],
) {
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

  return async (exchange: Exchange, caller: Caller, given: string, answer: () => Soon<Answer>): Promise<Answer> => {
    if (!UUID.test(given)) return exchange.refuse({ kind: "bad_idempotency_key", given })
    const { nowMs } = exchange
    const name = { key_id: caller.keyId, idempotency_key: given.toLowerCase() }
    const boundTo = `${name.key_id} ${name.idempotency_key}`
    const claim = randomUUID()
    // The work is done, so the answer is sent even if it could not be kept.
    const settle = (work: Effect.Effect<unknown, unknown>) => exchange.run(Effect.ignore(work))

    const found = await exchange.run(
      keptRequests.claim({
        ...name,
        fingerprint: fingerprintOf(exchange),
        claim,
        nowMs,
        claimed_until: nowMs + CLAIM_MS,
        expires_at: nowMs + KEPT_MS,
      }),
    )
    if (found.kind === "under_way") return exchange.refuse({ kind: "idempotency_key_in_use" })
    if (found.kind === "reused") return exchange.refuse({ kind: "idempotency_key_reused" })
    if (found.kind === "answered") {
      const opened = unsealText(sealingKey, boundTo, found.sealedAnswer)
      if (opened === null) throw new Error("a kept answer does not open")
      const kept = unpack(opened)
      return { ...kept, headers: [...kept.headers, "idempotency-replayed", "true"] }
    }
    try {
      const made = await answer()
      const { status, contentType, headers, body } = made
      // Streams are not replayed.
      if (isFinal(exchange, made) && typeof body === "string") {
        const kept: KeptAnswer = { status, contentType, headers, body }
        const sealed = sealText(sealingKey, boundTo, pack(kept))
        await settle(Effect.andThen(keptRequests.keep(name, claim, sealed), trim(caller)))
      } else await settle(keptRequests.release(name, claim))
      return made
    } catch (cause) {
      // What a client that has left has caused may be done: another process takes over when the claim ends.
      if (cause !== CLIENT_LEFT) await settle(keptRequests.release(name, claim))
      throw cause
    }
  }
}
