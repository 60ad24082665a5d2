import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { anchorOf, listLinks, readPages, resolveLink } from "../../docs/build/pages.ts"

const pages = readPages()
const committed = new Set(
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" }).split("\n"),
)

/** What a page names in code and what has the form of a file of this project. */
const namedFiles = (text: string): string[] =>
  [...text.matchAll(/`((?:src|adapters|site|test|bench|data|examples|docs|seeds)\/[\w./-]+\.\w+)`/g)].map(
    ([, path]) => path as string,
  )

describe("the pages", () => {
  it("are all Markdown of docs/ and of the top of the project, each once", () => {
    const sources = pages.map(page => page.source)
    const expected = [...committed].filter(path => /^(docs\/)?[^/]+\.md$/.test(path))
    expect(sources.filter(path => path !== "data/LICENSES.md").sort()).toEqual(expected.sort())
    expect(new Set(pages.map(page => page.target)).size).toBe(pages.length)
  })

  it.each(pages.map(page => [page.source, page] as const))("have no link that leads nowhere: %s", (_, page) => {
    const broken = listLinks(page).filter(link => {
      const target = resolveLink(link, page, pages)
      if (target.kind === "outside")
        return !link.startsWith("https://") && !/^http:\/\/(127\.0\.0\.1|localhost)/.test(link)
      if (target.kind === "file") return !existsSync(target.path)
      const { anchor, page: other } = target
      return anchor !== null && !other.headings.some(heading => heading.anchor === anchor)
    })
    expect(broken).toEqual([])
  })

  it.each(pages.filter(page => page.source !== "CHANGELOG.md").map(page => [page.source, page] as const))(
    "name no file that is not there: %s",
    (_, page) => {
      const text = page.tokens.filter(token => token.type === "inline").map(token => token.content)
      expect(namedFiles(text.join("\n")).filter(path => !existsSync(path))).toEqual([])
    },
  )

  it("are led to from the index", () => {
    const index = pages.find(page => page.target === "index.html")
    if (index === undefined) throw new Error("there is no index")
    const reached = new Set(
      listLinks(index).flatMap(link => {
        const target = resolveLink(link, index, pages)
        return target.kind === "page" ? [target.page.source] : []
      }),
    )
    // Those of the project itself are in the menu.
    const left = pages.filter(({ source, group }) => group !== "Project" && source !== "docs/README.md")
    expect(left.map(page => page.source).filter(source => !reached.has(source))).toEqual([])
  })
})

describe("an anchor", () => {
  it.each([
    ["The visa service: `check`", "the-visa-service-check"],
    ["What is kept, and how long?", "what-is-kept-and-how-long"],
    ["8–9 bytes", "89-bytes"],
    ["Of a rule  ", "of-a-rule"],
  ])("of %s is as on GitHub", (heading, anchor) => {
    expect(anchorOf(heading)).toBe(anchor)
  })
})
