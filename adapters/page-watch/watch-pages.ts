/**
 * Which official pages say something else than when they were last watched?
 *
 * Every page that claims name is read by the polite client, but reports of the press, which do not change. A file keeps a digest of what each
 * page said. A page with another digest is work for a person, and so is one that is gone: nothing here changes a claim, and watching is no
 * reading. A page that differs from itself a moment later, because of a counter, says nothing.
 */
import { createHash } from "node:crypto"
import { once } from "node:events"
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http"
import { request as httpsRequest } from "node:https"
import { gunzipSync } from "node:zlib"
import { Clock, Effect, Schema, Semaphore } from "effect"
import { Parser } from "htmlparser2"
import parserModule from "robots-parser"
import { PRESS } from "../data-files/answer-claims.ts"
import { type ClaimsRecord, selectorsOf } from "../data-files/claim-records.ts"
import type { DataRecords } from "../data-files/data-files.ts"
import { formatPage } from "../data-files/update-report.ts"
import { guardLookup, type Resolve, readTarget, type TargetRules } from "../events/followers/target-guard.ts"
import { VERSION } from "../settings/package-version.ts"

// What does a page say, whatever its markup?
// Two readings of a page have the same digest if a reader sees the same words: markup, scripts, comments, the navigation and the foot of the
// page, and white space do not count. What is not HTML, such as a PDF, is compared byte by byte.

/** Elements whose text nobody reads, or that stand on every page of a site. */
const LEFT_OUT = new Set(["script", "style", "noscript", "template", "svg", "nav", "footer"])

/** How deep elements may be nested; a parser searches all that are open for the one that a tag closes. */
const DEEPEST = 1_000

/** The text of HTML without white space; empty where scripts would have to write it, null where it is nested too deep to be read. */
export function readText(html: string): string | null {
  const texts: string[] = []
  let [open, leftOut] = [0, 0]
  const parser = new Parser({
    onopentagname: name => {
      open++
      if (LEFT_OUT.has(name)) leftOut++
      if (open > DEEPEST) parser.pause()
    },
    onclosetag: name => {
      open--
      if (LEFT_OUT.has(name)) leftOut--
    },
    ontext: text => {
      if (leftOut === 0) texts.push(text)
    },
  })
  parser.end(html)
  if (open > DEEPEST) return null
  return texts
    .join("")
    .normalize("NFKC")
    .replace(/[\s\u00ad\u200b-\u200f\u2060\ufeff]+/g, "")
}

/** Decodes a page as its server says, as UTF-8, or byte by byte, so that other bytes are always another text. */
function decode(bytes: Uint8Array, type: string): string {
  const [, named = "utf-8"] = /charset="?([\w-]{1,40})/i.exec(type) ?? []
  for (const charset of [named, "utf-8"]) {
    try {
      return new TextDecoder(charset, { fatal: true }).decode(bytes)
    } catch {
      // An unknown charset, or bytes that are not of it.
    }
  }
  return Buffer.from(bytes).toString("latin1")
}

/** The digest of what a page says; null if it says nothing. */
export function digestPage(bytes: Uint8Array, type: string): string | null {
  const isHtml = /^(text\/html|application\/xhtml\+xml)\b/i.test(type)
  const said = (isHtml ? readText(decode(bytes, type)) : null) ?? bytes
  return said.length === 0 ? null : createHash("sha256").update(said).digest("base64url")
}

/** How many hosts are asked at once. */
const HOSTS_AT_ONCE = 16
/** How many pages of a host fail before the others are left for another day. */
const MOST_FAILURES = 3
/** How long all pages may take together. */
const LONGEST_MS = 45 * 60_000

const Text = Schema.NonEmptyString

/** What is known of a page from earlier looks. */
const WatchedRecord = Schema.Struct({
  /** The digest of what it said, and the first day on which it said so. */
  digest: Schema.optionalKey(Text),
  since: Schema.optionalKey(Text),
  /** What the server gave to ask whether it has changed. */
  at: Schema.optionalKey(Text),
  etag: Schema.optionalKey(Text),
  modified: Schema.optionalKey(Text),
  /** Why it could not be read the last time. */
  problem: Schema.optionalKey(Text),
})

/** The file of a watch: every page by its address. */
export const WatchRecord = Schema.Struct({
  watched_on: Text,
  pages: Schema.Record(Schema.String, WatchedRecord),
})

