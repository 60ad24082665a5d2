import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"

interface Row {
  readonly kind?: string
  readonly destinations: readonly string[]
  readonly verified_on?: string | null
  readonly conditions?: readonly unknown[]
  readonly waived_for?: readonly unknown[]
}

const readRows = (path: string) => JSON.parse(readFileSync(`data/${path}`, "utf8")) as readonly Row[]

function describe(what: string, rows: readonly Row[]): string {
  const destinations = new Set(rows.flatMap(row => row.destinations))
  const read = rows.filter(row => row.verified_on != null)
  return `| ${what} | ${rows.length} | ${destinations.size} | ${read.length} |`
}

/** Rules of policies, and policies as a whole, that have conditions. */
function listConditioned(): Row[] {
  const rows: Row[] = []
  for (const file of readdirSync("data/policies")) {
    const policy = JSON.parse(readFileSync(`data/policies/${file}`, "utf8"))
    const destinations = [file.slice(0, 3)]
    for (const row of [policy, ...(policy.default ?? []), ...(policy.rules ?? []), ...(policy.reviewed ?? [])]) {
      if (row.conditions?.length > 0) rows.push({ ...row, destinations })
    }
  }
  return rows
}

it("says in docs/data.md how many stay rules, waivers and conditions there are", () => {
  const stays = readRows("stay-rules.json")
  const rows = [
    ...["per_entry", "rolling", "calendar_year", "per_year_of_entry"].map(kind =>
      describe(
        `stay rules \`${kind}\``,
        stays.filter(row => row.kind === kind),
      ),
    ),
    describe(
      "agreements `beside_zone`",
      stays.filter(row => row.kind === "beside_zone"),
    ),
    describe("waivers for holders of documents", readRows("waivers.json")),
    describe(
      "transit demands that documents waive",
      readRows("transit.json").filter(row => row.waived_for !== undefined),
    ),
    describe("rules and policies with conditions", listConditioned()),
  ]
  const [, table = ""] =
    /<!-- terms coverage -->\n([\s\S]*?)<!-- \/terms coverage -->/.exec(readFileSync("docs/data.md", "utf8")) ?? []
  expect(table.trimEnd().split("\n").slice(2)).toEqual(rows)
})
