import { once } from "node:events"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  digestPage,
  listWatchedPages,
  makePoliteClient,
  readText,
  type WatchRecord,
  watchPages,
} from "../../adapters/page-watch/watch-pages.ts"
import { runCli } from "../cli/run.ts"
import { eventually } from "../eventually.ts"

type Answer = string | ((request: IncomingMessage, response: ServerResponse) => void)

/** A site whose pages are recorded; what has no page is answered with 404. */
async function startSite() {
  const pages: Record<string, Answer> = {}
  const asked: { readonly path: string; readonly headers: IncomingMessage["headers"] }[] = []
  let [atOnce, mostAtOnce] = [0, 0]
  const server = createServer((request, response) => {
    const path = request.url ?? ""
    asked.push({ path, headers: request.headers })
    mostAtOnce = Math.max(mostAtOnce, ++atOnce)
    response.on("close", () => atOnce--)
    const page = pages[path]
    if (typeof page === "function") return page(request, response)
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" })
    response.end(page)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    pages,
    asked,
    pathsAsked: () => asked.map(({ path }) => path),
    mostAtOnce: () => mostAtOnce,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

type Site = Awaited<ReturnType<typeof startSite>>

let site: Site
beforeEach(async () => {
  site = await startSite()
})
afterEach(() => site.close())

const FREE = "<html><body><h1>Visa</h1><p>France: <b>90</b> days</p></body></html>"
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(code, headers).end()
const client = (options: object = {}) => makePoliteClient({ allowsPrivate: true, delayMs: 0, ...options })
const fetchPage = (path: string, options: object = {}) => Effect.runPromise(client(options)(site.url + path, null))
/** Looks at pages of the site, after an earlier look or as the first. */
const watch = (paths: readonly string[], known: WatchRecord | null = null, on = "2026-12-01") =>
  Effect.runPromise(
    watchPages(
      paths.map(path => ({ url: site.url + path, uses: [{ destination: "KEN", page: "list", says: [] }] })),
      { allowsPrivate: true, delayMs: 0, on, known },
    ),
  )
const foundOf = ({ looks }: Awaited<ReturnType<typeof watch>>) => looks.map(({ found, why }) => [found, why])

describe("the text of a page", () => {
  it("stays the same if only its markup, scripts, navigation or white space change", () => {
    const other =
      "<!doctype html><nav>9 new messages<nav>x</nav></nav><style>p{}</style><script>let a = '<p>90'</script>" +
      "<h1 class=new>Vi<i>sa</i></h1>\n<!-- made in 3 ms --><div>France:&nbsp;&#57;0&#x200B; days<footer>Today</div>"
    expect(readText(other)).toBe("VisaFrance:90days")
    expect(readText(other)).toBe(readText(FREE))
  })

  it("changes with every word", () => {
    expect(readText(FREE.replace("90", "30"))).not.toBe(readText(FREE))
    expect(readText(FREE.replace("France", "Greece"))).not.toBe(readText(FREE))
  })

  it("is read in the charset of its server, and other bytes are never the same text", () => {
    const type = "text/html; charset=windows-1251"
    const bytes = Buffer.from([0xc2, 0xe8, 0xe7, 0xe0])
    expect(digestPage(bytes, type)).toBe(digestPage(Buffer.from("Виза"), "text/html"))
    const unnamed = [0xc2, 0xc3].map(first => digestPage(Buffer.from([first, 0x20]), "text/html; charset=none"))
    expect(new Set(unnamed).size).toBe(2)
  })

  it("is every byte of a file that is not HTML, and nothing where scripts would write it", () => {
    expect(digestPage(Buffer.from("%PDF <b>1"), "application/pdf")).not.toBe(
      digestPage(Buffer.from("%PDF 1"), "application/pdf"),
    )
    expect(digestPage(Buffer.from("<script>write()</script><p> </p>"), "text/html")).toBeNull()
  })
})

describe("a hostile page", () => {
  it.each([
    ["elements that are never closed", (many: number) => `${"<b>".repeat(many)}${"</x>".repeat(many)}`],
    ["closed elements in left-out ones", (many: number) => `${"<b>".repeat(many)}${"</b><nav>".repeat(many)}`],
    ["tags and comments that never end", (many: number) => "<p a=".repeat(many) + "<!--".repeat(many)],
    ["characters by number", (many: number) => "&#x41".repeat(many)],
  ])("takes no time of the processor that counts: %s", (_, make) => {
    const html = make(200_000)
    const began = process.cpuUsage().user
    digestPage(Buffer.from(html), "text/html")
    expect((process.cpuUsage().user - began) / 1e6).toBeLessThan(5)
  })

  it("is compared byte by byte if it is nested more than a thousand deep", () => {
    expect(readText(`${"<b>".repeat(1_000)}x`)).toBe("x")
    expect(readText(`${"<b>".repeat(1_001)}x`)).toBeNull()
    const digest = (text: string) => digestPage(Buffer.from(text), "text/html")
    expect(digest(`${"<b>".repeat(1_001)}x`)).not.toBe(digest(`${"<b>".repeat(1_001)}y`))
  })
})

describe("the polite client", () => {
  it("names itself with a page that says who reads", async () => {
    site.pages["/list"] = FREE
    expect(await fetchPage("/list")).toMatchObject({ kind: "read", bytes: Buffer.from(FREE) })
    const agents = new Set(site.asked.map(({ headers }) => headers["user-agent"]))
    expect(agents.size).toBe(1)
    expect([...agents][0]).toMatch(/^LandfallDataWatch\/\d\S+ \(\+https:\/\/\S+maintaining-data\.md#the-watch\)$/)
  })

  it("reads nothing that robots.txt forbids to all or to it, and what robots.txt permits", async () => {
    site.pages["/robots.txt"] =
      "User-agent: *\nDisallow: /\n\nUser-agent: landfalldatawatch\nDisallow: /own\nAllow: /own/list$\n"
    for (const path of ["/list", "/own/list", "/own/list2"]) site.pages[path] = FREE
    const ask = client()
    const kinds: string[] = []
    for (const path of ["/list", "/own/list", "/own/list2"]) {
      const { kind } = await Effect.runPromise(ask(site.url + path, null))
      kinds.push(kind)
    }
    expect(kinds).toEqual(["read", "read", "refused"])
    expect(site.pathsAsked()).toEqual(["/robots.txt", "/list", "/own/list"])
    site.pages["/robots.txt"] = "User-agent: *\nDisallow: /\n"
    expect(await fetchPage("/list")).toEqual({ kind: "refused", why: "robots.txt does not allow it" })
  })

  it("reads nothing of a host whose robots.txt cannot be had, and everything where there is none", async () => {
    site.pages["/list"] = FREE
    site.pages["/robots.txt"] = status(503)
    expect(await fetchPage("/list")).toEqual({ kind: "refused", why: "robots.txt cannot be read: answered 503" })
    site.pages["/robots.txt"] = status(403)
    expect(await fetchPage("/list")).toMatchObject({ kind: "read" })
  })

  it("obeys robots.txt also where a redirect leads, and follows five at most", async () => {
    site.pages["/robots.txt"] = "User-agent: *\nDisallow: /private\n"
    site.pages["/old"] = status(301, { location: "/new" })
    site.pages["/new"] = FREE
    site.pages["/door"] = status(302, { location: "/private/list" })
    site.pages["/round"] = status(302, { location: "/round" })
    site.pages["/lost"] = status(302)
    expect(await fetchPage("/old")).toMatchObject({ kind: "read", from: { at: `${site.url}/new` } })
    expect(await fetchPage("/door")).toEqual({ kind: "refused", why: "robots.txt does not allow it" })
    expect(await fetchPage("/round")).toEqual({ kind: "failed", why: "more than 5 redirects" })
    expect(site.pathsAsked().filter(path => path === "/round")).toHaveLength(6)
    expect(await fetchPage("/lost")).toEqual({ kind: "refused", why: "a redirect names no address" })
  })

  it("connects to no private address, named in data or by a redirect", async () => {
    site.pages["/away"] = status(302, { location: "file:///etc/passwd" })
    expect(await fetchPage("/away")).toEqual({
      kind: "refused",
      why: "a redirect is not followed: Expected an http or https URL, such as https://example.org/hooks",
    })
    const guarded = makePoliteClient({
      allowsPrivate: false,
      delayMs: 0,
      resolve: (_, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
    })
    const ask = (url: string) => Effect.runPromise(guarded(url, null))
    expect(await ask(`${site.url}/list`)).toEqual({ kind: "refused", why: "The host has no public address" })
    expect(await ask("https://visas.example/list")).toEqual({ kind: "refused", why: "the host has no public address" })
    expect(site.pathsAsked()).toEqual(["/robots.txt", "/away"])
  })

  it("reads eight megabytes of a page at most, packed or not", async () => {
    site.pages["/large"] = (_, response) => {
      response.writeHead(200, { "content-type": "text/html" })
      response.end(Buffer.alloc(8_388_609, "a"))
    }
    site.pages["/bomb"] = (_, response) => {
      response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" })
      response.end(gzipSync(Buffer.alloc(8_388_609, "a")))
    }
    site.pages["/packed"] = (_, response) => {
      response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" })
      response.end(gzipSync(FREE))
    }
    site.pages["/odd"] = (_, response) => response.writeHead(200, { "content-encoding": "br" }).end("x")
    expect(await fetchPage("/large")).toEqual({ kind: "failed", why: "has more than 8 MB" })
    expect(await fetchPage("/bomb")).toEqual({
      kind: "failed",
      why: "the answer has more than 8388608 bytes when it is unpacked",
    })
    expect(await fetchPage("/packed")).toMatchObject({ kind: "read", bytes: Buffer.from(FREE) })
    expect(await fetchPage("/odd")).toEqual({
      kind: "failed",
      why: 'the answer is encoded as "br", which was not asked for',
    })
  })

  /** Runs with a clock of the test, which goes on by a second as often as something is asked that is not so yet. */
  const withClock = <A>(
    work: (clock: {
      readonly nowMs: () => number
      readonly goOnUntil: (isSo: () => boolean) => Effect.Effect<unknown>
    }) => Effect.Effect<A>,
  ): Promise<A> =>
    TestClock.testClockWith(clock =>
      work({
        nowMs: () => clock.currentTimeMillisUnsafe(),
        goOnUntil: isSo =>
          TestClock.withLive(
            eventually(
              Effect.suspend(() => (isSo() ? Effect.succeed(true) : Effect.as(clock.adjust(1_000), false))),
              done => done,
            ),
          ),
      }),
    ).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

  it("waits thirty seconds for a whole answer, and closes the connection", async () => {
    let isClosed = false
    let askedMs = 0
    const [fetched, endedMs] = await withClock(({ nowMs, goOnUntil }) => {
      site.pages["/slow"] = (_, response) => {
        askedMs = nowMs()
        response.writeHead(200, { "content-type": "text/html" }).write("<p>")
        response.on("close", () => {
          isClosed = true
        })
      }
      return Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(client()(`${site.url}/slow`, null))
        yield* goOnUntil(() => isClosed)
        return [yield* Fiber.join(fiber), nowMs()] as const
      })
    })
    expect(fetched).toEqual({ kind: "failed", why: "no whole answer within 30 seconds" })
    expect(endedMs - askedMs).toBeGreaterThanOrEqual(29_000)
  })

  it("asks one thing of a host at a time, and waits five seconds after each, or as long as robots.txt asks", async () => {
    const askedMs: number[] = []
    const kinds = await withClock(({ nowMs, goOnUntil }) => {
      const answer =
        (text: string): Answer =>
        (_, response) => {
          askedMs.push(nowMs())
          response.writeHead(200, { "content-type": "text/html" }).end(text)
        }
      site.pages["/robots.txt"] = answer("User-agent: *\nCrawl-delay: 7\n")
      site.pages["/a"] = site.pages["/b"] = answer(FREE)
      return Effect.gen(function* () {
        const ask = makePoliteClient({ allowsPrivate: true })
        const pages = ["/a", "/b"].map(path => ask(site.url + path, null))
        const both = yield* Effect.forkChild(Effect.all(pages, { concurrency: 2 }))
        yield* goOnUntil(() => askedMs.length === 3)
        return (yield* Fiber.join(both)).map(({ kind }) => kind)
      })
    })
    expect(kinds).toEqual(["read", "read"])
    expect(askedMs[1]! - askedMs[0]!).toBeGreaterThanOrEqual(5_000)
    expect(askedMs[2]! - askedMs[1]!).toBeGreaterThanOrEqual(7_000)
    expect(site.mostAtOnce()).toBe(1)
  })
})

describe("a watch", () => {
  it("finds a page whose words changed, and none of which only the markup did", async () => {
    site.pages["/list"] = FREE
    site.pages["/fees"] = FREE
    const first = await watch(["/list", "/fees"])
    expect(foundOf(first)).toEqual([
      ["first", null],
      ["first", null],
    ])
    site.pages["/list"] = FREE.replace("<p>", "<p class=x>\n")
    site.pages["/fees"] = FREE.replace("90", "30")
    const second = await watch(["/list", "/fees"], first.record, "2026-12-08")
    expect(foundOf(second)).toEqual([
      ["same", null],
      ["changed", null],
    ])
    expect(second.looks.map(({ since, isWork }) => [since, isWork])).toEqual([
      ["2026-12-01", false],
      ["2026-12-01", true],
    ])
    const third = await watch(["/list", "/fees"], second.record, "2026-12-15")
    expect(third.looks.map(({ found, since }) => [found, since])).toEqual([
      ["same", "2026-12-01"],
      ["same", "2026-12-08"],
    ])
  })

  it("asks only for what has changed, by the mark and the day that the server gave, also behind a redirect", async () => {
    site.pages["/list"] = status(302, { location: "/v2" })
    site.pages["/v2"] = (request, response) => {
      const isKnown = request.headers["if-none-match"] === '"7"'
      response.writeHead(isKnown ? 304 : 200, {
        "content-type": "text/html",
        etag: '"7"',
        "last-modified": "Tue, 01 Dec 2026 00:00:00 GMT",
      })
      response.end(isKnown ? undefined : FREE)
    }
    const first = await watch(["/list"])
    const second = await watch(["/list"], first.record)
    expect(foundOf(second)).toEqual([["same", null]])
    expect(second.record).toEqual(first.record)
    expect(
      site.asked.map(({ path, headers }) => [path, headers["if-none-match"], headers["if-modified-since"]]),
    ).toEqual([
      ["/robots.txt", undefined, undefined],
      ["/list", undefined, undefined],
      ["/v2", undefined, undefined],
      ["/robots.txt", undefined, undefined],
      ["/list", undefined, undefined],
      ["/v2", '"7"', "Tue, 01 Dec 2026 00:00:00 GMT"],
    ])
  })

  it("makes a page that is gone work once, and compares it with what it said before when it is back", async () => {
    site.pages["/list"] = FREE
    const first = await watch(["/list"])
    delete site.pages["/list"]
    const gone = await watch(["/list"], first.record)
    expect(gone.looks).toMatchObject([{ found: "gone", why: "answered 404", since: "2026-12-01", isWork: true }])
    const still = await watch(["/list"], gone.record)
    expect(still.looks).toMatchObject([{ found: "gone", isWork: false }])
    site.pages["/list"] = FREE
    expect(foundOf(await watch(["/list"], still.record))).toEqual([["same", null]])
    site.pages["/list"] = FREE.replace("France", "Greece")
    expect(foundOf(await watch(["/list"], still.record))).toEqual([["changed", null]])
  })

  it("takes a page that differs from itself a moment later for no change", async () => {
    let visitors = 0
    site.pages["/list"] = (_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(`${FREE}<p>Visitor ${++visitors}</p>`)
    const first = await watch(["/list"])
    const second = await watch(["/list"], first.record)
    expect(second.looks).toMatchObject([{ found: "restless", why: "says something else at each look", isWork: false }])
  })

  it("says why a page was not read, keeps what it said, and leaves a host alone after three failures", async () => {
    const paths = ["/a", "/b", "/c", "/d"]
    for (const path of paths) site.pages[path] = FREE
    const first = await watch(paths)
    site.pages["/a"] = status(403)
    site.pages["/b"] = "<script>write()</script>"
    site.pages["/c"] = site.pages["/d"] = status(500)
    const second = await watch([...paths, "/a"], first.record)
    expect(foundOf(second)).toEqual([
      ["refused", "answered 403"],
      ["failed", "has no text without scripts"],
      ["failed", "answered 500"],
      ["failed", "answered 500"],
      ["failed", "3 other pages of its host failed"],
    ])
    expect(second.looks.every(({ isWork }) => !isWork)).toBe(true)
    const digests = ({ pages }: WatchRecord) => Object.values(pages).map(({ digest }) => digest)
    expect(digests(second.record)).toEqual(digests(first.record))
  })
})

describe("landfall data watch", () => {
  let home = ""
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "landfall-watch-"))
    mkdirSync(join(home, "data/claims"), { recursive: true })
    const country = { numeric: null, region: null, subregion: null, sovereign: true, source: null, verified_on: null }
    const source = { url: null, licence: null, retrieved_on: null }
    const files = {
      "dataset.json": { version: "test.1", as_of: "2026-11-21", since: "2026-02-17" },
      "sources.json": ["press-reports", "table"].map(id => ({ id, name: id, ...source })),
      "countries.json": ["FRA FR", "KEN KE"].map(codes => {
        const [code, alpha2] = codes.split(" ")
        return { code, alpha2, name: code, ...country }
      }),
      "passports.json": ["FRA", "KEN"].map(code => ({ code, source: null, verified_on: null })),
      "passport-validity.json": [],
      "transit.json": [],
      "tables.json": { source: "table", latest: "table", history: "table", verified_on: null, tables: [] },
      "claims/KEN.json": {
        destination: "KEN",
        pages: {
          list: { by: "table", url: `${site.url}/list`, read: ["2026-11-01"] },
          paper: { by: "press-reports", url: `${site.url}/news`, read: [] },
          law: { by: "table", read: [] },
        },
        claims: [{ page: "list", says: "visa_free 90", who: "FRA" }],
        tables: [],
      },
    }
    for (const [name, record] of Object.entries(files)) writeFileSync(join(home, "data", name), JSON.stringify(record))
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  const look = (...words: readonly string[]) =>
    runCli(["data", "watch", "--data", join(home, "data"), "--state", join(home, "state.json"), ...words])

  it("watches the pages that claims name, without reports of the press", () => {
    const claims = [JSON.parse(readFileSync(join(home, "data/claims/KEN.json"), "utf8"))]
    expect(listWatchedPages({ claims })).toEqual([
      { url: `${site.url}/list`, uses: [{ destination: "KEN", page: "list", says: ["visa_free 90: FRA"] }] },
    ])
    expect(listWatchedPages({ claims }, ["FRA"])).toEqual([])
  })

  it("prints the work, or writes a file for each destination with some", async () => {
    site.pages["/list"] = FREE
    const [own, folder] = ["--allow-private", join(home, "work")]
    expect(await look(own)).toEqual({
      status: 0,
      stdout: "1 page of 1 host: 1 first. 0 destinations with work: none.\n",
      stderr: "",
    })
    site.pages["/list"] = FREE.replace("90", "30")
    const state = readFileSync(join(home, "state.json"), "utf8")
    const { stdout } = await look(own, "-o", folder)
    expect(stdout).toBe("1 page of 1 host: 1 changed. 1 destination with work: KEN.\n")
    expect(readdirSync(folder)).toEqual(["KEN.md"])
    const work = readFileSync(join(folder, "KEN.md"), "utf8")
    const row = new RegExp(
      `^\\| says something else than since \\S+ \\| list \\| ${site.url}/list \\| visa_free 90: FRA \\|$`,
      "m",
    )
    expect(work).toMatch(row)
    writeFileSync(join(home, "state.json"), state)
    expect((await look(own)).stdout).toContain(work.trimEnd())
  })

  it("fails where no page could be read, and forgets nothing", async () => {
    const refused = await look()
    expect([refused.status, refused.stderr.replace(site.url, "SITE")]).toEqual([
      1,
      expect.stringContaining("None of 1 page could be read; the first: SITE/list The host has no public address."),
    ])
    expect(readdirSync(home)).toEqual(["data"])
  })

  it("refuses a destination without claims, and a state that is not one", async () => {
    const stranger = await look("--destination", "QQQ")
    expect([stranger.status, stranger.stderr]).toEqual([
      2,
      expect.stringContaining('--destination: "QQQ" is not a destination of'),
    ])
    writeFileSync(join(home, "state.json"), '{"pages": {}}')
    const broken = await look()
    expect([broken.status, broken.stderr]).toEqual([1, expect.stringContaining("state.json watched_on: Missing key")])
  })
})
