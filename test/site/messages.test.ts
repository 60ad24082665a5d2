import { assert, describe, it } from "vitest"
import { listMessageMistakes, readOwnMessages } from "../../site/build/page-messages.ts"
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