export type WatchRecord = typeof WatchRecord.Type
type WatchedRecord = typeof WatchedRecord.Type

/** A page, and what claims say of it. */
interface WatchedPage {
  readonly url: string
  readonly uses: readonly { readonly destination: string; readonly page: string; readonly says: readonly string[] }[]
}

/** What a look at a page found. */
export interface Look extends WatchedPage {
  readonly found: "first" | "same" | "changed" | "restless" | "gone" | "refused" | "failed"
  /** Why it could not be read; null if it was. */
  readonly why: string | null
  /** The first day on which it said what it said before; null where nothing was known. */
  readonly since: string | null
  /** True if a person has to look: it has changed, or it was not gone before. */
  readonly isWork: boolean
}

/** Lists the pages to watch in the order of their addresses, of all destinations or of some. */
export function listWatchedPages(
  { claims }: Pick<DataRecords, "claims">,
  destinations: readonly string[] = [],
): readonly WatchedPage[] {
  const uses = claims
    .filter(({ destination }) => destinations.length === 0 || destinations.includes(destination))
    .flatMap(record =>
      Object.entries(record.pages).flatMap(([page, { url, by }]) =>
        url === undefined || by === PRESS
          ? []
          : [{ url, use: { destination: record.destination, page, says: listSays(record, page) } }],
      ),
    )
  return [...Map.groupBy(uses, ({ url }) => url)]
    .map(([url, of]) => ({ url, uses: of.map(({ use }) => use) }))
    .sort((a, b) => (a.url < b.url ? -1 : 1))
}

const listSays = ({ claims }: ClaimsRecord, page: string): readonly string[] =>
  claims
    .filter(claim => claim.page === page && claim.says !== "not_said")
    .map(claim => {
      const codes = selectorsOf(claim)
      return `${claim.says}: ${codes.length > 3 ? `${codes.length} passports` : codes.join(" ")}`
    })

/** Looks at pages, and returns what each look found and the new content of the file. Cannot fail. */
export const watchPages = Effect.fnUntraced(function* (
  pages: readonly WatchedPage[],
  given: ClientOptions & { readonly on: string; readonly known: WatchRecord | null },
) {
  const { on, known } = given
  const fetchPage = makePoliteClient(given)
  const endMs = (yield* Clock.currentTimeMillis) + LONGEST_MS
  const watched: Record<string, WatchedRecord> = { ...known?.pages }

  const look = Effect.fnUntraced(function* (page: WatchedPage) {
    const before = watched[page.url] ?? {}
    const { at, etag, modified, digest, since = null } = before
    const answer = (found: Look["found"], why: string | null, isWork = false): Look => {
      return { ...page, found, why, since, isWork }
    }
    const validators = at === undefined || digest === undefined ? null : { at, etag, modified }
    const fetched = yield* fetchPage(page.url, validators)
    if (fetched.kind === "unchanged") {
      const { problem: _, ...rest } = before
      watched[page.url] = rest
      return answer("same", null)
    }
    if (fetched.kind !== "read") {
      const problem = `${fetched.kind}: ${fetched.why}`
      watched[page.url] = { ...before, problem }
      const isKnown = before.problem?.startsWith("gone: ") === true
      return answer(fetched.kind, fetched.why, fetched.kind === "gone" && !isKnown)
    }
    const now = digestPage(fetched.bytes, fetched.type)
    if (now === null) {
      const why = "has no text without scripts"
      watched[page.url] = { ...before, problem: `failed: ${why}` }
      return answer("failed", why)
    }
    const { etag: newEtag, modified: newModified, at: newAt } = fetched.from
    watched[page.url] = {
      ...{ digest: now, since: now === digest ? (since ?? on) : on, at: newAt },
      ...(newEtag === undefined ? {} : { etag: newEtag }),
      ...(newModified === undefined ? {} : { modified: newModified }),
    }
    if (digest === undefined) return answer("first", null)
    if (now === digest) return answer("same", null)
    const again = yield* fetchPage(page.url, null)
    const isRestless = again.kind === "read" && digestPage(again.bytes, again.type) !== now
    return isRestless ? answer("restless", "says something else at each look") : answer("changed", null, true)
  })

  const lookAtHost = Effect.fnUntraced(function* (ofHost: readonly WatchedPage[]) {
    const looks: Look[] = []
    let failures = 0
    for (const page of ofHost) {
      const isLate = (yield* Clock.currentTimeMillis) > endMs
      const why = isLate ? "was not reached in time" : `${MOST_FAILURES} other pages of its host failed`
      const found: Look =
        isLate || failures >= MOST_FAILURES
          ? { ...page, found: "failed", why, since: watched[page.url]?.since ?? null, isWork: false }
          : yield* look(page)
      failures = found.found === "failed" ? failures + 1 : 0
      looks.push(found)
    }
    return looks
  })

  const hosts = [...Map.groupBy(pages, ({ url }) => URL.parse(url)?.origin ?? url).values()]
  const looks = (yield* Effect.forEach(hosts, lookAtHost, { concurrency: HOSTS_AT_ONCE })).flat()
  const ordered = Object.entries(watched).sort(([a], [b]) => (a < b ? -1 : 1))
  const record: WatchRecord = { watched_on: on, pages: Object.fromEntries(ordered) }
  return { hosts: hosts.length, looks, record }
})

