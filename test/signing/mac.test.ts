import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { computeMac, equalMacs } from "../../src/signing/signature.ts"
import { hmacSha256 } from "../oracles/hmac.ts"

describe("computeMac", () => {
  it("gives what the platform's cryptography gives over the joined parts, whatever their lengths", () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(bytes, fc.string({ unit: "grapheme", maxLength: 90 }), bytes, (key, before, body) => {
        expect(Buffer.from(computeMac(key, before, body))).toEqual(hmacSha256(key, before, body))
      }),
    )
  })
})

describe("equalMacs", () => {
  it("tells a signature from one that differs in any single bit", () => {
    const mac = computeMac(Uint8Array.of(1), "", Uint8Array.of(2))
    expect(equalMacs(mac, mac.slice())).toBe(true)
    for (let bit = 0; bit < 256; bit++) {
      const other = mac.slice()
      other[bit >> 3] = (other[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(equalMacs(mac, other)).toBe(false)
    }
  })

  it("tells a signature from a longer one that begins the same", () => {
    const mac = computeMac(Uint8Array.of(1), "", Uint8Array.of(2))
    expect(equalMacs(mac, Uint8Array.of(...mac, 0))).toBe(false)
    expect(equalMacs(mac, mac.slice(0, 31))).toBe(false)
  })
})
