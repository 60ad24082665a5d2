import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CODE_SPACE, codeKey, isCode, MALFORMED_KEY } from "../src/codes.ts"

describe("codeKey", () => {
  it("gives every code of three capital letters its own key, in alphabetical order", () => {
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    const keys = letters.flatMap(a => letters.flatMap(b => letters.map(c => codeKey(a + b + c))))
    expect(keys).toEqual(Array.from({ length: CODE_SPACE }, (_, key) => key))
  })

  it.each([
    "fra",
    "Fra",
    "FR",
    "FRAN",
    "FR1",
    "FR ",
    " FR",
    "ÄFG",
    "ＦＲＡ",
    "ſRA",
    "",
    "FR\0",
    "@@@",
    "[[[",
    "toString",
    "__proto__",
  ])("rejects %j as a code, and converts nothing", text => {
    expect(codeKey(text)).toBe(MALFORMED_KEY)
    expect(isCode(text)).toBe(false)
  })

  it("agrees with the pattern of three capital letters on any value", () => {
    const value = fc.oneof(fc.string({ maxLength: 4 }), fc.string({ unit: "binary", maxLength: 4 }), fc.anything())
    fc.assert(
      fc.property(
        value,
        any => isCode(any) === (typeof any === "string" && /^[A-Z]{3}$/.test(any) && any.length === 3),
      ),
    )
  })
})
