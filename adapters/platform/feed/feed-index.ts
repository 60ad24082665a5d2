/**
 * What does the index of a feed say, and may it be believed?
 *
 * `index.json` is one envelope that names datasets by their SHA-256. Of The Update Framework it takes what one file needs: owners, kept offline,
 * sign each change of keys (`rotations`); signers sign the index, which expires. A host or a mirror needs no trust. The time is given, and nothing is
 * read from a network here.
 */

import { isFields } from "../fields/fields.ts"
import {
  decode64,
  type Envelope,
  encode64,
  type FeedPrimitives,
  FeedRefusal,
  isSigned,
  parseBytes,
  type Role,
  refuse,
  type SigningKey,
  signValue,
  webCrypto,
  writeHex,
} from "./envelope.ts"

const INDEX_TYPE = "application/vnd.landfall.index.v1+json"
const TRUST_TYPE = "application/vnd.landfall.trust.v1+json"

/** The largest `index.json` that is read. */
export const MAXIMUM_INDEX_BYTES = 65_536
/** The most releases that an index lists; older ones are left out. */
export const MAXIMUM_RELEASES = 20
/** The most changes of keys that are read. */
const MAXIMUM_ROTATIONS = 64
const MAXIMUM_KEYS = 16
/** How far the clocks of publisher and follower may differ: a time zone that was set wrongly is forgiven. */
const TOLERANCE_MS = 86_400_000
const DAY_MS = 86_400_000
/** Without an offset a date would be read in local time. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

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
  /** Of the bytes that are sent, which are gzip; also the name of the file. */
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
export interface FeedIndex {
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

/** What has to be remembered of an index: without it no rollback is noticed. */
export interface SeenIndex {
  readonly trust: number
  readonly version: number
  readonly digest: string
  readonly expiresAt: string
}

/** The keys that are named in a program or a setting: with a list, each of them may sign everything alone. */
export type PinnedKeys = readonly string[] | Trust

/** Whether a text is an Ed25519 public key, written the one way it is written: else one key could count twice. */
export function isPublicKey(text: unknown): text is string {
  try {
    return typeof text === "string" && text.length === 43 && encode64(decode64(text)) === text
  } catch {
    return false
  }
}

function readRole(given: unknown): Role {
  const { keys, threshold } = isFields(given) ? given : {}
  const isRole = Array.isArray(keys) && keys.length <= MAXIMUM_KEYS && keys.every(isPublicKey)
  const needed = Number.isSafeInteger(threshold) ? (threshold as number) : 0
  if (!isRole || needed < 1 || new Set(keys).size < needed) {
    refuse(
      "bad_signature",
      `Keys have to be 1 to ${MAXIMUM_KEYS} Ed25519 keys in base64url, with a threshold that they reach.`,
    )
  }
  return { keys, threshold: needed }
}

function readTrust(given: unknown): Trust {
  const { version, owners, signers } = isFields(given) ? given : {}
  if (!Number.isSafeInteger(version)) refuse("bad_signature", "Keys have to have a version.")
  return { version: version as number, owners: readRole(owners), signers: readRole(signers) }
}

/** The trust that pinned keys give. Throws a {@link FeedRefusal} where one is not a key. */
export const trustOf = (keys: PinnedKeys): Trust =>
  readTrust("version" in keys ? keys : { version: 0, owners: { keys, threshold: 1 }, signers: { keys, threshold: 1 } })

/** Refuses an index that has expired. A clock that is behind refuses nothing, and notices no old index. */
export function checkExpiry(expiresAt: string, nowMs: number): void {
  if (nowMs <= Date.parse(expiresAt) + TOLERANCE_MS) return
  const clock = new Date(nowMs).toISOString()
  refuse(
    "expired_index",
    `The index expired at ${expiresAt}. The host serves an old one, or this clock (${clock}) is ahead.`,
  )
}

function readIndex(payload: Uint8Array): FeedIndex {
  const given = parseBytes(payload)
  const { version, trust, issued_at, expires_at, releases }: Partial<FeedIndex> = isFields(given) ? given : {}
  if (!Number.isSafeInteger(version) || !Number.isSafeInteger(trust)) {
    refuse("wrong_format", "The index has no version.")
  }
  if (typeof expires_at !== "string" || !INSTANT.test(expires_at) || Number.isNaN(Date.parse(expires_at))) {
    refuse("wrong_format", "The index does not say when it expires.")
  }
  if (!Array.isArray(releases)) refuse("wrong_format", "The index lists no releases.")
  const numbers = { version: version as number, trust: trust as number }
  // A release of a later version may look different: what this program needs of one is checked when it is chosen.
  const known = (releases as readonly unknown[]).filter(isFields) as never[]
  return { ...numbers, issued_at: String(issued_at), expires_at, releases: known }
}

/** An index that may be believed, with the keys that hold now. */
export interface JudgedIndex {
  readonly trust: Trust
  readonly index: FeedIndex
  readonly seen: SeenIndex
}

/** What an index is judged by. */
export interface IndexContext {
  readonly trust: Trust
  /** The newest index that was believed; null where there was none. */
  readonly seen: SeenIndex | null
  readonly nowMs: number
  readonly primitives: FeedPrimitives
}

/** Follows the changes of keys. By the new owners too, so that a feed is not handed to keys that nobody has. */
async function rotate(trust: Trust, rotations: readonly Envelope[], primitives: FeedPrimitives): Promise<Trust> {
  let held = trust
  for (const rotation of rotations.slice(0, MAXIMUM_ROTATIONS)) {
    const payload = parseBytes(decode64(rotation.payload))
    if (!isFields(payload) || payload.version !== held.version + 1) continue
    const next = readTrust(payload)
    for (const owners of [held.owners, next.owners]) {
      if (!(await isSigned(rotation, TRUST_TYPE, owners, primitives))) {
        refuse("bad_signature", `The keys of version ${next.version} are not signed by their owners.`)
      }
    }
    held = next
  }
  return held
}

/**
 * Judges the bytes of `index.json`. Rejects with a {@link FeedRefusal}: `truncated`, `wrong_format`, `bad_signature`, `rolled_back` or
 * `expired_index`.
 */
export async function judgeIndex(bytes: Uint8Array, context: IndexContext): Promise<JudgedIndex> {
  const { seen, nowMs, primitives } = context
  let given: SignedIndex
  try {
    given = parseBytes(bytes) as SignedIndex
  } catch {
    refuse(bytes[0] === 0x7b ? "truncated" : "wrong_format", `The index is not valid JSON: ${bytes.length} bytes.`)
  }
  let trust: Trust
  let payload: Uint8Array<ArrayBuffer>
  try {
    trust = await rotate(context.trust, given.rotations ?? [], primitives)
    if (!(await isSigned(given, INDEX_TYPE, trust.signers, primitives))) {
      refuse("bad_signature", `No trusted key (of version ${trust.version}) signed the index.`)
    }
    payload = decode64(given.payload)
  } catch (cause) {
    throw cause instanceof FeedRefusal ? cause : new FeedRefusal("bad_signature", `The index is malformed: ${cause}`)
  }
  const index = readIndex(payload)
  // Else a host that leaves rotations out could go on serving what a revoked key signed.
  if (index.trust !== trust.version) {
    refuse("bad_signature", `The index is signed for keys of version ${index.trust}; those known are ${trust.version}.`)
  }
  const digest = writeHex(await primitives.sha256(payload))
  // New keys begin a new count, so that a stolen key that signed the highest version is overcome by a rotation.
  const floor = seen?.trust === trust.version ? seen : null
  if (floor && (index.version < floor.version || (index.version === floor.version && digest !== floor.digest))) {
    refuse("rolled_back", `The index has version ${index.version}; another of version ${floor.version} was seen.`)
  }
  checkExpiry(index.expires_at, nowMs)
  const { version, expires_at: expiresAt } = index
  return { trust, index, seen: { trust: trust.version, version, digest, expiresAt } }
}

/** The newest release that a program can read. */
export function chooseRelease(index: FeedIndex, readerFormat: number): Release {
  const release = index.releases.find(({ oldest_reader }) => oldest_reader <= readerFormat)
  if (release === undefined) {
    refuse("wrong_format", `Each release needs a program that reads a format above ${readerFormat}.`)
  }
  const { version, as_of, sha256, bytes, unpacked_bytes } = release
  const isNamed =
    typeof version === "string" && /^\d{4}-\d\d-\d\d$/.test(as_of) && /^[0-9a-f]{64}$/.test(sha256) && version !== ""
  const isSized = [bytes, unpacked_bytes].every(length => Number.isSafeInteger(length) && length > 0)
  if (!isNamed || !isSized) refuse("wrong_format", "The newest release has no version, day, SHA-256 or length.")
  return release
}

/** Signs a change of keys: with those of the owners before and after. */
export const signTrust = (trust: Trust, keys: readonly SigningKey[]): Promise<Envelope> =>
  signValue(TRUST_TYPE, readTrust(trust), keys)

/** What a new index is made of. */
export interface NextIndex {
  /** The index before it; null for the first. */
  readonly before: SignedIndex | null
  /** The release that is added; null where the same ones are signed again. */
  readonly release: Release | null
  /** A change of keys that is added. */
  readonly rotation?: Envelope
  readonly nowMs: number
  /** For how many days it may be believed. */
  readonly lastsDays: number
  readonly keys: readonly SigningKey[]
}

/** What an index says, unverified: for its publisher. */
export const readPublished = (signed: SignedIndex): FeedIndex => readIndex(decode64(signed.payload))

/** A change of keys. */
export interface KeyChange extends Omit<NextIndex, "before" | "release" | "rotation"> {
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
  const last = known && readTrust(parseBytes(decode64(known.payload)))
  for (const owners of [trust.owners, ...(last === undefined ? [] : [last.owners])]) {
    if (!(await isSigned(rotation, TRUST_TYPE, owners, webCrypto))) {
      refuse("bad_signature", "Give the private keys of enough owners: of those before the change, and of those after.")
    }
  }
  if (signers.length === 0) refuse("bad_signature", "Give the private key of a new signer: the index is signed again.")
  return signNextIndex({ ...next, before, release: null, rotation, keys: signers })
}

/** The version of the keys that hold after an index's rotations. */
const trustVersionOf = (rotations: readonly Envelope[]): number =>
  rotations.reduce((last, { payload }) => Math.max(last, readTrust(parseBytes(decode64(payload))).version), 0)

/** Makes and signs the next index. */
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
  return { index, signed: { ...(await signValue(INDEX_TYPE, index, keys)), rotations } }
}
