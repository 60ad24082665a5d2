/**
 * Which release does an index name, by the rules of the feed? A slow judge with Node's own cryptography.
 *
 * It shares no code with what it judges. A rule a line: every rotation is signed by enough owners before and after it; the index is signed by enough
 * signers of the last keys and names their version; its version is not below, and not another text of, what was seen under the same keys; it has
 * not expired by more than a day.
 */
import { createHash, createPublicKey, verify } from "node:crypto"

interface Signed {
  readonly payload: string
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[]
}
interface Role {
  readonly keys: readonly string[]
  readonly threshold: number
}
interface Keys {
  readonly version: number
  readonly owners: Role
  readonly signers: Role
}

const read = (payload: string) => JSON.parse(Buffer.from(payload, "base64url").toString("utf8"))

function countSigners({ payload, signatures }: Signed, kind: "index" | "trust", role: Role): number {
  const body = Buffer.from(payload, "base64url")
  const type = `application/vnd.landfall.${kind}.v1+json`
  const message = Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${body.length} `), body])
  return [...new Set(role.keys)].filter(key => {
    const found = signatures.find(({ keyid }) => keyid === key)
    if (found === undefined) return false
    const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: key }, format: "jwk" })
    return verify(null, message, publicKey, Buffer.from(found.sig, "base64url"))
  }).length
}

export function judgeIndexSlowly(
  index: Signed & { readonly rotations?: readonly Signed[] },
  pinned: Keys,
  seen: { readonly trust: number; readonly version: number; readonly digest: string } | null,
  nowMs: number,
): "believed" | "bad_signature" | "rolled_back" | "expired_index" {
  let keys = pinned
  for (const rotation of index.rotations ?? []) {
    const next: Keys = read(rotation.payload)
    if (next.version !== keys.version + 1) continue
    const byOld = countSigners(rotation, "trust", keys.owners) >= keys.owners.threshold
    const byNew = countSigners(rotation, "trust", next.owners) >= next.owners.threshold
    if (!byOld || !byNew) return "bad_signature"
    keys = next
  }
  if (countSigners(index, "index", keys.signers) < keys.signers.threshold) return "bad_signature"
  const said = read(index.payload)
  if (said.trust !== keys.version) return "bad_signature"
  const digest = createHash("sha256").update(Buffer.from(index.payload, "base64url")).digest("hex")
  if (seen !== null && seen.trust === keys.version) {
    if (said.version < seen.version) return "rolled_back"
    if (said.version === seen.version && digest !== seen.digest) return "rolled_back"
  }
  return nowMs > Date.parse(said.expires_at) + 86_400_000 ? "expired_index" : "believed"
}
