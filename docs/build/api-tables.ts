/**
 * `npm run regenerate -- api-tables` updates the tables and lists of docs/api.md: endpoints from the rows, settings and the fields and codes of decisions from their tables.
 *
 * An endpoint that the page has keeps its written text. A new one gets a line from its row, after the endpoint that precedes it in the reference; a removed one loses its line.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { type Described, writePath } from "../../adapters/http/pipeline/describe-row.ts"
import { type Access, takesKey } from "../../adapters/http/pipeline/endpoint.ts"
import { GROUPS } from "../../adapters/http/routes/all-endpoints.ts"
import { lowestPlanWith, type PlanTable, readPlans } from "../../adapters/plans/plans.ts"
import { SETTINGS } from "../../adapters/settings/settings.ts"
import { CODE_LINES } from "./reason-guide.ts"
import { REQUEST_LINE, REQUEST_LINES } from "./request-lines.ts"

const ROOT = join(import.meta.dirname, "../..")
const CODE_LINE = /^- (blocker|condition|unknown) `/
const ENDPOINT_LINE = /^\| ((?:GET|POST|PATCH|PUT|DELETE) `[^`]+`) \|/

/** Who may call, in the words of the table. */
function nameCallers(access: Access, plans: PlanTable): string {
  if (access.kind === "session") return access.isOptional ? "everybody; a session is optional" : "a session"
  if (access.kind === "key" && access.feature !== undefined) {
    const lowest = lowestPlanWith(access.feature, plans)
    return lowest === null ? "no plan" : `${lowest} and above`
  }
  if (access.kind === "keyless") return "any plan; keyless from the own site, localhost and extensions"
  if (access.kind === "open") return "everybody; a key is optional"
  return access.kind === "key" ? "any plan" : "everybody"
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

const keyOf = ({ method, path }: Described) => `${method} \`${writePath(path)}\``

function writeEndpoint(row: Described, plans: PlanTable): string {
  const { access, cost, summary = "" } = row
  const price = cost === undefined ? (takesKey(access) ? "0" : "") : "1"
  const cells = [keyOf(row), nameCallers(access, plans), price, lowerFirst(summary)]
  return `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |")
}

/** Returns the page with a line for each endpoint and setting. */
export function renewApiTables(page: string, endpoints: readonly Described[], plans: PlanTable): string {
  const known = new Set(endpoints.map(keyOf))
  const settings = SETTINGS.map(
    ({ name, kind, shown, meaning }) => `| \`${name}\` | ${kind.unit} | ${shown} | ${meaning} |`,
  )
  const tables = [
    { isLine: /^\| `LANDFALL_/, lines: settings },
    { isLine: CODE_LINE, lines: CODE_LINES },
    { isLine: REQUEST_LINE, lines: REQUEST_LINES },
  ]
  const written = new Set<RegExp>()
  const lines = page.split("\n").flatMap(line => {
    const endpoint = ENDPOINT_LINE.exec(line)?.[1]
    if (endpoint !== undefined) return known.has(endpoint) ? [line] : []
    const table = tables.find(({ isLine }) => isLine.test(line))
    if (table === undefined) return [line]
    if (written.has(table.isLine)) return []
    written.add(table.isLine)
    return table.lines
  })
  const placeOf = (key: string | undefined) => lines.findIndex(line => ENDPOINT_LINE.exec(line)?.[1] === key)
  endpoints.forEach((described, at) => {
    if (placeOf(keyOf(described)) !== -1) return
    const before = endpoints[at - 1]
    const after = before === undefined ? lines.findIndex(line => ENDPOINT_LINE.test(line)) - 1 : placeOf(keyOf(before))
    lines.splice(after + 1, 0, writeEndpoint(described, plans))
  })
  return lines.join("\n")
}

/** Every endpoint of the reference, in its order. */
export const ENDPOINTS: readonly Described[] = GROUPS.flatMap(({ endpoints }) => [...endpoints])

if (import.meta.main) {
  const file = join(ROOT, "docs/api.md")
  const page = readFileSync(file, "utf8")
  const plans = await Effect.runPromise(readPlans(join(ROOT, "seeds/plans.json")))
  const renewed = renewApiTables(page, ENDPOINTS, plans)
  if (renewed !== page) writeFileSync(file, renewed)
  process.stdout.write(renewed === page ? "docs/api.md is up to date\n" : "docs/api.md was brought up to date\n")
}
