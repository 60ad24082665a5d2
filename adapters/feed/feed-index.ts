/**
 * What is the index of a feed, and is it valid?
 *
 * `index.json` is one envelope that names datasets by their SHA-256. It uses the parts of The Update Framework that one file needs: owners,
 * kept offline, sign each change of keys (`rotations`); signers sign the index, which expires. A host or a mirror needs no trust. The time
 * is an argument, and this file reads nothing from a network.
 */

import {
  decode64,
  digest,
  type Envelope,
  FeedRefusal,
  isSigned,
  parseBytes,
  type Role,
  refuse,
  type SigningKey,
  signValue,
  type VerifySignature,
  verifySignature,
} from "./envelope.ts"

/** The largest `index.json` that is read. */
export const MAXIMUM_INDEX_BYTES = 65_536
/** The most releases that an index lists; older ones are left out. */
const MAXIMUM_RELEASES = 20
/** The most changes of keys that are read. */
const MAXIMUM_ROTATIONS = 64
const MAXIMUM_KEYS = 16
/** How far the clocks of publisher and follower may differ: a wrong time zone is accepted. */
const TOLERANCE_MS = 86_400_000
const DAY_MS = 86_400_000

/** Owners name the next owners and signers; signers sign indexes. A key that the next version leaves out is revoked. */
export interface Trust {
  readonly version: number
  readonly owners: Role
  readonly signers: Role
}

/** One dataset. */
export interface Release {
  readonly version: string
  readonly as_of: string
  /** The hash of the sent bytes, which are gzip; also the name of the file. */
  readonly sha256: string
  readonly bytes: number
  /** The length of the dataset itself. */
  readonly unpacked_bytes: number
  readonly format: number
  /** The format that a program has to read at least. */
  readonly oldest_reader: number
  readonly pairs: number
  /** The policies that differ from those of the previous release. */
  readonly changes: { readonly major: number; readonly minor: number }
  /** The version of the release before it; null for the first. */
  readonly previous: string | null
}

/** `version` grows with every signing; `trust` is the version of the keys that it is signed for; releases are newest first. */
interface FeedIndex {
  readonly version: number
  readonly trust: number
  readonly issued_at: string
  readonly expires_at: string
  readonly releases: readonly Release[]
}

/** `index.json`. `rotations` has every change of keys since version 0, each signed by itself. */
export interface SignedIndex extends Envelope {
  readonly rotations?: readonly Envelope[]
}

/** The stored part of an index, without which a rollback would not be noticed. */
interface SeenIndex {
  readonly trust: number
  readonly version: number
  readonly digest: string
  readonly expiresAt: string
}

/** The keys in a program or a setting; in a list, each of them may sign everything alone. */
export type PinnedKeys = readonly string[] | Trust

/**
 * Says whether a text is an Ed25519 public key. Its last letter has four spare bits, which must be zero; otherwise one key could count
 * twice.
 */
export const isPublicKey = (text: unknown): text is string =>
  typeof text === "string" && /^[\w-]{42}[AEIMQUYcgkosw048]$/.test(text)

/** The trust that follows from pinned keys. */
export const trustOf = (keys: PinnedKeys): Trust =>
  "version" in keys ? keys : { version: 0, owners: { keys, threshold: 1 }, signers: { keys, threshold: 1 } }

/** Refuses an index that has expired. A clock that is behind refuses nothing, and notices no old index. */
export function checkExpiry(expiresAt: string, nowMs: number): void {
  if (nowMs <= Date.parse(expiresAt) + TOLERANCE_MS) return
  refuse("expired_index", `The index expired at ${expiresAt}. The host serves an old one, or this clock is ahead.`)
}

function readIndex(payload: Uint8Array): FeedIndex {
  const given = parseBytes(payload) as FeedIndex | null
  const isIndex: boolean =
    [given?.version, given?.trust].every(Number.isSafeInteger) &&
    // Without the Z a date would be read in local time.
    /Z$/.test(given!.expires_at) &&
    Date.parse(given!.expires_at) > 0 &&
    Array.isArray(given!.releases)
  if (!isIndex) refuse("wrong_format", "The index has no version, no end or no releases.")
  // A release of a later version may look different: what is needed of one is checked when it is used.
  return { ...given!, releases: given!.releases.filter(Boolean) }
}

