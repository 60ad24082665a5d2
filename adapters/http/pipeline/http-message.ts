/**
 * What is a request for the service, and what is its answer, on any server?
 *
 * A host passes a request as it was sent; its query, and the rendering that the client wants, are read here. An answer has a status, headers
 * and a body that is ready to be sent, and every host sends the same one. Header names are in lower case and in a flat list: name, value,
 * name, value, as Node takes them.
 */
import type { Site } from "../../settings/site-links.ts"
import { describeIssues, isFields, type RequestIssue } from "../../validation/fields.ts"
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
  /** Sends the answers to others that are ready, before work goes on that has waited for its turn: all, or those that may not wait for more. */
  readonly sendReady?: (isAll: boolean) => void
}

/** The reason why a request gets no answer: its client has left, or its host has refused it. */
export const CLIENT_LEFT = new Error("the client has left")

/** The largest body that is read as text. */
export const MAXIMUM_BODY_BYTES = 65_536

export const TOO_LARGE: Problem = { kind: "too_large", maximumBytes: MAXIMUM_BODY_BYTES }

const UTF_8 = new TextDecoder("utf-8", { fatal: true })

/**
 * Reads the bytes of a body. One that is not UTF-8 is read as a text that is neither JSON (RFC 8259, section 8.1) nor a form, so that each
 * row refuses it in its own way, and no letter is stored as another.
 *
 * @example
 * ```ts
 * readUtf8(Uint8Array.of(0x7b, 0x7d)) // => "{}"
 * readUtf8(Uint8Array.of(0x7b, 0xff, 0x7d)) // => "\ufffd"
 * ```
 */
export function readUtf8(bytes: Uint8Array | ArrayBuffer): string {
  try {
    return UTF_8.decode(bytes)
  } catch {
    return "\ufffd"
  }
}

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
const PROBLEM_TYPE = "application/problem+json"

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

/** Says whether an `Accept` header asks for errors as problems (RFC 9457); it has to name their type. */
const wantsProblem = (accept: string | undefined): boolean =>
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

// What is an answer of the service, before a server sends it?

/** A value that is there, or that has to be waited for. */
export type Soon<Value> = Value | Promise<Value>

/** Goes on with a value: at once if it is there, so that an answer that waits for nothing is ready in the tick of its request. */
export const after = <Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> =>
  value instanceof Promise ? value.then(next) : next(value)

/** Receives the pieces of a stream. */
export interface StreamSink {
  /** Takes bytes; returns false if the client reads too slowly, so that the writer may leave something out. */
  readonly write: (bytes: Uint8Array) => boolean
  readonly end: () => void
}

/** A body that goes on: opened when it is sent. */
export interface StreamBody {
  /** Starts writing; returns a function that stops it, for a client that disconnects. */
  readonly open: (sink: StreamSink) => () => void
}

/** A body that is read as fast as the client takes it, without leaving anything out. Its length is in the headers if it is known. */
export interface DownloadBody {
  /** The parts of a text that may be compressed; either these or `read` are used, once. */
  readonly parts?: Iterable<string>
  /** `note` gets the number of bytes that are held while the client reads nothing. */
  readonly read: (note: (heldBytes: number) => void) => AsyncIterable<Uint8Array>
  /** How many bytes are held before the first `note`; a piece by default. */
  readonly heldBytes?: number
}

export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | StreamBody | DownloadBody
  /** Whether the bytes of the body are kept and shared by many answers. */
  readonly sharesBody?: true
}

/** An answer whose body is there. */
export interface WholeAnswer extends Answer {
  readonly body: string | Uint8Array
}

export const isWhole = (answer: Answer): answer is WholeAnswer =>
  typeof answer.body === "string" || answer.body instanceof Uint8Array

export const JSON_TYPE = "application/json"
export const MARKDOWN_TYPE = "text/markdown; charset=utf-8"
export const GEO_JSON_TYPE = "application/geo+json"

/** For answers that are valid for one client at one moment. */
export const NOT_STORED: readonly string[] = ["cache-control", "no-store"]

/** For answers that their caller may store, and has to revalidate before using one again. */
export const REVALIDATED: readonly string[] = ["cache-control", "private, no-cache"]

export function answerText(
  contentType: string,
  body: string,
  headers: readonly string[] = [],
): Answer & { readonly body: string } {
  return { status: 200, contentType, headers, body }
}

export function answerJson(status: number, body: unknown, headers: readonly string[] = []): Answer {
  return { status, contentType: JSON_TYPE, headers, body: JSON.stringify(body) }
}

/** How many characters of a long text are sent at a time: a piece is small for the heap, even if a character takes two bytes. */
const PIECE_LENGTH = 32_768
/** How many pieces there may be: one in the connection, one that waits, one that is being written. */
const PIECES = 3

