import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type RunningWorkerd, startWorkerd } from "../workerd.ts"

const WORKER = `
import { createEdgeHandler, edgeRecords } from "./dist/edge.js"
import { loadLocalisedFacts } from "./dist/full.js"
const records = edgeRecords("en", dataset => loadLocalisedFacts(dataset, "en"))
export default { fetch: createEdgeHandler({ publicUrl: "https://visa.example", allow: () => ({ plan: "pro" }), records }) }
`

let folder = ""
let running: RunningWorkerd
let url = ""

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "landfall-workerd-"))
  const bundled = await build({
    stdin: { contents: WORKER, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
  })
  writeFileSync(join(folder, "worker.js"), bundled.outputFiles[0]?.contents ?? "")
  running = await startWorkerd(folder)
  url = running.url
})
afterAll(() => {
  running.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe("landfall/edge in workerd", () => {
  it("answers a check, a record, a score, a comparison, a group and the statistics", async () => {
    for (const [path, field] of [
      ["/check?passport=FRA&destination=JPN", "requirement"],
      ["?passport=IND&destination=DEU", "data"],
      ["/score?passport=JPN", "score"],
      ["/score/compare?passport1=JPN&passport2=IND", "combined"],
      ["/group?passports=FRA,IND", "data"],
      ["/stats", "coverage"],
    ]) {
      const response = await fetch(`${url}/api/v1/visa${path}`)
      expect(response.status, path).toBe(200)
      expect(await response.json(), path).toHaveProperty(field as string)
    }
  })

  it("judges an itinerary", async () => {
    const stops = [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }]
    const body = JSON.stringify({ passport: "FRA", passport_expiry: "2026-12-10", stops })
    const response = await fetch(`${url}/api/v1/visa/decision`, { method: "POST", body })
    expect(response.status).toBe(200)
    expect(((await response.json()) as { data: { verdict: string } }).data.verdict).toBe("blocked")
  })

  it("answers 404, 405 and 400 like the service", async () => {
    expect((await fetch(`${url}/nothing`)).status).toBe(404)
    expect((await fetch(`${url}/api/v1/visa/stats`, { method: "DELETE" })).status).toBe(405)
    expect((await fetch(`${url}/api/v1/visa/score?passport=fr`)).status).toBe(400)
  })
})
