import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import { describe, expect, it } from "vitest"
import { anchorOf, listPages, type Page, resolveLink } from "../../docs/.vitepress/pages.ts"

const pages = listPages()
const committed = new Set(
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" }).split("\n"),
)

/** What a page names in code, alone or in a command, and what has the form of a file of this project. */
const namedFiles = (text: string): string[] =>
  [...text.matchAll(/`([^`\n]+)`/g)].flatMap(
    ([, code = ""]) =>
      code.match(/(?<![\w./:@-])(?:src|adapters|site|test|bench|data|examples|docs|seeds|peers)\/[\w./-]*\.\w+/g) ?? [],
  )

const withoutCode = ({ source }: Page) => readFileSync(source, "utf8").replaceAll(/^( *)```[\s\S]*?^\1```$/gm, "")

/** Every link and picture of a page, as written. */
const listLinks = (page: Page): string[] =>
  [
    ...withoutCode(page)
      .replaceAll(/`[^`\n]*`/g, "")
      .matchAll(/\]\(([^()\s]+)\)|^\[[^\]]+\]: (\S+)/gm),
  ].map(([, inline, named]) => (inline ?? named) as string)

/** The anchors of a page; a heading that comes again has a number. */
function listAnchors(page: Page): readonly string[] {
  const seen = new Map<string, number>()
  return [...withoutCode(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, text = ""]) => {
    const anchor = anchorOf(text.replaceAll(/\[([^\]]*)\]\([^)]*\)|[`*]/g, "$1"))
    const times = seen.get(anchor) ?? 0
    seen.set(anchor, times + 1)
    return times === 0 ? anchor : `${anchor}-${times}`
  })
}

describe("the pages", () => {
  it("are all Markdown of docs/, of its decisions and of the top of the project, each once", () => {
    const sources = pages.map(page => page.source)
    const expected = [...committed].filter(path => /^(docs\/(decisions\/)?)?[^/]+\.md$/.test(path))
    expect(sources.filter(path => path !== "data/LICENSES.md").sort()).toEqual(expected.sort())
    expect(new Set(pages.map(page => page.target)).size).toBe(pages.length)
  })

  it.each(pages.map(page => [page.source, page] as const))("have no broken link: %s", (_, page) => {
    const broken = listLinks(page).filter(link => {
      const target = resolveLink(link, page.source, pages)
      if (target.kind === "outside")
        return !link.startsWith("https://") && !/^http:\/\/(127\.0\.0\.1|localhost)/.test(link)
      if (target.kind === "file") return !existsSync(target.path)
      const { anchor, page: other } = target
      return anchor !== null && !listAnchors(other).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  it.each(pages.filter(page => page.source !== "CHANGELOG.md").map(page => [page.source, page] as const))(
    "name only files that exist: %s",
    (_, page) => {
      expect(namedFiles(withoutCode(page)).filter(path => !existsSync(path))).toEqual([])
      // A file without its folder stands beside others of that folder.
      const names = new Set([...committed].map(path => basename(path)))
      const sources = [...withoutCode(page).matchAll(/`([\w.-]+\.tsx?)`/g)].map(([, name]) => name as string)
      expect(sources.filter(name => !names.has(name))).toEqual([])
    },
  )

  it("are linked from the index", () => {
    const index = pages.find(page => page.target === "index.md")
    if (index === undefined) throw new Error("there is no index")
    const reached = new Set(
      listLinks(index).flatMap(link => {
        const target = resolveLink(link, index.source, pages)
        return target.kind === "page" ? [target.page.source] : []
      }),
    )
    // Those of the project itself are in the menu.
    const left = pages.filter(
      ({ source, group }) => !["Project", "Decisions"].includes(group) && source !== "docs/README.md",
    )
    expect(left.map(page => page.source).filter(source => !reached.has(source))).toEqual([])
  })
})

describe("the size of the documentation", () => {
  const countWords = (path: string) => readFileSync(path, "utf8").split(/\s+/).filter(Boolean).length

  it.each([
    ["docs/", 40_000],
    ["docs/data.md", 3_000],
    ["README.md", 700],
  ])("%s has at most %d words", (start, most) => {
    const words = [...committed].filter(path => path.startsWith(start) && path.endsWith(".md") && existsSync(path))
    expect(words.reduce((sum, path) => sum + countWords(path), 0)).toBeLessThanOrEqual(most)
  })
})

describe("the decisions", () => {
  const decisions = pages.filter(({ group }) => group === "Decisions")

  it("are at most sixty, and the index names each once", () => {
    expect(decisions.length).toBeLessThanOrEqual(60)
    const index = pages.find(({ source }) => source === "docs/decisions/README.md") as Page
    expect(listLinks(index).sort()).toEqual(decisions.map(({ source }) => basename(source)).sort())
  })

  it.each(decisions.map(page => [page.source, page] as const))("say why, and what was refused: %s", (_, page) => {
    const text = readFileSync(page.source, "utf8")
    const parts = ["\n**Why.** ", "\n**Refused.** ", "\n**What would change it.** "].map(part => text.indexOf(part))
    expect(parts).toEqual(parts.filter(at => at > 0).sort((a, b) => a - b))
  })
})

describe("the reader of links", () => {
  const page = pages.find(({ source }) => source === "docs/README.md") as Page

  it("finds what the index links to, and its heading", () => {
    expect(listLinks(page)).toEqual(expect.arrayContaining(["../README.md", "glossary.md", "../data/LICENSES.md"]))
    expect(listAnchors(page)[0]).toBe("documentation")
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
