/**
 * By what name can one request be found again?
 *
 * The client's own `X-Request-Id`, if it is short and plain, or else a new one: a random text of this process and a running number.
 */
import { randomBytes } from "node:crypto"

const PLAIN_ID = /^[\w.:-]{1,64}$/

const processId = randomBytes(6).toString("base64url")
let counted = 0

/** Names a request. */
export function nameRequest(given: string | string[] | undefined): string {
  if (typeof given === "string" && PLAIN_ID.test(given)) return given
  counted++
  return `${processId}-${counted.toString(36)}`
}
