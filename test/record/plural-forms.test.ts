import { describe, expect, it } from "vitest"
import { LANGUAGES } from "../../src/full.ts"
import { choosePluralForm } from "../../src/record/localise.ts"

describe("plural forms without the runtime's own rules", () => {
  const counts = [
    ...Array.from({ length: 2_500 }, (_, count) => count),
    ...[10_001, 10_011, 10_021, 99_999, 999_999, 1_000_000, 1_000_001, 2_000_000, 3_000_003, 10_000_000],
  ]

  it.each(LANGUAGES)("are those of CLDR in %s", language => {
    const rules = new Intl.PluralRules(language)
    expect(counts.filter(count => choosePluralForm(language, count) !== rules.select(count))).toEqual([])
    expect([-1, -3].map(count => choosePluralForm(language, count))).toEqual([-1, -3].map(count => rules.select(count)))
  })

  it("give a number that is not whole the form that every sentence has", () => {
    expect(LANGUAGES.map(language => choosePluralForm(language, 1.5))).toEqual(LANGUAGES.map(() => "other"))
  })
})
