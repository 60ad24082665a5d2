/** The examples of the reference: every function and class that an entry exports has one, and each is run. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ENTRIES } from "../../docs/.vitepress/pages.ts"
import { compileFacts } from "../../src/compiler.ts"
import { catalogue } from "../../src/record/catalogue-en.generated.ts"
import { factParts } from "../../src/record/facts.generated.ts"
import { historyParts } from "../../src/record/history.generated.ts"
import { missionParts } from "../../src/record/missions.generated.ts"
import { smallFacts } from "../dataset/small-facts.ts"
import { openFacts, recordOf } from "../record/localised-facts.ts"

interface Example {
  readonly file: string
  readonly name: string
  readonly lines: readonly string[]
}

const AsyncFunction = (async () => undefined).constructor as new (
  ...parameters: string[]
) => (...values: unknown[]) => Promise<unknown>

const load = (file: string): Promise<Record<string, unknown>> => import(pathToFileURL(file).href)

const exported = (await Promise.all(Object.values(ENTRIES).map(load))).flatMap(module => Object.entries(module))

const files = ["src", "adapters"].flatMap(folder =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(name => name.endsWith(".ts") && !name.includes(".generated."))
    .map(name => join(folder, name)),
)

const examplesOf = (file: string): Example[] =>
  [
    ...readFileSync(file, "utf8").matchAll(
      /```ts\n((?: \*.*\n)*?) \* ```\n(?: \*.*\n)*? \*\/\nexport (?:async )?(?:function\*?|const|class) (\w+)/g,
    ),
  ].map(([, text = "", name = ""]) => ({
    file,
    name,
    lines: text.split("\n").map(line => line.replace(/^ \* ?/, "")),
  }))

// Of the adapters, those of exports only: others have to be imported by their readers.
const names = new Set(exported.map(([name]) => name))
const examples = files.flatMap(examplesOf).filter(({ file, name }) => file.startsWith("src/") || names.has(name))

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-examples-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What examples have at hand besides the exports: small facts, the parts that they compile to, facts in English, and a place for a database. */
async function openScope(): Promise<Record<string, unknown>> {
  const localised = await openFacts()
  const facts = smallFacts()
  const compiled = compileFacts(facts)
  const parts = compiled.ok ? compiled.value : null
  const { locale } = localised
  const record = recordOf(localised, "FRA", "THA")
  const databaseUrl = `file:${join(folder, "service.db")}`
  const made = { facts, parts, localised, locale, record, databaseUrl }
  return { catalogue, createServer, factParts, historyParts, missionParts, ...made }
}

/** Runs an example; a line `expression // => value` is a claim. Gives the number of claims. */
async function proveExample({ file, lines }: Example): Promise<number> {
  const scope: Record<string, unknown> = {
    ...Object.fromEntries(exported),
    ...(await openScope()),
    ...(await load(file)),
  }
  const run = (names: readonly string[], body: string) =>
    new AsyncFunction(...names, body)(...names.map(name => scope[name]))
  const claims = lines.map(line => /^(.*?)\s*\/\/ => (.*)$/.exec(line))
  // An example may declare a name that is at hand.
  const declared = new Set(
    [...lines.join("\n").matchAll(/^const \W*(\w+(?:, \w+)*)/gm)].flatMap(([, names = ""]) => names.split(", ")),
  )
  const names = Object.keys(scope).filter(name => !declared.has(name))
  const body = lines.map((line, at) => (claims[at] == null ? line : `found.push((${claims[at][1]}))`))
  const found = (await run(names, `const found = []\n${body.join("\n")}\nreturn found`)) as unknown[]
  const told = claims.filter(claim => claim !== null)
  for (const [at, [line, , value = ""]] of told.entries()) {
    expect(found[at], line).toEqual(await run([], `return (${value})`))
  }
  return told.length
}

describe("the examples of the reference", () => {
  it("stand at every function and class that an entry exports", () => {
    const withExample = new Set(examples.map(({ name }) => name))
    const without = exported.filter(([name, value]) => typeof value === "function" && !withExample.has(name))
    expect(without.map(([name]) => name)).toEqual([])
  })

  it.each(examples.map(example => [`${example.name} in ${example.file}`, example] as const))(
    "are true: %s",
    async (_, example) => {
      expect(await proveExample(example)).toBeGreaterThan(0)
    },
  )
})
