/**
 * Which pages does the documentation have, and what is on each?
 *
 * Every Markdown file of `docs/` and those at the top of the project that people read. A page that no list names is put with the project's own,
 * so that none is forgotten. Anchors are those that GitHub gives to headings, so that one link works in both places.
 */
import { readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, posix } from "node:path"
import MarkdownIt, { type Token } from "markdown-it"

const ROOT = join(import.meta.dirname, "../..")

/** A heading of a page. */
export interface Heading {
  readonly level: number
  readonly text: string
  readonly anchor: string
}

/** A part of a page, from one heading to the next, as plain text. */
export interface Section {
  readonly heading: Heading
  readonly text: string
}

/** A Markdown file and where it is shown. */
export interface Page {
  /** From the top of the project. */
  readonly source: string
  /** The name of the HTML file. */
  readonly target: string
  readonly group: string
  readonly title: string
  readonly tokens: readonly Token[]
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Start: ["docs/README.md", "README.md", "docs/glossary.md"],
  Use: ["docs/command-line.md", "docs/api.md", "docs/batch.md", "docs/warehouse.md"],
  Run: ["docs/operations.md", "docs/accounts.md", "docs/upgrading.md", "SECURITY.md"],
  Data: ["docs/data.md", "data/LICENSES.md"],
  Project: ["CONTRIBUTING.md", "docs/architecture.md", "docs/decisions.md", "docs/releases.md", "CHANGELOG.md"],
}
const REST = "Project"

/** Reads Markdown; no HTML of its own, so that what a page shows is what was written. */
export const markdown = new MarkdownIt({ html: false, linkify: false })

/**
 * The anchor of a heading, as GitHub makes it.
 *
 * @example
 * ```ts
 * anchorOf("What is kept, and how long?") // => "what-is-kept-and-how-long"
 * ```
 */
export const anchorOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-")

/** What a line of tokens says, without its marks. */
function textOf(token: Token | undefined): string {
  const parts = (token?.children ?? []).map(child => (/^(text|code_inline)$/.test(child.type) ? child.content : " "))
  return parts.join("").replaceAll(/\s+/g, " ").trim()
}

/** Long tables are found by their headings; their cells would bury everything else. */
const CELLS_MAX = 400

function readSections(tokens: readonly Token[], headings: readonly Heading[]): readonly Section[] {
  const sections: { heading: Heading; parts: string[]; cells: number }[] = []
  let at = 0
  tokens.forEach((token, index) => {
    if (token.type === "heading_open") {
      const heading = headings[at++]
      if (heading !== undefined) sections.push({ heading, parts: [], cells: 0 })
      return
    }
    const section = sections.at(-1)
    if (section === undefined) return
    if (token.type === "fence") section.parts.push(token.content)
    if (token.type !== "inline" || tokens[index - 1]?.type === "heading_open") return
    const isCell = /^t[dh]_open$/.test(tokens[index - 1]?.type ?? "")
    if (isCell && ++section.cells > CELLS_MAX) return
    section.parts.push(textOf(token))
  })
  return sections.map(({ heading, parts }) => ({ heading, text: parts.join(" ") }))
}

function readHeadings(tokens: readonly Token[]): readonly Heading[] {
  const seen = new Map<string, number>()
  return tokens.flatMap((token, index) => {
    if (token.type !== "heading_open") return []
    const text = textOf(tokens[index + 1])
    const plain = anchorOf(text)
    const times = seen.get(plain) ?? 0
    seen.set(plain, times + 1)
    return [{ level: Number(token.tag.slice(1)), text, anchor: times === 0 ? plain : `${plain}-${times}` }]
  })
}

function targetOf(source: string): string {
  if (source === "docs/README.md") return "index.html"
  if (source === "README.md") return "overview.html"
  return `${basename(source, ".md").toLowerCase().replaceAll("_", "-")}.html`
}

function readPage(source: string, group: string): Page {
  // What is between such marks is for programs that write tables into the file.
  const text = readFileSync(join(ROOT, source), "utf8").replaceAll(/<!--[\s\S]*?-->\n?/g, "")
  const tokens = markdown.parse(text, {})
  const headings = readHeadings(tokens)
  return {
    source,
    target: targetOf(source),
    group,
    title: source === "README.md" ? "Overview" : (headings[0]?.text ?? source),
    tokens,
    headings,
    sections: readSections(tokens, headings),
  }
}

/** Reads every page, in the order in which they are listed. */
export function readPages(): readonly Page[] {
  const listed = Object.values(GROUPS).flat()
  const others = [...readdirSync(ROOT), ...readdirSync(join(ROOT, "docs")).map(name => `docs/${name}`)]
    .filter(path => path.endsWith(".md") && !listed.includes(path))
    .sort()
  const groups = Object.entries(GROUPS).map(
    ([group, sources]) => [group, group === REST ? [...sources, ...others] : sources] as const,
  )
  return groups.flatMap(([group, sources]) => sources.map(source => readPage(source, group)))
}

/** Where a link of a page leads. */
export type LinkTarget =
  | { readonly kind: "outside" }
  | { readonly kind: "page"; readonly page: Page; readonly anchor: string | null }
  | { readonly kind: "file"; readonly path: string }

/** Finds what a link means; the path is read from where the page's source stands. */
export function resolveLink(link: string, from: Page, pages: readonly Page[]): LinkTarget {
  if (/^[a-z]+:/.test(link)) return { kind: "outside" }
  const [path = "", anchor = null] = link.split("#")
  const source = path === "" ? from.source : posix.normalize(posix.join(dirname(from.source), path))
  const page = pages.find(candidate => candidate.source === source)
  return page === undefined ? { kind: "file", path: source } : { kind: "page", page, anchor }
}

/** Every link and picture of a page, as written. */
export const listLinks = (page: Page): readonly string[] =>
  page.tokens.flatMap(token =>
    (token.children ?? []).flatMap(child => {
      const link = child.attrGet(child.type === "image" ? "src" : "href")
      return link === null ? [] : [String(link)]
    }),
  )
