/**
 * What is going to stop working, since when is that known, and what is there instead?
 *
 * The one table of endpoints on notice. Every answer of theirs says so: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to
 * the note that says what to do. Between the two dates lie six months at least.
 */
import type { Site } from "./site-links.ts"

/** One endpoint on notice. */
export interface Deprecation {
  readonly path: string
  /** The day of the notice (`YYYY-MM-DD`, UTC). */
  readonly deprecatedOn: string
  /** The first day on which it may stop answering. */
  readonly sunsetOn: string
  /** The fragment of the reference where the note stands. */
  readonly note: string
}

/** Every endpoint on notice. */
const DEPRECATIONS: readonly Deprecation[] = [
  { path: "/api/v1/visa/changes", deprecatedOn: "2026-11-21", sunsetOn: "2027-06-01", note: "tag/visa-public" },
]

const byPath = new Map(DEPRECATIONS.map(deprecation => [deprecation.path, deprecation]))

/** The headers of an answer on a path, none where it is not on notice. */
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
