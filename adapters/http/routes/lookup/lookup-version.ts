/** Which version of the answer does a caller get? The one of the request, of the account, or the current one. Every answer names it. */
import {
  isLookupVersion,
  LOOKUP_VERSIONS,
  type LookupVersion,
  PRESENT_VERSION,
} from "../../../answers/lookup-versions.ts"
import { limitHeaders } from "../../../quota/quota-headers.ts"
import type { AnswerContext, ReadQuestion } from "../../pipeline/endpoint.ts"
import type { Answer } from "../../pipeline/http-answer.ts"
import type { Exchange } from "../../pipeline/pipeline.ts"
import { answerLookupError } from "./lookup-errors.ts"

/** The version of an account; one that is no longer answered is replaced by the present one. */
function versionOf({ caller }: Pick<AnswerContext, "caller">): LookupVersion {
  const pinned = caller?.apiVersion ?? PRESENT_VERSION
  return isLookupVersion(pinned) ? pinned : PRESENT_VERSION
}

/** Reads the version of a request, or refuses an unknown one. */
export function readVersion({ caller, request, requestId }: AnswerContext): ReadQuestion<LookupVersion> {
  const asked = request.header("svc-version")
  if (asked === undefined) return { ok: true, question: versionOf({ caller }) }
  if (isLookupVersion(asked)) return { ok: true, question: asked }
  const message = `Expected one of ${LOOKUP_VERSIONS.join(", ")}, got ${JSON.stringify(asked.slice(0, 80))}`
  const answer = answerLookupError({ status: 400, code: "invalid_version", message, param: "Svc-Version", requestId })
  return { ok: false, answer }
}

const NO_SECOND = { policy: "second", limit: 0, remaining: 0, windowSeconds: 1 } as const

/** The headers that each answer of the lookup has, errors too: its version, and the limit a second, which is 0 without a valid key. */
export function listLookupHeaders(exchange: Exchange, { status }: Answer): readonly string[] {
  const { added, caller, known, nowMs, request } = exchange
  if (known?.surface !== "lookup" || request.method === "OPTIONS") return []
  const asked = request.header("svc-version") ?? ""
  const version = isLookupVersion(asked) ? asked : versionOf(exchange)
  const isLimited = caller || status >= 500 || added.includes("x-ratelimit-limit")
  return ["svc-version", version, ...(isLimited ? [] : limitHeaders([{ ...NO_SECOND, renewsAt: nowMs }], nowMs))]
}
