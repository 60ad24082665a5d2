/** Every refusal says what was found, what was expected and, where it can, what to do. */
import { describe, expect, it } from "vitest"
import { type VerifyDeliveryOptions, verifyDelivery } from "../../src/signing/signature.ts"
import { hmacSha256, signedHeaders } from "../oracles/hmac.ts"

const OLD = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const SECRET = "whsec_bGFuZGZhbGwgZ29sZGVuIHZlY3RvciBzZWNyZXQgIzI="
const NOW = 1_790_000_000
const BODY = '{"id":"evt_1","type":"webhook.ping"}'
const HEADERS = signedHeaders({ id: "evt_1", timestampSeconds: NOW, body: BODY, secrets: [SECRET] })
const HEX = hmacSha256(SECRET, `${NOW}.`, BODY).toString("hex")
const GOOD = { headers: HEADERS, body: BODY, secrets: [SECRET], nowSeconds: NOW }

/** Verifies whatever is given in place of a good delivery's fields, as an untyped caller can. */
function verifyWith(fields: Readonly<Record<string, unknown>>) {
  return verifyDelivery({ ...GOOD, ...fields } as VerifyDeliveryOptions)
}

const MISSING = (name: string) =>
  `The header ${name} is missing: is this request a delivery, and does every proxy in front of this server forward its headers?`
const SHAPE = (name: string, expected: string) => `The header ${name} is malformed; expected ${expected}.`
const MISMATCH =
  "No signature in the header svc-signature matches the body and the secret. Is the body the very bytes that came in (not parsed and written again), and the secret this subscription's own?"
const RAW =
  "Give the raw request body, the very string or bytes that are sent (such as await request.text()), and parse it afterwards."
const BLANK = "A line break or blank is often left by a file, a copy or an environment variable: remove it."
const svc = (header: unknown) => ({ headers: { "svc-signature": header } })
const standard = (fields: Readonly<Record<string, unknown>>) => ({
  scheme: "standard",
  headers: { ...HEADERS, ...fields },
})

