/**
 * Under which id does a request appear in the logs?
 *
 * Under the client's own `X-Request-Id`, if it is short and plain, or a new one: a random text of this process and a running number.
 */
const PLAIN_ID = /^[\w.:-]{1,64}$/

let processId: string | undefined
let counted = 0

/** Made at the first request: some runtimes have no randomness before there is one. */
function makeProcessId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("")
}

export function nameRequest(given: string | undefined): string {
  if (given !== undefined && PLAIN_ID.test(given)) return given
  processId ??= makeProcessId()
  counted++
  return `${processId}-${counted.toString(36)}`
}