/** A long text as a body: it is written while it is read, so that it is never in memory whole. */
export function streamText(parts: Iterable<string>): DownloadBody {
  const encoder = new TextEncoder()
  return {
    parts,
    read: async function* (note) {
      note(PIECES * PIECE_LENGTH)
      let text = ""
      for (const part of parts) {
        text += part
        if (text.length < PIECE_LENGTH) continue
        yield encoder.encode(text)
        text = ""
      }
      yield encoder.encode(text)
    },
  }
}

/** Says whether an answer is charged: only a successful one is. */
export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300
}

/** A flat list of headers as a record. */
export function toHeaderRecord(headers: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {}
  for (let at = 0; at < headers.length; at += 2) record[headers[at] as string] = headers[at + 1] as string
  return record
}

// Which headers does every answer have?
// The id of its request, the permission for any page to read it (no answer depends on a cookie that another site's page could send), and
// the instruction not to guess its type.

/** Since which day a row is deprecated, and the first on which it may stop answering, at least six months later (`YYYY-MM-DD`, UTC). */
export interface Deprecation {
  readonly since: string
  readonly sunset: string
  /** The fragment of the note in the reference. */
  readonly note: string
}

/** The headers of an answer on a deprecated path: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to a note with advice. */
export const listDeprecationHeaders = (
  { since, sunset, note }: Deprecation,
  { publicUrl }: Site,
): readonly string[] => [
  "deprecation",
  `@${Date.parse(since) / 1_000}`,
  "sunset",
  new Date(sunset).toUTCString(),
  "link",
  `<${publicUrl}/docs#${note}>; rel="deprecation"; type="text/html"`,
]

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

// How does the visa service report errors? `{error}` on every path, always JSON; other surfaces have their own forms. A client that asks for
// `application/problem+json` gets every one of them as a problem (RFC 9457) with the same members.

/** The plainest error body. */
export function answerError(status: number, error: string, headers: readonly string[] = []): Answer {
  return answerJson(status, { error }, [...NOT_STORED, ...headers])
}

/** What every surface says of a problem. */
interface DescribedProblem {
  readonly status: 400 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503
  readonly message: string
  readonly headers?: readonly string[]
}

/** Describes a problem; all mistakes of the parameters in one sentence. */
export function describeProblem(problem: Problem): DescribedProblem {
  switch (problem.kind) {
    case "bad_request":
      return { status: 400, message: describeIssues(problem.issues) }
    case "no_such_path":
      return { status: 404, message: "There is no such path." }
    case "wrong_method":
      return { status: 405, message: `This path takes ${problem.allow}.`, headers: ["allow", problem.allow] }
    case "too_large":
      return { status: 413, message: `A body may have at most ${problem.maximumBytes} bytes.` }
    case "unsupported_encoding": {
      const message = "A body with a Content-Encoding is not read: send it as it is."
      return { status: 415, message, headers: ["accept-encoding", "identity"] }
    }
    case "not_readable":
      return { status: 400, message: "The request cannot be read." }
    case "bad_idempotency_key": {
      const given = JSON.stringify(problem.given.slice(0, 80))
      return { status: 400, message: `Idempotency-Key: Expected a UUID, got ${given}` }
    }
    case "idempotency_key_reused":
      return { status: 409, message: "This Idempotency-Key was sent with another request." }
    case "idempotency_key_in_use": {
      const message = "The first request under this Idempotency-Key is still under way."
      return { status: 409, message, headers: ["retry-after", "1"] }
    }
    case "too_often":
    case "unavailable": {
      const headers = ["retry-after", String(problem.retryAfterSeconds)]
      return { status: problem.kind === "too_often" ? 429 : 503, message: problem.message, headers }
    }
    case "fault":
      return { status: 500, message: "An internal error occurred." }
  }
}

/** Renders a problem as `{error}`; a fault names its request too. */
export function answerPlainProblem(problem: Problem, requestId: string): Answer {
  const { status, message, headers } = describeProblem(problem)
  if (problem.kind === "fault") return answerJson(status, { error: message, request_id: requestId }, NOT_STORED)
  return answerError(status, message, headers)
}

/** The names of statuses (RFC 9110, section 15). */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
}

/** Sends an error as a problem to a client that asks for it: its message as `detail`, and every other member as it is. */
export function answerAsAsked(request: ServiceRequest, answer: Answer): Answer {
  const { status, contentType, body } = answer
  if (status < 400 || contentType !== JSON_TYPE || typeof body !== "string") return answer
  if (!wantsProblem(request.header("accept"))) return answer
  const said: unknown = JSON.parse(body)
  // The host of an edge handler may refuse with any body.
  if (!isFields(said)) return answer
  const members = isFields(said.error) ? said.error : said
  const detail = members.message ?? members.error
  const own = { type: "about:blank", title: STATUS_NAMES[status], status, detail }
  // First, and not replaced by a member of the same name: some answers have a word as their `status`.
  return { ...answer, contentType: PROBLEM_TYPE, body: JSON.stringify({ ...own, ...members, ...own }) }
}
