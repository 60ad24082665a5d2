import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { runCli } from "./run.ts"

const folder = mkdtempSync(join(tmpdir(), "landfall-spots-"))
const env = { LANDFALL_DATABASE_URL: `file:${join(folder, "landfall.db")}` }
const landfall = (...args: readonly string[]) => runCli(args, { env })
const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const pier = file("pier.csv", "title,lat,lon,country\nThe Pier,50.8,-0.14,GB\n")

describe("landfall spots", () => {
  afterAll(() => rmSync(folder, { recursive: true }))

  it("needs an existing database", async () => {
    const { status, stderr } = await landfall("spots", "import", pier)
    expect(status).toBe(1)
    expect(stderr).toContain("there is no database file")
    expect((await landfall("migrate")).stdout).toContain("applied: tables")
  })

  it("reports what an import would change, then what it changed", async () => {
    const tried = await landfall("spots", "import", pier, "--replace", "--dry-run")
    expect(tried.stdout).toMatch(/^is dry run +yes\nadded +1\nchanged +0\nunchanged +0\nremoved +\d+\ntotal +1\n/)
    const done = await landfall("spots", "import", pier, "--replace")
    expect(done.stdout).toMatch(/^is dry run +no\nadded +1\n/)
    const again = await landfall("spots", "import", pier, "--json")
    expect(JSON.parse(again.stdout)).toEqual({
      is_dry_run: false,
      added: 0,
      changed: 0,
      unchanged: 1,
      removed: 0,
      total: 1,
      passed_over: [],
    })
  })

  it("reads GeoJSON, and reports unknown properties", async () => {
    const feature = {
      type: "Feature",
      geometry: { type: "Point", coordinates: [139.7, 35.7] },
      properties: { name: "Tower", country: "JP", heigth: 333 },
    }
    const path = file("tower.geojson", JSON.stringify({ type: "FeatureCollection", features: [feature] }))
    const { status, stdout } = await landfall("spots", "import", path)
    expect(status).toBe(0)
    expect(stdout).toMatch(/added +1\n(?:.*\n)*total +2\npassed over +heigth\n$/)
  })

  it("reports each mistake with its line, and imports nothing", async () => {
    const path = file("bad.csv", "title,lat,lon,country\nGood,1,1,FR\nFar,95,0,FR\nNowhere,1,1,fr\n")
    const { status, stdout, stderr } = await landfall("spots", "import", path)
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
    expect(stderr).toContain(`${path}:3: latitude: a number from -90 to 90 is expected, not 95.`)
    expect(stderr).toContain(`${path}:4: country_code: an ISO 3166-1 alpha-2 code in capital letters`)
    expect(stderr).toContain("Nothing was imported.")
    const { stdout: after } = await landfall("spots", "import", pier, "--dry-run", "--json")
    expect(JSON.parse(after)).toMatchObject({ total: 2 })
  })

  it("removes the operator's spots", async () => {
    expect((await landfall("spots", "reset")).stdout).toBe(
      "2 spots are removed; those that ship with the package are used again.\n",
    )
    expect((await landfall("spots", "reset", "--json")).stdout).toBe('{\n  "removed": 0\n}\n')
  })
})
