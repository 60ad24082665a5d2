import { describe, expect, it } from "vitest"
import { makeCountryFinder } from "../../adapters/knowledge/answers/find-country.ts"
import { LANGUAGES, loadLocalisedFacts } from "../../src/full.ts"
import { embeddedDataset } from "../../src/index.ts"

const dataset = embeddedDataset()
const { facts } = await loadLocalisedFacts(dataset, "en")
const { find, nameOf } = makeCountryFinder(dataset.destinations, facts.alpha2Of)
const codesOf = (text: string) => {
  const match = find(text)
  return match.kind === "found" || match.kind === "two_letters"
    ? match.code
    : match.candidates.map(({ code }) => code).sort()
}

describe("a country's name", () => {
  it("is found in every language, whatever its case and accents", () => {
    for (const text of [
      "France",
      "fra",
      "FRANCE",
      "Francia",
      "Frankreich",
      "フランス",
      "프랑스",
      "法国",
      "Франция",
      "فرنسا",
      "फ़्रांस",
      "ฝรั่งเศส",
      "Pháp",
    ])
      expect(find(text), text).toEqual({ kind: "found", code: "FRA", name: "France" })
    expect(codesOf("cote d'ivoire")).toBe("CIV")
    expect(codesOf("the Gambia")).toBe("GMB")
    expect(codesOf("Holland")).toBe("NLD")
    expect(codesOf("Türkei")).toBe("TUR")
  })

  it("of every destination leads back to it in each language, or names it among others", () => {
    for (const language of LANGUAGES) {
      const names = new Intl.DisplayNames([language], { type: "region" })
      for (const code of dataset.destinations) {
        const alpha2 = facts.alpha2Of(code)
        if (alpha2 === undefined) continue
        const name = names.of(alpha2) ?? code
        const match = find(name)
        if (match.kind === "ambiguous")
          expect(
            match.candidates.map(each => each.code),
            name,
          ).toContain(code)
        else expect(match, name).toMatchObject({ kind: "found", code })
      }
    }
  })

  it("that several countries share is never guessed", () => {
    expect(find("Congo")).toMatchObject({ kind: "ambiguous" })
    expect(codesOf("Congo")).toEqual(["COD", "COG"])
    expect(codesOf("Korea")).toEqual(["KOR", "PRK"])
    expect(codesOf("Saint Martin")).toEqual(["MAF", "SXM"])
    expect(codesOf("Domin")).toEqual(["DMA", "DOM"])
    expect(codesOf("Nga")).toEqual(["NGA", "RUS"])
    expect(codesOf("NGA")).toBe("NGA")
  })

  it("that is one country's own is that country, though others begin alike", () => {
    for (const [name, code] of [
      ["Guinea", "GIN"],
      ["Niger", "NER"],
      ["Dominica", "DMA"],
      ["Sudan", "SDN"],
      ["Samoa", "WSM"],
      ["Ireland", "IRL"],
    ] as const)
      expect(codesOf(name), name).toBe(code)
  })

  it("of two letters is refused with the three that are meant", () => {
    expect(find("FR")).toEqual({ kind: "two_letters", code: "FRA", name: "France" })
    expect(find("uk")).toMatchObject({ kind: "two_letters", code: "GBR" })
    expect(find("zz")).toEqual({ kind: "unknown", candidates: [] })
  })

  it("that is misspelt is answered with what it is most like, and nothing with nothing", () => {
    expect(find("Frnace")).toEqual({ kind: "unknown", candidates: [{ code: "FRA", name: "France" }] })
    expect(find("Cayman")).toMatchObject({ kind: "unknown", candidates: [{ code: "CYM" }] })
    for (const text of ["", " ", "?", "constructor", "__proto__", "x".repeat(10_000)]) {
      expect(find(text), text).toEqual({ kind: "unknown", candidates: [] })
    }
  })

  it("is given in English", () => {
    expect(nameOf("DEU")).toBe("Germany")
    expect(nameOf("ZZZ")).toBe("ZZZ")
  })
})
