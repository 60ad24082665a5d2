import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { writeWorld } from "../changes/datasets.ts"
import { copySmallData } from "../data/small-data.ts"
import { run, runCli } from "./run.ts"

let folder = ""
let data = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-cli-"))
  data = join(folder, "small")
  copySmallData(data, ["JPN"])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const FROZEN = "test/fixtures/dataset-2026-11-21.landfall"

describe("landfall check", () => {
  it("prints the requirement, its evidence, and that it is not legal advice, in three lines", async () => {
    expect(await run("check", "FRA", "JPN", "--on", "2026-11-21", "--dataset", FROZEN)).toEqual({
      status: 0,
      stderr: "",
      stdout:
        "France (FRA) → Japan (JPN) on 2026-11-21: visa_free, up to 90 days\n" +
        "source: Passport Index data (imorte/passport-index-data), never verified for this pair\n" +
        "dataset: 2026.11.21. Data, not legal advice.\n",
    })
  })

  it("answers programs in JSON, with the basis and the uncertainty", async () => {
    const { stdout } = await run("check", "MLI", "GHA", "--json")
    expect(JSON.parse(stdout)).toMatchObject({
      passport: "MLI",
      destination: "GHA",
      requirement: "visa_free",
      visa_free_days: 90,
      visa_required: false,
      requirement_status: "uncertain",
      basis: "freedom_of_movement",
      bloc: "ECOWAS",
      source: { id: "passport-index" },
      last_verified: null,
    })
  })

  it.each([
    [
      "a text that is neither a code nor similar to a name",
      ["check", "F1", "JPN"],
      'passport: no country is called "F1". An ISO 3166-1 alpha-3 code, such as FRA, or a country\'s name is expected.',
    ],
    [
      "a day that no calendar has",
      ["check", "FRA", "JPN", "--on", "2026-02-30"],
      'on: a calendar date YYYY-MM-DD from 1900 to 2199 is expected, not "2026-02-30".',
    ],
  ])("exits with 2 and a usage line for %s", async (_, args, message) => {
    const { status, stderr } = await run(...args)
    expect(status).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr).toContain(
      "Usage: landfall check PASSPORT DESTINATION [--on DATE] [--lang LANG] [--dataset FILE] [--json]",
    )
  })

  it.each([
    ["an argument is missing", ["check", "FRA"], "destination is missing.", "landfall check PASSPORT"],
    ["one is too many", ["check", "FRA", "JPN", "IND"], '"IND" is one argument too many.', "landfall check PASSPORT"],
    [
      "a flag does not exist",
      ["check", "FRA", "JPN", "--colour"],
      "--colour is not a flag of landfall check.",
      "landfall check PASSPORT",
    ],
    [
      "a flag is given twice",
      ["rank", "--on", "2027-01-01", "--on", "2027-01-02"],
      "--on is given twice.",
      "landfall rank [",
    ],
    ["no command has the name", ["chekc", "FRA", "JPN"], '"chekc" is not a command of landfall.', "landfall COMMAND"],
    [
      "a subcommand does not exist",
      ["dataset", "burn"],
      '"burn" is not a command of landfall dataset.',
      "landfall dataset COMMAND",
    ],
  ])("exits with 2 if %s, with the mistake and the usage on stderr only", async (_, args, message, usage) => {
    const { status, stdout, stderr } = await run(...args)
    expect([status, stdout]).toEqual([2, ""])
    expect(stderr).toContain(message)
    expect(stderr.trimEnd().split("\n").at(-1)).toContain(`Usage: ${usage}`)
  })

  it("exits with 2 without a command, with the help on stderr, and with 0 for --help", async () => {
    for (const args of [[], ["dataset"], ["data"]]) {
      expect(await run(...args)).toMatchObject({
        status: 2,
        stdout: "",
        stderr: expect.stringContaining(args.length === 0 ? "Questions:" : "COMMANDS"),
      })
    }
    expect(await run("dataset", "--help")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("COMMANDS"),
      stderr: "",
    })
  })

  it("exits with 1 if there is no record", async () => {
    expect(await run("check", "FRA", "ATA")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        "FRA to ATA: No rule is recorded for this pair. That means unknown, not that no visa is needed.",
      ),
    })
  })
})

