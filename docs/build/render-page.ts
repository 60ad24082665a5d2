/**
 * How does a page of Markdown become a page of a site?
 *
 * Links between Markdown files lead to the pages made of them; those to other files of the project lead to its repository. The page's own policy
 * forbids everything that does not lie beside it.
 */
import { extname } from "node:path"
import type { Env } from "markdown-it"
import { type Heading, markdown, type Page, resolveLink } from "./pages.ts"

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ")

/** A picture that a page shows, to be copied beside it. */
export type ShowImage = (path: string) => string

/** What all pages share. */
export interface Surroundings {
  readonly pages: readonly Page[]
  /** The address under which the files of the project can be read, without a slash at the end. */
  readonly repository: string
  readonly showImage: ShowImage
}

const { escapeHtml } = markdown.utils

const isImage = (path: string) => [".jpg", ".png", ".svg"].includes(extname(path))

function rewriteLink(link: string, page: Page, { pages, repository, showImage }: Surroundings): string {
  const target = resolveLink(link, page, pages)
  if (target.kind === "outside") return link
  if (target.kind === "page") {
    const anchor = target.anchor === null ? "" : `#${target.anchor}`
    return target.page === page && anchor !== "" ? anchor : target.page.target + anchor
  }
  return isImage(target.path) ? showImage(target.path) : `${repository}/${target.path}`
}

/** What the rules below need to know of the page that they write. */
interface RenderState {
  readonly page: Page
  readonly surroundings: Surroundings
  headings: number
  tables: number
}

const stateOf = (env: Env | undefined) => env as unknown as RenderState

const { rules } = markdown.renderer
rules.heading_open = (tokens, at, _options, env) => {
  const state = stateOf(env)
  return `<${tokens[at]?.tag} id="${state.page.headings[state.headings++]?.anchor}">`
}
rules.link_open = (tokens, at, _options, env) => {
  const { page, surroundings } = stateOf(env)
  return `<a href="${escapeHtml(rewriteLink(String(tokens[at]?.attrGet("href")), page, surroundings))}">`
}
rules.image = (tokens, at, _options, env) => {
  const { page, surroundings } = stateOf(env)
  const source = rewriteLink(String(tokens[at]?.attrGet("src")), page, surroundings)
  return `<img src="${escapeHtml(source)}" alt="${escapeHtml(tokens[at]?.content ?? "")}" loading="lazy">`
}
// What may be wider than the page scrolls by itself, with keys too.
rules.table_open = (_tokens, _at, _options, env) =>
  `<div class="wide" role="region" tabindex="0" aria-label="Table ${++stateOf(env).tables}">\n<table>\n`
rules.table_close = () => "</table>\n</div>\n"
rules.fence = (tokens, at) => `<pre tabindex="0"><code>${escapeHtml(tokens[at]?.content ?? "")}</code></pre>\n`

function renderBody(page: Page, surroundings: Surroundings): string {
  const state: RenderState = { page, surroundings, headings: 0, tables: 0 }
  return markdown.renderer.render([...page.tokens], markdown.options, state as unknown as Env)
}

function renderMenu(page: Page, pages: readonly Page[]): string {
  const groups = [...new Set(pages.map(({ group }) => group))]
  const linkTo = (other: Page) =>
    `<li><a href="${other.target}"${other === page ? ' aria-current="page"' : ""}>${escapeHtml(other.title)}</a></li>`
  return groups
    .map(group => {
      const items = pages.filter(other => other.group === group).map(linkTo)
      return `<h2>${group}</h2>\n<ul>${items.join("")}</ul>`
    })
    .join("\n")
}

function renderContents(headings: readonly Heading[]): string {
  const parts = headings.filter(({ level }) => level === 2)
  if (parts.length < 3) return ""
  const items = parts.map(({ text, anchor }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`)
  return `<nav class="contents" aria-labelledby="on-this-page"><h2 id="on-this-page">On this page</h2>\n<ul>${items.join("")}</ul></nav>`
}

/** Writes a page as HTML. */
export function renderPage(page: Page, surroundings: Surroundings): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${POLICY}">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Landfall</title>
<link rel="stylesheet" href="docs.css">
<script src="search.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header>
<a class="brand" href="index.html">Landfall</a>
<search hidden>
<label for="query">Search</label>
<input id="query" type="search" placeholder="Search these pages" autocomplete="off" spellcheck="false" aria-controls="found">
<section id="found" class="found" aria-label="What was found" hidden><p role="status"></p><ol></ol></section>
</search>
</header>
<div class="columns">
<nav class="menu" aria-label="Pages">
${renderMenu(page, surroundings.pages)}
</nav>
<main id="main" tabindex="-1">
${renderContents(page.headings)}
<article>
${renderBody(page, surroundings)}</article>
</main>
</div>
</body>
</html>
`
}
