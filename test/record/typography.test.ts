import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { completeEnglish } from "../../adapters/data-files/full-read.ts"
import { listMessages } from "../../src/compiler.ts"
import { assembleFullRecord, type Catalogue, LANGUAGES, type Language, renderMarkdown } from "../../src/full.ts"
import type { Phrase } from "../../src/record/localise.ts"
import { openFacts, recordOf } from "./localised-facts.ts"

type Line = readonly [field: string, text: string]

const readCatalogue = (language: Language) => JSON.parse(readFileSync(`data/locales/${language}.json`, "utf8"))

const catalogues = new Map(
  LANGUAGES.map(language => {
    const catalogue = readCatalogue(language)
    return [language, (language === "en" ? completeEnglish(catalogue) : catalogue) as Catalogue]
  }),
)

function catalogueOf(language: Language): Catalogue {
  const catalogue = catalogues.get(language)
  if (catalogue === undefined) throw new Error(`${language} has no catalogue`)
  return catalogue
}

/** A text without the kinds of its values, its tests and its brackets. */
const showPlain = (text: string) => text.replace(/\{\w+(\?|=\w+)\}|[[\]]/g, "").replace(/\{>?(\w+)[^{}]*\}/g, "{$1}")

/** Every text of a language, plural forms one by one. */
function linesOf(language: Language): Line[] {
  return Object.entries(catalogueOf(language)).flatMap(([key, template]) =>
    typeof template === "string"
      ? [[key, showPlain(template)] as Line]
      : Object.entries(template).map(([form, text]): Line => [`${key}.${form}`, text as string]),
  )
}

function offenders(language: Language, wrong: RegExp): Line[] {
  return linesOf(language).filter(([, text]) => wrong.test(text))
}

// What ends a sentence; Thai ends it with a blank.
const STOPS: Partial<Record<Language, string>> = { ja: "。", zh: "。", hi: "।", th: "" }

