/** How does VitePress build the site from the Markdown of the project and the reference that TypeDoc writes? */
import { readFileSync } from "node:fs"
import { join, relative } from "node:path"
import type { DefaultTheme, MarkdownRenderer, UserConfig } from "vitepress"
import { anchorOf, ENTRIES, listPages, resolveLink } from "./pages.ts"
import { STYLE } from "./style.ts"

const ROOT = join(import.meta.dirname, "../..")
const { repository } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
const repositoryUrl: string = repository.url.replace(/^git\+|\.git$/g, "")
const pages = listPages()
const addressOf = (target: string) => `/${target.replace(/(index)?\.md$/, "")}`

const groups = [...new Set(pages.map(({ group }) => group))]
const sidebar: DefaultTheme.SidebarItem[] = [
  ...groups.map(group => ({
    text: group,
    ...(group === "Decisions" && { collapsed: true }),
    items: pages
      .filter(page => page.group === group)
      .map(({ title, target }) => ({ text: title, link: addressOf(target) })),
  })),
  // Entries alone: each page carries the whole menu, and an entry's page lists its functions.
  {
    text: "Reference",
    link: "/reference/",
    items: [
      ...Object.keys(ENTRIES).map(name => ({ text: name, link: `/reference/${name}/` })),
      { text: "What the data covers", link: "/reference/coverage" },
    ],
  },
]

/** Changes links between Markdown files to links of the site, and links to other files to links to the repository. */
function rewriteLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("landfall-links", state => {
    const source = relative(ROOT, state.env.realPath ?? state.env.path)
    if (source.startsWith("docs/reference/")) return
    for (const token of state.tokens.flatMap(({ children }) => children ?? [])) {
      const link = token.type === "link_open" ? token.attrGet("href") : null
      if (link === null || link.startsWith("#")) continue
      const target = resolveLink(decodeURI(link), source, pages)
      if (target.kind === "page") {
        token.attrSet("href", `/${target.page.target}${target.anchor === null ? "" : `#${target.anchor}`}`)
      } else if (target.kind === "file") token.attrSet("href", `${repositoryUrl}/blob/main/${target.path}`)
    }
  })
}

const config: UserConfig<DefaultTheme.Config> = {
  title: "Landfall",
  description: "An embeddable, offline visa-rules engine.",
  head: [["style", {}, STYLE]],
  srcDir: "..",
  srcExclude: ["!(docs|data)/**/*", "data/!(LICENSES).md", "data/*/**/*"],
  outDir: "../dist-docs",
  cacheDir: "../node_modules/.cache/vitepress",
  cleanUrls: true,
  rewrites: {
    ...Object.fromEntries(pages.map(({ source, target }) => [source, target])),
    "docs/reference/:path*": "reference/:path*",
  },
  // Examples name services on the reader's own machine.
  ignoreDeadLinks: [/^https?:\/\/(127\.0\.0\.1|localhost)/],
  markdown: { anchor: { slugify: anchorOf }, config: rewriteLinks },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/" },
      { text: "Reference", link: "/reference/" },
    ],
    sidebar,
    socialLinks: [{ icon: "github", link: repositoryUrl }],
  },
}

export default config
