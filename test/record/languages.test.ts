import { describe, expect, it } from "vitest"
import { assembleFullRecord, LANGUAGES, type Language, renderMarkdown } from "../../src/full.ts"
import { lookupRequirement } from "../../src/index.ts"
import { openFacts } from "./localised-facts.ts"

const HOLE = /[{}]|\bundefined\b|\bnull\b|\bNaN\b|\[object/

// The script of a language that does not use the Latin one.
const SCRIPTS: Partial<Record<Language, RegExp>> = {
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  ko: /\p{Script=Hangul}/u,
  zh: /\p{Script=Han}/u,
  ru: /\p{Script=Cyrillic}/u,
  ar: /\p{Script=Arabic}/u,
  hi: /\p{Script=Devanagari}/u,
  th: /\p{Script=Thai}/u,
}

describe("a page", () => {
  it.each(LANGUAGES)("is complete in %s, for pairs of every requirement", async language => {
    const localised = await openFacts(language)
    const firstOf = new Map<string, string>()
    for (const passport of ["FRA", "IND", "ISR", "AFG"]) {
      for (const destination of localised.dataset.destinations) {
        const answer = lookupRequirement(localised.dataset, passport, destination)
        if (answer.kind !== "found" || firstOf.has(`${passport} ${answer.requirement}`)) continue
        const record = assembleFullRecord(localised, passport, destination)
        if (record?.requirement !== answer.requirement) continue
        firstOf.set(`${passport} ${record.requirement}`, destination)
        const page = renderMarkdown(record, localised.locale)
        expect(page).not.toMatch(HOLE)
        expect(page.startsWith("# ")).toBe(true)
      }
    }
    const met = new Set([...firstOf.keys()].map(key => key.slice(4)))
    expect([...met].sort()).toEqual(["e_visa", "eta", "no_admission", "visa_free", "visa_on_arrival", "visa_required"])
  })

  it.each(Object.entries(SCRIPTS))("writes %s in its own script, sentence by sentence", async (language, script) => {
    const localised = await openFacts(language as Language)
    for (const [passport, destination] of [
      ["IND", "DEU"],
      ["FRA", "THA"],
      ["PHL", "AGO"],
    ] as const) {
      const record = assembleFullRecord(localised, passport, destination)
      const sentences = [record?.description, ...(record?.documents_required ?? []), ...(record?.process ?? [])]
      for (const sentence of [...sentences, ...(record?.tips ?? [])]) expect(sentence).toMatch(script)
    }
  })

  it("isolates amounts and names in Arabic from the direction of the sentence", async () => {
    const { locale } = await openFacts("ar")
    const text = locale.say({ key: "description.visa_required", values: { destination: { country: "DEU" } } })
    expect(text.startsWith("\u2068ألمانيا\u2069:")).toBe(true)
    expect(text.split("\u2068").length).toBe(text.split("\u2069").length)
  })
})

describe("plural forms", () => {
  const say = async (language: Language, days: number) =>
    (await openFacts(language)).locale.say({ key: "process.leave_in_time", values: { days } })

  it.each([
    ["en", 1, "Leave within 1 day."],
    ["en", 30, "Leave within 30 days."],
    ["ru", 21, "Выезжайте в течение 21 дня."],
    ["ru", 42, "Выезжайте в течение 42 дней."],
    ["ru", 90, "Выезжайте в течение 90 дней."],
    ["ar", 1, "غادروا خلال يوم واحد."],
    ["ar", 2, "غادروا خلال يومين."],
    ["ar", 7, "غادروا خلال \u20687\u2069 أيام."],
    ["ar", 90, "غادروا خلال \u206890\u2069 يومًا."],
    ["ar", 100, "غادروا خلال \u2068100\u2069 يوم."],
    ["fr", 1, "Repartez dans un délai de 1 jour."],
    ["de", 1, "Reisen Sie innerhalb von 1 Tag wieder aus."],
    ["de", 90, "Reisen Sie innerhalb von 90 Tagen wieder aus."],
    ["hi", 90, "90 दिनों के भीतर गंतव्य छोड़ दें।"],
    ["th", 30, "เดินทางออกจากจุดหมายปลายทางภายใน 30 วัน"],
    ["ja", 1, "1日以内に出国してください。"],
  ] as const)("are right in %s for %i days", async (language, days, expected) => {
    expect(await say(language, days)).toBe(expected)
  })
})
