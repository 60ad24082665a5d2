import { describe, expect, it } from "vitest"
import { computeMac, signDelivery, verifyDelivery } from "../../src/signing/signature.ts"
import { hmacSha256, signedHeaders } from "../oracles/hmac.ts"
import vectors from "../vectors/signing.json" with { type: "json" }

describe("computeMac gives the published HMAC-SHA256", () => {
  it.each(vectors.macs)("$name ($source)", ({ input, expected }) => {
    const key = Buffer.from(input.key_hex, "hex")
    const data = Buffer.from(input.data_hex, "hex")
    expect(Buffer.from(computeMac(key, "", data)).toString("hex")).toBe(expected.mac_hex)
    expect(hmacSha256(key, data).toString("hex")).toBe(expected.mac_hex)
  })
})

describe.each(vectors.deliveries)("$name ($source)", ({ input, expected }) => {
  const { id, timestamp_seconds: timestampSeconds, body, secrets } = input

  it("is signed with the published headers", () => {
    expect(signDelivery({ id, timestampSeconds, body, secrets })).toEqual({ ok: true, value: expected })
    expect(signedHeaders({ id, timestampSeconds, body, secrets })).toEqual(expected)
  })

  it.each(["svc", "body", "standard"] as const)("is believed by the scheme %s for its newest secret alone", scheme => {
    const verified = verifyDelivery({
      scheme,
      headers: expected,
      body,
      secrets: secrets.slice(0, 1),
      nowSeconds: timestampSeconds,
    })
    expect(verified).toEqual({
      ok: true,
      value: {
        scheme,
        timestampSeconds: scheme === "body" ? null : timestampSeconds,
        id: scheme === "standard" ? id : null,
      },
    })
  })
})
