import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { measureBundle } from "../bench/footprint.ts"
import { runCli } from "./cli/run.ts"

const readme = readFileSync("README.md", "utf8")
const blocks = [...readme.matchAll(/```(\w*)\n([\s\S]*?)```/g)].map(([, language, text]) => ({
  language,
  text: text ?? "",
}))

describe("the README", () => {
  it("prints what it says that its example prints", () => {
    const at = blocks.findIndex(block => block.language === "ts")
    const example = (blocks[at]?.text ?? "").replace('from "landfall"', 'from "./src/index.ts"')
    const file = "readme-example.generated.ts"
    writeFileSync(file, example)
    try {
      const output = execFileSync(process.execPath, [file], {
        encoding: "utf8",
        env: { ...process.env, NO_COLOR: "1" },
      })
      expect(output).toBe(blocks[at + 1]?.text)
    } finally {
      rmSync(file)
    }
  })

  it("shows the two commands on its first screen", () => {
    const firstScreen = readme.split("\n").slice(0, 25).join("\n")
    expect(firstScreen).toContain("npm ci && npm start")
    expect(firstScreen).toContain("npm ci && npm test")
  })

  it("names only functions that there are", async () => {
    const exported = {
      ...(await import("../src/index.ts")),
      ...(await import("../src/compiler.ts")),
      ...(await import("../src/full.ts")),
    }
    const table = readme.slice(readme.indexOf("## Ask"), readme.indexOf("Nothing throws."))
    const named = [...table.matchAll(/`(\w+)\(/g)].map(match => match[1] as string)
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter(name => !(name in exported))).toEqual([])
  })

  it("prints the itinerary that it shows, from the file that it shows", async () => {
    const [, trip = "", shown = ""] =
      /\$ cat trip\.json\n([\s\S]*?)\$ npm run --silent landfall -- itinerary trip\.json\n([\s\S]*?) {2}…\n/.exec(
        readme,
      ) ?? []
    const folder = mkdtempSync(join(tmpdir(), "landfall-readme-"))
    try {
      const file = join(folder, "trip.json")
      writeFileSync(file, trip)
      const { stdout: output } = await runCli(["itinerary", file])
      expect(shown).not.toBe("")
      expect(output.slice(0, shown.length)).toBe(shown)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("says to within two percent what a page loads, and so do the decisions", async () => {
    const { gzip } = await measureBundle("lookup", 'export { lookup } from "./src/index.ts"')
    for (const text of [readme, readFileSync("docs/decisions.md", "utf8")]) {
      const claimed = Number(/(\d+\.\d) KB (?:gzip|in all)/.exec(text)?.[1]) * 1000
      expect(Math.abs(claimed - gzip) / gzip).toBeLessThan(0.02)
    }
  })

  it("counts pairs as the data does", async () => {
    const { embeddedDataset, lookupAt } = await import("../src/index.ts")
    const dataset = embeddedDataset()
    const answers = dataset.passports.flatMap((_, p) => dataset.destinations.map((_, d) => lookupAt(dataset, p, d)))
    const found = answers.filter(answer => answer.kind === "found")
    expect(readme).toContain(`${found.length.toLocaleString("en-US")} of ${answers.length.toLocaleString("en-US")}`)
  })
})
