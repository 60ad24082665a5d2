/**
 * Is there a newer dataset at an address, and may it be used?
 *
 * One look: the index is fetched and checked, and the newest readable release is fetched, verified, unpacked and opened. A problem is a
 * result, and the dataset in use stays in use. The time, the network and the store of the state are arguments. It runs in every runtime
 * with WebCrypto, fetch and streams.
 */
import { readJsonFields } from "../validation/fields.ts"
import { digest, type FeedReason, FeedRefusal, joinBytes, refuse, type VerifySignature } from "./envelope.ts"
import {
  checkExpiry,
  chooseRelease,
  isKnownFeed,
  judgeIndex,
  type KnownFeed,
  MAXIMUM_INDEX_BYTES,
  type PinnedKeys,
  type Release,
  trustOf,
} from "./feed-index.ts"

/** The largest file that is fetched. */
const MAXIMUM_PACKED_BYTES = 4_194_304
/** The largest dataset that comes out of it. */
const MAXIMUM_UNPACKED_BYTES = 33_554_432
const TIMEOUT_MS = 20_000

/** The state of a follower between two looks. */
export interface FeedState extends KnownFeed {
  /** The pinned keys: other ones are another feed, of which nothing was seen. */
  readonly pinned: string
  /** The ETag of an index from which a program of this format needs nothing more, while this dataset is in use. */
  readonly etag: string | null
  readonly settled: string | null
  /** A release that was refused after it was fetched, and the dataset in use at that time: it is not fetched again. */
  readonly refused: string | null
}

export interface DatasetName {
  readonly version: string
  readonly asOf: string
}

/** The opened bytes: a dataset and the share of pairs that it changes, from 0 to 1. */
export interface Inspected extends DatasetName {
  readonly changedShare: number
}

export interface LookOptions {
  /** The address of `index.json`. */
  readonly url: string
  readonly keys: PinnedKeys
  readonly state: FeedState | null
  /** Called before the answer with the state to store; with bytes, the dataset as it was sent belongs to it. */
  readonly save: (
    state: FeedState,
    found?: { readonly release: Release; readonly packed: Uint8Array<ArrayBuffer> },
  ) => Promise<void>
  readonly inUse: DatasetName | null
  readonly nowMs: number
  readonly readerFormat: number
  /** Opens the bytes of a dataset, or says why it cannot. */
  readonly inspect: (bytes: Uint8Array) => Inspected | string | Promise<Inspected | string>
  /** 0.1 when absent. */
  readonly maximumChangedShare?: number
  /** Accepts older datasets and larger changes. */
  readonly isForced?: boolean
  readonly fetch?: typeof fetch
  /** Ed25519, for runtimes whose WebCrypto has none. */
  readonly verify?: VerifySignature
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

/** Collects a stream up to a limit; null where there is more. */
async function collect(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  const reader = stream.getReader()
  for (let length = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return joinBytes(pieces)
    length += pieces[pieces.push(value as Uint8Array<ArrayBuffer>) - 1]!.length
    if (length <= limit) continue
    reader.cancel().catch(() => {})
    return null
  }
}

/** Reads a body up to a limit, whatever its headers say. No redirect is followed: it could make a server ask its own network. */
async function download(url: URL, limit: number, options: LookOptions, headers: Record<string, string> = {}) {
  // Called without `this`, as browsers and workerd demand.
  const { fetch: send = globalThis.fetch, timeoutMs = TIMEOUT_MS, signal: ended } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = ended ? AbortSignal.any([timeout, ended]) : timeout
  // "manual", because workerd has no "error".
  const init: RequestInit = { headers, redirect: "manual", signal, ...(isPage() ? { cache: "no-cache" } : {}) }
  const response = await send(url.href, init).catch((cause: unknown) =>
    refuse("offline", `${url.host} cannot be reached: ${cause}`),
  )
  const { status, body } = response
  if (status !== 200 && !(status === 304 && "if-none-match" in headers)) {
    await body?.cancel()
    const to = response.headers.get("location")
    // A page does not learn the target of a redirect.
    if (to || response.type === "opaqueredirect") refuse("redirected", `${url} redirects to ${to}. Give that address.`)
    refuse("offline", `${url} answers ${status}.`)
  }
  const bytes = await collect(body ?? new Blob([]).stream(), limit).catch((cause: unknown) =>
    refuse(signal.aborted ? "offline" : "truncated", `${url} broke off: ${cause}`),
  )
  if (bytes === null) refuse("too_large", `${url} has more than ${limit} bytes.`)
  return { status, etag: response.headers.get("etag"), bytes }
}

/** Verifies the bytes that a release names, and unpacks them. */
export async function unpackRelease(
  packed: Uint8Array<ArrayBuffer>,
  { bytes: length, sha256, unpacked_bytes: unpacked }: Release,
): Promise<Uint8Array<ArrayBuffer>> {
  if (packed.length < length) refuse("truncated", `The dataset has ${packed.length} of ${length} bytes.`)
  if ((await digest(packed)) !== sha256) refuse("wrong_hash", "The dataset is not the one that was signed.")
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))
  const bytes = await collect(stream, unpacked).catch(() => null)
  if (bytes?.length !== unpacked) {
    refuse("wrong_format", `The dataset does not unpack to ${unpacked} bytes.`)
  }
  return bytes
}

/** The state of a follower, or that of a new one where the keys are not those of before. */
const startState = (keys: PinnedKeys, found: FeedState | null): FeedState => {
  const [trust, pinned] = [trustOf(keys), JSON.stringify(keys)]
  return found?.pinned === pinned ? found : { pinned, trust, index: null, etag: null, settled: null, refused: null }
}

