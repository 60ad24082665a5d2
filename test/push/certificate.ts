/**
 * A certificate for localhost that is made anew in every run and signs itself, so that a test speaks real TLS and no key is ever kept. The
 * least of X.509 (RFC 5280) that a client asks for, written as DER.
 */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto"

const der = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents)
  const length = content.length
  const prefix = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...prefix]), content])
}
const sequence = (...contents: readonly Uint8Array[]) => der(0x30, ...contents)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const time = (ms: number) => der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "")}`))
const extension = (id: string, isCritical: boolean, value: Uint8Array) =>
  sequence(oid(id), ...(isCritical ? [der(0x01, Buffer.from([255]))] : []), der(0x04, value))

const ECDSA_WITH_SHA256 = "2a8648ce3d040302"
const COMMON_NAME = "550403"
const SUBJECT_ALT_NAME = "551d11"
const BASIC_CONSTRAINTS = "551d13"
const DAY_MS = 86_400_000

/** A key and its certificate, as PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** Makes a certificate for localhost. */
export function makeCertificate(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const algorithm = sequence(oid(ECDSA_WITH_SHA256))
  const name = sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, Buffer.from("localhost")))))
  const nowMs = Date.now()
  const names = sequence(der(0x82, Buffer.from("localhost")), der(0x87, Buffer.from([127, 0, 0, 1])))
  const extensions = sequence(
    extension(SUBJECT_ALT_NAME, false, names),
    extension(BASIC_CONSTRAINTS, true, sequence(der(0x01, Buffer.from([255])))),
  )
  const serial = randomBytes(8)
  serial[0] = 1
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    name,
    sequence(time(nowMs - DAY_MS), time(nowMs + DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  )
  const signature = sign("sha256", body, privateKey)
  const whole = sequence(body, algorithm, der(0x03, Buffer.from([0]), signature))
  const text = whole.toString("base64").replace(/.{64}/g, "$&\n")
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  }
}
