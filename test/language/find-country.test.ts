import { describe, expect, it } from "vitest"
import { LANGUAGES, loadLocalisedFacts, loadPlaceWords, makeCountryFinder } from "../../src/full.ts"
import { embeddedDataset } from "../../src/index.ts"

const dataset = embeddedDataset()
const { facts } = await loadLocalisedFacts(dataset, "en")
const words = await loadPlaceWords()
const { find, nameOf, search } = makeCountryFinder(dataset.destinations, facts.alpha2Of, { words })
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
    for (const text of ["", " ", "?", "constructor", "x".repeat(10_000)]) {
      expect(find(text), text).toEqual({ kind: "unknown", candidates: [] })
    }
  })

  it("is given in English", () => {
    expect(nameOf("DEU")).toBe("Germany")
    expect(nameOf("ZZZ")).toBe("ZZZ")
  })
})

describe("a search", () => {
  const firstOf = (text: string) => search(text)[0]?.code

  it("puts first the country that a short form, another name, a people or a code means", () => {
    for (const [text, code] of [
      ["UK", "GBR"],
      ["uk", "GBR"],
      ["USA", "USA"],
      ["us", "USA"],
      ["UAE", "ARE"],
      ["uae", "ARE"],
      ["Holland", "NLD"],
      ["Ivory Coast", "CIV"],
      ["Macau", "MAC"],
      ["indian", "IND"],
      ["British", "GBR"],
      ["米国", "USA"],
      ["インド", "IND"],
      ["Индия", "IND"],
      ["ger", "DEU"],
      ["Korea", "KOR"],
      ["in", "IND"],
      ["日", "JPN"],
    ] as const)
      expect([text, firstOf(text)]).toEqual([text, code])
  })

  it("finds cities, regions and airports by name or code, and says which one it was", () => {
    for (const [text, code, via] of [
      ["Bali", "IDN", "Bali"],
      ["バリ", "IDN", "バリ"],
      ["Dubai", "ARE", "Dubai"],
      ["دبي", "ARE", "دبي"],
      ["DXB", "ARE", "DXB Dubai"],
      ["dxb", "ARE", "DXB Dubai"],
      ["heathrow", "GBR", "London Heathrow"],
      ["Phuket", "THA", "Phuket"],
      ["Zanzibar", "TZA", "Zanzibar"],
      ["Cancún", "MEX", "Cancun"],
    ] as const)
      expect([text, search(text)[0]]).toEqual([text, { code, name: nameOf(code), via }])
    expect(search("CAN").map(({ code }) => code)).toEqual(expect.arrayContaining(["CAN", "CHN"]))
    expect(firstOf("CAN")).toBe("CAN")
  })

  it("forgives slips, also in the beginning of a name", () => {
    for (const [text, code] of [
      ["Tailand", "THA"],
      ["Phillipines", "PHL"],
      ["Gemrany", "DEU"],
      ["Columbia", "COL"],
      ["Untied Kin", "GBR"],
      ["Indnesia", "IDN"],
      ["Morroco", "MAR"],
      ["Dubia", "ARE"],
      ["Bangkokk", "THA"],
      ["Allemange", "DEU"],
      ["Египпет", "EGY"],
    ] as const)
      expect([text, firstOf(text)]).toEqual([text, code])
  })

  it("finds every country first by its English name, and nothing for nothing", () => {
    const others = dataset.destinations.filter(code => firstOf(nameOf(code)) !== code)
    expect(others).toEqual([])
    for (const text of ["", " ", "?", "qqqq", "x".repeat(10_000)]) expect(search(text), text).toEqual([])
  })

  it("puts names in the reader's language before those of the others", () => {
    const french = makeCountryFinder(dataset.destinations, facts.alpha2Of, { words, language: "fr" })
    expect(
      french
        .search("al")
        .map(({ code }) => code)
        .slice(0, 4),
    ).toContain("DEU")
    expect(search("all").map(({ code }) => code)).toContain("DEU")
    expect(french.search("mal")[0]?.code).not.toBe("MYS")
  })
})

describe("a place's name", () => {
  it("means its country where only one has it, and every one of several is named", () => {
    expect(find("Dubai")).toEqual({ kind: "found", code: "ARE", name: "United Arab Emirates" })
    expect(find("バリ")).toMatchObject({ kind: "found", code: "IDN" })
    expect(codesOf("London")).toEqual(["CAN", "GBR"])
    // A country's own name counts before a place.
    expect(find("Georgia")).toMatchObject({ kind: "found", code: "GEO" })
  })

  it("is not taken for sure from three letters, which may be a slip in a country's code", () => {
    expect(find("DXB")).toMatchObject({ kind: "unknown", candidates: [{ code: "ARE" }] })
    // An airport of French Polynesia, or a slip in MLT.
    expect(find("MVT").kind).toBe("unknown")
  })
})
