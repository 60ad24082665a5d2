import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { signDelivery, type VerifyDeliveryOptions, verifyDelivery } from "../../src/signing/signature.ts"
import { hmacSha256, signedHeaders } from "../oracles/hmac.ts"
import { countTrips } from "../sample.ts"
import { delivery, scheme, secret } from "./arbitraries.ts"

const OLD = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const SECRET = "whsec_bGFuZGZhbGwgZ29sZGVuIHZlY3RvciBzZWNyZXQgIzI="
const NOW = 1_790_000_000
const BODY = '{"id":"evt_1","type":"webhook.ping"}'
const HEADERS = signedHeaders({ id: "evt_1", timestampSeconds: NOW, body: BODY, secrets: [SECRET] })
const GOOD = { headers: HEADERS, body: BODY, secrets: [SECRET], nowSeconds: NOW }

/** Verifies whatever is given in place of a good delivery's fields, as an untyped caller can. */
function verifyWith(fields: Readonly<Record<string, unknown>>) {
  return verifyDelivery({ ...GOOD, ...fields } as VerifyDeliveryOptions)
}

/** The tag of the error, or "believed". */
function outcome(result: ReturnType<typeof verifyDelivery>): string {
  return result.ok ? "believed" : result.error.tag
}

const HEX = hmacSha256(SECRET, `${NOW}.`, BODY).toString("hex")
const ZEROS = "0".repeat(64)

describe("verifyDelivery", () => {
  it("believes what was signed, in every scheme and for each of its secrets", () => {
    fc.assert(
      fc.property(delivery, scheme, fc.nat(), (made, chosen, pick) => {
        const signed = signDelivery(made)
        if (!signed.ok) throw new Error(signed.error.message)
        // The body form carries the newest secret's signature only.
        const used = chosen === "body" ? 0 : pick % made.secrets.length
        const verified = verifyDelivery({
          scheme: chosen,
          headers: signed.value,
          body: made.body,
          secrets: [made.secrets[used] as string],
          nowSeconds: made.timestampSeconds,
        })
        expect(verified).toEqual({
          ok: true,
          value: {
            scheme: chosen,
            timestampSeconds: chosen === "body" ? null : made.timestampSeconds,
            id: chosen === "standard" ? made.id : null,
          },
        })
      }),
    )
  })

  it("believes nothing that was signed with another secret", () => {
    fc.assert(
      fc.property(delivery, scheme, secret, (made, chosen, other) => {
        fc.pre(!made.secrets.includes(other))
        const { body, timestampSeconds: nowSeconds } = made
        const verified = verifyDelivery({
          scheme: chosen,
          headers: signedHeaders(made),
          body,
          secrets: [other],
          nowSeconds,
        })
        expect(outcome(verified)).toBe("SignatureMismatch")
      }),
    )
  })

  it.each(["svc", "body", "standard"] as const)("refuses every flipped bit of the body in the scheme %s", chosen => {
    const bytes = new TextEncoder().encode(BODY)
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const body = bytes.slice()
      body[bit >> 3] = (body[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(outcome(verifyWith({ scheme: chosen, body }))).toBe("SignatureMismatch")
    }
  })

  it.each([
    ["svc", "svc-signature"],
    ["body", "svc-body-signature"],
    ["standard", "webhook-id"],
    ["standard", "webhook-timestamp"],
    ["standard", "webhook-signature"],
  ])("refuses, in the scheme %s, every flipped bit of the header %s", (chosen, name) => {
    const value = HEADERS[name] as string
    for (let at = 0; at < value.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const flipped = String.fromCharCode(value.charCodeAt(at) ^ (1 << bit))
        const headers = { ...HEADERS, [name]: value.slice(0, at) + flipped + value.slice(at + 1) }
        expect(outcome(verifyWith({ scheme: chosen, headers }))).not.toBe("believed")
      }
    }
  })

  it("refuses every body that was cut short or lengthened", () => {
    for (let end = 0; end < BODY.length; end++) {
      expect(outcome(verifyWith({ body: BODY.slice(0, end) }))).toBe("SignatureMismatch")
    }
    expect(outcome(verifyWith({ body: `${BODY}\n` }))).toBe("SignatureMismatch")
  })

  it("gives the same verdict on a body's text and on its bytes", () => {
    expect(verifyWith({ body: new TextEncoder().encode(BODY) })).toEqual(verifyWith({}))
    expect(verifyWith({ body: Buffer.from(BODY) })).toEqual(verifyWith({}))
  })
})

