import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { describe, expect, it } from "vitest"

const listSources = (folder: string): string[] =>
  readdirSync(folder).flatMap(name => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? listSources(path) : /\.ts$/.test(name) ? [path] : []
  })

const importsOf = (file: string): string[] =>
  [
    ...readFileSync(file, "utf8").matchAll(
      /(?:^|\n)\s*(?:import|export)[^"'\n]*?(?:\n[^"']*?)?from\s+["']([^"']+)["']|import\(\s*["']([^"']+)["']/g,
    ),
  ].flatMap(match => match[1] ?? match[2] ?? [])

// A relative import as a path from the root; a package as its name.
const resolveImport = (file: string, specifier: string) =>
  specifier.startsWith(".") ? relative(".", resolve(dirname(file), specifier)) : specifier

const core = listSources("src")
const edges = core.flatMap(file => importsOf(file).map(specifier => ({ file, target: resolveImport(file, specifier) })))
const folderOf = (path: string) => path.split("/").slice(0, 2).join("/")

describe("imports point one way", () => {
  it("is judged over all of the core", () => {
    expect(core.length).toBeGreaterThan(15)
    expect(edges.length).toBeGreaterThan(40)
  })

  it("keeps Node, Effect, adapters and packages out of the core, apart from HMAC and an edit distance", () => {
    const foreign = edges.filter(({ target }) => !target.startsWith("src/"))
    const allowed = [/^@noble\/hashes\//, /^fastest-levenshtein$/]
    expect(foreign.filter(({ target }) => !allowed.some(pattern => pattern.test(target)))).toEqual([])
  })

  it("lets signing alone import HMAC, and the finder of countries an edit distance", () => {
    const importers = (pattern: RegExp) => [
      ...new Set(edges.filter(({ target }) => pattern.test(target)).map(({ file }) => folderOf(file))),
    ]
    for (const folder of importers(/noble/)) expect(folder).toBe("src/signing")
    expect(importers(/levenshtein/)).toEqual(["src/language"])
  })

  it("uses no clock, no randomness and no network in the core", () => {
    const forbidden =
      /\bDate\.now\b|new Date\(\)|Math\.random|\bfetch\(|\bsetTimeout\b|\bprocess\.(env|argv|exit|stdout|stderr|cwd|hrtime|nextTick)\b|\bconsole\./
    expect(
      core.filter(file => forbidden.test(readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ""))),
    ).toEqual([])
  })

  // A clean clone has no generated module: only `embed-messages.ts` may have run before the others.
  it.each([
    ["embed-messages", []],
    ["embed", ["src/record/messages.generated.ts"]],
  ])("generates modules without those that do not exist yet: %s", (name, made) => {
    const reached = new Set([`adapters/data-files/${name}.ts`])
    for (const file of reached) {
      if (file.endsWith(".generated.ts") || !file.endsWith(".ts")) continue
      const values = readFileSync(file, "utf8").matchAll(
        /^(?:import|export)\s+(?!type\b)(?!\{(?:\s*type \w+,?)+\s*\})[^"]*?from "(\.[^"]+)"/gm,
      )
      for (const [, specifier = ""] of values) reached.add(resolveImport(file, specifier))
    }
    expect(reached.size).toBeGreaterThan(3)
    expect([...reached].filter(file => file.endsWith(".generated.ts"))).toEqual(made)
  })

  it("lets adapters reach the core through its public entries only", () => {
    const entries = ["index", "engine", "answers", "compiler", "embedded", "full", "history"].map(
      name => `src/${name}.ts`,
    )
    const deep = listSources("adapters").flatMap(file =>
      importsOf(file)
        .map(specifier => resolveImport(file, specifier))
        .filter(target => target.startsWith("src/") && !entries.includes(target))
        .map(target => `${file} -> ${target}`),
    )
    expect(deep).toEqual([])
  })

  it("keeps SQL in the storage: nothing else in the adapters imports a client, a statement or one of its errors", () => {
    const speaksSql = (specifier: string) => /^(effect\/(unstable\/)?sql|@effect\/sql-|node:sqlite|pg$)/.test(specifier)
    const speakers = listSources("adapters").filter(
      file => !file.startsWith(join("adapters", "storage")) && importsOf(file).some(speaksSql),
    )
    expect(speakers).toEqual([])
  })

  it("keeps the differences of database engines in their own files: no other code tests for the engine", () => {
    const asking = /\bengine (===|!==) "|case "(sqlite|postgres)"/
    const askers = listSources("adapters").filter(file => asking.test(readFileSync(file, "utf8")))
    expect(askers).toEqual([])
  })
})
