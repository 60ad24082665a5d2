import { assert, describe, it } from "vitest"
import { listMessageMistakes, readOwnMessages } from "../../site/build/page-messages.ts"
import { REASONS } from "../../site/trip/sentences.ts"
import { LANGUAGES } from "../../src/full.ts"
import * as findings from "../../src/itinerary/findings.ts"

describe("a reason of the engine for a gap", () => {
  const reasons = Object.values(findings).filter(value => typeof value === "string")

  it.each(reasons)("has a message of the page: %s", reason => {
    assert.property(readOwnMessages("en"), String(REASONS[reason]))
  })
})

describe("the words of the explorer page", () => {
  const english = readOwnMessages("en")

  it.each(LANGUAGES)("are all there in %s, with the same values to fill in", language => {
    assert.deepStrictEqual(listMessageMistakes(readOwnMessages(language), english), [])
  })

  it("are refused where one is missing, unknown or fills in other values", () => {
    assert.deepStrictEqual(listMessageMistakes({ b: "{day}", c: "x" }, { a: "x", b: "{date}" }), [
      "a: missing",
      "c: unknown",
      "b: placeholders are not those of the English message",
    ])
  })
})