describe("verifyDelivery judges the age", () => {
  it.each(["svc", "standard"])("at 300 seconds it believes and at 301 it refuses, in the scheme %s", chosen => {
    const at = (nowSeconds: number) => outcome(verifyWith({ scheme: chosen, nowSeconds }))
    expect([at(NOW + 300), at(NOW + 301)]).toEqual(["believed", "TimestampTooOld"])
    expect([at(NOW - 300), at(NOW - 301)]).toEqual(["believed", "TimestampInFuture"])
  })

  it("drops a fraction of the receiver's second", () => {
    expect(outcome(verifyWith({ nowSeconds: NOW + 300.999 }))).toBe("believed")
  })

  it("believes exactly within the tolerance given", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.integer({ min: -1001, max: 1001 }), (toleranceSeconds, age) => {
        const verdict =
          Math.abs(age) <= toleranceSeconds ? "believed" : age > 0 ? "TimestampTooOld" : "TimestampInFuture"
        expect(outcome(verifyWith({ toleranceSeconds, nowSeconds: NOW + age }))).toBe(verdict)
      }),
    )
  })

  it("says the age and the likely cause", () => {
    expect(verifyWith({ nowSeconds: NOW + 301 })).toEqual({
      ok: false,
      error: {
        tag: "TimestampTooOld",
        message:
          "The delivery was signed 301 seconds ago, more than the 300 allowed: it is a replay, it was held up on its way, or this machine's clock is ahead.",
      },
    })
    expect(verifyWith({ nowSeconds: NOW - 400, toleranceSeconds: 60 })).toEqual({
      ok: false,
      error: {
        tag: "TimestampInFuture",
        message:
          "The delivery was signed 400 seconds in the future, more than the 60 allowed: this machine's clock or the sender's is wrong.",
      },
    })
  })

  it("cannot see a replay of the body form, which signs no time", () => {
    expect(outcome(verifyWith({ scheme: "body", nowSeconds: NOW + 86_400 }))).toBe("believed")
  })
})

describe("verifyDelivery while a secret is being rotated", () => {
  const both = signedHeaders({ id: "evt_1", timestampSeconds: NOW, body: BODY, secrets: [SECRET, OLD] })

  it.each(["svc", "standard"])("believes the old and the new secret alone, in the scheme %s", chosen => {
    expect(outcome(verifyWith({ scheme: chosen, headers: both, secrets: [OLD] }))).toBe("believed")
    expect(outcome(verifyWith({ scheme: chosen, headers: both, secrets: [SECRET] }))).toBe("believed")
  })

  it.each(["svc", "body", "standard"])(
    "believes one signature when it holds both secrets, in the scheme %s",
    chosen => {
      expect(outcome(verifyWith({ scheme: chosen, secrets: [OLD, SECRET] }))).toBe("believed")
      expect(outcome(verifyWith({ scheme: chosen, secrets: [SECRET, OLD] }))).toBe("believed")
    },
  )

  it("believes the body form for the newest secret and not for the old one", () => {
    expect(outcome(verifyWith({ scheme: "body", headers: both, secrets: [SECRET] }))).toBe("believed")
    expect(outcome(verifyWith({ scheme: "body", headers: both, secrets: [OLD] }))).toBe("SignatureMismatch")
  })

  it("believes a matching signature in any place, and passes over other versions", () => {
    const before = `t=${NOW},v0=${ZEROS},v1=${ZEROS},v1=${HEX},v2=x`
    expect(outcome(verifyWith({ headers: { "svc-signature": before } }))).toBe("believed")
    const standard = { ...HEADERS, "webhook-signature": `v1a,zzz ${HEADERS["webhook-signature"]}` }
    expect(outcome(verifyWith({ scheme: "standard", headers: standard }))).toBe("believed")
  })

  it("believes a matching signature beside a malformed one, before or behind it", () => {
    for (const header of [`t=${NOW},v1=zzz,v1=${HEX}`, `t=${NOW},v1=${HEX},v1=${HEX.toUpperCase()}`]) {
      expect(outcome(verifyWith({ headers: { "svc-signature": header } }))).toBe("believed")
    }
    const standard = { ...HEADERS, "webhook-signature": `v1,AAAA ${HEADERS["webhook-signature"]}` }
    expect(outcome(verifyWith({ scheme: "standard", headers: standard }))).toBe("believed")
    expect(outcome(verifyWith({ headers: { "svc-signature": `t=${NOW},v1=zzz,v1=${ZEROS}` } }))).toBe(
      "SignatureMismatch",
    )
    const many = { "svc-signature": `t=${NOW}${",v1=zzz".repeat(16)},v1=${HEX}` }
    expect(outcome(verifyWith({ headers: many }))).toBe("MalformedSignature")
  })

  it("reads sixteen signatures and refuses seventeen", () => {
    const header = (count: number) => ({ "svc-signature": `t=${NOW}${`,v1=${ZEROS}`.repeat(count - 1)},v1=${HEX}` })
    expect(outcome(verifyWith({ headers: header(16) }))).toBe("believed")
    expect(verifyWith({ headers: header(17) })).toEqual({
      ok: false,
      error: {
        tag: "MalformedSignature",
        message: "The header svc-signature is malformed; expected at most 16 v1 signatures, found 17.",
      },
    })
  })
})

