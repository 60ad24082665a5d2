/**
 * Which headers does every answer have?
 *
 * The id of its request, the permission for any page to read it (no answer depends on a cookie that another site's page could send), and
 * the instruction not to guess its type.
 */
import type { Site } from "../../settings/site-links.ts"

// Which endpoints are deprecated, since when, and what replaces them?
// This is the one table of deprecated endpoints. Each of their answers says so: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link`
// to a note with advice. The two dates are at least six months apart.

export interface Deprecation {
  readonly path: string
  /** The day of the notice (`YYYY-MM-DD`, UTC). */
  readonly deprecatedOn: string
  /** The first day on which it may stop answering. */
  readonly sunsetOn: string
  /** The fragment of the note in the reference. */
  readonly note: string
}

const DEPRECATIONS: readonly Deprecation[] = [
  { path: "/api/v1/visa/changes", deprecatedOn: "2026-11-21", sunsetOn: "2027-06-01", note: "tag/visa-public" },
]

const byPath = new Map(DEPRECATIONS.map(deprecation => [deprecation.path, deprecation]))

/** The headers of an answer on a path, none where it is not deprecated. */
export function listDeprecationHeaders(path: string, site: Site): readonly string[] {
  const deprecation = byPath.get(path)
  if (deprecation === undefined) return []
  const { deprecatedOn, sunsetOn, note } = deprecation
  return [
    "deprecation",
    `@${Date.parse(deprecatedOn) / 1_000}`,
    "sunset",
    new Date(sunsetOn).toUTCString(),
    "link",
    `<${site.publicUrl}/docs#${note}>; rel="deprecation"; type="text/html"`,
  ]
}

/** The headers of an answer to a key that was replaced: since when, and until when it works. */
export const listReplacedHeaders = (replacedAt: number, expiresAt: number | null): readonly string[] => [
  "deprecation",
  `@${Math.floor(replacedAt / 1_000)}`,
  ...(expiresAt === null ? [] : ["sunset", new Date(expiresAt).toUTCString()]),
]

/** Request headers that a page may send from anywhere. */
const ALLOWED_REQUEST_HEADERS =
  "Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id, Payment-Signature, Svc-Version, X-Api-Key, X-Request-Id"

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

const PLAIN_ID = /^[\w.:-]{1,64}$/

let processId: string | undefined
let counted = 0

/** Made at the first request: some runtimes have no randomness before there is one. */
function makeProcessId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("")
}

/**
 * Under which id does a request appear in the logs? Under the client's own `X-Request-Id`, if it is short and plain, or a new one: a random
 * text of this process and a running number.
 */
export function nameRequest(given: string | undefined): string {
  if (given !== undefined && PLAIN_ID.test(given)) return given
  processId ??= makeProcessId()
  counted++
  return `${processId}-${counted.toString(36)}`
}
