/** Which version of the answer does a caller get? The one of the request, of the account, or the current one. */
import {
  isLookupVersion,
  LOOKUP_VERSIONS,
  type LookupVersion,
  PRESENT_VERSION,
} from "../../../../knowledge/answers/lookup-versions.ts"
import type { Answer } from "../../pipeline/answer.ts"
import type { AnswerContext } from "../../pipeline/endpoint.ts"
import { answerLookupError } from "./errors.ts"

/** A version, or the answer to an unknown one. */
export type ReadVersion =
  | { readonly ok: true; readonly version: LookupVersion }
  | { readonly ok: false; readonly answer: Answer }

export function readVersion({ caller, request, requestId }: AnswerContext): ReadVersion {
  const asked = request.header("svc-version")
  if (asked === undefined) {
    const pinned = caller?.apiVersion ?? PRESENT_VERSION
    // A pinned version that is no longer answered is replaced by the present one.
    return { ok: true, version: isLookupVersion(pinned) ? pinned : PRESENT_VERSION }
  }
  if (isLookupVersion(asked)) return { ok: true, version: asked }
  const message = `Expected one of ${LOOKUP_VERSIONS.join(", ")}, got ${JSON.stringify(asked.slice(0, 80))}`
  const answer = answerLookupError({ status: 400, code: "invalid_version", message, param: "Svc-Version", requestId })
  return { ok: false, answer }
}
