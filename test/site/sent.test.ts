import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib"
import { assert, beforeAll, describe, it } from "vitest"
import { openWholeDataset } from "../../adapters/answers/dataset-file.ts"
import { openSiteFiles, type SiteAsset, type SiteFiles } from "../../adapters/http/page/assets.ts"
import { answerDataset, answerFile, answerPage } from "../../adapters/http/routes/site/page-endpoints.ts"
import { buildSiteIfStale, SITE_FOLDER } from "../../site/build/build-site.ts"
import { LANGUAGES } from "../../src/compiler.ts"
import { datasetOn, embeddedDataset } from "../../src/index.ts"
import { startTestService } from "../http/service.ts"
import { share } from "../share.ts"

/** Where nothing has changed since the last build there is nothing to wait for. */
const BUILD_TIMEOUT_MS = 600_000

const readHeader = (headers: readonly string[], name: string) => headers[headers.indexOf(name) + 1]

describe("a file of the explorer page", () => {
  let files: SiteFiles
  let page: SiteAsset
  beforeAll(async () => {
    await buildSiteIfStale()
    files = openSiteFiles(SITE_FOLDER)
    page = files.find("/") as SiteAsset
  }, BUILD_TIMEOUT_MS)

  it("has its own path, and every other path is not found", () => {
    assert.includeMembers([...files.paths], ["/", "/index.html", "/service-worker.js", "/manifest.webmanifest"])
    for (const path of ["/build.json", "/../package.json", "/parts", ""]) assert.isUndefined(files.find(path))
    assert.deepStrictEqual(openSiteFiles(null).paths, [])
  })

  it("is cached for ever if its name has its hash, and revalidated otherwise", () => {
    for (const path of files.paths) {
      const isNamedByHash = /-[A-Za-z0-9]{8}\.(js|css|woff2)$/.test(path)
      const expected = isNamedByHash ? "public, max-age=31536000, immutable" : "no-cache"
      assert.strictEqual(files.find(path)?.cacheControl, expected, path)
    }
  })

  /** The names of files that each view, language and country is loaded with, besides the first scripts. */
  const readParts = () => {
    const lists = /name="landfall-parts" content="([^"]+)"/.exec(new TextDecoder().decode(page.bytes))?.[1]
    return new Map(
      (lists ?? "").split(";").map(list => {
        const [name = "", ...files] = list.split(" ")
        return files.length === 0 ? [name.slice(0, 3), [name]] : [name, files]
      }),
    )
  }

  it.each([
    ["ask", 110_000],
    ["pair", 190 * 1_024],
  ])(
    "is one of those that %s is loaded with, in any language and of any country, at most %i bytes with gzip",
    (view, most) => {
      const { first } = JSON.parse(readFileSync(join(SITE_FOLDER, "build.json"), "utf8")) as { first: string[] }
      const parts = readParts()
      const weighed = new Map<string, number>()
      const weigh = (path: string) => {
        const bytes = weighed.get(path) ?? gzipSync(readFileSync(join(SITE_FOLDER, path)), { level: 9 }).length
        weighed.set(path, bytes)
        return bytes
      }
      const asked = (parts.get("ask") ?? []).map(name => `parts/${name}.js`)
      const atOnce = first.filter(path => !asked.includes(path))
      const sums = new Map<string, number>()
      for (const words of LANGUAGES) {
        for (const to of view === "pair" ? embeddedDataset().destinations : [""]) {
          const names = [view, `words-${words}`, to].flatMap(name => parts.get(name) ?? [])
          const paths = new Set([...atOnce, ...names.map(name => `parts/${name}.js`)])
          sums.set(
            `${words} ${to}`,
            [...paths].reduce((sum, path) => sum + weigh(path), 0),
          )
        }
      }
      const heaviest = Math.max(...sums.values())
      assert.isAbove(heaviest, most / 2)
      assert.isAtMost(heaviest, most)
    },
  )

  it("is one of few that a view asks for at once", () => {
    const text = new TextDecoder().decode(page.bytes)
    const filesOf = (name: string) => readParts().get(name)?.length ?? Infinity
    assert.isAtMost(filesOf("ask"), 2)
    assert.isAtMost(filesOf("anywhere"), 6)
    assert.isAtMost(filesOf("pair"), 4)
    assert.lengthOf(text.match(/<link rel="modulepreload"/g) ?? [], 1)
  })

  it("carries the policy, which is the page's own, in a header too", () => {
    const policy = readHeader(answerFile(page).headers, "content-security-policy")
    const text = new TextDecoder().decode(page.bytes)
    const own = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(text)?.[1]
    assert.strictEqual(policy, `${own}; frame-ancestors 'none'`)
    assert.include(own, "default-src 'none';")
    const [, inlined = ""] = /<script>([^<]+)<\/script>/.exec(text) ?? []
    const hash = createHash("sha256").update(inlined).digest("base64")
    assert.include(own, `script-src 'self' 'sha256-${hash}';`)
  })

  const running = share(startTestService)
  const inBrowser = { accept: "text/html" }

  it.each(["/", "/index.html", "/service-worker.js", "/icons/world.png"])(
    "is compressed as its client accepts it, unless it is already: %s",
    async path => {
      const plain = await running.ask(path, { headers: inBrowser })
      assert.isUndefined(plain.headers["content-encoding"])
      for (const [accepted, encoding, unpack] of [
        ["gzip", "gzip", gunzipSync],
        ["gzip, br", "br", brotliDecompressSync],
      ] as const) {
        const reply = await running.ask(path, { headers: { ...inBrowser, "accept-encoding": accepted } })
        assert.strictEqual(reply.headers["content-encoding"], path.endsWith(".png") ? undefined : encoding)
        assert.deepStrictEqual(path.endsWith(".png") ? reply.bytes : unpack(reply.bytes), plain.bytes)
      }
      for (const accepted of ["gzip;q=0", ""]) {
        const reply = await running.ask(path, { headers: { ...inBrowser, "accept-encoding": accepted } })
        assert.isUndefined(reply.headers["content-encoding"], accepted)
      }
    },
  )

  it("is not sent again to a client that has it", async () => {
    const etag = String((await running.ask("/", { headers: inBrowser })).headers.etag)
    for (const known of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
      const reply = await running.ask("/", { headers: { ...inBrowser, "if-none-match": known } })
      assert.deepStrictEqual([reply.status, reply.text], [304, ""])
    }
    const reply = await running.ask("/", { headers: { ...inBrowser, "if-none-match": '"other"' } })
    assert.strictEqual(reply.status, 200)
  })

  it("has the address of the service's dataset", () => {
    const asked = new TextDecoder().decode((answerPage("https://landfall.test") as { readonly body: Uint8Array }).body)
    assert.include(asked, '<meta name="landfall-dataset" content="dataset.landfall">')
  })

  it("may get another dataset's address from the host, with any characters", () => {
    const offered = openSiteFiles(SITE_FOLDER, { dataset: '/d?a=1&b="2' }).find("/")
    const text = new TextDecoder().decode(offered?.bytes)
    assert.include(text, '<meta name="landfall-dataset" content="/d?a=1&amp;b=&quot;2">')
  })
})

describe("the dataset of the service", () => {
  const bytes = new Uint8Array(readFileSync(new URL("../fixtures/passport-index-2025-01-12.landfall", import.meta.url)))
  const opened = openWholeDataset(bytes)
  assert(opened.ok)
  const today = datasetOn(opened.value, "2026-06-01")
  assert(today.ok)

  it("is not sent if the page has the same one", () => {
    const answer = answerDataset(embeddedDataset(), true)
    assert.deepStrictEqual([answer.status, answer.body], [204, ""])
  })

  it("is sent as it was opened, on any day", () => {
    const answer = answerDataset(today.value, true)
    assert.deepStrictEqual([answer.status, answer.body], [200, bytes])
  })

  it("is not published if the operator forbids it", () => {
    const answer = answerDataset(today.value, false)
    assert.deepStrictEqual([answer.status, answer.body], [403, "This service keeps its dataset to itself."])
    assert.strictEqual(answerDataset(embeddedDataset(), false).status, 204)
  })
})
