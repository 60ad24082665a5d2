import { describe, expect, it } from "vitest"
import { assembleFullRecord, LANGUAGES, type LocalisedFacts, openLocalisedFacts } from "../../src/full.ts"
import { IS_WHOLE } from "../sample.ts"
import { openFacts } from "./localised-facts.ts"

/** Every text inside a value, at any depth. */
function listTexts(value: unknown): string[] {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listTexts) : []
}

const HOLE = /[{}]|\bundefined\b|\bnull\b|\bNaN\b|\[object/

describe("the records of every pair", () => {
  it.each(LANGUAGES)("are complete in %s", async language => {
    const turn = LANGUAGES.indexOf(language)
    const localised = await openFacts(language)
    const { dataset } = localised
    const seen = new Set<string>()
    const astray: string[] = []
    let count = 0
    for (const [row, passport] of dataset.passports.entries()) {
      for (const [column, destination] of dataset.destinations.entries()) {
        const answer = `${dataset.pairs[row * dataset.destinations.length + column]} ${destination}`
        // Every thirty-second pair is assembled in one language; in the others one of each answer of a destination, of every sixth destination by turns.
        const isSkipped = language === "en" ? (row + column) % 32 !== 0 : seen.has(answer) || column % 6 !== turn % 6
        if (isSkipped && !(IS_WHOLE && (language === "en" || !seen.has(answer)))) continue
        const record = assembleFullRecord(localised, passport, destination)
        if (record === null) continue
        count++
        for (const { fields } of record.sources ?? [])
          for (const field of fields)
            if (!Object.hasOwn(record, field)) astray.push(`${passport} ${destination} ${field}`)
        if (seen.has(answer)) continue
        seen.add(answer)
        const { sources: _, ...spoken } = record
        const holes = listTexts(spoken).filter(text => text.trim() === "" || HOLE.test(text))
        expect(holes, `${passport} ${destination}`).toEqual([])
      }
    }
    expect(astray, "cite a source for a field that they do not have").toEqual([])
    expect(count).toBeGreaterThan(language === "en" ? 1_250 : 120)
    expect(seen.size).toBeGreaterThan(120)
  })

  it("are the same in any order of the questions", async () => {
    const today = await openFacts()
    const reverse = openLocalisedFacts({ ...today })
    const passports = today.dataset.passports
    const destinations = today.dataset.destinations.filter((_, at) => IS_WHOLE || at % 50 === 0).concat("MYS", "KOR")
    const ask = (asked: LocalisedFacts, passport: string, destination: string) =>
      JSON.stringify(assembleFullRecord(asked, passport, destination))
    for (const destination of destinations) {
      const backwards = passports.toReversed().map(passport => ask(reverse, passport, destination))
      expect(passports.map(passport => ask(today, passport, destination))).toEqual(backwards.toReversed())
    }
  })
})
