/**
 * Which rendering does a client want?
 *
 * JSON, unless `Accept` names another rendering and does not prefer JSON (RFC 9110, section 12.5.1). A client that accepts none of them
 * still gets JSON, because an error would not help it. Other renderings must be named, or accepted by `text/*` rather than JSON; every other
 * wildcard means JSON.
 */

import { readList } from "../../validation/header-list.ts"

/** The media type of a problem (RFC 9457). */
export const PROBLEM_TYPE = "application/problem+json"

function readQuality(accept: readonly string[], type: string): number | null {
  for (const range of accept) {
    const [name = "", ...parameters] = readList(range.toLowerCase(), { separator: ";" })
    if (name !== type) continue
    const quality = parameters.find(parameter => parameter.startsWith("q="))?.slice(2)
    return quality === undefined ? 1 : Number(quality) || 0
  }
  return null
}

/** The weight of JSON for a client: the most specific range that covers it decides. */
const readJsonQuality = (accept: readonly string[]): number =>
  readQuality(accept, "application/json") ?? readQuality(accept, "application/*") ?? readQuality(accept, "*/*") ?? 0

const ANY_TEXT = "text/*"

/** Says whether a client names a type and does not prefer JSON, or accepts any text rather than JSON. */
function prefers(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return false
  const lowered = accept.toLowerCase()
  const isText = type.startsWith("text/") && lowered.includes(ANY_TEXT)
  if (!isText && !lowered.includes(type)) return false
  const ranges = readList(accept)
  const named = readQuality(ranges, type)
  const json = readJsonQuality(ranges)
  if (named !== null) return named > 0 && named >= json
  return isText && (readQuality(ranges, ANY_TEXT) ?? 0) > json
}

/**
 * Says whether an `Accept` header asks for errors as problems (RFC 9457).
 *
 * @example
 * ```ts
 * wantsProblem("application/json, application/problem+json") // => true
 * wantsProblem("application/json") // => false
 * ```
 */
export const wantsProblem = (accept: string | undefined): boolean =>
  accept?.toLowerCase().includes(PROBLEM_TYPE) === true && (readQuality(readList(accept), PROBLEM_TYPE) ?? 0) > 0

/**
 * Says whether an `Accept` header asks for markdown.
 *
 * @example
 * ```ts
 * wantsMarkdown("text/markdown, application/json;q=0.5") // => true
 * wantsMarkdown("application/json, text/markdown;q=0.5") // => false
 * wantsMarkdown("*\/*") // => false
 * ```
 */
export const wantsMarkdown = (accept: string | undefined): boolean => prefers(accept, "text/markdown")

/**
 * Says whether an `Accept` header asks for a page, as a browser's address bar does, rather than for data.
 *
 * @example
 * ```ts
 * wantsPage("text/html,application/xhtml+xml,*\/*;q=0.8") // => true
 * wantsPage("*\/*") // => false
 * ```
 */
export const wantsPage = (accept: string | undefined): boolean => prefers(accept, "text/html")

/**
 * Says whether a `User-Agent` is that of a program that shows previews of pages or lists them. These accept any type and mean the page.
 *
 * @example
 * ```ts
 * isPreviewer("facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)") // => true
 * isPreviewer("Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)") // => true
 * isPreviewer("curl/8.5.0") // => false
 * ```
 */
export const isPreviewer = (userAgent: string | undefined): boolean =>
  /\b(?:facebookexternalhit|WhatsApp|[A-Za-z]*bot)\b/i.test(userAgent ?? "")

/**
 * Says whether an `Accept` header asks for GeoJSON (RFC 7946).
 *
 * @example
 * ```ts
 * wantsGeoJson("application/geo+json") // => true
 * wantsGeoJson("application/json") // => false
 * ```
 */
export const wantsGeoJson = (accept: string | undefined): boolean => prefers(accept, "application/geo+json")
