/**
 * Which pages does the documentation have, and where do their links lead?
 *
 * The pages are the Markdown files of `docs/` and `docs/decisions/`, and those at the top of the project. A page that no list names goes to the
 * last group, so that none is missing from the menu.
 */
import { readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, posix } from "node:path"

const ROOT = join(import.meta.dirname, "../..")

/** The file of each public entry, by the name that is imported. */
export const ENTRIES: Readonly<Record<string, string>> = {
  landfall: "src/index.ts",
  "landfall/engine": "src/engine.ts",
  "landfall/compiler": "src/compiler.ts",
  "landfall/full": "src/full.ts",
  "landfall/history": "src/history.ts",
  "landfall/http": "adapters/start/mount.ts",
  "landfall/edge": "adapters/http/server/edge.ts",
  "landfall/client": "adapters/client/client.ts",
}

/** A Markdown file and its address on the site. */
export interface Page {
  /** The path from the top of the project. */
  readonly source: string
  /** The path on the site, as Markdown. */
  readonly target: string
  readonly group: string
  readonly title: string
}

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Start: ["docs/README.md", "README.md", "docs/in-your-app.md", "docs/start-service.md", "docs/start-file.md"],
  "How to": [
    "docs/which-api.md",
    "docs/explorer.md",
    "docs/convert.md",
    "docs/batch.md",
    "docs/clusters.md",
    "docs/warehouse.md",
    "docs/operations.md",
    "docs/upgrading.md",
    "docs/accounts.md",
    "docs/maintaining-data.md",
  ],
  "Look up": [
    "docs/functions.md",
    "docs/api.md",
    "docs/command-line.md",
    "docs/dataset-format.md",
    "docs/data-rules.md",
    "docs/glossary.md",
    "docs/slo.md",
    "SECURITY.md",
    "data/LICENSES.md",
  ],
  Background: ["docs/data.md", "docs/architecture.md", "docs/decisions/README.md"],
  Project: ["CONTRIBUTING.md", "docs/releases.md", "CHANGELOG.md"],
}
const REST = "Project"
const DECISIONS = "docs/decisions"

function targetOf(source: string): string {
  if (source === "docs/README.md") return "index.md"
  if (source === "README.md") return "overview.md"
  if (source.startsWith(`${DECISIONS}/`)) return source.slice("docs/".length).replace("README", "index")
  return basename(source).toLowerCase().replaceAll("_", "-")
}

const titleOf = (source: string): string =>
  source === "README.md" ? "Overview" : (/^# (.+)$/m.exec(readFileSync(join(ROOT, source), "utf8"))?.[1] ?? source)

/** Lists every page, in the order of the menu. */
export function listPages(): readonly Page[] {
  const listed = Object.values(GROUPS).flat()
  const list = (folder: string) => readdirSync(join(ROOT, folder)).map(name => posix.join(folder, name))
  const notListed = (paths: readonly string[]) =>
    paths.filter(path => path.endsWith(".md") && !listed.includes(path)).sort()
  const others: Readonly<Record<string, readonly string[]>> = {
    [REST]: notListed([...list("."), ...list("docs")]),
    Decisions: notListed(list(DECISIONS)),
  }
  return Object.entries({ ...GROUPS, Decisions: [] }).flatMap(([group, sources]) =>
    [...sources, ...(others[group] ?? [])].map(source => ({
      source,
      target: targetOf(source),
      group,
      title: titleOf(source),
    })),
  )
}

/** Where a link of a page leads. */
export type LinkTarget =
  | { readonly kind: "outside" }
  | { readonly kind: "page"; readonly page: Page; readonly anchor: string | null }
  | { readonly kind: "file"; readonly path: string }

/** Finds the target of a link. The path starts at the folder of the file that has the link. */
export function resolveLink(link: string, from: string, pages: readonly Page[]): LinkTarget {
  if (/^[a-z]+:/.test(link)) return { kind: "outside" }
  const [path = "", anchor = null] = link.split("#")
  const source = path === "" ? from : posix.normalize(posix.join(dirname(from), path))
  const page = pages.find(candidate => candidate.source === source)
  return page === undefined ? { kind: "file", path: source } : { kind: "page", page, anchor }
}

/**
 * Returns the anchor of a heading, as GitHub makes it, so that one link works on both sites.
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