describe("verifyDelivery reads as much as it says, and no more:", () => {
  it("a header of 4,096 characters", () => {
    const begin = `t=${NOW},v1=${HEX},v0=`
    const header = (length: number) => ({ "svc-signature": begin.padEnd(length, "0") })
    expect(outcome(verifyWith({ headers: header(4_096) }))).toBe("believed")
    expect(outcome(verifyWith({ headers: header(4_097) }))).toBe("MalformedSignature")
  })

  it("a secret of 256 characters", () => {
    const judge = (secret: string) => {
      const hex = hmacSha256(secret, `${NOW}.`, BODY).toString("hex")
      return outcome(verifyWith({ secrets: [secret], headers: { "svc-signature": `t=${NOW},v1=${hex}` } }))
    }
    expect(judge("s".repeat(256))).toBe("believed")
    expect(judge("s".repeat(257))).toBe("MalformedSecret")
  })

  it("a standard key of 24 to 64 bytes", () => {
    const judge = (length: number) => {
      const secret = `whsec_${Buffer.alloc(length, 1).toString("base64")}`
      const headers = signedHeaders({ id: "evt_1", timestampSeconds: NOW, body: BODY, secrets: [secret] })
      return outcome(verifyWith({ scheme: "standard", secrets: [secret], headers }))
    }
    expect([23, 24, 64, 65].map(judge)).toEqual(["MalformedSecret", "believed", "believed", "MalformedSecret"])
  })
})

describe("verifyDelivery reads headers", () => {
  it.each([
    ["a fetch API Headers", new Headers(HEADERS)],
    ["a Map in lower case", new Map(Object.entries(HEADERS))],
    [
      "names in any case",
      Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name.toUpperCase(), value])),
    ],
    ["values in lists of one", Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name, [value]]))],
  ])("as %s", (_, headers) => {
    for (const chosen of ["svc", "body", "standard"]) {
      expect(outcome(verifyWith({ scheme: chosen, headers }))).toBe("believed")
    }
  })

  it("never falls back to another scheme's signature", () => {
    const { "svc-signature": _, ...others } = HEADERS
    expect(outcome(verifyWith({ headers: others }))).toBe("MissingSignature")
  })
})

describe("verifyDelivery does not take one scheme's signature for another's", () => {
  it("refuses a timestamped signature that is given as the signature of the text it covers", () => {
    const headers = { "svc-body-signature": `sha256=${HEX}` }
    expect(outcome(verifyWith({ scheme: "body", headers, body: `${NOW}.${BODY}` }))).toBe("SignatureMismatch")
  })

  it("refuses the standard signature's bytes in the svc header", () => {
    const bytes = Buffer.from((HEADERS["webhook-signature"] as string).slice(3), "base64")
    const headers = { "svc-signature": `t=${NOW},v1=${bytes.toString("hex")}` }
    expect(outcome(verifyWith({ headers }))).toBe("SignatureMismatch")
  })
})

describe("verifyDelivery survives a stranger", () => {
  it("refuses an option that there is not: a misspelt tolerance would leave the usual one in force", () => {
    expect(verifyWith({ tolerance_seconds: 1 })).toMatchObject({
      ok: false,
      error: { tag: "MalformedOptions", message: expect.stringContaining('"tolerance_seconds"') },
    })
  })

  it("does not throw and believes nothing, whatever it is given", () => {
    fc.assert(
      fc.property(fc.anything(), made => {
        expect(verifyDelivery(made as VerifyDeliveryOptions).ok).toBe(false)
      }),
      { numRuns: countTrips(200) },
    )
  })

  it("does not throw, whatever stands in one of its fields", () => {
    const name = fc.constantFrom("headers", "body", "secrets", "nowSeconds", "toleranceSeconds", "scheme")
    fc.assert(
      fc.property(
        name,
        scheme,
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true }),
        (field, chosen, value) => {
          const result = verifyWith({ scheme: chosen, [field]: value })
          if (field === "headers" || field === "body" || field === "secrets") expect(result.ok).toBe(false)
          else expect(result.ok).toBeTypeOf("boolean")
        },
      ),
      { numRuns: countTrips(200) },
    )
  })

  it("does not throw and believes nothing, whatever a header says", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .array(fc.constantFrom("t=", "v1=", "v1,", ",", " ", "=", "sha256=", `${NOW}`, HEX, "A"), { maxLength: 8 })
        .map(parts => parts.join("")),
    )
    fc.assert(
      fc.property(scheme, text, fc.constantFrom(...Object.keys(HEADERS)), (chosen, value, name) => {
        fc.pre(!value.includes(HEX))
        const used = verifyWith({ scheme: chosen, headers: { [name]: value } })
        expect(used.ok).toBe(false)
      }),
      { numRuns: countTrips(200) },
    )
  })

  it("shows no secret in any message, not even a malformed one", () => {
    const broken = fc.tuple(secret, fc.constantFrom("\n", " ", "é", "", "=")).map(([made, end]) => made + end)
    fc.assert(
      fc.property(fc.array(broken, { maxLength: 18 }), scheme, (secrets, chosen) => {
        const result = verifyWith({ scheme: chosen, secrets })
        const message = result.ok ? "" : result.error.message
        for (const made of secrets) expect(message).not.toContain(made.slice(6, 20))
        expect(message).not.toBe("")
      }),
    )
  })
})
