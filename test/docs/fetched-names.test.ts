/** Do texts tell readers to fetch code by a name that somebody else could register? */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { OURS } from "../../.ci/release.ts"

const { raw } = String

// The name on its own, with or without a version: no path, file, option or part of another name.
const NAME = raw`(?<![\w./:-])landfall(?:@[\w.^~-]+)?(?![\w./-])`
// The rest of a command, up to the name: it ends with its line, its code span, or at the next command.
const ITS = raw`\b[^\n\x60|&;#]*? ${NAME}`

/** Ways to fetch code, by where the name has to be ours. */
const FETCHED = {
  npm: [
    raw`\b(?:npm (?:i|install|add|exec|x|create|init)|(?:pnpm|yarn|bun) (?:i|install|add|dlx|x))${ITS}`,
    raw`\b(?:deno (?:add|install)|npx|pnpx|bunx)${ITS}`,
    raw`"(?:npx|pnpx|bunx|pnpm|yarn)"[^\n]*"${NAME}"`,
    raw`"${NAME}": *"(?:[\^~]?\d|latest|\*)`,
    raw`\bnpm:landfall\b`,
    raw`\b(?:unpkg\.com|jsdelivr\.net|esm\.sh|esm\.run|skypack\.dev|jspm\.io)/[^\s"']*landfall`,
  ],
  github: [raw`\bgit clone \S*landfall`, raw`\b(?:github:|git\+https:\S*|raw\.githubusercontent\.com/|uses: )landfall`],
  elsewhere: [
    raw`\b(?:docker|podman) pull \S*landfall`,
    raw`\b(?:ghcr\.io|quay\.io|docker\.io|deno\.land|jsr\.io|jsr:)\S*landfall`,
    raw`\b(?:pip|pipx|brew|cargo|gem|apt|apt-get|go|choco|scoop|winget|snap) install${ITS}`,
  ],
} as const

/** Finds the lines of a text that tell to fetch code by a name that is not ours. */
function findFetched(text: string, ours: readonly string[] = OURS): readonly string[] {
  const patterns = Object.entries(FETCHED).flatMap(([place, all]) => (ours.includes(place) ? [] : all))
  const forbidden = new RegExp(patterns.join("|"))
  return text.split("\n").filter(line => forbidden.test(line))
}

const TEXTS = /\.(?:md|ya?ml|html|tsx?|jsx?|json|sh|py)$|Dockerfile$/
const NOT_READ =
  /^test\/docs\/fetched-names|^\.ci\/packaging\/api-report|^package(?:-lock)?\.json$|^data\/(?!locales)|^seeds\//

const files = execFileSync("git", ["ls-files"], { encoding: "utf8" })
  .split("\n")
  .filter(file => TEXTS.test(file) && !NOT_READ.test(file))

describe("before a release, a text of the project", () => {
  it("tells nobody to fetch code by a name that is not ours", () => {
    expect(files).toEqual(expect.arrayContaining(["README.md", ".github/ISSUE_TEMPLATE/bug.yml", "site/index.html"]))
    const found = files.flatMap(file => findFetched(readFileSync(file, "utf8")).map(line => `${file}: ${line.trim()}`))
    expect(found).toEqual([])
  })
})

describe("a line", () => {
  it.each([
    "npm install landfall",
    "npm i -g landfall",
    "      - run: npm install --global landfall@latest",
    "What `npx landfall --version` prints.",
    "pnpm dlx landfall check FRA JPN",
    "yarn add landfall@^1.0.0",
    '{ "command": "npx", "args": ["-y", "landfall", "mcp"] }',
    '  "landfall": "^0.1.0",',
    'import { lookup } from "npm:landfall"',
    '<script src="https://unpkg.com/landfall"></script>',
    '<script src="https://cdn.jsdelivr.net/npm/landfall@0.1.0"></script>',
    "git clone https://github.com/landfall-visa/landfall.git",
    "npm install github:landfall-visa/landfall",
    "docker pull landfall/landfall",
    "image: ghcr.io/landfall-visa/landfall:latest",
    "pip install landfall",
  ])("may not be: %s", line => {
    expect(findFetched(line)).toEqual([line])
  })

  it.each([
    "npm install /path/to/landfall-0.1.0.tgz  # on a machine: the command `landfall`",
    "npm install --prefix /app --no-audit --no-fund /tmp/landfall-*.tgz",
    "npm ci && npm run --silent landfall -- check FRA JPN",
    'import { lookup } from "landfall"',
    "docker build --tag landfall .",
    "docker run --read-only landfall account create",
    "Run `npx vitest run test/cli`, then `landfall check FRA JPN`.",
    '{ "mcpServers": { "landfall": { "command": "landfall", "args": ["mcp"] } } }',
  ])("may be: %s", line => {
    expect(findFetched(line)).toEqual([])
  })

  it("may name the package in a registry where the name is ours", () => {
    expect(findFetched("npm install landfall", ["npm"])).toEqual([])
    expect(findFetched("docker pull landfall/landfall", ["npm"])).toHaveLength(1)
  })
})
