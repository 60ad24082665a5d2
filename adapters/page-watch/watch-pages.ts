/**
 * Which official pages say something else than when they were last watched?
 *
 * Every page that claims name is read by the polite client, but reports of the press, which do not change. A file keeps a digest of what each
 * page said. A page with another digest is work for a person, and so is one that is gone: nothing here changes a claim, and watching is no
 * reading. A page that differs from itself a moment later, because of a counter, says nothing.
 */

import { createHash } from "node:crypto"
import { Clock, Effect, Schema } from "effect"
import { Parser } from "htmlparser2"
import { PRESS } from "../data-files/answer-claims.ts"
import { type ClaimsRecord, selectorsOf } from "../data-files/claim-records.ts"
import type { DataRecords } from "../data-files/data-files.ts"
import { formatPage } from "../data-files/update-report.ts"
import { type ClientOptions, makePoliteClient } from "./polite-client.ts"

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
export interface WatchedPage {
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
