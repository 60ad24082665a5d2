import { readFileSync } from "node:fs"
import { OpenApi } from "effect/http-api"
import { assert, describe, it } from "vitest"
import { declareApi } from "../../adapters/http/openapi/openapi.ts"
import { SETTINGS, SURFACES } from "../../adapters/settings/settings.ts"

const page = readFileSync("docs/api.md", "utf8")

/** The rows of a table, by their first cell. */
const rows = page.split("\n").filter(line => line.startsWith("| "))

describe("docs/api.md", () => {
  it("lists every setting with its unit, default and meaning", () => {
    const listed = rows.filter(row => row.startsWith("| `LANDFALL_"))
    const expected = SETTINGS.map(
      ({ name, kind, shown, meaning }) => `| \`${name}\` | ${kind.unit} | ${shown} | ${meaning} |`,
    )
    assert.deepStrictEqual(listed, expected)
  })

  it("lists every endpoint of the reference, and no other", () => {
    const listed = rows.flatMap(row => /^\| (GET|POST|PATCH|DELETE) `([^`]+)`/.exec(row)?.slice(1, 3).join(" ") ?? [])
    const expected = Object.entries(OpenApi.fromApi(declareApi(SURFACES)).paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(method => `${method.toUpperCase()} ${path}`),
    )
    assert.sameMembers(listed, expected)
  })
})
