import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import type { PlanTable } from "../../adapters/plans/plans.ts"
import { readPlans } from "../../adapters/plans/plans.ts"
import { ENDPOINTS, renewApiTables } from "../../docs/build/api-tables.ts"

const page = readFileSync("docs/api.md", "utf8")
let plans: PlanTable
beforeAll(async () => {
  plans = await Effect.runPromise(readPlans("seeds/plans.json"))
})
const renew = (text: string) => renewApiTables(text, ENDPOINTS, plans)
const without = (start: string) =>
  page
    .split("\n")
    .filter(line => !line.startsWith(start))
    .join("\n")

describe("npm run regenerate -- api-tables", () => {
  it("has nothing to do on the page as it is", () => {
    expect(renew(page)).toBe(page)
  })

  it.each([
    ["| GET `/api/v1/visa/group` |", "| GET `/api/v1/visa/group` | hobby and above | 1 |"],
    ["| GET `/api/v1/visa` |", "| GET `/api/v1/visa` | any plan | 1 |"],
    ["| GET `/api/v1/visa/score` |", "| GET `/api/v1/visa/score` | everybody | | mobility score of a passport |"],
    ["| DELETE `/api/v1/visa/devices/{id}` |", "| DELETE `/api/v1/visa/devices/{id}` | any plan |"],
  ])("writes a line for an endpoint that the page lacks: %s", (start, written) => {
    const renewed = renew(without(start)).split("\n")
    const line = renewed.find(candidate => candidate.startsWith(start))
    expect(line?.slice(0, written.length)).toBe(written)
    expect(renewed).toHaveLength(page.split("\n").length)
  })

  it("puts a new endpoint behind the one before it in the reference", () => {
    const lines = renew(without("| GET `/api/v1/visa/score/compare` |")).split("\n")
    const at = lines.findIndex(line => line.includes("`/api/v1/visa/score/compare`"))
    const before = ENDPOINTS[ENDPOINTS.findIndex(({ path }) => path === "/api/v1/visa/score/compare") - 1]
    expect(lines[at - 1]).toContain(`\`${before?.path}\``)
  })

  it("drops an endpoint that was removed, and rewrites the settings", () => {
    const line = "| GET `/api/v1/visa/score` |"
    const changed = page
      .replace(line, `| GET \`/gone\` | everybody | | nothing |\n${line}`)
      .replace("| `LANDFALL_PORT` | TCP port |", "| `LANDFALL_PORT` | a number |")
    expect(changed).not.toBe(page)
    expect(renew(changed)).toBe(page)
  })
})
