import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

it("The facts are at most 700 files and 3.5 MB", () => {
  const files = readdirSync("data", { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  expect(files.length).toBeLessThanOrEqual(700)
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  expect(bytes).toBeLessThanOrEqual(3_500_000)
})

describe("the bundle of the full dataset", () => {
  const bytes = new Map<string, number>()
  beforeAll(async () => {
    const result = await build({
      entryPoints: ["src/full.ts"],
      bundle: true,
      minify: true,
      splitting: true,
      write: false,
      outdir: "out",
      format: "esm",
      platform: "browser",
    })
    for (const { path, contents } of result.outputFiles) {
      const name = path.replace(/^.*\/|[-.].*$/g, "")
      const part = /(?:catalogue|cities)-(..)/.exec(path)?.[1] ?? name
      bytes.set(part, (bytes.get(part) ?? 0) + gzipSync(contents, { level: 9 }).length)
    }
  })
  afterAll(() => {
    const parts = [...bytes].map(([name, size]) => `${name} ${(size / 1024).toFixed(1)}`)
    const total = [...bytes.values()].reduce((all, size) => all + size, 0)
    process.stdout.write(`landfall/full in KB, gzip: ${parts.join(", ")}; together ${(total / 1024).toFixed(1)}\n`)
  })
  const sum = (names: Iterable<string>) => [...names].reduce((total, name) => total + (bytes.get(name) ?? 0), 0)

  it("is at most 498 KB compressed, with missions, the names of places and fifteen languages", () => {
    expect(sum(bytes.keys())).toBeLessThanOrEqual(498 * 1024)
  })

  it("is at most 304 KB without the missions and the names of places", () => {
    for (const part of ["missions", "place"]) expect(bytes.get(part), part).toBeGreaterThan(0)
    expect(sum(bytes.keys()) - sum(["missions", "place"])).toBeLessThanOrEqual(304 * 1024)
  })

  it("loads less than 105 KB for one language without missions, history and the names of places", () => {
    const later = new Set(["missions", "history", "place"])
    const first = [...bytes.keys()].filter(name => !later.has(name) && name.length !== 2)
    expect(sum(first) + sum(["ja"])).toBeLessThanOrEqual(105 * 1024)
    expect(bytes.get("ja")).toBeLessThanOrEqual(14.5 * 1024)
  })
})
