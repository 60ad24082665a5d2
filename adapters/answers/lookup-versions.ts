/**
 * How was the lookup's answer written before?
 *
 * An answer is always made in the present version. Each older one is one pure function over the answer of the version that came
 * after it, so that the difference is in one place and no other code knows of versions.
 */
import type { LookupResult } from "./lookup-answer.ts"

/** The supported versions, the present one first. */
export const LOOKUP_VERSIONS = ["2026-10-01", "2026-03-01"] as const

/** One of {@link LOOKUP_VERSIONS}. */
export type LookupVersion = (typeof LOOKUP_VERSIONS)[number]

/** The version for requests that name none. */
export const PRESENT_VERSION: LookupVersion = LOOKUP_VERSIONS[0]

/** Says whether a text names a supported version. */
export const isLookupVersion = (text: string): text is LookupVersion =>
  (LOOKUP_VERSIONS as readonly string[]).includes(text)

/** Before 2026-10-01 there was no `trust`, and sources were addresses only. */
function writeAsOfMarch({ trust: _, sources, ...answer }: LookupResult) {
  return { ...answer, sources: sources.flatMap(({ url }) => (url === null ? [] : [url])) }
}

/**
 * Writes an answer as a version has it.
 *
 * @example
 * ```typescript
 * writeLookup(answer, "2026-03-01").sources // => ["https://www.gov.uk/check-uk-visa"]
 * ```
 */
export function writeLookup(answer: LookupResult, version: LookupVersion) {
  return version === "2026-10-01" ? answer : writeAsOfMarch(answer)
}
