/**
 * Does a client have this answer already?
 *
 * Answers of some rows have a validator of their body. A client that sends it back in `If-None-Match` gets 304 without a body (RFC 9110,
 * section 13.1.2), which costs nothing. The validator is weak, because the same answer is sent in several encodings.
 */
import { hash } from "node:crypto"
import { readList } from "../../validation/header-list.ts"
import { hasValidator, type MeteredAnswer } from "./endpoint.ts"
import type { Answer } from "./http-answer.ts"
import type { Exchange } from "./pipeline.ts"

/** Long enough that two answers to a question never share it by chance: 132 bits. */
const VALIDATOR_LENGTH = 22

const validatorOf = (body: string | Uint8Array): string =>
  `W/"${hash("sha256", body, "base64url").slice(0, VALIDATOR_LENGTH)}"`

/** Gives the answer of a row its validator; a body that is written while it is sent has none. */
export function validate({ row }: Exchange, answer: MeteredAnswer): MeteredAnswer {
  const { status, body, headers } = answer
  const isWhole = typeof body === "string" || body instanceof Uint8Array
  if (status !== 200 || !isWhole || !hasValidator(row)) return answer
  return { ...answer, headers: [...headers, "etag", validatorOf(body)] }
}

const opaqueOf = (validator: string): string => validator.replace(/^W\//, "")

/**
 * Says whether a list of validators contains one; `*` matches any. The comparison is weak (RFC 9110, section 8.8.3.2), so only the text
 * between the quotes counts.
 */
export function namesValidator(list: string | undefined, validator: string): boolean {
  if (list === validator) return true
  const opaque = opaqueOf(validator)
  return readList(list).some(one => one === "*" || opaqueOf(one) === opaque)
}

/** Sends 304 instead of an answer that the client has. `*` does not show that it has one, so it is read after the answer is charged. */
export function revalidate({ request }: Exchange, answer: Answer, isCharged = false): Answer {
  const known = answer.status === 200 ? request.header("if-none-match") : undefined
  if (known === undefined || (!isCharged && readList(known).includes("*"))) return answer
  const at = answer.headers.indexOf("etag")
  if (at < 0 || !namesValidator(known, answer.headers[at + 1] as string)) return answer
  return { status: 304, contentType: "", headers: answer.headers, body: "" }
}