const describeLook = ({ found, why, since }: Look): string =>
  found === "changed" ? `says something else than since ${since}` : `${found}: ${why}`

/** Writes the work of a destination as Markdown. */
export function formatWork(destination: string, looks: readonly Look[]): string {
  const rows = looks.flatMap(look =>
    look.uses
      .filter(use => look.isWork && use.destination === destination)
      .map(
        ({ page, says }) =>
          `| ${describeLook(look)} | ${page} | ${formatPage(look.url)} | ${says.join("; ") || "none"} |`,
      ),
  )
  return [
    `## Pages of ${destination} that a person has to read`,
    "",
    "Where a page still says what its claims say, add only the day to its `read`. Where it does not, add a claim with the day of the rule.",
    "",
    "| what | page | address | its claims |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n")
}

/** Lists the destinations with work, in the order of codes. */
export const listWork = (looks: readonly Look[]): readonly string[] =>
  [...new Set(looks.flatMap(({ isWork, uses }) => (isWork ? uses.map(({ destination }) => destination) : [])))].sort()

// How are pages of others read without being a burden or a risk? The client obeys robots.txt (RFC 9309), sends one request at a time to a
// host with a pause after each, asks only for what has changed, and names itself with a page that says who reads and why. It follows few
// redirects, and every address on the way is judged by the guard that subscriptions have, so that a page cannot send it into a private
// network. Bytes and time of each answer are limited.

// Asserted: its declarations are of another module system, and name the function twice.
const parseRobots = parserModule as unknown as typeof parserModule.default

/** The name that robots.txt may address. */
const PRODUCT = "LandfallDataWatch"
const USER_AGENT = `${PRODUCT}/${VERSION} (+https://github.com/landfall-visa/landfall/blob/main/docs/maintaining-data.md#the-watch)`
/** The pause after each request to a host, and the longest that robots.txt may ask for. */
const DELAY_MS = 5_000
const LONGEST_DELAY_MS = 60_000
const TIMEOUT_MS = 30_000
const MOST_REDIRECTS = 5
const MOST_PAGE_BYTES = 8_388_608
/** RFC 9309, 2.5: at least 500 KiB are read. */
const MOST_ROBOTS_BYTES = 512_000

/** What a server gave with a page, to ask whether it has changed. */
interface Validators {
  /** The address from which the page came, after redirects. */
  readonly at: string
  readonly etag?: string | undefined
  readonly modified?: string | undefined
}

/** A page as a server gave it, or why there is none. */
type Fetched =
  | { readonly kind: "read"; readonly bytes: Buffer; readonly type: string; readonly from: Validators }
  | { readonly kind: "unchanged" }
  /** The server says that there is no such page (404, 410). */
  | { readonly kind: "gone"; readonly why: string }
  /** Somebody does not want it read: robots.txt, the server, or our own guard. */
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string }

interface ClientOptions extends TargetRules {
  readonly resolve?: Resolve
  readonly delayMs?: number
}

/** One answer of a server, read up to a limit. */
interface Answer {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly bytes: Buffer
  readonly isCut: boolean
}

type Asked = Answer | { readonly error: string; readonly isGuarded: boolean }

