/** Deliveries for laws: whatever can be signed. */
import fc from "fast-check"

export const secret = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map(bytes => `whsec_${Buffer.from(bytes).toString("base64")}`)

/** Bodies as text or as bytes, without those that begin like a signed timestamp, which are refused. */
const body = fc
  .oneof(fc.json(), fc.string({ unit: "grapheme" }), fc.uint8Array({ maxLength: 200 }))
  .filter(made => !/^[0-9]+\./.test(Buffer.from(made as string).toString("latin1")))

/** What signDelivery takes. */
export const delivery = fc.record({
  id: fc.string({
    unit: fc.constantFrom(..."abcXYZ019_-:/"),
    minLength: 1,
    maxLength: 40,
  }),
  timestampSeconds: fc.integer({ min: 0, max: 99_999_999_999 }),
  body,
  secrets: fc.array(secret, { minLength: 1, maxLength: 4 }),
})

/** The three schemes. */
export const scheme = fc.constantFrom("svc", "body", "standard")
