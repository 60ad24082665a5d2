import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = resolve(".")
const manifest = JSON.parse(readFileSync("package.json", "utf8"))
let consumer = ""
let packed: string[] = []

beforeAll(() => {
  consumer = mkdtempSync(join(tmpdir(), "landfall-consumer-"))
  const [report] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", consumer], { encoding: "utf8" }),
  )
  packed = report.files.map((file: { path: string }) => file.path)
  writeFileSync(join(consumer, "package.json"), JSON.stringify({ type: "module", private: true }))
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", join(consumer, report.filename)], {
    cwd: consumer,
  })
})
afterAll(() => rmSync(consumer, { recursive: true, force: true }))

const runModule = (code: string) =>
  execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: consumer, encoding: "utf8" }).trim()

describe("the published package", () => {
  it('answers from `import { lookup } from "landfall"`', () => {
    expect(runModule('import { lookup } from "landfall"; console.log(lookup("FRA", "JPN").requirement)')).toBe(
      "visa_free",
    )
  })

  it("has every entry that it announces, with declarations", () => {
    for (const [name, entry] of Object.entries<{ types: string; default: string } | string>(manifest.exports)) {
      if (typeof entry === "string") continue
      expect(packed, name).toContain(entry.default.slice(2))
      expect(packed, name).toContain(entry.types.slice(2))
      const specifier = name === "." ? "landfall" : `landfall/${name.slice(2)}`
      expect(runModule(`console.log(Object.keys(await import("${specifier}")).length > 0)`), specifier).toBe("true")
    }
  })

  it("type-checks in a strict consumer that knows nothing of this project's settings", () => {
    writeFileSync(
      join(consumer, "app.ts"),
      'import { lookup, type Answer } from "landfall"\n' +
        'import { openDataset } from "landfall/engine"\n' +
        'import { compileFacts } from "landfall/compiler"\n' +
        'const answer: Answer = lookup("FRA", "JPN")\n' +
        'export const text: string = answer.kind === "found" ? answer.requirement : answer.message\n' +
        "export const opened: boolean = openDataset(new Uint8Array()).ok\n" +
        "export const compile: typeof compileFacts = compileFacts\n" +
        '// A mistake that the declarations have to catch.\nexport const wrong: "found" = lookup("FRA", "JPN").kind\n',
    )
    for (const [module, resolution] of [
      ["NodeNext", "NodeNext"],
      ["ESNext", "bundler"],
    ]) {
      const { stdout } = spawnSync(
        join(root, "node_modules/.bin/tsc"),
        [
          "--noEmit",
          "--strict",
          "--skipLibCheck",
          "false",
          "--target",
          "es2023",
          "--module",
          module as string,
          "--moduleResolution",
          resolution as string,
          "app.ts",
        ],
        { cwd: consumer, encoding: "utf8" },
      )
      expect(stdout.split("\n").filter(line => /error TS/.test(line))).toEqual([
        expect.stringMatching(/^app\.ts\(9,14\): error TS2322/),
      ])
    }
  })

  it("brings the command line", () => {
    const landfall = join(consumer, "node_modules/.bin/landfall")
    expect(
      execFileSync(process.execPath, [landfall, "check", "FRA", "JPN"], { cwd: consumer, encoding: "utf8" }),
    ).toContain("FRA → JPN")
  })

  it("holds nothing that was not meant to be published", () => {
    expect(packed.filter(path => /^(src|adapters|test|bench|node_modules|\.)/.test(path))).toEqual([])
    expect(packed).toEqual(expect.arrayContaining(["LICENSE", "README.md", "CHANGELOG.md", "package.json"]))
  })

  it("brings every file that its code loads, and no more than a stub that nothing loads", () => {
    const code = packed.filter(path => /^dist\/[^/]+\.js$/.test(path))
    const entries = [
      ...Object.values<{ default?: string }>(manifest.exports),
      { default: `./${manifest.bin.landfall}` },
    ]
    const loaded = code.flatMap(path => {
      const text = readFileSync(join(consumer, "node_modules/landfall", path), "utf8")
      return [...text.matchAll(/(?:from|import)\s*\(?\s*"\.\/([^"]+\.js)"/g)].map(([, name]) => `dist/${name}`)
    })
    const reached = new Set([...loaded, ...entries.flatMap(({ default: file }) => (file ? [file.slice(2)] : []))])
    expect([...reached].filter(path => !packed.includes(path))).toEqual([])
    const isStub = (path: string) => statSync(join(consumer, "node_modules/landfall", path)).size < 1_000
    expect(code.filter(path => !reached.has(path) && !isStub(path))).toEqual([])
  })
})
