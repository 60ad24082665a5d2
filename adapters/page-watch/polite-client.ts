/**
 * How are pages of others read without being a burden or a risk?
 *
 * The client obeys robots.txt (RFC 9309), sends one request at a time to a host with a pause after each, asks only for what has changed,
 * and names itself with a page that says who reads and why. It follows few redirects, and every address on the way is judged by the guard
 * that subscriptions have, so that a page cannot send it into a private network. Bytes and time of each answer are limited.
 */
import { request as httpRequest, type IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import { gunzipSync } from "node:zlib"
import { Clock, Effect, Semaphore } from "effect"
import parserModule from "robots-parser"
import { guardLookup, type Resolve, readTarget, type TargetRules } from "../events/followers/target-guard.ts"
import { VERSION } from "../settings/package-version.ts"

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
export interface Validators {
  /** The address from which the page came, after redirects. */
  readonly at: string
  readonly etag?: string | undefined
  readonly modified?: string | undefined
}

/** A page as a server gave it, or why there is none. */
export type Fetched =
  | { readonly kind: "read"; readonly bytes: Buffer; readonly type: string; readonly from: Validators }
  | { readonly kind: "unchanged" }
  /** The server says that there is no such page (404, 410). */
  | { readonly kind: "gone"; readonly why: string }
  /** Somebody does not want it read: robots.txt, the server, or our own guard. */
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string }

export interface ClientOptions extends TargetRules {
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
  readonly nextMs: { at: number }
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

  const ask = (url: URL, known: Validators | null, mostBytes: number): Effect.Effect<Asked> =>
    Effect.callback<Asked>(resume => {
      const settle = (asked: Asked) => resume(Effect.succeed(asked))
      const headers: Record<string, string> = {
        "user-agent": USER_AGENT,
        accept: "text/html,application/xhtml+xml,*/*;q=0.5",
        "accept-encoding": "gzip",
        ...(known?.etag === undefined ? {} : { "if-none-match": known.etag }),
        ...(known?.modified === undefined ? {} : { "if-modified-since": known.modified }),
      }
      const outgoing = (url.protocol === "https:" ? httpsRequest : httpRequest)(
        url,
        { agent: false, lookup, headers },
        response => readAnswer(response, mostBytes, settle),
      )
      outgoing.on("error", ({ code, message }: NodeJS.ErrnoException) => {
        const isGuarded = code === "EADDRREFUSED"
        settle({ error: isGuarded ? message : `the connection failed: ${code ?? message}`, isGuarded })
      })
      outgoing.end()
      return Effect.sync(() => outgoing.destroy())
    }).pipe(
      Effect.timeoutOrElse({
        duration: TIMEOUT_MS,
        orElse: () =>
          Effect.succeed({ error: `no whole answer within ${TIMEOUT_MS / 1_000} seconds`, isGuarded: false }),
      }),
    )

  const findHost = (url: URL): Host => {
    const known = hosts.get(url.origin)
    if (known !== undefined) return known
    const host: Host = { turns: Semaphore.makeUnsafe(1), nextMs: { at: 0 }, robots: null }
    hosts.set(url.origin, host)
    return host
  }

  /** Asks in turn, and lets the host rest afterwards. */
  const askInTurn = Effect.fnUntraced(function* (host: Host, url: URL, known: Validators | null, mostBytes: number) {
    const waitMs = host.nextMs.at - (yield* Clock.currentTimeMillis)
    if (waitMs > 0) yield* Effect.sleep(waitMs)
    const asked = yield* ask(url, known, mostBytes)
    const ofRobots = host.robots === null || typeof host.robots === "string" ? 0 : host.robots.delayMs
    host.nextMs.at = (yield* Clock.currentTimeMillis) + Math.max(delayMs, ofRobots)
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

function readAnswer(response: IncomingMessage, mostBytes: number, settle: (asked: Asked) => void): void {
  const { statusCode: status = 0, headers } = response
  const chunks: Buffer[] = []
  let length = 0
  const finish = (isCut: boolean) => {
    const unpacked = unpack(Buffer.concat(chunks), headers["content-encoding"], mostBytes)
    if (typeof unpacked === "string") return settle({ error: unpacked, isGuarded: false })
    settle({ status, headers, bytes: unpacked.subarray(0, mostBytes), isCut: isCut || unpacked.length > mostBytes })
  }
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length <= mostBytes) return
    finish(true)
    response.destroy()
  })
  response.on("end", () => finish(false))
  response.on("error", () => settle({ error: "the answer broke off", isGuarded: false }))
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
