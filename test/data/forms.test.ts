import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Result } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { formatDataFolder, openRecords, readDataRecords } from "../../adapters/data-files/read-facts.ts"
import { addForm, FORM_FIELDS, PUBLISHERS } from "../../adapters/data-files/read-form.ts"
import { lookupRequirement, REQUIREMENTS } from "../../src/engine.ts"
import { runCli } from "../cli/run.ts"
import { FORM, writeForm } from "./claim-form.ts"
import { copySmallData } from "./small-data.ts"

const ON = "2026-11-29"

let home = ""
const data = () => join(home, "data")
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "landfall-forms-"))
  copySmallData(data(), ["JPN", "KEN"])
})
afterEach(() => rmSync(join(data(), "additions"), { recursive: true, force: true }))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const add = (changes: Readonly<Record<string, string>> = {}, text = writeForm(changes)) =>
  addForm({ form: "issue.md", read: () => text, folder: data(), on: ON })
const messageOf = (result: ReturnType<typeof add>) =>
  Result.isFailure(result) ? result.failure.message.replaceAll(`${home}/`, "") : "added"
const ask = (passport: string, on?: string) => {
  const answer = lookupRequirement(openRecords(Result.getOrThrow(readDataRecords(data())))!, passport, "KEN", { on })
  return answer.kind === "found" ? `${answer.requirement} ${answer.days}` : answer.kind
}

describe("the form for wrong data", () => {
  it("has the fields, the publishers and the requirements that the command reads", () => {
    const form = readFileSync(".github/ISSUE_TEMPLATE/wrong-data.yml", "utf8")
    const labels = [...form.matchAll(/^ {6}label: (.*)$/gm)].map(([, label]) => label)
    expect(labels).toEqual(Object.values(FORM_FIELDS))
    const options = [...form.matchAll(/^ {8}- (.*)$/gm)].map(([, option]) => option!)
    expect(options.filter(option => PUBLISHERS[option] !== undefined)).toEqual(Object.keys(PUBLISHERS))
    expect(REQUIREMENTS.filter(word => !options.some(option => option.startsWith(`${word} (`)))).toEqual([])
  })

  it("becomes one claim in a file of its own, which decides", () => {
    const before = ask("BRA")
    const added = Result.getOrThrow(add())
    expect(added).toMatchObject({ destination: "KEN", passports: ["BRA"], says: "visa_free 60" })
    const [name] = readdirSync(join(data(), "additions"))
    expect(added.file).toBe(join(data(), "additions", name!))
    const id = name!.replace(".json", "")
    expect(id).toMatch(/^KEN-2026-11-28-BRA-[0-9a-f]{8}$/)
    expect(JSON.parse(readFileSync(added.file, "utf8"))).toEqual({
      id,
      destination: "KEN",
      pages: { [id]: { by: "official-pages", url: FORM.source, read: ["2026-11-28"] } },
      claims: [
        { page: id, says: "visa_free 60", from: "2026-11-01", reading: "Citizens of Brazil need no visa.", who: "BRA" },
      ],
    })
    expect(ask("BRA")).toBe("visa_free 60")
    expect(before).not.toBe("visa_free 60")
    // The files are as the project writes them, and the dataset has the day of the reading.
    expect(Result.getOrThrow(formatDataFolder(data()))).toEqual([])
    expect(Result.getOrThrow(readDataRecords(data())).dataset).toMatchObject({
      as_of: "2026-11-28",
      version: "2026.11.28",
    })
  })

  it("ends after its last day, and keeps what it depends on", () => {
    Result.getOrThrow(add({ until: "2026-12-31", conditions: "Only\nby air." }))
    expect(ask("BRA", "2026-12-31")).toBe("visa_free 60")
    expect(ask("BRA", "2027-01-01")).not.toBe("visa_free 60")
    const [file] = readdirSync(join(data(), "additions"))
    const { claims } = JSON.parse(readFileSync(join(data(), "additions", file!), "utf8"))
    expect(claims[0].conditions).toEqual([{ kind: "other", text: "Only by air." }])
  })

  it.each([
    ["no source", { source: "_No response_" }, "issue.md:23 Source: is missing: fill in this field of the form."],
    [
      "a passport that does not exist",
      { passport: "BRA QQQ" },
      'issue.md:1 Passport: "QQQ" is not a passport of passports.json, such as FRA.',
    ],
    [
      "a destination that does not exist",
      { destination: "../../etc" },
      'issue.md:5 Destination: "../../etc" is not a destination of claims/, such as JPN.',
    ],
    [
      "no requirement",
      { requirement: "the requirement is right, something else is wrong" },
      "issue.md:15 What is asked in truth: the form names no requirement: what else is wrong is corrected by a pull request.",
    ],
    [
      "days that are no number",
      { days: "ninety" },
      'issue.md:19 Days of stay: "ninety" is not a whole number of days, such as 90.',
    ],
    [
      "a source that is no address",
      { source: "javascript:alert(1)" },
      "issue.md:23 Source: is not an address that begins with https://.",
    ],
    [
      "a source that is a file",
      { source: "file:///etc/passwd" },
      "issue.md:23 Source: is not an address that begins with https://.",
    ],
    [
      "an unknown publisher",
      { publisher: "my cousin" },
      'issue.md:27 Who publishes it: "my cousin" is an unknown publisher: choose one of the form.',
    ],
    [
      "a day after today",
      { readOn: "2026-11-30" },
      "issue.md:36 Day on which you read it: 2026-11-30 is after today, 2026-11-29: name the day on which you read the page.",
    ],
    [
      "a day that does not exist",
      { readOn: "yesterday" },
      'issue.md:36 Day on which you read it: "yesterday" is not a calendar date YYYY-MM-DD.',
    ],
    [
      "an end before the beginning",
      { until: "2026-10-31" },
      "issue.md:44 Last day on which it holds: 2026-10-31 is before the first day, 2026-11-01.",
    ],
    [
      "a heading in an answer, which would be another field",
      { words: "Free.\n\n### Source\n\nhttps://evil.example/" },
      "issue.md:35 Source: is given twice: leave the headings of the form out of the answers.",
    ],
  ])("is refused with its line for %s, and nothing is written", (_, changes, message) => {
    expect(messageOf(add(changes))).toBe(message)
    expect(readdirSync(data())).not.toContain("additions")
  })

  it("is refused if it is empty", () => {
    expect(messageOf(add({}, ""))).toContain("issue.md:1 Passport: is missing: fill in this field of the form.")
  })

  it("is turned into a claim by a command", async () => {
    const file = join(home, "issue.md")
    writeFileSync(file, writeForm({ readOn: FORM.from! }))
    const { stdout } = await runCli(["data", "claim", file, "--data", data(), "--dry-run"])
    expect(stdout.replaceAll(`${home}/`, "")).toMatch(
      /^data\/additions\/KEN-2026-11-01-BRA-\w{8}\.json would say visa_free 60 of BRA for KEN\.\n$/,
    )
    expect(readdirSync(data())).not.toContain("additions")
    writeFileSync(file, "Kenya is wrong!")
    const refused = await runCli(["data", "claim", file, "--data", data()])
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("issue.md:1 Passport: is missing")])
  })
})

