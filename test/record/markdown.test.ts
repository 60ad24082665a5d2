import { readFileSync } from "node:fs"
import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import {
  buildCheckRecord,
  type FullRecord,
  gateRecord,
  LANGUAGES,
  type LocalisedFacts,
  loadLocalisedFacts,
  renderCheckMarkdown,
  renderMarkdown,
} from "../../src/full.ts"
import { embeddedDataset } from "../../src/index.ts"
import { escapeText, linkText, writeLink } from "../../src/record/page-writer.ts"
import { openFrozenFacts, recordOf } from "./localised-facts.ts"

describe("renderMarkdown", () => {
  let localised: LocalisedFacts
  beforeAll(async () => {
    localised = await openFrozenFacts()
  })

  it.each(LANGUAGES)("has the day of each list of missions below it: %s", async language => {
    const facts = await openFrozenFacts(language)
    const date = { on: "2022-11-16" }
    const said = facts.locale.say({ key: "label.missions_as_of", values: { date } })
    const page = renderMarkdown(recordOf(facts, "FRA", "JPN"), facts.locale)
    expect(page.split(`*${said}*`)).toHaveLength(3)
  })

  it("writes the page of an Indian in Germany", () => {
    const lines = renderMarkdown(recordOf(localised, "IND", "DEU"), localised.locale).split("\n")
    expect(lines.slice(0, 20)).toEqual([
      "# Passport: India · Destination: Germany",
      "",
      "Germany: a visa is needed. It has to be issued before departure.",
      "",
      "- **Entry requirement**: Visa required",
      "- **Visa needed**: yes",
      "- Not checked individually",
      "",
      "## Documents",
      "",
      "- Passport valid for at least 3 months after leaving the destination",
      "- Visa, issued before departure",
      "- Completed and signed visa application form",
      "- Recent passport photo, 35 × 45 mm",
      "- Proof of the purpose of the journey",
      "- Proof of accommodation, or of sufficient means to pay for it",
      "- Proof of sufficient means for the stay and the journey home",
      "- Proof that you will leave before the visa expires, for example a return booking",
      "- Travel medical insurance with a cover of at least €30,000",
      "",
    ])
    const headings = lines.filter(line => line.startsWith("## ")).map(line => line.slice(3))
    expect(headings).toEqual([
      "Documents",
      "What to do",
      "Types of visa",
      "Extending the stay",
      "Good to know",
      "Validity of the passport",
      "Fee",
      "Processing time",
      "When to apply",
      "Photo",
      "Insurance required",
      "Health",
      "Safety",
      "Transit",
      "Children",
      "Customs",
      "Overstaying",
      "About the destination",
      "Where to apply or ask",
      "Your country's missions there",
      "Sources",
    ])
  })

  it("lists once the fields that the plan does not include, without their values", () => {
    const options = { plan: "free", locale: localised.locale, upgradeUrl: "https://visa.example/pricing" } as const
    const page = renderMarkdown(gateRecord(recordOf(localised, "FRA", "THA"), options), localised.locale)
    expect(page).toContain("**[Available on the starter plan or above](<https://visa.example/pricing>)**: ")
    expect(page).toContain(
      "**[Available on the pro plan or above](<https://visa.example/pricing>)**: Visa for remote work",
    )
    expect(page).toContain("## Good to know")
    expect(page).not.toContain("## Safety")
    expect(page).not.toContain("travel.state.gov")
  })

  it("says that a pair was confirmed, when, and that a treaty is unsettled", () => {
    expect(renderMarkdown(recordOf(localised, "LCA", "GBR"), localised.locale)).toContain(
      "- [Confirmed in the source on August 21, 2026](<https://www.gov.uk/check-uk-visa>)",
    )
    expect(renderMarkdown(recordOf(localised, "MLI", "SEN"), localised.locale)).toContain("- **Legal basis unsettled**")
  })

  it("marks the day of every change as that of a table, not of a law", () => {
    const note = "*Each date is that of the first table that shows the change, not that of a law.*"
    expect(renderMarkdown(recordOf(localised, "FRA", "JPN"), localised.locale)).toContain(
      `- November 6, 2022: Visa required → Visa-free\n\n${note}\n`,
    )
    expect(renderMarkdown(recordOf(localised, "FRA", "FRA"), localised.locale)).not.toContain(note)
  })

  it("lists passports in the alphabetical order of the language", async () => {
    const german = await openFrozenFacts("de")
    expect(renderMarkdown(recordOf(german, "IND", "DEU"), german.locale)).toContain(
      "- **Visum für den Flughafentransit nötig mindestens für Pässe dieser Länder**: Afghanistan, Äthiopien, ",
    )
  })

  it("writes the unit of a photo's size in the language", async () => {
    const russian = await openFrozenFacts("ru")
    expect(renderMarkdown(recordOf(localised, "BRA", "USA"), localised.locale)).toContain("\n- 51 × 51 mm\n")
    expect(renderMarkdown(recordOf(russian, "BRA", "USA"), russian.locale)).toMatch(/\n- 51 × 51\sмм\n/)
  })

  it("escapes markup in every text of a record", () => {
    const record: FullRecord = {
      ...recordOf(localised, "FRA", "JPN"),
      description: "<script>alert(1)</script> **x** [a](javascript:alert(1))",
      documents_required: ["# heading", "- item", "1. item", "![x](http://a.example/x)", "`code`", "a\n\n# b"],
      sources: [
        { name: "](http://evil.example)", url: "javascript:alert(1)", as_of: null, verified_on: null, fields: [] },
      ],
    }
    const page = renderMarkdown(record, localised.locale)
    expect(page).not.toMatch(/(^|[^\\])<script/)
    expect(page).not.toMatch(/(^|[^\\])\*\*x/)
    expect(page).not.toContain("\n# b")
    expect(page).not.toContain("](<javascript")
    expect(page).toContain("- \\# heading\n- \\- item\n- 1\\. item\n- !\\[x\\](")
  })

  it("has the day of the table that an answer comes from", async () => {
    const { retrieved_on: on } = JSON.parse(readFileSync("data/sources.json", "utf8")).find(
      ({ id }: { id: string }) => id === "passport-index",
    )
    const facts = await loadLocalisedFacts(embeddedDataset(), "de")
    const table = facts.locale.say({ key: "label.copied_on", values: { date: { on } } })
    expect(table).toMatch(/^Nicht einzeln nachgeprüft \(Tabelle vom \d+\. \S+ \d{4}\)$/)
    expect(renderMarkdown(recordOf(facts, "IND", "DEU"), facts.locale)).toContain(table)
  })

  it("renders a quick check with a link to the whole record", () => {
    const check = buildCheckRecord(localised, "FRA", "JPN", { upgradeUrl: "https://visa.example/pricing" })
    if (check === null) throw new Error("no record")
    expect(renderCheckMarkdown(check, localised.locale)).toBe(
      [
        "# Passport: France · Destination: Japan",
        "",
        "- **Entry requirement**: Visa-free",
        "- **Permitted stay**: 90 days",
        "- **Visa needed**: no",
        "- Not checked individually",
        "",
        "[The full record holds more: documents, steps, fees, embassies, health and safety.](<https://visa.example/pricing>)",
        "",
        "*Data, not legal advice. What is not listed is not known.*",
        "",
      ].join("\n"),
    )
  })

  it("points from the old to the new rule in the direction of reading", async () => {
    const arabic = await openFrozenFacts("ar")
    expect(renderMarkdown(recordOf(arabic, "FRA", "JPN"), arabic.locale)).toContain("←")
    expect(renderMarkdown(recordOf(localised, "FRA", "JPN"), localised.locale)).toContain("→")
  })
})