describe("landfall dataset", () => {
  it("exports every pair with a record as CSV", async () => {
    const lines = (await run("dataset", "export")).stdout.trimEnd().split("\n")
    expect(lines[0]).toBe("passport,destination,requirement,days,status,home")
    expect(lines).toContain("FRA,JPN,visa_free,90,,false")
    expect(lines).toContain("FRA,FRA,visa_free,,,true")
    expect(lines).toContain("MLI,GHA,visa_free,90,uncertain,false")
    const { pairs_with_record } = JSON.parse((await run("dataset", "info", "--json")).stdout)
    expect(lines.length).toBe(pairs_with_record + 1)
  })

  it("lists the owners of the data, one a line", async () => {
    const { stdout } = await run("dataset", "info")
    const { attributions } = JSON.parse((await run("dataset", "info", "--json")).stdout)
    const bullets = readFileSync("data/LICENSES.md", "utf8").match(/^- /gm) ?? []
    expect(attributions).toHaveLength(bullets.length)
    for (const line of attributions) expect(stdout).toContain(`\n- ${line}`)
    expect(stdout).toContain("AXG Sp. z o.o., https://travelrequirements.info/data/ (CC BY 4.0)")
  })

  it("builds a file that verifies, and answers like the embedded dataset", async () => {
    const built = join(folder, "built.landfall")
    expect(await run("dataset", "build", "-o", built)).toMatchObject({ status: 0, stderr: "" })
    expect((await run("dataset", "verify", built)).stdout).toMatch(
      /: sound\. Dataset 2026\.11\.21, format 4, \d+ bytes\.\n$/,
    )
    expect((await run("dataset", "export", built)).stdout).toBe((await run("dataset", "export")).stdout)
    expect((await run("check", "FRA", "JPN", "--dataset", built)).stdout).toBe(
      (await run("check", "FRA", "JPN")).stdout,
    )
    // Full facts stand behind the pairs, by which records are told.
    const { facts_in_file, facts_bytes } = JSON.parse((await run("dataset", "info", built, "--json")).stdout)
    expect(facts_in_file).toBe(true)
    expect(facts_bytes).toBeGreaterThan(500_000)
    const record = async (...args: string[]) => (await run("visa", "IND", "DEU", "--lang", "hi", ...args)).stdout
    expect(await record("--dataset", built)).toBe(await record())
  })

  it("does not read a file that is too large to be a dataset", async () => {
    const file = join(folder, "large.landfall")
    writeFileSync(file, "LNDF")
    truncateSync(file, 33_554_433)
    for (const args of [
      ["verify", file],
      ["info", file],
      ["install", file, "--dry-run"],
    ]) {
      expect(await run("dataset", ...args)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`${file}: has 33554433 bytes; a dataset has at most 33554432.`),
      })
    }
  })

  it("lists the fees that differ between two files with facts", async () => {
    const [before, after, pairs] = [
      writeWorld(folder, { version: "world.1", days: 90, fee: 50 }),
      writeWorld(folder, { version: "world.2", days: 90, fee: 65 }),
      writeWorld(folder, { version: "world.3", days: 90 }),
    ]
    const { stdout } = await run("diff", before, after)
    expect(stdout).toMatch(/BBB \S+\s+CCC \S+\s+fee +50 USD +65 USD\n/)
    expect(stdout).toMatch(/\nbefore +world\.1\nafter +world\.2\ncount +0\n/)
    const { facts } = JSON.parse((await run("diff", before, after, "--json")).stdout)
    expect(facts.find(({ passport }: { passport: string }) => passport === "BBB")).toEqual({
      passport: "BBB",
      destination: "CCC",
      fields: ["fee"],
      severity: "minor",
      previous: { fee: { amount: 50, currency: "USD" } },
      current: { fee: { amount: 65, currency: "USD" } },
    })
    const alone = JSON.parse((await run("diff", pairs, pairs, "--json")).stdout)
    expect(alone.facts).toBeUndefined()
  })

  it("refuses a damaged file with exit code 1 and the reason", async () => {
    const file = join(folder, "damaged.landfall")
    const bytes = readFileSync("test/fixtures/dataset-2026-11-21.landfall")
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    writeFileSync(file, bytes)
    for (const args of [
      ["dataset", "verify", file],
      ["check", "FRA", "JPN", "--dataset", file],
    ]) {
      expect(await run(...args)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("The dataset is damaged: its checksum is"),
      })
    }
    expect(await run("dataset", "verify", join(folder, "none"))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("does not exist."),
    })
  })

  it("reports a sound file in JSON, and exports CSV", async () => {
    const file = join(folder, "machines.landfall")
    const { bytes, version } = JSON.parse(
      (await run("dataset", "build", "--pairs-only", "--data", data, "-o", file, "--json")).stdout,
    )
    expect(JSON.parse((await run("dataset", "verify", file, "--json")).stdout)).toEqual({
      file,
      sound: true,
      version,
      format_version: 4,
      bytes,
    })
    const rows = JSON.parse((await run("dataset", "export", file, "--json")).stdout)
    const lines = (await run("dataset", "export", file)).stdout.trimEnd().split("\n")
    expect(rows.length).toBe(lines.length - 1)
    expect(rows).toContainEqual({
      passport: "FRA",
      destination: "JPN",
      requirement: "visa_free",
      days: 90,
      status: null,
      home: false,
    })
  })

  it("leaves no temporary file behind if the output cannot be replaced", async () => {
    const output = join(folder, "a-folder")
    mkdirSync(output)
    expect(await run("dataset", "build", "--pairs-only", "--data", data, "-o", output)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`${output}: is a folder, a file is expected.`),
    })
    expect(existsSync(`${output}.part`)).toBe(false)
  })

  it("reports the place of mistakes in facts, and writes no file", async () => {
    const output = join(folder, "never.landfall")
    const { status, stderr } = await run("dataset", "build", "--data", folder, "-o", output)
    expect(status).toBe(1)
    expect(stderr).toContain(`${join(folder, "dataset.json")}: does not exist.`)
    expect(() => readFileSync(output)).toThrow("ENOENT")
  })
})

describe("landfall data", () => {
  it("says outside of a clone where the facts are", async () => {
    const says = "The facts are in a clone of the repository; --data DIR names their folder."
    for (const args of [
      ["explain", "LCA", "GBR"],
      ["data", "import", "2026-12-01.csv"],
      ["data", "verify"],
      ["dataset", "build"],
    ]) {
      expect(await runCli(args, { cwd: folder })).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`${join("data", "dataset.json")}: does not exist. ${says}`),
      })
    }
  })

  it("refuses a table in an unknown form with exit code 1", async () => {
    const file = join(folder, "2026-12-01.csv")
    writeFileSync(file, "country,visa\nFRA,yes\n")
    expect(await run("data", "import", file)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('The table\'s first line is "country,visa"'),
    })
  })
})

describe("landfall --help", () => {
  it("lists the commands", async () => {
    const help = (await run("--help")).stdout
    for (const command of ["check", "dataset", "data"]) expect(help).toContain(command)
  })
})