/** The known state of a feed: the keys, and the newest valid index; null if there was none. */
export interface KnownFeed {
  readonly trust: Trust
  readonly index: SeenIndex | null
}

const readTrust = ({ payload }: Envelope) => parseBytes(decode64(payload)) as Trust

/** Applies the changes of keys. The new owners must sign too, so that a feed is not given to keys that nobody has. */
async function rotate(trust: Trust, rotations: readonly Envelope[], verify: VerifySignature): Promise<Trust> {
  let held = trust
  for (const rotation of rotations.slice(0, MAXIMUM_ROTATIONS)) {
    const next = readTrust(rotation)
    if (next.version !== held.version + 1) continue
    for (const owners of [held.owners, next.owners]) {
      if (!(await isSigned(rotation, "trust", owners, verify))) {
        refuse("bad_signature", `The keys of version ${next.version} are not signed by their owners.`)
      }
    }
    held = next
  }
  return held
}

/**
 * Judges the bytes of `index.json`: returns a valid index, with the current keys. Rejects with a {@link FeedRefusal}: `truncated`, `wrong_format`, `bad_signature`, `rolled_back` or
 * `expired_index`.
 */
export async function judgeIndex(
  bytes: Uint8Array,
  known: KnownFeed,
  nowMs: number,
  verify: VerifySignature = verifySignature,
) {
  let given: SignedIndex
  try {
    given = parseBytes(bytes) as SignedIndex
  } catch {
    refuse(bytes[0] === 0x7b ? "truncated" : "wrong_format", `The index is not valid JSON: ${bytes.length} bytes.`)
  }
  let trust: Trust
  let payload: Uint8Array<ArrayBuffer>
  try {
    trust = await rotate(known.trust, given.rotations ?? [], verify)
    if (!(await isSigned(given, "index", trust.signers, verify))) {
      refuse("bad_signature", `No trusted key (of version ${trust.version}) signed the index.`)
    }
    payload = decode64(given.payload)
  } catch (cause) {
    throw cause instanceof FeedRefusal ? cause : new FeedRefusal("bad_signature", `The index is malformed: ${cause}`)
  }
  const index = readIndex(payload)
  // Else a host that leaves rotations out could go on serving what a revoked key signed.
  if (index.trust !== trust.version) {
    refuse("bad_signature", `The index is for keys of version ${index.trust}, not ${trust.version}.`)
  }
  const digested = await digest(payload)
  // New keys begin a new count, so that a rotation still works after a stolen key signed the highest version.
  const floor = known.index?.trust === trust.version ? known.index : null
  if (floor && (index.version < floor.version || (index.version === floor.version && digested !== floor.digest))) {
    refuse("rolled_back", `The index has version ${index.version}; another of version ${floor.version} was seen.`)
  }
  checkExpiry(index.expires_at, nowMs)
  const seen = { trust: index.trust, version: index.version, digest: digested, expiresAt: index.expires_at }
  return { trust, index, seen }
}

/** The newest release that a program can read. */
export function chooseRelease(index: FeedIndex, readerFormat: number): Release {
  const release = index.releases.find(({ oldest_reader }) => oldest_reader <= readerFormat)
  if (release === undefined) {
    refuse("wrong_format", `Each release needs a format above ${readerFormat}.`)
  }
  // It becomes part of an address. Everything else that is wrong shows when the file is there.
  if (!/^[0-9a-f]{64}$/.test(release.sha256)) refuse("wrong_format", "The newest release has no SHA-256.")
  return release
}