describe("escaped text", () => {
  it("has no unescaped markup character, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), text => {
        const escaped = escapeText(text)
        expect(escaped).not.toMatch(/[\r\n]/)
        expect(escaped.replaceAll(/\\./g, "x")).not.toMatch(/[`*_[\]<>|~]|^\s*([-+=#]|\d+[.)])|&#?\w+;/)
      }),
    )
  })

  it("is the text again without its backslashes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), text => {
        expect(escapeText(text).replaceAll(/\\([!-/:-@[-`{-~])/g, "$1")).toBe(text)
      }),
    )
  })

  it("links web addresses only", () => {
    expect(linkText("a_b https://a.example/x_y?z=1 c_d")).toBe("a\\_b <https://a.example/x_y?z=1> c\\_d")
    expect(linkText("javascript:alert(1)")).toBe("javascript:alert(1)")
    expect(linkText("https://a.example/\u0001[x](javascript:alert(1))")).toBe(
      "<https://a.example/>\u0001\\[x\\](javascript:alert(1))",
    )
    expect(writeLink("a", "javascript:alert(1)")).toBe("a")
    expect(writeLink("a", "https://a.example/> <b>")).toBe("a")
    expect(writeLink("a", "/pricing")).toBe("[a](</pricing>)")
    expect(writeLink("a", null)).toBe("a")
  })
})
