import { describe, expect, it, vi } from "vitest"
import { isLanguage, LANGUAGES, loadFullFacts, loadLocale, openLocale } from "../../src/full.ts"
import { catalogue } from "../../src/record/catalogue-en.generated.ts"

describe("isLanguage", () => {
  it("accepts the codes of the list only", () => {
    for (const language of LANGUAGES) expect(isLanguage(language)).toBe(true)
    for (const other of ["EN", "fil", "en-GB", "", "xx", null, 1, ["en"]]) expect(isLanguage(other)).toBe(false)
  })
})

describe("a locale", () => {
  it.each([
    ["en", "Germany"],
    ["fr", "Allemagne"],
    ["ja", "ドイツ"],
    ["ar", "ألمانيا"],
    ["th", "เยอรมนี"],
  ] as const)("names countries in %s like the runtime", async (language, name) => {
    expect((await loadLocale(language)).nameCountry("DEU")).toBe(name)
  })

  it("names Kosovo, whose code no standard has", async () => {
    expect((await loadLocale("en")).nameCountry("XKX")).toBe("Kosovo")
  })

  it("names all 250 destinations in all languages", async () => {
    const { codes } = await import("../../src/record/facts.generated.ts").then(module => module.factParts)
    for (const language of LANGUAGES) {
      const locale = await loadLocale(language)
      for (let at = 0; at < codes.length; at += 5) {
        const code = codes.slice(at, at + 3)
        expect(locale.nameCountry(code), `${language} ${code}`).not.toBe(code)
      }
    }
  })

  it("shows the code of a country that it cannot name", async () => {
    expect((await loadLocale("en")).nameCountry("ZZZ")).toBe("ZZZ")
  })

  it("is refused with its name if the list has no such code", async () => {
    await expect(loadLocale("xx" as "en")).rejects.toThrow(
      new RangeError(`"xx" is not one of ${LANGUAGES.join(", ")}.`),
    )
    await expect(loadLocale("constructor" as "en")).rejects.toThrow(RangeError)
  })

  it("shows codes if the runtime has no names", async () => {
    const { alpha2Of } = await loadFullFacts()
    vi.stubGlobal("Intl", { ...Intl, PluralRules: Intl.PluralRules, DisplayNames: undefined })
    try {
      const locale = openLocale("en", catalogue, alpha2Of)
      expect([locale.nameCountry("DEU"), locale.nameLanguage("de"), locale.nameCurrency("EUR")]).toEqual([
        "DEU",
        "de",
        "EUR",
      ])
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it("writes amounts, spans and days in the digits and order of the language", async () => {
    const write = async (language: (typeof LANGUAGES)[number]) => {
      const { formatValue } = await loadLocale(language)
      return [
        formatValue({ money: { amount: 30_000, currency: "EUR" } }),
        formatValue({ money: { amount: 67.5, currency: "EUR" } }),
        formatValue({ days: 90 }),
        formatValue({ months: 6 }),
        formatValue({ on: "2026-08-21" }),
      ].map(text => text.replaceAll(/[\u00a0\u202f]/g, " "))
    }
    expect(await write("en")).toEqual(["€30,000", "€67.50", "90 days", "6 months", "August 21, 2026"])
    expect(await write("de")).toEqual(["30.000 €", "67,50 €", "90 Tage", "6 Monate", "21. August 2026"])
    expect(await write("ru")).toEqual(["30 000 €", "67,50 €", "90 дней", "6 месяцев", "21 августа 2026 г."])
    expect(await write("ja")).toEqual(["€30,000", "€67.50", "90日", "6か月", "2026年8月21日"])
  })

  it("writes a day as that day, whatever the time zone of the machine", async () => {
    const { formatValue } = await loadLocale("en")
    expect(formatValue({ on: "2026-01-01" })).toBe("January 1, 2026")
  })

  it("chooses a plural form by the number that the message counts, whatever numbers are before it", async () => {
    const { say } = await loadLocale("en")
    const values = { months: 12, name: { name: "NZTD" }, url: "https://x.example", days: 1 }
    expect(say({ key: "process.arrival_form_days_at", values })).toContain("1 day before")
    expect(say({ key: "process.arrival_form_days_at", values: { ...values, months: 1, days: 3 } })).toContain("3 days")
  })

  it("leaves a placeholder without a value empty and never throws", async () => {
    const { say } = await loadLocale("en")
    expect(say({ key: "description.visa_free" })).toBe(": no visa is needed.")
    expect(say({ key: "process.leave_in_time" })).toBe("Leave within  days.")
  })
})
