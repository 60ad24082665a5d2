import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"

const listSources = (folder: string): string[] =>
  readdirSync(folder).flatMap(name => {
    const path = join(folder, name)
    return statSync(path).isDirectory()
      ? listSources(path)
      : /\.ts$/.test(name) && !/\.generated\./.test(name)
        ? [path]
        : []
  })

interface Example {
  readonly file: string
  readonly name: string
  readonly lines: readonly string[]
}

const examplesOf = (file: string): Example[] =>
  [
    ...readFileSync(file, "utf8").matchAll(
      /```ts\n([\s\S]*?)\s*\* ```\n[\s\S]*?\*\/\s*export (?:async )?(?:function|const|class) (\w+)/g,
    ),
  ].map(match => ({
    file,
    name: match[2] as string,
    lines: (match[1] as string)
      .split("\n")
      .map(line => line.replace(/^\s*\* ?/, ""))
      .filter(line => line.trim() !== ""),
  }))

const examples = listSources("src").flatMap(examplesOf)

// Runs the lines of an example with the module's and the engine's exports in scope; a line `expression // => value` is a claim.
async function run({ file, lines }: Example): Promise<[claim: string, found: unknown, expected: unknown][]> {
  const scope = {
    ...(await import(pathToFileURL("src/index.ts").href)),
    ...(await import(pathToFileURL("src/history.ts").href)),
    ...(await import(pathToFileURL(file).href)),
  }
  const claims: [string, unknown, unknown][] = []
  let setup = ""
  for (const line of lines) {
    const claim = /^(.*?)\s*\/\/ => (.*)$/.exec(line)
    if (claim === null) {
      setup += `${line}\n`
      continue
    }
    const evaluate = (expression: string) =>
      new Function(...Object.keys(scope), `${setup}return (${expression})`)(...Object.values(scope))
    claims.push([line, evaluate(claim[1] as string), evaluate(claim[2] as string)])
  }
  return claims
}

describe("an example in a docstring", () => {
  it("stands at the functions that people call", () => {
    const names = examples.map(example => example.name)
    expect(names).toEqual(
      expect.arrayContaining([
        "lookup",
        "embeddedDataset",
        "lookupRequirement",
        "openDataset",
        "parseCivilDate",
        "isCode",
        "needsVisa",
      ]),
    )
  })

  it.each(examples.map(example => [`${example.name} in ${example.file}`, example] as const))(
    "is true: %s",
    async (_, example) => {
      const claims = await run(example)
      expect(claims.length).toBeGreaterThan(0)
      for (const [claim, found, expected] of claims) expect(found, claim).toEqual(expected)
    },
  )
})
