import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import * as compiler from "../../src/compiler.ts"
import * as full from "../../src/full.ts"
import * as history from "../../src/history.ts"
import * as engine from "../../src/index.ts"

const ENTRIES = { engine, full, compiler, history }
const FILE = join("test", "docs", "docstring-examples.generated.ts")
const EXAMPLE =
  /```(?:ts|typescript)\n([\s\S]*?)\s*\* ```\n[\s\S]*?\*\/\s*export (?:async )?(?:function\*?|const) (\w+)/g

/** What some examples have at hand besides the public functions. */
const AT_HAND = {
  localised: "full.LocalisedFacts",
  locale: "full.Locale",
  record: "full.FullRecord",
  facts: "compiler.Facts",
  parts: "compiler.DatasetParts",
  catalogue: "Parameters<typeof full.openLocale>[1]",
  factParts: "Parameters<typeof full.openFullFacts>[0]",
  historyParts: "Parameters<typeof full.openHistory>[0]",
  missionParts: "Parameters<typeof full.openMissions>[0]",
}

/** An example as a function that imports what it names from the entry that exports it, as a reader would. */
function writeExample(name: string, source: string, lines: readonly string[], at: number): string {
  const text = lines.join("\n")
  const declared = new Set([...text.matchAll(/const (?:\{ ?|\[[, ]*)?(\w+)/g)].map(([, own]) => own))
  const named = new Set([...text.matchAll(/\b[A-Za-z]\w*\b/g)].map(([word]) => word))
  const isOfHistory = source.startsWith(join("src", "history"))
  const entries = Object.entries(isOfHistory ? { history, engine, full, compiler } : ENTRIES)
  const imports = entries.flatMap(([entry, exported]) => {
    const used = [...named].filter(word => Object.hasOwn(exported, word) && !declared.has(word))
    for (const word of used) named.delete(word)
    return used.length === 0 ? [] : [`  const { ${used.join(", ")} } = ${entry}`]
  })
  const body = lines.map(line => `  ${line.replace(/^(.*?)\s*\/\/ => .*$/, "void ($1)")}`)
  const atHand = Object.entries(AT_HAND).filter(([own]) => named.has(own) && !declared.has(own))
  const parameters = atHand.map(parameter => parameter.join(": "))
  return [`export async function ${name}Example${at}(${parameters.join(", ")}) {`, ...imports, ...body, "}"].join("\n")
}

it("has examples at its public functions that type-check in a strict program, all in one run", () => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter(path => path.endsWith(".ts") && !path.includes(".generated."))
    .map(path => join("src", path))
  const isPublic = (name: string) => Object.values(ENTRIES).some(exported => Object.hasOwn(exported, name))
  const examples = sources.flatMap((source, place) =>
    [...readFileSync(source, "utf8").matchAll(EXAMPLE)].flatMap(([, text = "", name = ""], at) => {
      const lines = text.split("\n").flatMap(line => line.replace(/^\s*\* ?/, "").trimEnd() || [])
      return isPublic(name) ? [writeExample(name, source, lines, place * 100 + at)] : []
    }),
  )
  expect(examples.length).toBeGreaterThan(35)
  const imports = Object.keys(ENTRIES).map(
    entry => `import * as ${entry} from "../../src/${entry === "engine" ? "index" : entry}.ts"`,
  )
  writeFileSync(FILE, [...imports, ...examples, ""].join("\n"))
  const flags = ["--noEmit", "--strict", "--ignoreConfig", "--allowImportingTsExtensions"]
  const target = ["--target", "es2024", "--module", "nodenext", "--skipLibCheck"]
  try {
    const { stdout } = spawnSync("node_modules/.bin/tsc", [...flags, ...target, FILE], { encoding: "utf8" })
    expect(stdout).toBe("")
  } finally {
    rmSync(FILE)
  }
})
