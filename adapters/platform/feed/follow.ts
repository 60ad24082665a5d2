/**
 * Is there a newer dataset at an address, and may it be used?
 *
 * One look: the index is fetched and judged, the newest release that can be read is fetched, verified, unpacked and opened. Whatever goes wrong is an
 * answer, and what is in use stays in use. The time, the network and the place where the state is kept are given. It runs in every runtime with
 * WebCrypto, fetch and streams.
 */
import { type FeedPrimitives, type FeedReason, FeedRefusal, refuse, webCrypto, writeHex } from "./envelope.ts"
import {
  checkExpiry,
  chooseRelease,
  judgeIndex,
  MAXIMUM_INDEX_BYTES,
  type PinnedKeys,
  type Release,
  type SeenIndex,
  type Trust,
  trustOf,
} from "./feed-index.ts"

/** The largest file that is fetched. */
const MAXIMUM_PACKED_BYTES = 4_194_304
/** The largest dataset that comes out of it. */
const MAXIMUM_UNPACKED_BYTES = 33_554_432
const MAXIMUM_REDIRECTS = 3
const TIMEOUT_MS = 20_000

/** What a follower remembers between two looks. */
export interface FeedState {
  /** The pinned keys: other ones are another feed, of which nothing was seen. */
  readonly pinned: string
  readonly trust: Trust
  readonly index: SeenIndex | null
  /** Of an index that needs nothing more of a program of this format, while this dataset is in use. */
  readonly etag: string | null
  readonly settled: string | null
  /** A dataset that was refused after it was fetched, and what was in use then: it is not fetched again. */
  readonly refused: {
    readonly sha256: string
    readonly inUse: string | null
    readonly reason: FeedReason
    readonly message: string
  } | null
}

/** A dataset by name. */
export interface DatasetName {
  readonly version: string
  readonly asOf: string
}

/** What opened bytes are: a dataset and the share of pairs that it changes, from 0 to 1. */
export interface Inspected extends DatasetName {
  readonly changedShare: number
}

/** How to look. */
export interface LookOptions {
  /** The address of `index.json`. */
  readonly url: string
  readonly keys: PinnedKeys
  readonly state: FeedState | null
  /** Called before the answer with what has to be remembered; with bytes the dataset comes with it, as it was sent. */
  readonly save: (
    state: FeedState,
    found?: { readonly release: Release; readonly packed: Uint8Array<ArrayBuffer> },
  ) => Promise<void>
  /** What is answered from. */
  readonly inUse: DatasetName | null
  readonly nowMs: number
  readonly readerFormat: number
  /** Opens the bytes of a dataset, or says why it cannot. */
  readonly inspect: (bytes: Uint8Array) => Inspected | string | Promise<Inspected | string>
  /** 0.1 when absent. */
  readonly maximumChangedShare?: number
  /** Takes what is older and what changes more. */
  readonly isForced?: boolean
  readonly fetch?: typeof fetch
  readonly primitives?: FeedPrimitives
  readonly timeoutMs?: number
  /** Ends the look early. */
  readonly signal?: AbortSignal
}

/** A new dataset, or the reason why there is none. */
export type Looked =
  | { readonly ok: true; readonly bytes: Uint8Array<ArrayBuffer>; readonly release: Release }
  | { readonly ok: false; readonly reason: FeedReason; readonly message: string }

/** A page may not send `If-None-Match` without a preflight, which static hosts refuse; with `cache: "no-cache"` the browser sends its own. */
const isPage = () => typeof location === "object"

function parseUrl(text: string, base?: URL): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

/** Collects a stream up to a limit; null where there is more. */
async function collect(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  const reader = stream.getReader()
  for (let length = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer())
    length += pieces[pieces.push(value as Uint8Array<ArrayBuffer>) - 1]!.length
    if (length <= limit) continue
    reader.cancel().catch(() => {})
    return null
  }
}

/** Reads a body up to a limit, whatever its headers say. Redirects stay on the host; a browser hides where they lead, so none are followed there. */
async function download(
  from: URL,
  limit: number,
  { fetch: given = globalThis.fetch, timeoutMs = TIMEOUT_MS, signal: ended }: LookOptions,
  headers: Record<string, string> = {},
) {
  // Called without `this`, as browsers and workerd demand.
  const send = given
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = ended === undefined ? timeout : AbortSignal.any([timeout, ended])
  for (let url = from, hops = 0; ; hops++) {
    // "manual", because workerd has no "error", and with "follow" a feed could make a server ask its own network.
    const init: RequestInit = { headers, redirect: "manual", signal, ...(isPage() ? { cache: "no-cache" } : {}) }
    const response = await send(url.href, init).catch((cause: unknown) =>
      refuse("offline", `${url.host} cannot be reached: ${cause}`),
    )
    const { status } = response
    if (response.type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304)) {
      const next = parseUrl(response.headers.get("location") ?? "about:hidden", url)
      await response.body?.cancel()
      if (next?.origin !== url.origin || hops >= MAXIMUM_REDIRECTS) {
        refuse("redirected", `${url.href} redirects to ${next?.href}. Give that address, or serve the feed here.`)
      }
      url = next
      continue
    }
    if (status !== 200 && status !== 304) {
      await response.body?.cancel()
      refuse("offline", `${url.href} answers ${status}.`)
    }
    const body = response.body ?? new Blob([]).stream()
    const bytes = await collect(body, limit).catch((cause: unknown) =>
      refuse(signal.aborted ? "offline" : "truncated", `${url.href} broke off: ${cause}`),
    )
    if (bytes === null) refuse("too_large", `${url.href} has more than ${limit} bytes.`)
    return { isUnchanged: status === 304, etag: response.headers.get("etag"), bytes }
  }
}

