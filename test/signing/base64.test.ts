import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decodeBase64, encodeBase64 } from "../../src/signing/signature.ts"
import { countTrips } from "../sample.ts"

describe("encodeBase64", () => {
  it("writes what the platform writes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), bytes => {
        expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"))
      }),
    )
  })
})

describe("decodeBase64", () => {
  it("gives back the bytes that were encoded", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), bytes => {
        expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes)
      }),
    )
  })

  it("reads no text but the one that encoding writes", () => {
    const character = fc.constantFrom(..."ABCZaz019+/=-_ \n\u0100")
    fc.assert(
      fc.property(fc.array(character, { maxLength: 9 }), characters => {
        const text = characters.join("")
        const bytes = decodeBase64(text)
        if (bytes === null) expect(Buffer.from(text, "base64").toString("base64")).not.toBe(text)
        else expect(encodeBase64(bytes)).toBe(text)
      }),
      { numRuns: countTrips(150) },
    )
  })

  it.each([
    ["a stray bit in the last character", "TWF="],
    ["padding left out", "TWE"],
    ["padding in the middle", "TQ==TQ=="],
    ["nothing but padding", "===="],
    ["a blank", "TW E"],
    ["the alphabet of URLs", "-_8="],
  ])("refuses %s", (_, text) => {
    expect(decodeBase64(text)).toBeNull()
  })
})
