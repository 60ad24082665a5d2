/** The programs that the documentation shows, as a reader copies them: beside the installed package, on the versions of Node that the engine runs on. */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { transformSync } from "esbuild"
import { describe, expect, inject, it } from "vitest"
import { findOldestNode, findOldestNodeOfService } from "./runtimes.ts"

const app = inject("app")
const NODES = { "Node 20.19": findOldestNode, "Node 22.20": findOldestNodeOfService, "Node 24": () => process.execPath }

/** A program that prints something, and the block below it with what it prints. */
const SHOWN =
  /```(?:js|ts)\n((?:(?!```)[\s\S])*console\.log(?:(?!```)[\s\S])*)```\n(?:<!-- output .* -->\n```\n((?:(?!```)[\s\S])*)```)?/g

const pages = ["README.md", ...readdirSync("docs").flatMap(name => (name.endsWith(".md") ? [`docs/${name}`] : []))]
const programs = pages.flatMap(page =>
  [...readFileSync(page, "utf8").matchAll(SHOWN)].map(([, program = "", printed = ""], at) => ({
    name: `${page} ${at + 1}`,
    program,
    // One without a block below has the beginning of a line in a comment.
    printed: printed === "" ? (/console\.log\(.*\/\/ (.*?),? …/.exec(program)?.[1] ?? "nothing is shown") : printed,
  })),
)

it("are those of the README, of the start for apps and of the functions", () => {
  expect(programs.map(({ name }) => name)).toEqual([
    "README.md 1",
    "docs/functions.md 1",
    "docs/functions.md 2",
    "docs/in-your-app.md 1",
    "docs/in-your-app.md 2",
  ])
})

describe.each(Object.entries(NODES))("in %s", (_, find) => {
  it.each(programs)("$name prints what is shown", ({ program, printed }) => {
    const file = join(app, "shown.mjs")
    writeFileSync(file, transformSync(program, { loader: "ts", target: "es2022" }).code)
    const env = { ...process.env, NO_COLOR: "1" }
    const found = execFileSync(find(), [file], { cwd: app, encoding: "utf8", env })
    // Quotes and lines of a value are as Node prints them.
    const plain = (text: string) => text.replaceAll('"', "'").replace(/\s+/g, " ").trim()
    expect(plain(found)).toContain(plain(printed))
  })
})
