import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { measureImports, SIZED_IMPORTS } from "../bench/bundles.ts"
import { runCli } from "./cli/run.ts"

const readme = readFileSync("README.md", "utf8")
const functions = readFileSync("docs/functions.md", "utf8")
const listBlocks = (page: string) =>
  [...page.matchAll(/```(\w*)\n([\s\S]*?)```/g)].map(([, language, text]) => ({ language, text: text ?? "" }))

describe("the README and its functions", () => {
  it.each([
    ["README.md", "examples/lookup.ts", 0],
    ["docs/in-your-app.md", "examples/decide.ts", 0],
    ["docs/functions.md", "examples/record.ts", 0],
    ["docs/functions.md", "examples/past.ts", 1],
  ])("%s shows %s, but for its imports, and what it prints", (page, file, nth) => {
    const blocks = listBlocks(readFileSync(page, "utf8"))
    const at = blocks.flatMap(({ language }, index) => (language === "ts" ? index : []))[nth] ?? -1
    const withoutImports = (text: string) => text.replaceAll(/^(?:\/\*\*.*\*\/|import .*)\n/gm, "").trim()
    expect(withoutImports(blocks[at]?.text ?? "")).toBe(withoutImports(readFileSync(file, "utf8")))
    const env = { ...process.env, NO_COLOR: "1" }
    expect(execFileSync(process.execPath, [file], { encoding: "utf8", env })).toBe(blocks[at + 1]?.text)
  })

  it("docs/command-line.md shows what the command prints of its itinerary", async () => {
    const page = readFileSync("docs/command-line.md", "utf8")
    const [, shown = ""] = /itinerary examples\/trip\.json\n([\s\S]*?) *…\n```/.exec(page) ?? []
    expect(shown.split("\n").length).toBeGreaterThan(10)
    expect((await runCli(["itinerary", "examples/trip.json"])).stdout.startsWith(shown)).toBe(true)
  })

  it("shows the two commands on its first screen", () => {
    const firstScreen = readme.split("\n").slice(0, 25).join("\n")
    expect(firstScreen).toContain("npm ci && npm start")
    expect(firstScreen).toContain("npm ci && npm test")
  })

  it("names only functions that exist", async () => {
    const exported = {
      ...(await import("../src/index.ts")),
      ...(await import("../src/compiler.ts")),
      ...(await import("../src/full.ts")),
      ...(await import("../src/history.ts")),
      ...(await import("../adapters/client/client.ts")),
    }
    const table = functions.slice(0, functions.indexOf("**Which day.**"))
    const named = [...table.matchAll(/`(\w+)\(/g)].map(match => match[1] as string)
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter(name => !(name in exported))).toEqual([])
  })

  it("gives the size of a page to within two percent, and so do the guide and the decisions", async () => {
    const sizes = new Map<string, number>()
    for (const names of SIZED_IMPORTS) sizes.set(names, (await measureImports(names)).gzip / 1024)
    const largest = (imports: readonly string[]) => Math.max(...imports.map(names => sizes.get(names) ?? Number.NaN))
    // A row of functions, then the data that each size is with.
    const rows = (text: string) =>
      [
        ...text.matchAll(
          /^\| (`(?:lookup|intersectGroup|listEntrants|lookupHeld|decide)`.*) \| ([\d., ]+)(?: KiB)? \|$/gm,
        ),
      ].map(([, given = "", claimed = ""]) => {
        const names = [...given.matchAll(/`(\w+)`/g)].map(([, name]) => name)
        const data = [...given.matchAll(/`(\w+)\(\)`/g)].map(([, name]) => name)
        const of = (each: string | undefined) =>
          names.map(name => (each === undefined ? `${name}` : `${each}, ${name}`))
        return [claimed.split(", ").map(Number), (data.length > 0 ? data : [undefined]).map(each => largest(of(each)))]
      })
    for (const file of ["docs/in-your-app.md"]) {
      const found = rows(readFileSync(file, "utf8"))
      expect(found, file).toHaveLength(5)
      for (const [claimed, measured] of found) {
        expect(claimed?.length, file).toBe(measured?.length)
        claimed?.forEach((size, at) => {
          expect(Math.abs(size - (measured?.[at] ?? 0)) / size, `${file}: ${size}, not ${measured?.[at]}`).toBeLessThan(
            0.02,
          )
        })
      }
    }
    const lookupSize = sizes.get("lookup") ?? 0
    for (const text of [readme, readFileSync("docs/decisions/bundle-sizes.md", "utf8")]) {
      const claimed = Number(/(\d+\.\d) KiB (?:gzip|in all)/.exec(text)?.[1])
      expect(Math.abs(claimed - lookupSize) / lookupSize).toBeLessThan(0.02)
    }
  })

  it("has the number of languages", async () => {
    const { LANGUAGES } = await import("../src/full.ts")
    const counts = [...readme.matchAll(/(\d+) languages/g)].map(([, count]) => Number(count))
    expect(new Set(counts)).toEqual(new Set([LANGUAGES.length]))
  })

  it("has the number of pairs", async () => {
    const { embeddedDataset, lookupAt } = await import("../src/index.ts")
    const dataset = embeddedDataset()
    const answers = dataset.passports.flatMap((_, p) => dataset.destinations.map((_, d) => lookupAt(dataset, p, d)))
    const found = answers.filter(answer => answer.kind === "found")
    expect(readme).toContain(`of ${answers.length.toLocaleString("en-US")} pairs`)
    const claimed = [...readme.matchAll(/about ([\d,]+)/gi)].map(([, count = ""]) => Number(count.replace(",", "")))
    const read = found.filter(({ verifiedOn }) => verifiedOn !== null).length
    const cited = found.filter(({ citedOn }) => citedOn !== null).length
    const counts = [found.length, read, cited]
    expect(claimed.map((count, at) => Math.abs(count / counts[at]! - 1) < 0.05)).toEqual([true, true, true])
  })
})
