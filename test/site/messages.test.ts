import { assert, describe, it } from "vitest"
import { listMessageMistakes, readOwnMessages } from "../../site/build/page-messages.ts"
import { LANGUAGES } from "../../src/full.ts"

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
