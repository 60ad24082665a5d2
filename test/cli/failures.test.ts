import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { explainMissingModule } from "../../adapters/cli/failure.ts"
import { run, runCli } from "./run.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-failures-"))
  writeFileSync(join(folder, "broken.json"), "[")
  writeFileSync(
    join(folder, "unknown.json"),
    JSON.stringify([{ destination: "FRX", from: "2026-01-01", to: "2026-01-02" }]),
  )
  writeFileSync(
    join(folder, "trip.json"),
    JSON.stringify({ passport: "ZZZ", stops: [{ destination: "FRA", from: "2026-12-01", to: "2026-12-02" }] }),
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const KEYS = ["code", "message", "field", "given", "expected", "did_you_mean", "usage", "exit_code"]

async function fail(...args: readonly string[]) {
  const { status, stdout, stderr } = await runCli([...args, "--json"], { cwd: folder })
  const { error, ...rest } = JSON.parse(stdout)
  expect([Object.keys(error), rest, stderr, error.exit_code]).toEqual([KEYS, {}, "", status])
  return error
}

describe("a failure with --json", () => {
  it.each<[string, readonly string[], object]>([
    [
      "an argument is missing",
      ["check", "FRA"],
      {
        code: "missing_argument",
        field: "destination",
        exit_code: 2,
        usage: expect.stringContaining("landfall check"),
      },
    ],
    ["an argument is too many", ["rank", "FRA"], { code: "unexpected_argument", given: "FRA", exit_code: 2 }],
    [
      "a flag does not exist",
      ["check", "FRA", "JPN", "--lnag", "fr"],
      { code: "unknown_flag", given: "--lnag", did_you_mean: ["--lang"] },
    ],
    [
      "a command does not exist",
      ["chekc"],
      { code: "unknown_command", given: "chekc", did_you_mean: ["check"], exit_code: 2 },
    ],
    ["a subcommand does not exist", ["dataset", "burn"], { code: "unknown_command", given: "burn", exit_code: 2 }],
    [
      "a flag is missing",
      ["account", "create", "--name", "Ada"],
      { code: "missing_flag", field: "--email", exit_code: 2 },
    ],
    [
      "a number is invalid",
      ["stays", "broken.json", "--days", "many"],
      { code: "invalid_value", field: "--days", given: "many", exit_code: 2 },
    ],
    [
      "a day is invalid",
      ["check", "FRA", "JPN", "--on", "2026-02-30"],
      {
        code: "invalid_value",
        field: "--on",
        given: "2026-02-30",
        expected: "a calendar date YYYY-MM-DD from 1900 to 2199",
        exit_code: 2,
      },
    ],
    [
      "a language is unknown",
      ["rank", "--lang", "xx"],
      {
        code: "invalid_value",
        field: "--lang",
        given: "xx",
        expected: expect.stringContaining("one of fr, en"),
        exit_code: 2,
      },
    ],
    [
      "a name may be several countries",
      ["check", "FRA", "congo"],
      {
        code: "ambiguous_country",
        field: "destination",
        given: "congo",
        did_you_mean: [
          { code: "COG", name: "Congo - Brazzaville" },
          { code: "COD", name: "Congo - Kinshasa" },
        ],
        exit_code: 2,
      },
    ],
    [
      "two letters are given",
      ["score", "FR"],
      { code: "unknown_country", field: "passport", did_you_mean: [{ code: "FRA", name: "France" }], exit_code: 2 },
    ],
    ["a dataset has no record", ["check", "FRA", "ATA"], { code: "no_record", usage: null, exit_code: 1 }],
    ["a country does not exist", ["find", "qqqq"], { code: "not_found", field: "text", given: "qqqq", exit_code: 1 }],
    ["a file does not exist", ["dataset", "verify", "none.landfall"], { code: "failed", exit_code: 1 }],
    ["a file is not valid JSON", ["itinerary", "broken.json"], { code: "invalid_value", exit_code: 2 }],
    [
      "a flag excludes another",
      ["key", "create", "1", "--team", "Bookings", "--replace"],
      { code: "invalid_value", exit_code: 2 },
    ],
    ["none of three flags is given", ["watch", "FRA"], { code: "invalid_value", exit_code: 2 }],
  ])("is one record on stdout if %s", async (_, args, expected) => {
    expect(await fail(...args)).toMatchObject(expected)
  })

  it.each([
    ["check", ["check", "ZZZ", "JPN"]],
    ["visa", ["visa", "ZZZ", "JPN"]],
    ["explain", ["explain", "ZZZ", "JPN"]],
    ["group", ["group", "FRA,ZZZ"]],
    ["best", ["best", "ZZZ"]],
    ["entrants", ["entrants", "ZZZ"]],
    ["score", ["score", "ZZZ"]],
    ["compare", ["compare", "JPN", "ZZZ"]],
    ["history", ["history", "ZZZ", "JPN"]],
    ["watch", ["watch", "ZZZ", "--since", "2026-01-01"]],
    ["stays", ["stays", "unknown.json"]],
    ["itinerary", ["itinerary", "trip.json"]],
  ])("is the same for an unknown code in landfall %s: exit code 2 and the code", async (_, args) => {
    const error = await fail(...args)
    expect(error).toMatchObject({ code: "unknown_country", exit_code: 2, field: expect.any(String) })
    expect(error.message).toContain(`no country has the code ${error.given}`)
  })

  it("leaves only the report of a batch on stdout, and writes the failure to stderr", async () => {
    const { status, stdout, stderr } = await runCli(["batch", "broken.json", "-o", "out.ndjson", "--json"], {
      cwd: folder,
    })
    expect([status, JSON.parse(stdout).failed]).toEqual([1, 1])
    expect(stderr).toContain("1 of 1 lines failed")
  })

  it("escapes control characters of the input on a terminal", async () => {
    const { stderr } = await run("check", "\u001b[2J\u0007", "JPN")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them.
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })
})

describe("a runtime without a module of Node's", () => {
  it.each([
    ["No such built-in module: node:sqlite", "node:sqlite"],
    ["Cannot find package 'node:worker_threads' imported from landfall", "node:worker_threads"],
  ])("is reported in a sentence: %s", (message, name) => {
    expect(explainMissingModule(new Error(message))).toBe(
      `this needs ${name}, which this runtime does not have. Node has it from 22.20 on, and newer versions of Bun and Deno do.`,
    )
  })

  it("is not reported for any other error", () => {
    expect(explainMissingModule(new TypeError("x is not a function"))).toBeNull()
    expect(explainMissingModule("node:sqlite")).toBeNull()
  })
})

describe("exit codes", () => {
  it("stand in the help of every command", async () => {
    for (const args of [["--help"], ["check", "--help"], ["dataset", "info", "--help"]]) {
      expect((await run(...args)).stdout).toMatch(
        /EXIT CODES\n {2}0 {2}done\n {2}1 {2}failed.*\n {2}2 {2}called wrongly/,
      )
    }
  })
})

describe("help and settings", () => {
  it("answers `help COMMAND` as `COMMAND --help`, without the flags of the parser alone", async () => {
    const helped = await run("help", "check")
    expect(helped).toEqual(await run("check", "--help"))
    expect(helped.stdout).not.toMatch(/--wizard|--log-level/)
    for (const args of [["help"], ["help", "--help"], ["help", "-h"], ["help", "help"]]) {
      expect(await run(...args)).toEqual(await run("--help"))
    }
    expect(await run("help", "dataset", "info", "--help")).toEqual(await run("dataset", "info", "--help"))
  })

  it.each([
    [["help", "chek"], ["chek"]],
    [["chek", "--help"], ["chek"]],
    [
      ["help", "dataset", "inof"],
      ["dataset", "inof"],
    ],
    [
      ["dataset", "inof", "-h"],
      ["dataset", "inof"],
    ],
    [
      ["help", "dataset", "constructor"],
      ["dataset", "constructor"],
    ],
  ])("refuses %s as it refuses the command alone", async (args, alone) => {
    const refused = await run(...args)
    expect(refused).toMatchObject({ status: 2, stdout: "" })
    expect(refused).toEqual(await run(...alone))
  })

  it("names the dataset's first day for an earlier day", async () => {
    expect((await run("visa", "FRA", "JPN", "--on", "1990-01-01")).stderr).toContain(
      "FRA to JPN: The dataset records nothing for days before its first, 2026-02-17.",
    )
  })

  it.each([
    [["--port", "none"], {}, '--port: "none" was given; allowed is a whole number from 0 to 65535.'],
    [["--processes", "0"], {}, '--processes: "0" was given; allowed is a whole number from 1 to 256, or auto.'],
    [[], { PORT: "none" }, 'PORT: "none" was given; allowed is a whole number from 0 to 65535.'],
  ])("names the flag or variable of a refused setting: serve %j %j", async (flags, env, message) => {
    const { status, stderr } = await runCli(["serve", ...flags], { env })
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(message) })
  })
})
