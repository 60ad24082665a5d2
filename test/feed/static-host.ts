/** A feed in memory, as a static host serves it, with keys of the test and datasets that are small JSON texts, or small worlds. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { gzipSync } from "node:zlib"
import type { Envelope, SigningKey } from "../../adapters/feed/envelope.ts"
import { type Release, type SignedIndex, signNextIndex } from "../../adapters/feed/feed-index.ts"
import {
  type DatasetName,
  type FeedState,
  type Inspected,
  type LookOptions,
  lookAtFeed,
} from "../../adapters/feed/follow.ts"
import { openDataset } from "../../src/engine.ts"

export const NOW = Date.parse("2026-11-23T12:00:00Z")
export const DAY = 86_400_000

/** A key pair that signs by Node's own Ed25519. */
export interface TestKey extends SigningKey {
  readonly privateKey: KeyObject
}

export function makeKey(): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519")
  const { x } = publicKey.export({ format: "jwk" })
  return { keyid: x!, privateKey, sign: async message => sign(null, message, privateKey) }
}

/** A dataset of the tests. */
export const encodeText = (version: string, asOf: string, changedShare = 0.01): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify({ version, asOf, changedShare, filler: "x".repeat(500) }))

const openText = (bytes: Uint8Array): Inspected | string => {
  const found = JSON.parse(new TextDecoder().decode(bytes))
  return found.version === "broken" ? "The dataset is cut off." : found
}

const readName = (bytes: Uint8Array): DatasetName => {
  const opened = openDataset(bytes)
  return opened.ok ? opened.value : JSON.parse(new TextDecoder().decode(bytes))
}

export function describeRelease(bytes: Uint8Array, more: Partial<Release> = {}): { release: Release; packed: Buffer } {
  const { version, asOf } = readName(bytes)
  const packed = gzipSync(bytes)
  const sha256 = createHash("sha256").update(packed).digest("hex")
  const sizes = { sha256, bytes: packed.length, unpacked_bytes: bytes.length, format: 2, oldest_reader: 2, pairs: 100 }
  const release = { version, as_of: asOf, ...sizes, changes: { major: 0, minor: 1 }, previous: null, ...more }
  return { release, packed }
}

/** Answers one request; undefined for what the host would answer. */
export type Interfere = (url: string, init: RequestInit) => Response | undefined

/** A host with a feed. */
export class StaticHost {
  readonly files = new Map<string, Uint8Array>()
  readonly asked: { path: string; status: number }[] = []
  signed: SignedIndex | null = null
  interfere: Interfere = () => undefined

  /** Publishes a dataset, or a release of which the file is there already, or signs the same ones again. */
  async publish(
    bytes: Uint8Array | null,
    keys: readonly SigningKey[],
    given: { nowMs?: number; lastsDays?: number; rotation?: Envelope; release?: Partial<Release>; adds?: boolean } = {},
  ): Promise<void> {
    const { nowMs = NOW, lastsDays = 30, release: more, adds = false, ...others } = given
    const made = bytes === null ? null : describeRelease(bytes, more)
    if (made !== null) this.files.set(`/${made.release.sha256}.landfall`, made.packed)
    const release = made?.release ?? (adds ? (more as Release) : null)
    const next = { before: this.signed, release, nowMs, lastsDays, keys, ...others }
    this.signed = (await signNextIndex(next)).signed
    this.serve(this.signed)
  }

  /** Serves another index than the one that was published. */
  serve(index: unknown): void {
    this.files.set("/index.json", new TextEncoder().encode(JSON.stringify(index)))
  }

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input))
    const response = this.interfere(url.href, init) ?? this.answer(url.pathname, new Headers(init.headers))
    this.asked.push({ path: url.pathname, status: response.status })
    return response
  }

  private answer(path: string, headers: Headers): Response {
    const file = this.files.get(path)
    if (file === undefined) return new Response("not found", { status: 404 })
    const etag = `"${createHash("sha256").update(file).digest("base64url")}"`
    if (headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers: { etag } })
    return new Response(file as BodyInit, { headers: { etag } })
  }
}

/** A follower that keeps its state, and answers from the last dataset that it found. */
export class Follower {
  state: FeedState | null = null
  inUse: LookOptions["inUse"] = { version: "embedded", asOf: "2026-01-01" }
  readonly host: StaticHost
  readonly keys: LookOptions["keys"]

  constructor(host: StaticHost, keys: LookOptions["keys"]) {
    this.host = host
    this.keys = keys
  }

  async look(more: Partial<LookOptions> = {}) {
    const looked = await lookAtFeed({
      url: "https://feed.example/index.json",
      keys: this.keys,
      state: this.state,
      save: async state => {
        this.state = state
      },
      inUse: this.inUse,
      nowMs: NOW,
      readerFormat: 2,
      inspect: openText,
      fetch: this.host.fetch,
      ...more,
    })
    if (looked.ok) this.inUse = { version: looked.release.version, asOf: looked.release.as_of }
    return looked
  }

  /** The reason of a look, or the version that it found. */
  async find(more: Partial<LookOptions> = {}): Promise<string> {
    const looked = await this.look(more)
    return looked.ok ? looked.release.version : looked.reason
  }
}
