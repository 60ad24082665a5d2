import { readFileSync } from "node:fs"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { replaceTables } from "../../adapters/data-files/generated-tables.ts"

const tables = { coverage: "| new |\n", differences: "| $& |\n" }

describe("the tables of a document", () => {
  it("are written between their comments, and nothing else is touched", () => {
    const text =
      "# A\n<!-- coverage -->\n| old |\n| rows |\n<!-- /coverage -->\nB\n<!-- differences -->\n<!-- /differences -->\n"
    expect(Result.getOrThrow(replaceTables(text, tables))).toBe(
      "# A\n<!-- coverage -->\n| new |\n<!-- /coverage -->\nB\n<!-- differences -->\n| $& |\n<!-- /differences -->\n",
    )
  })

  it("may be missing", () => {
    expect(Result.getOrThrow(replaceTables("no table", tables))).toBe("no table")
  })

  it("are refused where one is opened and not closed", () => {
    const refused = replaceTables("<!-- coverage -->\n| old |\n", tables)
    expect(Result.isFailure(refused) && refused.failure).toBe("The table coverage is opened and not closed.")
  })

  it("stand in docs/data.md, each once", () => {
    const text = readFileSync("docs/data.md", "utf8")
    for (const name of Object.keys(tables)) expect(text.split(`<!-- ${name} -->\n`)).toHaveLength(2)
  })
})
