/**
 * How many rules exist besides the pairs: stay rules, agreements, waivers, conditions?
 *
 * They are counted in the files of a verified data folder. Each destination counts once in a row, however many rules it has.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface Row {
  readonly kind?: string
  readonly destinations: readonly string[]
  readonly verified_on?: string | null
  readonly waived_for?: readonly unknown[]
}

interface ConditionedRow {
  readonly conditions?: readonly unknown[]
  readonly verified_on?: string | null
}

interface PolicyFile extends ConditionedRow {
  readonly default?: readonly ConditionedRow[]
  readonly rules?: readonly ConditionedRow[]
  readonly reviewed?: readonly ConditionedRow[]
}

const HEADING = `| what | rows | destinations of 250 | rows read in their source |
|---|--:|--:|--:|
`

/** Formats the counts as a table of Markdown. */
export function formatTermsCoverage(folder: string): string {
  const stays = readRows(folder, "stay-rules.json")
  const counting = ["per_entry", "rolling", "calendar_year", "per_year_of_entry"] as const
  const ofKind = (kind: string) => stays.filter(row => row.kind === kind)
  const lines = [
    ...counting.map(kind => formatRow(`stay rules \`${kind}\``, ofKind(kind))),
    formatRow("agreements `beside_zone`", ofKind("beside_zone")),
    formatRow("agreements `may_exceed_zone`", ofKind("may_exceed_zone")),
    formatRow("waivers for holders of documents", readRows(folder, "waivers.json")),
    formatRow(
      "transit demands that documents waive",
      readRows(folder, "transit.json").filter(row => row.waived_for !== undefined),
    ),
    formatRow("rules and policies with conditions", listConditioned(folder)),
  ]
  return `${HEADING}${lines.join("\n")}\n`
}

function readRows(folder: string, file: string): readonly Row[] {
  return JSON.parse(readFileSync(join(folder, file), "utf8"))
}

function formatRow(what: string, rows: readonly Row[]): string {
  const destinations = new Set(rows.flatMap(row => row.destinations))
  const read = rows.filter(row => row.verified_on != null)
  return `| ${what} | ${rows.length} | ${destinations.size} | ${read.length} |`
}

function listConditioned(folder: string): readonly Row[] {
  return readdirSync(join(folder, "policies")).flatMap(file => {
    const policy: PolicyFile = JSON.parse(readFileSync(join(folder, "policies", file), "utf8"))
    const rows = [policy, ...(policy.default ?? []), ...(policy.rules ?? []), ...(policy.reviewed ?? [])]
    return rows
      .filter(({ conditions = [] }) => conditions.length > 0)
      .map(({ verified_on = null }) => ({ destinations: [file.slice(0, 3)], verified_on }))
  })
}
