import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

/** Generators of the ecosystem, in a folder of their own: they need a TypeScript with the older compiler's interface. */
const PACKAGES = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "@hey-api/openapi-ts@0.99.0", "typescript@5.9.3"]

let folder = ""
let service: ChildProcess
let url = ""
let key = ""

function run(program: string, ...args: readonly string[]): void {
  const ended = spawnSync(process.execPath, [join(folder, "node_modules", program), ...args], {
    cwd: folder,
    encoding: "utf8",
  })
  if (ended.status !== 0) throw new Error(`${program} ended with ${ended.status}:\n${ended.stdout}${ended.stderr}`)
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "landfall-generators-"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }))
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...PACKAGES], { cwd: folder })
  service = spawn(process.execPath, [resolve("dist/cli.js"), "serve"], {
    cwd: folder,
    env: { ...process.env, LANDFALL_PORT: "0", LANDFALL_DATABASE_URL: `file:${join(folder, "landfall.db")}` },
    stdio: ["ignore", "pipe", "inherit"],
  })
  for await (const line of createInterface({ input: service.stdout as NodeJS.ReadableStream })) {
    url ||= /listens on (\S+)/.exec(line)?.[1] ?? ""
    key ||= /^ *pro +(\S+)$/.exec(line)?.[1] ?? ""
    if (line.startsWith("Reference:")) break
  }
  writeFileSync(join(folder, "openapi.json"), await (await fetch(`${url}/openapi.json`)).text())
})
afterAll(() => {
  service.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

/** Type-checks a program beside what was generated, and runs it. */
async function check(program: string): Promise<unknown> {
  writeFileSync(join(folder, "program.ts"), `declare const process: { env: Record<string, string> }\n${program}`)
  run(
    "typescript/bin/tsc",
    ..."--noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler program.ts".split(
      " ",
    ),
  )
  const outfile = join(folder, "program.mjs")
  await build({ entryPoints: [join(folder, "program.ts")], bundle: true, format: "esm", platform: "node", outfile })
  return JSON.parse(
    execFileSync(process.execPath, [outfile], { encoding: "utf8", env: { ...process.env, URL_: url, KEY: key } }),
  )
}

describe("the OpenAPI document", () => {
  it("gives types to openapi-typescript, with which openapi-fetch calls the service", async () => {
    run("openapi-typescript/bin/cli.js", "openapi.json", "-o", "schema.d.ts")
    const told = await check(`
      import createClient from "openapi-fetch"
      import type { paths } from "./schema.d.ts"
      const client = createClient<paths>({ baseUrl: process.env.URL_, headers: { "x-api-key": process.env.KEY } })
      const check = await client.GET("/api/v1/visa/check", { params: { query: { passport: "FRA", destination: "JPN" } } })
      const record = await client.GET("/api/v1/visa", { params: { query: { passport: "FRA", destination: "JPN" } } })
      const spots = await client.GET("/api/v1/spots", { params: { query: { limit: 1 } } })
      type Requirement = "visa_free" | "eta" | "visa_on_arrival" | "e_visa" | "visa_required" | "no_admission"
      const requirement: Requirement | null | undefined = check.data?.data.requirement
      const whole: Requirement | undefined = record.data?.data.requirement
      const title: string | undefined = spots.data?.spots[0]?.title
      const decision = await client.POST("/api/v1/visa/decision", {
        body: { passport: "FRA", stops: [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }] },
      })
      const refused = await client.GET("/api/v1/visa/score", { params: { query: { passport: "fr" } } })
      console.log(JSON.stringify([requirement, whole, title, decision.data?.meta.pairs_charged, refused.error?.error]))
    `)
    expect(told).toEqual([
      "visa_free",
      "visa_free",
      expect.any(String),
      1,
      expect.stringMatching(/^passport: Expected/),
    ])
  })

  it("gives openapi-ts a client that calls the service", async () => {
    run("@hey-api/openapi-ts/bin/run.js", "-i", "openapi.json", "-o", "client")
    const told = await check(`
      import { check, group, listSpots, score, visa } from "./client"
      import { client } from "./client/client.gen"
      client.setConfig({ baseUrl: process.env.URL_, headers: { "x-api-key": process.env.KEY } })
      const checked = await check({ query: { passport: "FRA", destination: "JPN" } })
      const grouped = await group({ query: { passports: "FRA,IND" } })
      const refused = await score({ query: { passport: "fr" } })
      const record = await visa({ query: { passport: "FRA", destination: "JPN" } })
      const spots = await listSpots({ query: { limit: 1 } })
      type Requirement = "visa_free" | "eta" | "visa_on_arrival" | "e_visa" | "visa_required" | "no_admission"
      const requirement: Requirement | null | undefined = checked.data?.data.requirement
      const whole: Requirement | undefined = record.data?.data.requirement
      const title: string | undefined = spots.data?.spots[0]?.title
      const told = [requirement, whole, title, (grouped.data?.data.count ?? 0) > 50, refused.error?.error]
      console.log(JSON.stringify(told))
    `)
    expect(told).toEqual([
      "visa_free",
      "visa_free",
      expect.any(String),
      true,
      expect.stringMatching(/^passport: Expected/),
    ])
  })
})