/** Reads a stored state; null for any other text, which another version of the program or damage can have left. */
export function readFeedState(text: string): FeedState | null {
  const state = readJsonFields(text)
  if (state === null || typeof state.pinned !== "string" || !isKnownFeed(state)) return null
  const areKept = [state.etag, state.settled, state.refused].every(kept => kept === null || typeof kept === "string")
  return areKept ? (state as unknown as FeedState) : null
}

async function find(options: LookOptions): Promise<Looked> {
  const {
    keys,
    inUse,
    nowMs,
    readerFormat,
    inspect,
    save,
    isForced = false,
    maximumChangedShare = 0.1,
    verify,
  } = options
  if (!globalThis.crypto?.subtle) refuse("unsupported", "WebCrypto is missing; a page has it over HTTPS.")
  if (!URL.canParse(options.url)) refuse("offline", `${JSON.stringify(options.url)} is not a URL.`)
  const url = new URL(options.url)
  let state = startState(keys, options.state)
  const settledBy = (version: string | undefined) => `${readerFormat} ${version}`
  const isAsked = state.etag !== null && state.settled === settledBy(inUse?.version) && !isForced && !isPage()
  const condition: Record<string, string> = isAsked ? { "if-none-match": state.etag! } : {}
  const { status, etag, bytes: read } = await download(url, MAXIMUM_INDEX_BYTES, options, condition)
  if (status === 304) {
    checkExpiry(state.index!.expiresAt, nowMs) // A host that always answers 304 would keep its followers on old data.
    refuse("not_modified", "The index has not changed.")
  }
  const { trust, index, seen } = await judgeIndex(read, state, nowMs, verify)
  // Without the ETag: a 304 must not replace a dataset that was never fetched.
  state = { ...state, trust, index: seen, etag: null, settled: null }
  await save(state)
  const release = chooseRelease(index, readerFormat)
  const refused = JSON.stringify([release, inUse?.version])
  /** Refuses the release: nothing more is to be done for this index while the same dataset is in use. */
  const settle = async (reason: FeedReason, message: string, more: Partial<FeedState> = {}): Promise<never> => {
    await save({ ...state, etag, settled: settledBy(inUse?.version), ...more })
    refuse(reason, message)
  }
  if (release.version === inUse?.version) return settle("not_modified", `Dataset ${release.version} is in use.`)
  if (!isForced) {
    if (inUse && release.as_of < inUse.asOf) {
      return settle("rolled_back", `The dataset of ${release.as_of} is older than the one in use, of ${inUse.asOf}.`)
    }
    if (state.refused === refused) return settle("not_modified", `Dataset ${release.version} was refused before.`)
  }
  const isSized = release.bytes <= MAXIMUM_PACKED_BYTES && release.unpacked_bytes <= MAXIMUM_UNPACKED_BYTES
  if (!isSized) refuse("too_large", `The dataset has ${release.bytes} bytes, and ${release.unpacked_bytes} unpacked.`)
  const { bytes: packed } = await download(new URL(`${release.sha256}.landfall`, url), release.bytes, options)
  const bytes = await unpackRelease(packed, release)
  const inspected = await inspect(bytes)
  if (typeof inspected === "string") return settle("wrong_format", inspected, { refused })
  const { version, asOf, changedShare } = inspected
  if (version !== release.version || asOf !== release.as_of) {
    return settle("wrong_format", `The file is dataset ${version}, not ${release.version}.`, {
      refused,
    })
  }
  if (!(isForced || changedShare <= maximumChangedShare)) {
    const [changed, allowed] = [Math.ceil(changedShare * 100), Math.round(maximumChangedShare * 100)]
    const message = `Dataset ${version} changes ${changed} % of pairs; ${allowed} % are allowed at once.`
    return settle("too_many_changes", message, { refused })
  }
  await save({ ...state, etag, settled: settledBy(version), refused: null }, { release, packed })
  return { ok: true, bytes, release }
}

/**
 * Returns the name of a fault, which is reported once while the name stays the same; null if there is no fault. A refused file stays
 * refused while the index answers 304.
 */
export function nameFault(reason: string | undefined, state: FeedState | null, before: string | null): string | null {
  if (reason === "not_modified") return state?.refused ? before : null
  return reason === undefined ? null : `${reason} ${state?.index?.version} ${state?.index?.trust}`
}

/** Looks once. Rejects only with the errors of `save` and `inspect`. */
export async function lookAtFeed(options: LookOptions): Promise<Looked> {
  try {
    return await find(options)
  } catch (cause) {
    if (!(cause instanceof FeedRefusal)) throw cause
    return { ok: false, reason: cause.reason, message: cause.message }
  }
}

// When does a follower look at its feed again? Each hour, and after longer and longer waits while something is wrong.

const HOUR_MS = 3_600_000
/** The wait after a good look, and after one, two … faults in a row; the last is repeated without end. */
const WAITS_MS = [HOUR_MS, 60_000, 300_000, 900_000, HOUR_MS, 6 * HOUR_MS]
/** The wait after a number of faults in a row. A `random` from 0 to 1 spreads it by a tenth to both sides, so that followers that failed together do not retry together. */
export const waitForLook = (faults: number, random: number): number =>
  Math.round((WAITS_MS[faults] ?? 6 * HOUR_MS) * (0.9 + 0.2 * random))
