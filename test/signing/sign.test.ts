import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { signDelivery, verifyDelivery } from "../../src/signing/signature.ts"
import { hmacSha256, signedHeaders } from "../oracles/hmac.ts"
import { countTrips } from "../sample.ts"
import { delivery } from "./arbitraries.ts"

const SECRET = "whsec_bGFuZGZhbGwgZ29sZGVuIHZlY3RvciBzZWNyZXQgIzI="
const DELIVERY = { id: "evt_1", timestampSeconds: 1_790_000_000, body: "{}", secrets: [SECRET] }

/** Signs whatever is given in place of a good delivery's fields, as an untyped caller can. */
function signWith(fields: Readonly<Record<string, unknown>>) {
  return signDelivery({ ...DELIVERY, ...fields } as Parameters<typeof signDelivery>[0])
}

describe("signDelivery", () => {
  it("writes the headers that the rules and the platform's cryptography give", () => {
    fc.assert(
      fc.property(delivery, made => {
        expect(signDelivery(made)).toEqual({ ok: true, value: signedHeaders(made) })
      }),
    )
  })

  it("signs text as its UTF-8 bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), text => {
        const body = `{"note":${JSON.stringify(text)}}`
        expect(signWith({ body: new TextEncoder().encode(body) })).toEqual(signWith({ body }))
      }),
    )
  })

  it("signs a part of a larger buffer without the bytes around it", () => {
    const whole = new TextEncoder().encode('xx{"a":1}yy')
    expect(signWith({ body: whole.subarray(2, 9) })).toEqual(signWith({ body: '{"a":1}' }))
  })

  it("signs the longest body and refuses one byte more", () => {
    expect(signWith({ body: "a".repeat(1_048_576) }).ok).toBe(true)
    const error = { tag: "MalformedBody", message: "body is longer than 1048576 bytes, the most that is signed." }
    expect(signWith({ body: "a".repeat(1_048_577) })).toEqual({ ok: false, error })
    expect(signWith({ body: "é".repeat(524_289) })).toEqual({ ok: false, error })
    expect(signWith({ body: new Uint8Array(1_048_577) })).toEqual({ ok: false, error })
  })

  it("signs with sixteen secrets and refuses seventeen", () => {
    const signed = signWith({ secrets: new Array(16).fill(SECRET) })
    expect(signed.ok && signed.value["svc-signature"].split("v1=").length).toBe(17)
    const error = { tag: "MalformedSecret", message: "secrets has 17 entries; expected 1 to 16." }
    expect(signWith({ secrets: new Array(17).fill(SECRET) })).toEqual({ ok: false, error })
  })

  it.each([24, 64])("signs with a key of %i bytes", length => {
    const made = { ...DELIVERY, secrets: [`whsec_${Buffer.alloc(length, 1).toString("base64")}`] }
    expect(signDelivery(made)).toEqual({ ok: true, value: signedHeaders(made) })
  })

  it.each([
    ["is not base64", "whsec_not-base64"],
    ["stands for 23 bytes", `whsec_${Buffer.alloc(23).toString("base64")}`],
    ["stands for 65 bytes", `whsec_${Buffer.alloc(65).toString("base64")}`],
  ])("signs under Svc-Signature with a secret that %s, which Standard Webhooks could not verify", (_, odd) => {
    const signed = signWith({ secrets: [odd] })
    if (!signed.ok) return expect.fail(signed.error.message)
    expect(signed.value["svc-signature"]).toBe(
      `t=${DELIVERY.timestampSeconds},v1=${hmacSha256(odd, `${DELIVERY.timestampSeconds}.`, "{}").toString("hex")}`,
    )
    expect(signed.value["svc-body-signature"]).toBe(`sha256=${hmacSha256(odd, "", "{}").toString("hex")}`)
    expect(signed.value).not.toHaveProperty("webhook-signature")
    const received = { headers: signed.value, body: "{}", secrets: [odd], nowSeconds: DELIVERY.timestampSeconds }
    expect(verifyDelivery(received).ok).toBe(true)
    expect(verifyDelivery({ ...received, scheme: "body" }).ok).toBe(true)
    const mixed = signWith({ secrets: [odd, SECRET] })
    expect(mixed.ok && mixed.value["webhook-signature"]?.split(" ").length).toBe(1)
    expect(mixed.ok && mixed.value["svc-signature"].split("v1=").length).toBe(3)
  })

  it("signs an id of 256 characters", () => {
    const made = { ...DELIVERY, id: "a".repeat(256) }
    expect(signDelivery(made)).toEqual({ ok: true, value: signedHeaders(made) })
  })

  const ID = "id is not 1 to 256 visible ASCII characters without a full stop, which separates the signed parts."
  const SECONDS = "timestampSeconds is not a whole number of Unix seconds from 0 to 99999999999."
  const BEGINS =
    "body begins with digits and a full stop, so its body signature could pass for a timestamped one; a delivery is a JSON object."
  it.each([
    ["an id with a full stop, which could move the border between the signed parts", { id: "a.1" }, "MalformedId", ID],
    ["an id with a line break, which would begin a header of its own", { id: "a\r\nb: c" }, "MalformedId", ID],
    ["an empty id", { id: "" }, "MalformedId", ID],
    ["an id of 257 characters", { id: "a".repeat(257) }, "MalformedId", ID],
    ["a fraction of a second", { timestampSeconds: 1.5 }, "MalformedTimestamp", SECONDS],
    ["a time before 1970", { timestampSeconds: -1 }, "MalformedTimestamp", SECONDS],
    ["a time as text", { timestampSeconds: "1790000000" }, "MalformedTimestamp", SECONDS],
    ["a time that cannot be compared", { timestampSeconds: Symbol("now") }, "MalformedTimestamp", SECONDS],
    ["a list with a day, unread", { timestampSeconds: [new Date(0)] }, "MalformedTimestamp", SECONDS],
    [
      "milliseconds",
      { timestampSeconds: 1_790_000_000_000 },
      "MalformedTimestamp",
      `${SECONDS} Milliseconds? Divide them by 1000 and drop the fraction.`,
    ],
    ["a body that reads as a signed timestamp and a body", { body: "1790000000.{}" }, "MalformedBody", BEGINS],
    [
      "text that has no UTF-8 bytes",
      { body: "\ud800" },
      "MalformedBody",
      "body has half of a surrogate pair, which no UTF-8 bytes stand for; give the bytes that came in.",
    ],
    [
      "a body that is an object",
      { body: {} },
      "BodyNotRaw",
      "body is an object, so it was parsed before it was signed or verified. Give the raw request body, the very string or bytes that are sent (such as await request.text()), and parse it afterwards.",
    ],
    ["no secret", { secrets: [] }, "MalformedSecret", "secrets has 0 entries; expected 1 to 16."],
    [
      "a secret without its prefix",
      { secrets: [SECRET, SECRET.slice(6)] },
      "MalformedSecret",
      "secrets[1] does not begin with whsec_; expected the secret whole, as it is shown.",
    ],
  ])("refuses %s", (_, fields, tag, message) => {
    expect(signWith(fields)).toEqual({ ok: false, error: { tag, message } })
  })

  it("does not throw, whatever it is given", () => {
    const field = fc.oneof(fc.anything(), fc.constantFrom(...Object.values(DELIVERY)))
    const options = fc.oneof(
      fc.anything(),
      fc.record({ id: field, timestampSeconds: field, body: field, secrets: field }),
    )
    fc.assert(
      fc.property(options, made => {
        expect(signDelivery(made as Parameters<typeof signDelivery>[0]).ok).toBeTypeOf("boolean")
      }),
      { numRuns: countTrips(150) },
    )
  })

  it("refuses an option that there is not, in the spelling of the wire too", () => {
    const message = 'There is no option "timestamp_seconds"; known: id, timestampSeconds, body, secrets.'
    expect(signWith({ timestamp_seconds: 1 })).toEqual({ ok: false, error: { tag: "MalformedOptions", message } })
  })

  it("refuses options that throw when they are read", () => {
    const { proxy, revoke } = Proxy.revocable(DELIVERY, {})
    revoke()
    const message = "The options cannot be read; expected {id, timestampSeconds, body, secrets}."
    expect(signDelivery(proxy)).toEqual({ ok: false, error: { tag: "MalformedOptions", message } })
  })
})
