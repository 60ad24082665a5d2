import { describe, expect, it } from "vitest"
import { run } from "./run.ts"

describe("countries on the command line", () => {
  it("are taken by their names in any language, as by their codes", async () => {
    const { stdout } = await run("check", "FRA", "JPN")
    expect((await run("check", "france", "Japan")).stdout).toBe(stdout)
    expect((await run("check", "Frankreich", "日本")).stdout).toBe(stdout)
    const group = await run("group", "FRA,IND", "--json")
    expect((await run("group", "France,Inde", "--json")).stdout).toBe(group.stdout)
    for (const [command, code, name] of [
      ["score", "JPN", "japan"],
      ["entrants", "JPN", "Japon"],
      ["best", "USA,DEU", "america,Deutschland"],
    ] as const) {
      expect((await run(command, name)).stdout).toBe((await run(command, code)).stdout)
    }
  })

  it("that may be several are asked back, and end with 2", async () => {
    const several = await run("check", "congo", "FRA")
    expect(several).toMatchObject({ status: 2, stdout: "" })
    expect(several.stderr).toContain('"congo" may mean COG (Congo - Brazzaville), COD (Congo - Kinshasa).')
    const near = await run("visa", "FRA", "Japna")
    expect(near).toMatchObject({ status: 2, stdout: "" })
    expect(near.stderr).toMatch(/no country is called "Japna"; is .*JPN \(Japan\).* meant\?/)
    const letters = await run("explain", "FR", "JPN")
    expect(letters.status).toBe(2)
    expect(letters.stderr).toContain('"FR" has two letters; the code of France is FRA.')
  })

  it("are found by a part of a name", async () => {
    const { stdout } = await run("find", "guinea", "--json")
    const { countries } = JSON.parse(stdout) as { countries: readonly { readonly code: string }[] }
    expect(countries.map(({ code }) => code)).toEqual(["GIN", "GNQ", "GNB", "PNG"])
    expect((await run("find", "guinea")).stdout).toContain("Papua New Guinea")
    expect(JSON.parse((await run("find", "KOR", "--json")).stdout).countries[0]).toEqual({
      code: "KOR",
      name: "South Korea",
    })
    expect(await run("find", "qqqq")).toMatchObject({ status: 1, stdout: "" })
  })
})
