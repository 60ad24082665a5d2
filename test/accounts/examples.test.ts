import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import vm from "node:vm"
import { assert, describe, it } from "vitest"

const adapters = fileURLToPath(new URL("../../adapters/", import.meta.url))
const files = ["accounts", "mail", "quota", "spots", "secrets", "storage", "telemetry"].flatMap(folder =>
  readdirSync(adapters + folder)
    .filter(name => name.endsWith(".ts"))
    .map(name => `${folder}/${name}`),
)
const EXAMPLE = /@example\n \* ```ts\n(?<lines>(?: \* .*\n)+?) \* ```/g

describe("the examples in the docstrings", () => {
  it("give what they say", async () => {
    let checked = 0
    for (const file of files) {
      const text = readFileSync(adapters + file, "utf8")
      const examples = [...text.matchAll(EXAMPLE)]
      if (examples.length === 0) continue
      const scope = { Buffer, ...(await import(adapters + file)) } as object
      for (const example of examples) {
        const context = vm.createContext({ ...scope })
        for (const line of example.groups!.lines!.trimEnd().split("\n")) {
          const [code = "", expected] = line.slice(3).split(" // => ")
          const found: unknown = vm.runInContext(code, context)
          if (expected === undefined) continue
          assert.strictEqual(JSON.stringify(found), JSON.stringify(JSON.parse(expected)), `${file}: ${code}`)
          checked++
        }
      }
    }
    assert.isAtLeast(checked, 10)
  })
})
