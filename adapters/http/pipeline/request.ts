/** What is a request for the service, on any server? */

import type { RequestIssue } from "../../validation/fields.ts"
import { readList } from "../../validation/header-list.ts"

// How is a query parsed?
// Like a form (WHATWG URL, section 5.1): `+` is a blank and `%41` a letter. Most queries need no decoding, and are read without it, four
// times as fast. A repeated name has a list of values, so that none is picked silently.

/** Values by name, in no order. */
export type RawQuery = Readonly<Record<string, string | readonly string[]>>

/** A query without escapes, as letters, digits and a few signs. */
const PLAIN = /^[\w.,:=&-]*$/

function addValue(query: Record<string, string | string[]>, name: string, value: string): void {
  const known = query[name]
  if (known === undefined) query[name] = value
  else if (typeof known === "string") query[name] = [known, value]
  else known.push(value)
}

/**
 * Reads the part of a URL behind its question mark.
 *
 * @example
 * ```ts
 * readQuery("passport=FRA&lang=fr") // => {"passport": "FRA", "lang": "fr"}
 * readQuery("passport=FRA&passport=%44EU") // => {"passport": ["FRA", "DEU"]}
 * ```
 */
export function readQuery(search: string): RawQuery {
  const query: Record<string, string | string[]> = Object.create(null)
  if (search === "") return query
  if (!PLAIN.test(search)) {
    for (const [name, value] of new URLSearchParams(search)) addValue(query, name, value)
    return query
  }
  let equals = search.indexOf("=")
  for (let from = 0; from < search.length; ) {
    const ampersand = search.indexOf("&", from)
    const to = ampersand < 0 ? search.length : ampersand
    // The next one is looked for once: it may be at the end, or nowhere.
    if (equals >= 0 && equals < from) equals = search.indexOf("=", from)
    if (equals >= 0 && equals < to) addValue(query, search.slice(from, equals), search.slice(equals + 1, to))
    else if (to > from) addValue(query, search.slice(from, to), "")
    from = to + 1
  }
  return query
}

/** Problems of a request before its question is read. */
export type Problem =
  | { readonly kind: "bad_request"; readonly issues: readonly RequestIssue[] }
  | { readonly kind: "no_such_path" }
  | { readonly kind: "wrong_method"; readonly allow: string }
  | { readonly kind: "too_large"; readonly maximumBytes: number }
  | { readonly kind: "unsupported_encoding" }
  | { readonly kind: "not_readable" }
  | { readonly kind: "bad_idempotency_key"; readonly given: string }
  | { readonly kind: "idempotency_key_reused" }
  | { readonly kind: "idempotency_key_in_use" }
  | { readonly kind: "too_often"; readonly message: string; readonly retryAfterSeconds: number }
  | { readonly kind: "unavailable"; readonly message: string; readonly retryAfterSeconds: number }
  | { readonly kind: "fault" }

/** A request as a host passes it. */
export interface ServiceRequest {
  /** In capital letters. */
  readonly method: string
  /** As it was sent: nothing is decoded, because a path has one spelling. */
  readonly path: string
  /** The text after the question mark, or an empty text. */
  readonly search: string
  /** Reads a header by its name in lower case; several of one name are joined by commas. */
  readonly header: (name: string) => string | undefined
  /** The body as a stream, for a row with a body above the size limit; reading slowly slows down the client. */
  readonly openBody?: () => AsyncIterable<Uint8Array>
  /** The remote address of the socket; undefined if the host does not know it. */
  readonly socketAddress: string | undefined
}

/** A request with what its host does for it. What rejects with {@link CLIENT_LEFT} has no answer any more. */
export interface HostedRequest extends ServiceRequest {
  /** Whether the client has left. */
  readonly hasLeft: boolean
  /** Aborted when the client leaves before it has its answer. */
  readonly signal: AbortSignal
  /** Reads the body as text, up to the largest that is read, or says why not. */
  readonly readText: () => Promise<string | Problem>
  /** Waits until a client with much to read has read some of it; undefined if it has not much. */
  readonly waitForRoom: () => Promise<void> | undefined
  /** Sends the answers to others that are ready, before work goes on that has waited for its turn. */
  readonly sendReady?: () => void
}

/** The reason why a request gets no answer: its client has left, or its host has refused it. */
export const CLIENT_LEFT = new Error("the client has left")

/** The largest body that is read as text. */
export const MAXIMUM_BODY_BYTES = 65_536

export const TOO_LARGE: Problem = { kind: "too_large", maximumBytes: MAXIMUM_BODY_BYTES }

const ABSOLUTE = /^https?:\/\/[^/?#]*/i

/**
 * Splits the target of a request, for example `/api/v1/visa?lang=fr`, at its question mark. A proxy may send the whole address (RFC 9112,
 * section 3.2.2).
 *
 * @example
 * ```ts
 * splitTarget("/api/v1/visa?lang=fr") // => {"path": "/api/v1/visa", "search": "lang=fr"}
 * splitTarget("http://localhost:8787/api/v1/visa") // => {"path": "/api/v1/visa", "search": ""}
 * ```
 */
export function splitTarget(target: string): { readonly path: string; readonly search: string } {
  const own = target.startsWith("/") ? target : target.replace(ABSOLUTE, "")
  const mark = own.indexOf("?")
  const path = mark < 0 ? own : own.slice(0, mark)
  return { path: path === "" ? "/" : path, search: mark < 0 ? "" : own.slice(mark + 1) }
}

// Which rendering does a client want?
// JSON, unless `Accept` names another rendering and does not prefer JSON (RFC 9110, section 12.5.1). A client that accepts none of them
// still gets JSON, because an error would not help it. Other renderings must be named, or accepted by `text/*` rather than JSON; every
// other wildcard means JSON.

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
