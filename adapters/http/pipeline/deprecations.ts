/**
 * Which endpoints are deprecated, since when, and what replaces them?
 *
 * This is the one table of deprecated endpoints. Each of their answers says so: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link`
 * to a note with advice. The two dates are at least six months apart.
 */
import type { Site } from "../../settings/site-links.ts"

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