describe("verifyDelivery names the likely cause of", () => {
  it.each([
    ["a missing header", { headers: {} }, "MissingSignature", MISSING("svc-signature")],
    ["an empty header", svc(""), "MissingSignature", MISSING("svc-signature")],
    [
      "a header without a v1",
      svc(`t=${NOW},v0=${HEX}`),
      "MissingSignature",
      "The header svc-signature has no v1 signature.",
    ],
    [
      "a header without a timestamp",
      svc(`v1=${HEX}`),
      "MissingTimestamp",
      "The header svc-signature has no timestamp t=<seconds>, so the age of the delivery cannot be told.",
    ],
    [
      "a timestamp in words",
      svc(`t=yesterday,v1=${HEX}`),
      "MalformedTimestamp",
      't in the header svc-signature is "yesterday"; expected Unix seconds: 1 to 11 digits, no leading zero.',
    ],
    [
      "a timestamp in milliseconds",
      svc(`t=${NOW}000,v1=${HEX}`),
      "MalformedTimestamp",
      't in the header svc-signature is "1790000000000"; expected Unix seconds: 1 to 11 digits, no leading zero.',
    ],
    [
      "a timestamp with a leading zero, a second spelling of one time",
      svc(`t=0${NOW},v1=${HEX}`),
      "MalformedTimestamp",
      't in the header svc-signature is "01790000000"; expected Unix seconds: 1 to 11 digits, no leading zero.',
    ],
    ["a second timestamp", svc(`t=${NOW},t=1,v1=${HEX}`), "MalformedSignature", SHAPE("svc-signature", "one t")],
    ["a header in another form", svc(HEX), "MalformedSignature", SHAPE("svc-signature", "t=<seconds>,v1=<hex>")],
    [
      "two headers that a server joined",
      svc(`t=${NOW},v1=${HEX}, t=${NOW},v1=${HEX}`),
      "MalformedSignature",
      SHAPE("svc-signature", "t=<seconds>,v1=<hex>"),
    ],
    [
      "a signature in capitals",
      svc(`t=${NOW},v1=${HEX.toUpperCase()}`),
      "MalformedSignature",
      SHAPE("svc-signature", "every v1 as 64 lower-case hex digits"),
    ],
    [
      "two headers of one name",
      svc([HEX, HEX]),
      "MalformedSignature",
      "The header svc-signature was given 2 times; expected one string.",
    ],
    [
      "a header that is not a text",
      svc(5),
      "MalformedSignature",
      "The header svc-signature is of type number; expected one string.",
    ],
    [
      "an endless header",
      svc("t".repeat(4097)),
      "MalformedSignature",
      "The header svc-signature has 4097 characters; expected at most 4096.",
    ],
    [
      "a body signature without its algorithm",
      { scheme: "body", headers: { "svc-body-signature": HEX } },
      "MalformedSignature",
      SHAPE("svc-body-signature", "sha256= and 64 lower-case hex digits"),
    ],
    ["a missing id", standard({ "webhook-id": undefined }), "MissingId", MISSING("webhook-id")],
    [
      "an id with a full stop",
      standard({ "webhook-id": "evt.1" }),
      "MalformedId",
      "The header webhook-id is not 1 to 256 visible ASCII characters without a full stop.",
    ],
    ["a missing time", standard({ "webhook-timestamp": undefined }), "MissingTimestamp", MISSING("webhook-timestamp")],
    [
      "a time with a sign",
      standard({ "webhook-timestamp": "+1" }),
      "MalformedTimestamp",
      'The header webhook-timestamp is "+1"; expected Unix seconds: 1 to 11 digits, no leading zero.',
    ],
    [
      "a standard signature without its version",
      standard({ "webhook-signature": "AAAA" }),
      "MalformedSignature",
      SHAPE("webhook-signature", "v1,<base64>, several with one blank between them"),
    ],
    [
      "a standard signature of 3 bytes",
      standard({ "webhook-signature": "v1,AAAA" }),
      "MalformedSignature",
      SHAPE("webhook-signature", "every v1 as the base64 of 32 bytes"),
    ],
    [
      "a standard signature of another version only",
      standard({ "webhook-signature": "v1a,AAAA" }),
      "MissingSignature",
      "The header webhook-signature has no v1 signature.",
    ],
    [
      "a body that was parsed",
      { body: JSON.parse(BODY) },
      "BodyNotRaw",
      `body is an object, so it was parsed before it was signed or verified. ${RAW}`,
    ],
    ["no body", { body: undefined }, "BodyNotRaw", `body is undefined. ${RAW}`],
    ["a number for a body", { body: 5 }, "BodyNotRaw", `body is of type number. ${RAW}`],
    [
      "a buffer for a body",
      { body: new ArrayBuffer(2) },
      "BodyNotRaw",
      "body is an ArrayBuffer; give new Uint8Array(body).",
    ],
    [
      "a body that is too long",
      { body: new Uint8Array(1_048_577) },
      "MalformedBody",
      "body is longer than 1048576 bytes, the most that is signed.",
    ],
    ["a body that was changed", { body: "[]" }, "SignatureMismatch", MISMATCH],
    [
      "a body that was read before",
      { body: "" },
      "SignatureMismatch",
      `${MISMATCH} The body is empty: was it read before?`,
    ],
    [
      "a secret whose prefix was cut off",
      { secrets: [SECRET.slice(6)] },
      "SignatureMismatch",
      `${MISMATCH} The secret does not begin with whsec_, which is a part of the key.`,
    ],
    [
      "a line break after the secret",
      { secrets: [`${SECRET}\n`] },
      "MalformedSecret",
      `secrets[0] has whitespace at its end. ${BLANK}`,
    ],
    [
      "a blank before the second secret",
      { secrets: [OLD, ` ${SECRET}`] },
      "MalformedSecret",
      `secrets[1] has whitespace at its start. ${BLANK}`,
    ],
    [
      "a blank in the secret",
      { secrets: ["whsec_a b"] },
      "MalformedSecret",
      `secrets[0] has whitespace in it. ${BLANK}`,
    ],
    [
      "an invisible character in the secret",
      { secrets: ["whsec_\u200b"] },
      "MalformedSecret",
      "secrets[0] has a character that is not visible ASCII; copy it again from where it was shown.",
    ],
    [
      "an empty secret",
      { secrets: [""] },
      "MalformedSecret",
      "secrets[0] is empty; expected the secret that was shown when the subscription was made.",
    ],
    [
      "an endless secret",
      { secrets: ["s".repeat(257)] },
      "MalformedSecret",
      "secrets[0] has 257 characters; expected at most 256.",
    ],
    [
      "a secret that is not set",
      { secrets: [undefined] },
      "MalformedSecret",
      "secrets[0] is of type undefined; expected a string.",
    ],
    [
      "a secret without a list",
      { secrets: SECRET },
      "MalformedSecret",
      "secrets is of type string; expected a list, such as [secret].",
    ],
    [
      "a standard secret that is not base64",
      { scheme: "standard", secrets: ["secret"] },
      "MalformedSecret",
      "secrets[0] is not base64; expected whsec_ and the base64, with padding, of 24 to 64 bytes.",
    ],
    ["an unknown scheme", { scheme: "toString" }, "MalformedOptions", "scheme is not one of svc, body and standard."],
    [
      "headers left out",
      { headers: undefined },
      "MalformedOptions",
      "headers is of type undefined; expected the request's headers.",
    ],
    [
      "headers that are null",
      { headers: null },
      "MalformedOptions",
      "headers is null; expected the request's headers.",
    ],
    [
      "a clock that was left out",
      { nowSeconds: undefined },
      "MalformedOptions",
      "nowSeconds is not a number of Unix seconds from 0 to 99999999999.",
    ],
    [
      "a clock that is not a number, which must not switch the age check off",
      { nowSeconds: Number.NaN },
      "MalformedOptions",
      "nowSeconds is not a number of Unix seconds from 0 to 99999999999.",
    ],
    [
      "a clock in milliseconds",
      { nowSeconds: NOW * 1000 },
      "MalformedOptions",
      "nowSeconds is not a number of Unix seconds from 0 to 99999999999. Milliseconds? Divide them by 1000.",
    ],
    [
      "a clock that cannot be compared",
      { nowSeconds: Object.create(null) },
      "MalformedOptions",
      "nowSeconds is not a number of Unix seconds from 0 to 99999999999.",
    ],
    [
      "a list with a day in the place of a clock, unread: its text would be in local time",
      { nowSeconds: [new Date(0)] },
      "MalformedOptions",
      "nowSeconds is not a number of Unix seconds from 0 to 99999999999.",
    ],
    [
      "a clock before 1970",
      { nowSeconds: -1 },
      "MalformedOptions",
      "nowSeconds is not a number of Unix seconds from 0 to 99999999999.",
    ],
    [
      "a tolerance below zero",
      { toleranceSeconds: -1 },
      "MalformedOptions",
      "toleranceSeconds is not a number of seconds from 0 to 99999999999.",
    ],
    [
      "an endless tolerance",
      { toleranceSeconds: Number.POSITIVE_INFINITY },
      "MalformedOptions",
      "toleranceSeconds is not a number of seconds from 0 to 99999999999.",
    ],
  ])("%s", (_, fields, tag, message) => {
    expect(verifyWith(fields)).toEqual({ ok: false, error: { tag, message } })
  })

  it("options that throw when they are read", () => {
    const { proxy, revoke } = Proxy.revocable(GOOD, {})
    revoke()
    const message = "The options cannot be read; expected {headers, body, secrets, nowSeconds}."
    expect(verifyDelivery(proxy)).toEqual({ ok: false, error: { tag: "MalformedOptions", message } })
    const get = () => {
      throw new Error("no headers")
    }
    expect(verifyWith({ headers: { get } })).toEqual({ ok: false, error: { tag: "MalformedOptions", message } })
    const body = new Proxy(new Uint8Array(2), {})
    expect(verifyWith({ body })).toEqual({ ok: false, error: { tag: "MalformedOptions", message } })
  })
})
