import { assert, describe, it } from "vitest"
import { listMessageMistakes, readOwnMessages } from "../../site/build/page-messages.ts"
import { tagOfDates } from "../../site/language/languages.ts"
import { LANGUAGES } from "../../src/full.ts"

describe("the messages of the explorer page", () => {
  const english = readOwnMessages("en")

  it.each(LANGUAGES)("are complete in %s, with the same placeholders", language => {
    assert.deepStrictEqual(listMessageMistakes(readOwnMessages(language), english), [])
  })

  it("are refused if one is missing, unknown or has other placeholders", () => {
    assert.deepStrictEqual(listMessageMistakes({ b: "{day}", c: "x" }, { a: "x", b: "{date}" }), [
      "a: missing",
      "c: unknown",
      "b: placeholders are not those of the English message",
    ])
  })
})

describe("dates in English", () => {
  it.each([
    [["en-GB", "en-US"], "1 March 2027"],
    [["de", "en-IN"], "1 March 2027"],
    [["en-US", "en-GB"], "March 1, 2027"],
    [["en", "fr-FR"], "March 1, 2027"],
  ])("are written as the reader's country does: %j", (wanted, written) => {
    const format = new Intl.DateTimeFormat(tagOfDates("en", wanted), { dateStyle: "long", timeZone: "UTC" })
    assert.strictEqual(format.format(new Date("2027-03-01")), written)
    assert.strictEqual(tagOfDates("fr", wanted), "fr")
  })
})