/** Verifies the bytes that a release names, and unpacks them. */
export async function unpackRelease(
  packed: Uint8Array<ArrayBuffer>,
  release: Release,
  { sha256 }: Pick<FeedPrimitives, "sha256"> = webCrypto,
): Promise<Uint8Array<ArrayBuffer>> {
  if (packed.length < release.bytes) refuse("truncated", `The dataset has ${packed.length} of ${release.bytes} bytes.`)
  if (writeHex(await sha256(packed)) !== release.sha256)
    refuse("wrong_hash", "The dataset is not the one that was signed.")
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))
  const bytes = await collect(stream, release.unpacked_bytes).catch((cause: unknown) =>
    refuse("wrong_format", `The dataset cannot be unpacked: ${cause}`),
  )
  if (bytes?.length !== release.unpacked_bytes) {
    refuse("wrong_format", `The dataset does not unpack to the ${release.unpacked_bytes} bytes that were signed.`)
  }
  return bytes
}

/** The state of a follower, or that of a new one where the keys are not those of before. */
const startState = (keys: PinnedKeys, found: FeedState | null): FeedState => {
  const [trust, pinned] = [trustOf(keys), JSON.stringify(keys)]
  return found?.pinned === pinned ? found : { pinned, trust, index: null, etag: null, settled: null, refused: null }
}

async function find(options: LookOptions): Promise<Looked> {
  const { keys, inUse, nowMs, readerFormat, inspect, save, isForced = false, primitives = webCrypto } = options
  const { maximumChangedShare = 0.1 } = options
  const url = parseUrl(options.url) ?? refuse("offline", `${JSON.stringify(options.url)} is not a URL.`)
  let state = startState(keys, options.state)
  const inUseVersion = inUse?.version ?? null
  const settledBy = (version: string | null) => `${readerFormat} ${version}`
  const isAsked = state.etag !== null && state.settled === settledBy(inUseVersion) && !isForced && !isPage()
  const got = await download(url, MAXIMUM_INDEX_BYTES, options, isAsked ? { "if-none-match": state.etag! } : {})
  if (got.isUnchanged) {
    if (!isAsked || !state.index) refuse("offline", `${url} answers 304 to a question without a condition.`)
    checkExpiry(state.index.expiresAt, nowMs) // A host that answers 304 for ever keeps its followers on old data.
    refuse("not_modified", "The index has not changed.")
  }
  const { trust, index, seen } = await judgeIndex(got.bytes, {
    trust: state.trust,
    seen: state.index,
    nowMs,
    primitives,
  })
  // Without the ETag: a 304 must not stand for a dataset that was never fetched.
  state = { ...state, trust, index: seen, etag: null, settled: null }
  await save(state)
  /** Nothing more is to be done for this index while the same dataset is in use. */
  const settle = (more: Partial<FeedState> = {}) =>
    save({ ...state, etag: got.etag, settled: settledBy(inUseVersion), ...more })
  const release = chooseRelease(index, readerFormat)
  if (release.version === inUseVersion) {
    await settle()
    refuse("not_modified", `Dataset ${release.version} is in use.`)
  }
  if (!isForced && inUse !== null && release.as_of < inUse.asOf) {
    await settle()
    refuse("rolled_back", `The dataset of ${release.as_of} is older than the one in use, of ${inUse.asOf}.`)
  }
  const { refused } = state
  if (!isForced && refused?.sha256 === release.sha256 && refused.inUse === inUseVersion) {
    await settle()
    refuse(refused.reason, refused.message)
  }
  const tooLarge = release.bytes > MAXIMUM_PACKED_BYTES || release.unpacked_bytes > MAXIMUM_UNPACKED_BYTES
  if (tooLarge) refuse("too_large", `The dataset has ${release.bytes} bytes, and ${release.unpacked_bytes} unpacked.`)
  const { bytes: packed } = await download(new URL(`${release.sha256}.landfall`, url), release.bytes, options)
  const bytes = await unpackRelease(packed, release, primitives)
  const refuseFile = async (reason: FeedReason, message: string) => {
    await settle({ refused: { sha256: release.sha256, inUse: inUseVersion, reason, message } })
    refuse(reason, message)
  }
  const inspected = await inspect(bytes)
  if (typeof inspected === "string") return await refuseFile("wrong_format", inspected)
  const { version, asOf, changedShare } = inspected
  if (version !== release.version || asOf !== release.as_of) {
    return await refuseFile("wrong_format", `The file is dataset ${version}, not ${release.version} as it was signed.`)
  }
  if (!(changedShare <= maximumChangedShare) && !isForced) {
    const [changed, allowed] = [Math.ceil(changedShare * 100), Math.round(maximumChangedShare * 100)]
    const message = `Dataset ${version} changes ${changed} % of pairs; ${allowed} % are allowed at once.`
    return await refuseFile("too_many_changes", message)
  }
  await save({ ...state, etag: got.etag, settled: settledBy(version), refused: null }, { release, packed })
  return { ok: true, bytes, release }
}

/** Looks once. Rejects only with what `save` and `inspect` reject with. */
export async function lookAtFeed(options: LookOptions): Promise<Looked> {
  try {
    return await find(options)
  } catch (cause) {
    if (!(cause instanceof FeedRefusal)) throw cause
    return { ok: false, reason: cause.reason, message: cause.message }
  }
}
