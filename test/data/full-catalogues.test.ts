import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { checkCatalogue, completeEnglish, isSentence } from "../../adapters/data-files/full-read.ts"
import { type Catalogue, LANGUAGES, type Language, listMessages } from "../../src/compiler.ts"

const KEYS = Object.keys(listMessages())
const readText = (language: Language) => readFileSync(`data/locales/${language}.json`, "utf8")
const read = (language: Language): Catalogue => {
  const catalogue = JSON.parse(readText(language))
  return (language === "en" ? completeEnglish(catalogue) : catalogue) as Catalogue
}
const english = read("en")
const others = LANGUAGES.filter(language => language !== "en")

const complain = (language: Language, catalogue: unknown): string[] => {
  const complaints: string[] = []
  checkCatalogue(language, catalogue, (field, message) => complaints.push(`${field}: ${message}`))
  return complaints
}

const textsOf = (catalogue: Catalogue): [key: string, text: string][] =>
  Object.entries(catalogue).flatMap(([key, template]) =>
    typeof template === "string"
      ? [[key, template] as [string, string]]
      : Object.values(template).map((text): [string, string] => [key, text]),
  )

// Words that a language shares with English, or writes in Latin letters: names of papers, systems, plans and units.
const SHARED = /\b(ETA|EES|ETIAS|SES|AVE|COVID-19|WHO|Starter|Pro|mm|online|on-line|e-visa|visa|site|transit|C|D)\b/gi
const NON_LATIN: readonly Language[] = ["ja", "ko", "zh", "ru", "ar", "hi", "th"]

const ownWords = (text: string) => text.replaceAll(/\{[^{}]*\}/g, "").replaceAll(SHARED, "")

describe("a catalogue", () => {
  it.each(LANGUAGES)("has every message, every placeholder and every plural form of %s", language => {
    expect(complain(language, read(language))).toEqual([])
  })

  it.each(LANGUAGES)("of %s is written in the order of the messages, byte for byte", language => {
    const catalogue = read(language)
    // The English sentences about issues stand in the engine.
    const keys = KEYS.filter(key => language !== "en" || !isSentence(key))
    const ordered = keys.map(key => [key, catalogue[key as keyof Catalogue]])
    const text = `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`
    expect(readText(language)).toBe(text)
  })

  it.each(NON_LATIN)("of %s leaves no word in Latin letters but names", language => {
    const foreign = textsOf(read(language)).filter(([, text]) => /[a-z]/i.test(ownWords(text)))
    expect(foreign).toEqual([])
  })

  it.each(others)("of %s leaves no sentence in English", language => {
    const ours = read(language)
    const leftovers = textsOf(ours).filter(([, text]) =>
      /\b(the|of|and|with|your|before|from|which|this|must|not|is|you)\b/i.test(ownWords(text)),
    )
    expect(leftovers).toEqual([])
    // A label of one word can be the same in two languages; a sentence cannot.
    const same = KEYS.filter(key => {
      const [mine, theirs] = [ours[key as keyof Catalogue], english[key as keyof Catalogue]]
      return JSON.stringify(mine) === JSON.stringify(theirs) && /\s/.test(ownWords(JSON.stringify(mine)))
    })
    expect(same).toEqual([])
  })

  it.each(LANGUAGES)("of %s has a different text for each requirement and each document", language => {
    const catalogue = read(language)
    for (const group of ["requirement.", "documents.", "mission.", "safety.level_"]) {
      const texts = Object.entries(catalogue).filter(([key]) => key.startsWith(group))
      expect(new Set(texts.map(([, text]) => JSON.stringify(text))).size, group).toBe(texts.length)
    }
  })
})

describe("checkCatalogue", () => {
  it.each([
    ["a list", [], ": an object of messages is expected."],
    ["a message too many", { ...english, "label.other": "x" }, "label.other: no such message is known."],
    [
      "a missing message",
      { ...english, "label.yes": undefined },
      "label.yes: a text without blanks around it is expected.",
    ],
    ["a missing placeholder", { ...english, "tips.portal_only": "Apply." }, "tips.portal_only: {url} is missing."],
    [
      "a placeholder of another message",
      { ...english, "label.yes": "yes {url}" },
      "label.yes: {url} is not a placeholder of this message.",
    ],
    [
      "a plural form that the language lacks",
      { ...english, "process.leave_in_time": { one: "{days}", few: "{days}", other: "{days}" } },
      "process.leave_in_time.few: the language has no such form.",
    ],
    [
      "a missing plural form",
      { ...english, "process.leave_in_time": { other: "{days}" } },
      "process.leave_in_time.one: the plural form is missing.",
    ],
    [
      "one text where forms are needed",
      { ...english, "process.leave_in_time": "{days}" },
      "process.leave_in_time: an object of plural forms is expected.",
    ],
    ["an open brace", { ...english, "label.yes": "yes {" }, "label.yes: a brace is left open."],
    [
      "a sentence about an issue without a parameter of the English one",
      { ...english, "issue.passport_expired": "{passport country}: {expiry date}." },
      "issue.passport_expired: {arrival} is missing.",
    ],
    [
      "a sentence about an issue with a parameter of another one",
      { ...english, "issue.expiry_not_given": "Not given: {expiry date}." },
      "issue.expiry_not_given: {expiry} is not a placeholder of this message.",
    ],
    [
      "an open bracket",
      { ...english, "issue.expiry_not_given": "Not given[." },
      "issue.expiry_not_given: a brace or a bracket is left open, or a part is unknown.",
    ],
    [
      "a sentence about an issue that includes an unknown part",
      { ...english, "issue.expiry_not_given": "Not given{>nobody}." },
      "issue.expiry_not_given: a brace or a bracket is left open, or a part is unknown.",
    ],
    [
      "blanks around a text",
      { ...english, "label.yes": " yes" },
      "label.yes: a text without blanks around it is expected.",
    ],
  ])("names %s", (_, catalogue, complaint) => {
    expect(complain("en", catalogue)).toEqual([complaint])
  })

  it("reports every missing message", () => {
    expect(complain("en", {})).toHaveLength(KEYS.length)
  })
})