describe("the sentences of a catalogue", () => {
  it.each(LANGUAGES)("have single blanks, no blank at a bracket and no dots for an ellipsis in %s", language => {
    expect(offenders(language, /\s{2}|\.\.|…|\(\s|\s\)|\t|\n/)).toEqual([])
    expect(offenders(language, language === "fr" ? / [,.]/ : /\s[,.;:!?、，。：；،؛؟।]/)).toEqual([])
  })

  it.each(LANGUAGES)("end in %s as the English ones do: a sentence with its stop, a heading without", language => {
    const stop = STOPS[language] ?? "."
    const unlike = linesOf(language).filter(([field, text]) => {
      const english = catalogueOf("en")[field.split(".").slice(0, 2).join(".") as keyof Catalogue]
      const isSentence = showPlain(typeof english === "string" ? english : english.other).endsWith(".")
      const ends = /[.。।]$/.test(text.replace(/มม\.$/, "มม"))
      return stop === "" ? ends : isSentence !== ends || (ends && !text.endsWith(stop))
    })
    expect(unlike).toEqual([])
  })

  it("put a no-break blank before the colon and a narrow one before the semicolon in French", () => {
    expect(offenders("fr", /(?<!\u00a0):|(?<!\u202f)[;!?]|'/)).toEqual([])
  })

  it.each(["de", "it", "es", "pt"] as const)("use no typewriter quotes in %s", language => {
    expect(offenders(language, /['"]/)).toEqual([])
  })

  it.each(["ja", "zh"] as const)("use wide marks and no blanks between letters in %s", language => {
    const letter = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]"
    expect(offenders(language, /[,;:!?()]/)).toEqual([])
    expect(offenders(language, new RegExp(`${letter} ${letter}|${letter} \\{|\\} ${letter}`, "u"))).toEqual([])
  })

  it("use the Arabic comma, semicolon and question mark in Arabic", () => {
    expect(offenders("ar", /[,;?]/)).toEqual([])
  })

  it("use the danda and no full stop in Hindi", () => {
    expect(offenders("hi", /\./)).toEqual([])
  })

  it("mix no Latin letter into a Russian word", () => {
    expect(offenders("ru", /[а-яё][a-z]|[a-z][а-яё]/i)).toEqual([])
  })

  it.each(LANGUAGES)("name a country in %s only beside a colon, where it is not inflected", language => {
    const named = /\{(country|countries|destination|passport)\}/
    const unlike = linesOf(language)
      // English has no cases, and names countries inside a sentence about an issue.
      .filter(([key, text]) => named.test(text) && !(language === "en" && key.startsWith("issue.")))
      .filter(
        ([, text]) =>
          !/(^|\|)\{destination\}[\u00a0]?[:：]|[:：]\s?\{(country|countries|destination|passport)\}/.test(text),
      )
    expect(unlike).toEqual([])
  })

  it.each(LANGUAGES)("show the number in %s wherever a form holds for more than one number", language => {
    const rules = new Intl.PluralRules(language)
    const counts = new Map<string, number>()
    for (let number = 0; number <= 200; number++) {
      const category = rules.select(number)
      counts.set(category, (counts.get(category) ?? 0) + 1)
    }
    const silent: string[] = []
    for (const [key, placeholders] of Object.entries(listMessages())) {
      const counted = placeholders.find(name => name.startsWith("#"))
      const forms = catalogueOf(language)[key as keyof Catalogue]
      if (counted === undefined || typeof forms === "string") continue
      for (const [category, text] of Object.entries(forms)) {
        if ((counts.get(category) ?? 2) > 1 && !text.includes(`{${counted.slice(1)}}`))
          silent.push(`${key}.${category}`)
      }
    }
    expect(silent).toEqual([])
  })

  it.each(LANGUAGES)("tell leaving home from leaving the destination in %s", language => {
    const catalogue = catalogueOf(language)
    const ends = (["arrival", "departure"] as const).map(anchor => {
      const template = catalogue[`documents.passport_after_${anchor}`]
      return typeof template === "string" ? template : template.other
    })
    expect(new Set(ends).size).toBe(2)
    expect(catalogue["documents.visa"]).not.toBe(ends[1])
  })
})

describe("a sentence with a value in it", () => {
  const day = (on: string) => ({ date: { on } })
  it.each<readonly [Language, Phrase, string]>([
    // In Italian an article would be elided before the eighth and the eleventh only.
    ["it", { key: "label.verified_on", values: day("2026-08-08") }, "Confermato nella fonte in data 8 agosto 2026"],
    ["it", { key: "label.as_of", values: day("2022-11-11") }, "data di riferimento: 11 novembre 2022"],
    ["fr", { key: "label.as_of", values: day("2026-08-01") }, "état au 1er août 2026"],
    ["fr", { key: "label.as_of", values: day("2026-08-11") }, "état au 11 août 2026"],
    ["it", { key: "label.as_of", values: day("2026-08-01") }, "data di riferimento: 1º agosto 2026"],
    ["pt", { key: "label.verified_on", values: day("2026-08-01") }, "Confirmado na fonte em 1º de agosto de 2026"],
    ["vi", { key: "label.as_of", values: day("2022-11-16") }, "tính đến ngày 16 tháng 11 năm 2022"],
    ["th", { key: "label.as_of", values: day("2022-11-16") }, "ข้อมูล ณ วันที่ 16 พฤศจิกายน ค.ศ. 2022"],
    [
      "ru",
      { key: "process.wait_days", values: { days: 21 } },
      "Дождитесь решения. Обычно рассмотрение занимает не более 21 дня.",
    ],
    [
      "ru",
      { key: "process.wait_days", values: { days: 15 } },
      "Дождитесь решения. Обычно рассмотрение занимает не более 15 дней.",
    ],
    [
      "ru",
      { key: "tips.passport_issued_within", values: { years: 10 } },
      "Паспорт должен быть выдан не раньше чем 10 лет назад.",
    ],
    [
      "de",
      { key: "tips.passport_issued_within", values: { years: 10 } },
      "Der Reisepass muss innerhalb der letzten 10 Jahre ausgestellt worden sein.",
    ],
    [
      "de",
      { key: "overstay.ban_after", values: { overstay: { days: 90 }, duration: { years: 1 } } },
      "Überschreitung um mehr als 90 Tage: Einreiseverbot für 1 Jahr.",
    ],
    [
      "fr",
      { key: "overstay.ban_after", values: { overstay: { days: 90 }, duration: { years: 1 } } },
      "Dépassement de plus de 90 jours\u00a0: interdiction d’entrée, 1 an.",
    ],
    [
      "es",
      { key: "overstay.ban_after", values: { overstay: { years: 1 }, duration: { years: 3 } } },
      "Exceso de más de 1 año: prohibición de entrada, 3 años.",
    ],
    [
      "hi",
      { key: "overstay.ban_after", values: { overstay: { days: 90 }, duration: { years: 1 } } },
      "90 दिन से अधिक समय तक अतिरिक्त ठहरना: प्रवेश प्रतिबंध, 1 वर्ष।",
    ],
    [
      "ja",
      { key: "overstay.ban_after", values: { overstay: { days: 30 }, duration: { years: 1 } } },
      "30日を超える超過滞在：1年の入国禁止。",
    ],
    [
      "zh",
      { key: "overstay.ban_after", values: { overstay: { days: 30 }, duration: { years: 1 } } },
      "超期停留超过30天：禁止入境1年。",
    ],
    [
      "ko",
      { key: "description.visa_free_days", values: { destination: { country: "JPN" }, days: 90 } },
      "일본: 최대 90일간 체류하는 경우 비자가 필요 없습니다.",
    ],
    ["pt", { key: "apply.earliest", values: { months: 6 } }, "Faça a solicitação no máximo 6 meses antes da viagem."],
    ["tl", { key: "process.leave_in_time", values: { days: 30 } }, "Umalis sa destinasyon sa loob ng 30 araw."],
    [
      "fr",
      { key: "tips.rolling_window", values: { duration: { days: 90 }, window: { days: 180 } } },
      "Les États Schengen partagent une même durée de séjour. Séjour autorisé le plus long\u00a0: 90 jours\u202f; période de calcul\u00a0: 180 jours. Les séjours dans tous ces États s’additionnent.",
    ],
  ])("is right in %s: %j", async (language, phrase, expected) => {
    const written = (await openFacts(language)).locale.say(phrase)
    // The runtime may put a no-break blank between a number and its unit.
    expect(written.replaceAll(/(\d)\u00a0/g, "$1 ")).toBe(expected)
  })
})

describe("a page", () => {
  it.each(["ja", "zh"] as const)("has no narrow bracket, comma or colon of its own in %s", async language => {
    const localised = await openFacts(language)
    const letter = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]"
    const narrow = new RegExp(`${letter}\\** ?[(),:]|[(),:] ?\\**${letter}`, "gu")
    for (const [passport, destination] of [
      ["IND", "DEU"],
      ["USA", "ARE"],
      ["FRA", "THA"],
      ["USA", "AUS"],
    ] as const) {
      const page = renderMarkdown(recordOf(localised, passport, destination), localised.locale)
      // The runtime's own names of countries and currencies may have brackets.
      const own = page.replaceAll(/\([\p{Script=Katakana}ー]+\)/gu, "").replaceAll(/\]\(<[^>]*>\)/g, "]")
      expect(own.match(narrow) ?? []).toEqual([])
    }
  })

  it("sets every name in Latin letters apart from the direction of an Arabic page", async () => {
    const localised = await openFacts("ar")
    for (const [passport, destination] of [
      ["IND", "DEU"],
      ["USA", "ARE"],
      ["FRA", "THA"],
      ["IND", "KEN"],
    ] as const) {
      const page = renderMarkdown(recordOf(localised, passport, destination), localised.locale)
      const bare = page.replaceAll(/\u2068[^\u2068\u2069]*\u2069|\(<[^>]*>\)/g, "")
      expect(bare.match(/[A-Za-z]+/g)?.filter(word => !["ETA", "EES", "ETIAS", "C", "D"].includes(word)) ?? []).toEqual(
        [],
      )
      expect(page.split("\u2068").length).toBe(page.split("\u2069").length)
      expect(bare).not.toContain(", ")
    }
    const missions = renderMarkdown(recordOf(localised, "USA", "ARE"), localised.locale)
    expect(missions).toContain("\u2068\\+1 202 243 2400\u2069")
  })

  it("says from which age a certificate is asked for where that is known, and names none where it is not", async () => {
    const localised = await openFacts("en")
    const asked = new Set<string>()
    for (const destination of localised.dataset.destinations) {
      const record = assembleFullRecord(localised, "FRA", destination)
      for (const sentence of record?.vaccinations_required ?? []) asked.add(sentence)
    }
    expect(asked.size).toBeGreaterThan(1)
    for (const sentence of asked) expect(sentence).toMatch(/from the age of [1-9]\d* months|^[^\d{}]+$/)
  })
})
