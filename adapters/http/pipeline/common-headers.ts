/**
 * Which headers does every answer have?
 *
 * The id of its request, the permission for any page to read it (no answer depends on a cookie that another site's page could send), and
 * the instruction not to guess its type.
 */

/** Request headers that a page may send from anywhere. */
const ALLOWED_REQUEST_HEADERS =
  "Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, Payment-Signature, Svc-Version, X-Api-Key, X-Request-Id"

const PREFLIGHT_MAX_AGE_SECONDS = 86_400

/** Adds the headers of every answer to a flat list, and returns it. */
export function addCommonHeaders(headers: string[], requestId: string): string[] {
  headers.push(
    "access-control-allow-origin",
    "*",
    "access-control-expose-headers",
    "*",
    "x-content-type-options",
    "nosniff",
    "x-request-id",
    requestId,
  )
  return headers
}

/** The headers of an answer to `OPTIONS`. */
export function listPreflightHeaders(allow: string): string[] {
  return [
    "allow",
    allow,
    "access-control-allow-methods",
    allow,
    "access-control-allow-headers",
    ALLOWED_REQUEST_HEADERS,
    "access-control-max-age",
    String(PREFLIGHT_MAX_AGE_SECONDS),
  ]
}