/** The rules of a host, and its turns. */
interface Host {
  readonly turns: Semaphore.Semaphore
  nextMs: number
  robots: Robots | null
}

/** Says whether an address may be read, or why nothing of its host may. */
type Robots = { readonly allows: (url: string) => boolean; readonly delayMs: number } | string

const READ_ALL: Robots = { allows: () => true, delayMs: 0 }

/** Makes a client that remembers the rules and turns of every host. */
export function makePoliteClient(options: ClientOptions) {
  const { resolve, delayMs = DELAY_MS } = options
  const lookup = guardLookup(options, resolve)
  const hosts = new Map<string, Host>()

  const ask = (url: URL, known: Validators | null, mostBytes: number): Effect.Effect<Asked> => {
    const headers: Record<string, string> = {
      "user-agent": USER_AGENT,
      accept: "text/html,application/xhtml+xml,*/*;q=0.5",
      "accept-encoding": "gzip",
      ...(known?.etag === undefined ? {} : { "if-none-match": known.etag }),
      ...(known?.modified === undefined ? {} : { "if-modified-since": known.modified }),
    }
    const error = `no whole answer within ${TIMEOUT_MS / 1_000} seconds`
    return Effect.promise(signal => askOnce(url, { lookup, headers, signal }, mostBytes)).pipe(
      Effect.timeoutOrElse({ duration: TIMEOUT_MS, orElse: () => Effect.succeed({ error, isGuarded: false }) }),
    )
  }

  const findHost = (url: URL): Host => {
    const known = hosts.get(url.origin)
    if (known !== undefined) return known
    const host: Host = { turns: Semaphore.makeUnsafe(1), nextMs: 0, robots: null }
    hosts.set(url.origin, host)
    return host
  }

  /** Asks in turn, and lets the host rest afterwards. */
  const askInTurn = Effect.fnUntraced(function* (host: Host, url: URL, known: Validators | null, mostBytes: number) {
    const waitMs = host.nextMs - (yield* Clock.currentTimeMillis)
    if (waitMs > 0) yield* Effect.sleep(waitMs)
    const asked = yield* ask(url, known, mostBytes)
    const ofRobots = host.robots === null || typeof host.robots === "string" ? 0 : host.robots.delayMs
    host.nextMs = (yield* Clock.currentTimeMillis) + Math.max(delayMs, ofRobots)
    return asked
  })

  /** Follows redirects: the last answer and its address, why there is none, or null after too many. */
  const follow = Effect.fnUntraced(function* (first: URL, askOne: (url: URL) => Effect.Effect<Asked>) {
    let url = first
    for (let step = 0; step <= MOST_REDIRECTS; step++) {
      const asked = yield* askOne(url)
      if ("error" in asked) return asked
      const next = findNext(asked, url, options)
      if (typeof next === "string") return { error: next, isGuarded: true }
      if (next === null) return { ...asked, url }
      url = next
    }
    return null
  })

  // RFC 9309, 2.3.1: without the file everything may be read; if it cannot be had, nothing may. Its redirects are followed on any host.
  const readRobots = Effect.fnUntraced(function* (host: Host, page: URL) {
    // Rules are of the host that was asked, wherever its file is.
    const own = new URL("/robots.txt", page)
    const asked = yield* follow(own, url => askInTurn(host, url, null, MOST_ROBOTS_BYTES))
    if (asked === null) return READ_ALL
    if ("error" in asked) return asked.isGuarded ? asked.error : `robots.txt cannot be read: ${asked.error}`
    if (asked.status >= 500) return `robots.txt cannot be read: answered ${asked.status}`
    if (asked.status >= 300) return READ_ALL
    const rules = parseRobots(own.href, asked.bytes.toString("utf8"))
    const delay = Number(rules.getCrawlDelay(PRODUCT) ?? 0) * 1_000
    return {
      allows: (text: string) => rules.isAllowed(text, PRODUCT) !== false,
      delayMs: Math.min(Number.isFinite(delay) ? delay : 0, LONGEST_DELAY_MS),
    }
  })

  const askPage = Effect.fnUntraced(function* (url: URL, known: Validators | null) {
    const host = findHost(url)
    return yield* host.turns.withPermits(1)(
      Effect.gen(function* () {
        host.robots ??= yield* readRobots(host, url)
        if (typeof host.robots === "string") return { error: host.robots, isGuarded: true }
        if (!host.robots.allows(url.href)) return { error: "robots.txt does not allow it", isGuarded: true }
        return yield* askInTurn(host, url, known, MOST_PAGE_BYTES)
      }),
    )
  })

  /** Reads a page, unless it is as it was when these validators were given. Never fails. */
  return Effect.fnUntraced(function* (text: string, known: Validators | null): Effect.fn.Return<Fetched> {
    const first = readAddress(text, options)
    if (typeof first === "string") return { kind: "refused", why: first }
    const asked = yield* follow(first, url => askPage(url, known?.at === url.href ? known : null))
    if (asked === null) return { kind: "failed", why: `more than ${MOST_REDIRECTS} redirects` }
    if ("error" in asked) return { kind: asked.isGuarded ? "refused" : "failed", why: asked.error }
    return toFetched(asked, asked.url)
  })
}

