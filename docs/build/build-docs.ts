/**
 * How does the documentation become a site that any host can serve, and that opens from a folder too?
 *
 * A page for each Markdown file, one style sheet, one script and the index of the search; nothing is loaded from elsewhere.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { build } from "esbuild"
import MiniSearch from "minisearch"
import { type Page, readPages } from "./pages.ts"
import { renderPage } from "./render-page.ts"
import { type Entry, INDEX_OPTIONS } from "./search-terms.ts"

const ROOT = join(import.meta.dirname, "../..")

/** Where `npm run docs` puts the site. */
export const DOCS_FOLDER = join(ROOT, "dist-docs")

/** The index of the search over all sections of the pages. */
export function indexPages(pages: readonly Page[]): MiniSearch<Entry> {
  const index = new MiniSearch<Entry>(INDEX_OPTIONS)
  index.addAll(
    pages.flatMap(page =>
      page.sections.map(({ heading, text }) => ({
        id: `${page.target}#${heading.anchor}`,
        page: page.title,
        heading: heading.text,
        text,
      })),
    ),
  )
  return index
}

/** Builds the site into a folder, in place of what was there; gives the names of its pages. */
export async function buildDocs(target: string = DOCS_FOLDER): Promise<readonly string[]> {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const { repository } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
  const pages = readPages()
  const showImage = (path: string) => {
    const shown = join("images", basename(path))
    mkdirSync(dirname(join(target, shown)), { recursive: true })
    copyFileSync(join(ROOT, path), join(target, shown))
    return shown
  }
  const address = `${repository.url.replace(/^git\+|\.git$/g, "")}/blob/main`
  for (const page of pages)
    writeFileSync(join(target, page.target), renderPage(page, { pages, repository: address, showImage }))
  const index = JSON.stringify(JSON.stringify(indexPages(pages)))
  writeFileSync(join(target, "search-index.js"), `globalThis.landfallSearchIndex = ${index}\n`)
  await build({
    absWorkingDir: ROOT,
    entryPoints: { search: "docs/build/search.ts", docs: "docs/build/docs.css" },
    outdir: target,
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2023",
    logLevel: "warning",
  })
  return pages.map(page => page.target)
}
