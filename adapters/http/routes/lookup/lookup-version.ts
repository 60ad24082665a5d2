/** Which version of the answer does a caller get? The one of the request, of the account, or the current one. */
import {
  isLookupVersion,
  LOOKUP_VERSIONS,
  type LookupVersion,
  PRESENT_VERSION,
} from "../../../answers/lookup-versions.ts"
import type { AnswerContext, ReadQuestion } from "../../pipeline/endpoint.ts"
import { answerLookupError } from "./lookup-errors.ts"

/** Reads the version of a request, or refuses an unknown one. */
export function readVersion({ caller, request, requestId }: AnswerContext): ReadQuestion<LookupVersion> {
  const asked = request.header("svc-version")
  if (asked === undefined) {
    const pinned = caller?.apiVersion ?? PRESENT_VERSION
    // A pinned version that is no longer answered is replaced by the present one.
    return { ok: true, question: isLookupVersion(pinned) ? pinned : PRESENT_VERSION }
  }
  if (isLookupVersion(asked)) return { ok: true, question: asked }
  const message = `Expected one of ${LOOKUP_VERSIONS.join(", ")}, got ${JSON.stringify(asked.slice(0, 80))}`
  const answer = answerLookupError({ status: 400, code: "invalid_version", message, param: "Svc-Version", requestId })
  return { ok: false, answer }
}