/** The address of a page, by https where it was named with http: nearly all hosts have both, and the guard asks for it. */
function readAddress(text: string, rules: TargetRules): URL | string {
  const url = URL.parse(text)
  if (url !== null) url.hash = ""
  if (url?.protocol === "http:" && !rules.allowsPrivate) url.protocol = "https:"
  const target = readTarget(url?.href ?? text, rules)
  return target.ok ? target.url : target.message
}

/** The address of a redirect, null for any other answer, or why it is not followed. */
function findNext({ status, headers }: Answer, url: URL, rules: TargetRules): URL | string | null {
  if (![301, 302, 303, 307, 308].includes(status)) return null
  const next = headers.location === undefined ? null : URL.parse(headers.location, url)
  if (next === null) return "a redirect names no address"
  const address = readAddress(next.href, rules)
  return typeof address === "string" ? `a redirect is not followed: ${address}` : address
}

function toFetched({ status, headers, bytes, isCut }: Answer, url: URL): Fetched {
  const why = `answered ${status}`
  if (status === 304) return { kind: "unchanged" }
  if (status === 404 || status === 410) return { kind: "gone", why }
  if ([401, 403, 407, 429, 451].includes(status)) return { kind: "refused", why }
  if (status !== 200) return { kind: "failed", why }
  if (isCut) return { kind: "failed", why: `has more than ${MOST_PAGE_BYTES / 1_048_576} MB` }
  const from = { at: url.href, etag: headers.etag, modified: headers["last-modified"] }
  return { kind: "read", bytes, type: headers["content-type"] ?? "", from }
}

/** Asks once, and reads the answer up to a limit. Never fails. */
async function askOnce(url: URL, options: RequestOptions, mostBytes: number): Promise<Asked> {
  const outgoing = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, { agent: false, ...options })
  const answered = once(outgoing.end(), "response")
  // An error after the answer has begun is one of the answer too.
  outgoing.on("error", () => undefined)
  const chunks: Buffer[] = []
  let length = 0
  let response: IncomingMessage | undefined
  try {
    response = (await answered)[0] as IncomingMessage
    for await (const chunk of response) {
      chunks.push(chunk)
      length += chunk.length
      if (length > mostBytes) break
    }
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === "EADDRREFUSED") return { error: message, isGuarded: true }
    const error = response === undefined ? `the connection failed: ${code ?? message}` : "the answer broke off"
    return { error, isGuarded: false }
  }
  const { statusCode: status = 0, headers } = response
  const unpacked = unpack(Buffer.concat(chunks), headers["content-encoding"], mostBytes)
  if (typeof unpacked === "string") return { error: unpacked, isGuarded: false }
  const isCut = length > mostBytes || unpacked.length > mostBytes
  return { status, headers, bytes: unpacked.subarray(0, mostBytes), isCut }
}

/** The bytes that were packed, or why they cannot be had. */
function unpack(bytes: Buffer, encoding = "identity", mostBytes: number): Buffer | string {
  if (encoding === "identity" || bytes.length === 0) return bytes
  if (encoding !== "gzip")
    return `the answer is encoded as ${JSON.stringify(encoding.slice(0, 20))}, which was not asked for`
  try {
    return gunzipSync(bytes, { maxOutputLength: mostBytes })
  } catch (cause) {
    const isLarge = (cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE"
    return isLarge ? `the answer has more than ${mostBytes} bytes when it is unpacked` : "the answer cannot be unpacked"
  }
}
