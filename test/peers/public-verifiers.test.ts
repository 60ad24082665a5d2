/** The verifiers that receivers already have accept what is signed here, and refuse what was changed. */
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { signDelivery, verifyDelivery } from "../../src/signing/signature.ts"

const OLD = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const NEW = "whsec_bGFuZGZhbGwgZ29sZGVuIHZlY3RvciBzZWNyZXQgIzI="
const NOW = 1_790_000_000
const BODY = JSON.stringify({ id: "evt_1", object: "event", type: "visa.policy_changed", note: "Zürich → 日本" })

function sign(secrets: readonly string[], timestampSeconds = NOW) {
  const signed = signDelivery({ id: "evt_1", timestampSeconds, body: BODY, secrets })
  if (!signed.ok) throw new Error(signed.error.message)
  return signed.value
}

describe("the verifier of Standard Webhooks", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW * 1000, toFake: ["Date"] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("accepts a signed delivery", () => {
    expect(new Webhook(NEW).verify(BODY, sign([NEW]))).toEqual(JSON.parse(BODY))
  })

  it("accepts a delivery with either secret while one is being rotated", () => {
    const headers = sign([NEW, OLD])
    expect(new Webhook(OLD).verify(BODY, headers)).toEqual(JSON.parse(BODY))
    expect(new Webhook(NEW).verify(BODY, headers)).toEqual(JSON.parse(BODY))
  })

  it("refuses a changed body and a delivery of 301 seconds ago", () => {
    expect(() => new Webhook(NEW).verify(`${BODY} `, sign([NEW]))).toThrow("No matching signature found")
    expect(() => new Webhook(NEW).verify(BODY, sign([NEW], NOW - 301))).toThrow("Message timestamp too old")
  })

  it("signs what is believed here", () => {
    const headers = {
      "Webhook-Id": "evt_1",
      "Webhook-Timestamp": `${NOW}`,
      "Webhook-Signature": new Webhook(NEW).sign("evt_1", new Date(NOW * 1000), BODY),
    }
    expect(verifyDelivery({ scheme: "standard", headers, body: BODY, secrets: [NEW], nowSeconds: NOW })).toEqual({
      ok: true,
      value: { scheme: "standard", timestampSeconds: NOW, id: "evt_1" },
    })
  })
})

describe("the verifier of stripe-node, whose header has the form of Svc-Signature", () => {
  const { webhooks } = new Stripe("sk_test_0")
  const construct = (header: string, secret: string, body = BODY, nowSeconds = NOW) =>
    webhooks.constructEvent(body, header, secret, 300, undefined, nowSeconds * 1000)

  it("accepts a signed delivery", () => {
    expect(construct(sign([NEW])["svc-signature"], NEW).id).toBe("evt_1")
  })

  it("accepts a delivery with either secret while one is being rotated", () => {
    const header = sign([NEW, OLD])["svc-signature"]
    expect(construct(header, OLD).id).toBe("evt_1")
    expect(construct(header, NEW).id).toBe("evt_1")
  })

  it("refuses a changed body and a delivery of 301 seconds ago", () => {
    const header = sign([NEW])["svc-signature"]
    expect(() => construct(header, NEW, `${BODY} `)).toThrow("No signatures found matching the expected signature")
    expect(() => construct(header, NEW, BODY, NOW + 301)).toThrow("Timestamp outside the tolerance zone")
  })

  it("signs what is believed here", () => {
    const header = webhooks.generateTestHeaderString({ payload: BODY, secret: NEW, timestamp: NOW })
    expect(
      verifyDelivery({ headers: { "svc-signature": header }, body: BODY, secrets: [NEW], nowSeconds: NOW }),
    ).toEqual({ ok: true, value: { scheme: "svc", timestampSeconds: NOW, id: null } })
  })
})
