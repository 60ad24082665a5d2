import { readdirSync, readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { openFacts, recordOf } from "./localised-facts.ts"

// Examples that need localised facts stand in fences of `typescript`, apart from those that need nothing but the engine.
const files = ["src/full.ts", ...readdirSync("src/record").map(name => `src/record/${name}`)].filter(
  file => !file.includes(".generated."),
)
const examples = files.flatMap(file =>
  [
    ...readFileSync(file, "utf8").matchAll(
      /```typescript\n([\s\S]*?)\s*\* ```\n[\s\S]*?\*\/\s*export (?:async )?function (\w+)/g,
    ),
  ].map(match => ({
    file,
    name: match[2] as string,
    lines: (match[1] as string).split("\n").map(line => line.replace(/^\s*\* ?/, "")),
  })),
)

const AsyncFunction = (async () => undefined).constructor as new (
  ...parameters: string[]
) => (...values: unknown[]) => Promise<unknown>

describe("an example in a docstring, with localised facts, their locale and the record of a Frenchman in Thailand at hand", () => {
  it("stands at the functions that a service calls", () => {
    expect(examples.map(({ name }) => name).sort()).toEqual([
      "assembleFullRecord",
      "buildCheckRecord",
      "completeToDo",
      "gateRecord",
      "listRecordParts",
      "listUnrecorded",
      "loadLocalisedFacts",
      "sayPast",
      "writeDescription",
    ])
  })

  it.each(examples.map(example => [example.name, example] as const))("is true: %s", async (_, { file, lines }) => {
    const localised = await openFacts()
    const scope: Record<string, unknown> = {
      ...(await import(pathToFileURL("src/index.ts").href)),
      ...(await import(pathToFileURL("src/full.ts").href)),
      ...(await import(pathToFileURL(file).href)),
      locale: localised.locale,
      record: recordOf(localised, "FRA", "THA"),
    }
    let setup = ""
    let claims = 0
    for (const line of lines) {
      const claim = /^(.*?)\s*\/\/ => (.*)$/.exec(line)
      if (claim === null) {
        setup += `${line}\n`
        continue
      }
      claims++
      const names = Object.keys(setup.includes("const localised") ? scope : { ...scope, localised })
      const values = names.map(name => (name === "localised" ? localised : scope[name]))
      const found = await new AsyncFunction(...names, `${setup}return (${claim[1]})`)(...values)
      expect(found, line).toEqual(JSON.parse(claim[2] as string))
    }
    expect(claims).toBeGreaterThan(0)
  })
})
