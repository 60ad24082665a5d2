import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CALLED, loadRow } from "../../adapters/cli/commands.ts"
import { welcome } from "../../adapters/cli/service-commands.ts"
import type { Service } from "../../adapters/start/serve.ts"
import { copySmallData } from "../data/small-data.ts"
import { run, runCli } from "./run.ts"

const commands = await Promise.all(
  CALLED.map(async path => {
    const said = Object.entries((await loadRow(path)).examples)
    return { name: `landfall ${path}`, said, examples: said.map(([line]) => line) }
  }),
)

const page = [...readFileSync("docs/command-line.md", "utf8").matchAll(/^(landfall .*?)(?:\s{2,}#.*)?$/gm)].map(
  match => match[1] as string,
)

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-examples-"))
  const put = (name: string, content: unknown) =>
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content))
  const stop = { destination: "FRA", from: "2026-12-01", to: "2026-12-20" }
  mkdirSync(join(folder, "docs"))
  put("trip.json", { passport: "DEU", stops: [stop] })
  put("trips.ndjson", `${JSON.stringify({ id: "a", passport: "DEU", stops: [stop] })}\n`)
  put("stays.json", [stop])
  copyFileSync("examples/trip.ics", join(folder, "trip.ics"))
  const visit = { topCandidate: { placeLocation: { latLng: "48.8566°, 2.3522°" } } }
  put("Timeline.json", {
    semanticSegments: [{ startTime: "2026-01-03T09:00:00Z", endTime: "2026-01-05T09:00:00Z", visit }],
  })
  put("2026-12-01.csv", "passport,destination,status,days\nFRA,JPN,visa free,90\n")
  put("spots.geojson", {
    type: "FeatureCollection",
    features: [
      {
        type: "Feature",
        geometry: { type: "Point", coordinates: [2.2945, 48.8584] },
        properties: { title: "A tower", category: "landmark", country: "FR" },
      },
    ],
  })
  copyFileSync("test/fixtures/passport-index-2025-01-12.landfall", join(folder, "old.landfall"))
  copyFileSync("test/fixtures/dataset-2026-11-21.landfall", join(folder, "new.landfall"))
  copyFileSync("test/fixtures/dataset-2026-11-21.landfall", join(folder, "today.landfall"))
  copySmallData(join(folder, "data"), ["GBR"])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What runs until it is stopped. */
const SERVES = /^landfall (?:serve|worker|webhook listen)\b/
/** Codes that an example may end with beside 0: what was watched may have changed, there is no installation to roll back, no feed is served, and no webhook has the number. */
const mayEndWith = (line: string): number =>
  line.startsWith("landfall watch") ? 3 : /rollback|restore|dataset fetch|switch-on/.test(line) ? 1 : 0

/** These commands compute all pairs for seconds, and are tested in test/data and test/cli: here they run in a folder without facts, and must report that. */
const WITHOUT_FACTS: readonly string[] = [
  "landfall data verify",
  "landfall data coverage",
  "landfall data update newer --dry-run",
  "landfall data import 2026-12-01.csv --dry-run",
  "landfall dataset build -o today.landfall",
  "landfall data claim issue.md --dry-run",
  "landfall data watch --state watched.json -o work",
  "landfall data watch --state watched.json --destination KEN",
]

/** What an operator does before the rest: the tables, and the first account; and what ends it all. */
const rank = (line: string) =>
  line === "landfall migrate"
    ? -1
    : line.startsWith("landfall account create")
      ? 0
      : line.startsWith("landfall account erase")
        ? 3
        : line.includes(" key ")
          ? 2
          : 1

describe("every command", () => {
  it.each(commands)("$name has an example in its help", async ({ name, examples }) => {
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) {
      expect(`${example} `.startsWith(`${name} `), example).toBe(true)
    }
  })

  it("is answered as its examples and its page say", async () => {
    const env = {
      LANDFALL_PORT: "0",
      LANDFALL_DATABASE_URL: `file:${join(folder, "landfall.db")}`,
      LANDFALL_SECRET: Buffer.alloc(32, 7).toString("base64"),
    }
    const lines = [...new Set([...commands.flatMap(({ examples }) => examples), ...page])]
    const ordered = lines.toSorted((a, b) => rank(a) - rank(b))
    const ends: Record<string, string> = {}
    const printed: Record<string, string> = {}
    const runHere = (args: readonly string[]) => runCli(args, { cwd: folder, env })
    /** Examples name the first account 1 and its keys 1 and 2; a deployment gives numbers of its own. */
    const number = async (line: string): Promise<string> => {
      const key = /^landfall key (?!create)\S+ (\d)\b/.exec(line)?.[1]
      if (key === undefined) return line.replace(/^(landfall (?:account \S+|key create)) 1\b/, `$1 ${account}`)
      const { keys }: { readonly keys: readonly { readonly id: number }[] } = JSON.parse(
        (await runHere(["account", "show", account, "--json"])).stdout,
      )
      return line.replace(` ${key}`, ` ${keys[Number(key) - 1]?.id}`)
    }
    let account = ""
    for (const line of ordered) {
      const args = (await number(line)).split(" ").slice(1)
      const port = line.startsWith("landfall webhook listen") ? ["--port", "0"] : []
      const stdin = args[0] === "itinerary" ? readFileSync(join(folder, "trip.json"), "utf8") : ""
      const given = port.length === 0 ? args : ["webhook", "listen", ...port]
      const { status, stdout, stderr } = await runCli(given, {
        cwd: WITHOUT_FACTS.includes(line) ? join(folder, "docs") : folder,
        env,
        stdin,
        serves: SERVES.test(line),
      })
      printed[line] = stdout
      account = /^Account (\d+) on the plan/.exec(stdout)?.[1] ?? account
      if (WITHOUT_FACTS.includes(line)) {
        ends[line] = stderr.includes("dataset.json: does not exist.") ? "as it should" : `${status}: ${stderr}`
        continue
      }
      ends[line] = status === 0 || status === mayEndWith(line) ? "as it should" : `${status}: ${stderr}`
    }
    expect(ends).toEqual(Object.fromEntries(ordered.map(line => [line, "as it should"])))
    expect(printed["landfall data format"]).toBe("Nothing to change.\n")
  })

  it("shows days that lie ahead, but for those that it calls past: in its help, in refusals and at the start", async () => {
    const refusal = (await runCli(["itinerary", "-"], { stdin: "{}" })).stderr
    const service = { url: "", demoAccounts: [{ plan: "pro", key: "k", testKey: null }], adminUrl: null, config: {} }
    const shown = {
      refusal: /A whole one: .*/.exec(refusal)?.[0] ?? "",
      start: welcome(service as unknown as Service),
      help: commands
        .flatMap(({ said }) => said.map(each => each.join(": ")))
        .filter(each => each.includes(" --on ") && !each.includes(" past "))
        .join("\n"),
    }
    for (const [place, text] of Object.entries(shown)) {
      const days = text.match(/\d{4}-\d\d-\d\d/g) ?? []
      expect(days.length, place).toBeGreaterThan(1)
      for (const day of days) expect(Date.parse(day), `${place}: ${day}`).toBeGreaterThan(Date.now())
    }
  })

  it("is listed by the help, in groups", async () => {
    const { stdout } = await run("--help")
    for (const { name } of commands) expect(stdout).toContain(`  ${name.split(" ")[1]}`)
  })
})
