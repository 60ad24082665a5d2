import { describe, expect, it } from "vitest"
import { answerAtOnce } from "../../adapters/cli/direct.ts"
import type { Screen } from "../../adapters/cli/print.ts"
import { run, runCli } from "./run.ts"

const answer = (args: readonly string[], screen?: Screen) =>
  answerAtOnce(
    args,
    { isTTY: screen !== undefined && screen.columns !== null, columns: screen?.columns ?? undefined },
    screen?.hasColours === true ? { FORCE_COLOR: "1" } : { TERM: "dumb" },
  )

describe("what is answered before the command line is loaded", () => {
  it.each([
    [["--version"]],
    [["-v"]],
    [["check", "FRA", "JPN"]],
    [["check", "FRA", "JPN", "--json"]],
    [["check", "--on", "2026-12-24", "IND", "GBR"]],
    [["check", "--on=2026-12-24", "french", "Japan", "--json"]],
    [["check", "MLI", "GHA"]],
    [["check", "GBR", "SJM"]],
    [["check", "--no-color", "LCA", "GBR"]],
    [["find", "guinea"]],
    [["find", "Côte d'Ivoire"]],
    [["find", "dominican", "--json"]],
  ])("is the same as the answer of the whole command line: %j", async args => {
    expect(await run(...args)).toEqual({ status: 0, stdout: `${await answer(args)}\n`, stderr: "" })
  })

  it.each([[{ columns: 80, hasColours: false }], [{ columns: 40, hasColours: true }]])(
    "is the same on a terminal: %j",
    async screen => {
      for (const args of [
        ["check", "GBR", "SJM"],
        ["find", "guinea"],
      ]) {
        expect((await runCli(args, { screen })).stdout).toBe(`${await answer(args, screen)}\n`)
      }
    },
  )

  it.each([
    [[]],
    [["check"]],
    [["check", "FRA"]],
    [["check", "FRA", "JPN", "IND"]],
    [["check", "FRA", "ZZZ"]],
    [["check", "FRA", "congo"]],
    [["check", "FRA", "ATA"]],
    [["check", "FRA", "JPN", "--on", "2026-02-30"]],
    [["check", "FRA", "JPN", "--on"]],
    [["check", "FRA", "JPN", "--json", "--json"]],
    [["check", "FRA", "JPN", "--json=no"]],
    [["check", "FRA", "JPN", "--lang", "ja"]],
    [["check", "FRA", "JPN", "--help"]],
    [["find", "qqqq"]],
    [["find", "guinea", "--on", "2026-12-24"]],
    [["--version", "check"]],
    [["rank"]],
  ])("is left to the whole command line if a call is rare or wrong: %j", async args => {
    expect(await answer(args)).toBeNull()
  })
})
