/**
 * The slow, obvious signature: join the signed parts into one buffer, as the specifications write them, and let the platform's
 * own cryptography sign it. Imports nothing of what it judges.
 */
import { createHmac } from "node:crypto"

type Delivery = {
  readonly id: string
  readonly timestampSeconds: number
  readonly body: string | Uint8Array
  readonly secrets: readonly string[]
}

/** HMAC-SHA256 of the parts joined, by the platform. */
export function hmacSha256(key: string | Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  return createHmac("sha256", key)
    .update(Buffer.concat(parts.map(part => Buffer.from(part as string))))
    .digest()
}

/** The five headers of a delivery, written from the rules. */
export function signedHeaders({ id, timestampSeconds, body, secrets }: Delivery): Record<string, string> {
  const newest = secrets[0] ?? ""
  const v1Hex = secrets.map(secret => hmacSha256(secret, `${timestampSeconds}.`, body).toString("hex"))
  const v1Base64 = secrets.map(secret =>
    hmacSha256(Buffer.from(secret.slice(6), "base64"), `${id}.${timestampSeconds}.`, body).toString("base64"),
  )
  return {
    "svc-signature": `t=${timestampSeconds}${v1Hex.map(hex => `,v1=${hex}`).join("")}`,
    "svc-body-signature": `sha256=${hmacSha256(newest, body).toString("hex")}`,
    "webhook-id": id,
    "webhook-timestamp": `${timestampSeconds}`,
    "webhook-signature": v1Base64.map(base64 => `v1,${base64}`).join(" "),
  }
}