/** Says whether a stored state of a feed can be used; another version of the program or damage can have left any other. */
export function isKnownFeed({ trust, index }: { readonly [Field in keyof KnownFeed]?: unknown }): boolean {
  const isText = (value: unknown) => typeof value === "string"
  const areKeys = ({ keys, threshold }: Role) => Number.isSafeInteger(threshold) && threshold > 0 && keys.every(isText)
  const isSeen = (seen: SeenIndex) =>
    [seen.trust, seen.version].every(Number.isSafeInteger) && isText(seen.digest) && Date.parse(seen.expiresAt) > 0
  try {
    const { version, owners, signers } = trust as Trust
    const areTrusted = Number.isSafeInteger(version) && [owners, signers].every(areKeys)
    return areTrusted && (index === null || isSeen(index as SeenIndex))
  } catch {
    return false
  }
}

function isRole({ keys, threshold }: Role): boolean {
  const isReached = Number.isSafeInteger(threshold) && threshold > 0 && new Set(keys).size >= threshold
  return isReached && keys.length <= MAXIMUM_KEYS && keys.every(isPublicKey)
}

/** Signs a change of keys: with those of the owners before and after. */
export function signTrust(trust: Trust, keys: readonly SigningKey[]): Promise<Envelope> {
  if ([trust.owners, trust.signers].every(isRole)) return signValue("trust", trust, keys)
  refuse(
    "bad_signature",
    `Owners and signers need 1 to ${MAXIMUM_KEYS} Ed25519 keys in base64url each, and a threshold that they reach.`,
  )
}

/** The contents of a new index. */
interface NextIndex {
  /** The index before it; null for the first. */
  readonly before: SignedIndex | null
  /** The release that is added; null where the same ones are signed again. */
  readonly release: Release | null
  /** A change of keys that is added. */
  readonly rotation?: Envelope
  readonly nowMs: number
  /** For how many days it is valid. */
  readonly lastsDays: number
  readonly keys: readonly SigningKey[]
}

/** The contents of an index, unverified, for its publisher. */
export const readPublished = (signed: SignedIndex): FeedIndex => readIndex(decode64(signed.payload))

interface KeyChange extends Omit<NextIndex, "before" | "release" | "rotation"> {
  readonly before: SignedIndex
  readonly trust: Trust
}

/**
 * Signs a change of keys, and the same releases by the new signers. Rejects with a {@link FeedRefusal} where a follower would refuse the
 * result, as far as that can be known: of the first keys only their followers know.
 */
export async function signRotation({ trust, before, ...next }: KeyChange) {
  const rotation = await signTrust(trust, next.keys)
  const signers = next.keys.filter(({ keyid }) => trust.signers.keys.includes(keyid))
  const known = before.rotations?.at(-1)
  const last = known && readTrust(known)
  for (const owners of [trust.owners, ...(last === undefined ? [] : [last.owners])]) {
    if (!(await isSigned(rotation, "trust", owners, verifySignature))) {
      refuse("bad_signature", "Give the private keys of enough owners: of those before the change, and of those after.")
    }
  }
  if (signers.length === 0) refuse("bad_signature", "Give the private key of a new signer: the index is signed again.")
  return signNextIndex({ ...next, before, release: null, rotation, keys: signers })
}

/** The version of the keys that hold after an index's rotations. */
const trustVersionOf = (rotations: readonly Envelope[]): number =>
  rotations.reduce((last, rotation) => Math.max(last, readTrust(rotation).version), 0)

export async function signNextIndex(given: NextIndex): Promise<{ index: FeedIndex; signed: SignedIndex }> {
  const { before, release, rotation, nowMs, lastsDays, keys } = given
  const last = before === null ? null : readPublished(before)
  const rotations = [...(before?.rotations ?? []), ...(rotation === undefined ? [] : [rotation])]
  const index: FeedIndex = {
    version: (last?.version ?? 0) + 1,
    trust: trustVersionOf(rotations),
    issued_at: new Date(nowMs).toISOString(),
    expires_at: new Date(nowMs + lastsDays * DAY_MS).toISOString(),
    releases: [...(release === null ? [] : [release]), ...(last?.releases ?? [])].slice(0, MAXIMUM_RELEASES),
  }
  return { index, signed: { ...(await signValue("index", index, keys)), rotations } }
}