describe("an added claim", () => {
  it("is refused by its own file and line", () => {
    Result.getOrThrow(add())
    const [name] = readdirSync(join(data(), "additions"))
    const file = join(data(), "additions", name!)
    const text = readFileSync(file, "utf8")
    const read = (changed: string) => {
      writeFileSync(file, changed)
      const result = readDataRecords(data())
      return Result.isFailure(result) ? result.failure.message.replaceAll(`${home}/`, "") : "read"
    }
    expect(read(text.replace('"official-pages"', '"hearsay"'))).toContain(
      `data/additions/${name}:5 pages.${name!.replace(".json", "")}.by: "hearsay" is an unknown publisher`,
    )
    expect(read(text.replace('"BRA"', '"QQQ"'))).toContain(
      `data/additions/${name}:8 claims[0].who: "QQQ" is not a passport`,
    )
    expect(read(text.replace('"destination": "KEN"', '"destination": "QQQ"'))).toBe(
      `data/additions/${name} destination: "QQQ" has no file in claims/.`,
    )
  })
})

describe("two data pull requests", () => {
  const git = (...words: string[]) => execFileSync("git", ["-C", home, ...words], { encoding: "utf8" })

  it("never collide, of one destination or of two, on one day or on several", () => {
    git("init", "--quiet", "--initial-branch", "main")
    git("config", "user.name", "A")
    git("config", "user.email", "a@example.org")
    git("add", "data")
    git("commit", "--quiet", "--message", "Begin")
    const forms = [
      {},
      { passport: "ARG" },
      { passport: "BOL", readOn: "2026-11-29" },
      { passport: "BRA", destination: "JPN" },
    ]
    for (const [at, form] of forms.entries()) {
      git("switch", "--quiet", "--create", `claim/${at}`, "main")
      Result.getOrThrow(add(form))
      git("add", "data")
      git("commit", "--quiet", "--message", "Add")
    }
    git("switch", "--quiet", "main")
    for (const at of forms.keys()) git("merge", "--quiet", "--no-edit", `claim/${at}`)
    expect(["BRA", "ARG", "BOL"].map(code => ask(code))).toEqual(["visa_free 60", "visa_free 60", "visa_free 60"])
    expect(Result.getOrThrow(readDataRecords(data())).additions).toHaveLength(4)
  })
})
