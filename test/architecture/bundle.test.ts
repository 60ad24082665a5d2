import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { createContext, runInContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { beforeAll, describe, expect, it } from "vitest"
import { compileFacts, encodeDataset } from "../../src/compiler.ts"
import { lookup } from "../../src/index.ts"
import { smallFacts } from "../dataset/small-facts.ts"
import { bundleForBrowser } from "./bundle.ts"

describe("a bundle for a browser", () => {
  const page = readFileSync("docs/in-your-app.md", "utf8")
  let script = ""
  beforeAll(async () => {
    script = await bundleForBrowser('export { lookup, openDataset, lookupRequirement } from "./src/index.ts"')
  })
  // Nothing but the language: no TextDecoder, no fetch, no process.
  const inBareContext = (expression: string, globals: Record<string, unknown> = {}) => {
    const context = createContext(globals)
    runInContext(script, context)
    return runInContext(expression, context)
  }

  it("answers in a context without any platform API", () => {
    expect(inBareContext("typeof process + typeof TextDecoder + typeof fetch")).toBe("undefined".repeat(3))
    expect(JSON.parse(inBareContext('JSON.stringify(landfall.lookup("FRA", "JPN"))'))).toEqual(lookup("FRA", "JPN"))
    expect(inBareContext('landfall.lookup("fr", "JPN").message')).toBe(
      (lookup("fr", "JPN") as { message: string }).message,
    )
  })

  it("opens newer data there without a new release", () => {
    const compiled = compileFacts(smallFacts())
    if (!compiled.ok) throw new Error(compiled.error.message)
    const globals = { list: [...encodeDataset(compiled.value)] }
    expect(
      inBareContext(
        'landfall.lookupRequirement(landfall.openDataset(Uint8Array.from(list)).value, "AAA", "BBB").requirement',
        globals,
      ),
    ).toBe("visa_required")
  })

  it("adds at most 16 KB to what a visitor loads, pairs included", async () => {
    const asking = await bundleForBrowser('export { lookup } from "./src/index.ts"')
    expect(gzipSync(asking, { level: 9 }).length).toBeLessThanOrEqual(16 * 1024)
  })

  it("adds at most 22.5 KB if it opens and checks newer data too", () => {
    expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(22.5 * 1024)
  })

  it("spends at most 8 KB of it on the pairs", async () => {
    const { embeddedColumns } = await import("../../src/dataset/embedded-table.generated.ts")
    expect(gzipSync(JSON.stringify(embeddedColumns), { level: 9 }).length).toBeLessThanOrEqual(8 * 1024)
  })

  it.each([
    "intersectGroup",
    "chooseBestPassports",
    "listEntrants",
    "scorePassport",
    "rankPassports",
    "comparePassports",
  ])("adds at most 20 KB for %s, pairs included", async name => {
    const asking = await bundleForBrowser(`export { embeddedPairs, ${name} } from "./src/index.ts"`)
    expect(gzipSync(asking, { level: 9 }).length).toBeLessThanOrEqual(20 * 1024)
  })

  it.each([
    ["decide", 76.75],
    ["lookupHeld", 70.5],
  ])("adds at most the given KB for %s with the rules alone: %d", async (name, most) => {
    const asking = await bundleForBrowser(`export { embeddedRules, ${name} } from "./src/index.ts"`)
    const bytes = gzipSync(asking, { level: 9 }).length
    expect(bytes).toBeLessThanOrEqual(most * 1024)
    // What the page for apps says.
    const said = new RegExp(`^\\| \`${name}\` with \`embeddedRules\\(\\)\`.* \\| ([\\d.]+),`, "m").exec(page)?.[1]
    expect(Math.abs(Number(said) - bytes / 1024)).toBeLessThanOrEqual(0.5)
  })

  it("spends at most 75.75 KB on the whole engine, with all its functions", async () => {
    const engine = await bundleForBrowser('export * from "./src/engine.ts"')
    expect(gzipSync(engine, { level: 9 }).length).toBeLessThanOrEqual(75.75 * 1024)
  })

  it("leaves the compiler out", () => {
    expect(script).not.toContain("RulesDisagree")
  })
})

describe("a bundle of the command line", () => {
  it("finds in packages that are loaded late what the sources find in them", async () => {
    const lateImports = (path: string) =>
      [...readFileSync(path, "utf8").matchAll(/\bimport\("([^."][^"]*)"\)/g)].map(([, name]) => name as string)
    const sources = readdirSync("adapters", { recursive: true, encoding: "utf8" }).filter(path => path.endsWith(".ts"))
    const names = [...new Set(sources.flatMap(path => lateImports(join("adapters", path))))].sort()
    expect(names).toContain("nodemailer")
    const { outputFiles } = await build({
      stdin: {
        contents: names.map((name, at) => `export const load${at} = () => import("${name}")`).join("\n"),
        resolveDir: process.cwd(),
        loader: "ts",
      },
      bundle: true,
      splitting: true,
      write: false,
      format: "esm",
      platform: "node",
      outdir: "node_modules/.cache/late-imports",
      external: ["node:*"],
    })
    // What a chunk exports: one that holds CommonJS has a default and nothing else.
    const folder = mkdtempSync(join("node_modules/.cache", "late-imports-"))
    try {
      for (const { path, contents } of outputFiles) writeFileSync(join(folder, basename(path)), contents)
      writeFileSync(join(folder, "package.json"), '{"type": "module"}')
      const loads = await import(resolve(folder, "stdin.js"))
      for (const [at, name] of names.entries()) {
        expect([name, Object.keys(await loads[`load${at}`]())]).toEqual([name, Object.keys(await import(name))])
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
