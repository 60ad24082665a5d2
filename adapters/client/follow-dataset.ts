/**
 * How does a program that embeds Landfall stay up to date?
 *
 * It uses the dataset that it was built with, or a newer one that it stored, and checks a signed feed. A newer dataset is verified, opened,
 * stored and used at once. A problem is reported once, and the dataset in use stays in use. The rules for accepting a feed are those of the
 * service (platform/feed).
 */
import { type Dataset, FORMAT_VERSION, openDataset } from "../../src/engine.ts"
import { inspectDataset } from "../answers/changed-share.ts"
import { type FeedReason, joinBytes, type VerifySignature } from "../feed/envelope.ts"
import type { PinnedKeys, Release } from "../feed/feed-index.ts"
import { type FeedState, lookAtFeed, nameFault, unpackRelease, waitForLook } from "../feed/follow.ts"

// Where does a program that follows a feed store its dataset?
// A store keeps one value. In browsers, workers and Deno it is an entry of the Cache, in Node, Bun and Deno a file. Neither is trusted: the stored dataset
// is checked against the signed SHA-256.

/** Keeps one value. An own store may use any database; it has to replace the value at once or not at all. */
export interface DatasetStore {
  /** Returns the last written value; null if there is none. */
  readonly read: () => Promise<Uint8Array | null>
  readonly write: (value: Uint8Array) => Promise<void>
}

/**
 * Keeps it in the Cache of a browser, a worker or Deno. A page needs HTTPS or localhost for it.
 *
 * @example
 * ```ts
 * const store = keepInCache("visa-data")
 * typeof store.write // => "function"
 * ```
 */
export function keepInCache(name = "landfall-dataset"): DatasetStore {
  // The key of an entry has to be an address. Nothing is fetched from it.
  const key = "https://landfall.invalid/dataset"
  return {
    read: async () => {
      const found = await (await caches.open(name)).match(key)
      return found ? new Uint8Array(await found.arrayBuffer()) : null
    },
    write: async value => (await caches.open(name)).put(key, new Response(value as BodyInit)),
  }
}

/**
 * Keeps it in a file, in Node, Bun or Deno. The folder has to exist.
 *
 * @example
 * ```ts
 * const store = keepInFile("/tmp/no such folder/landfall.state")
 * await store.read() // => null
 * ```
 */
export function keepInFile(path: string): DatasetStore {
  // Asked for when it is needed, and not imported: a bundler for browsers would look for it.
  const load = () => process.getBuiltinModule("node:fs/promises")
  return {
    read: async () => {
      try {
        return new Uint8Array(await load().readFile(path))
      } catch (cause) {
        if ((cause as { code?: unknown }).code === "ENOENT") return null
        throw cause
      }
    },
    write: async value => {
      const written = `${path}.${crypto.randomUUID()}`
      await load().writeFile(written, value)
      await load().rename(written, path)
    },
  }
}

/** Why no newer dataset is in use. `not_kept`: a store failed, and the dataset is in use until the program ends. */
export interface DatasetFault {
  readonly reason: FeedReason | "not_kept"
  readonly message: string
}

/** How to follow a feed. */
export interface FollowDatasetOptions {
  /** The address of the feed's `index.json`. A page needs it on its own host, or on one that allows the page's origin (CORS). */
  readonly url: string
  /** The public keys of the feed: each may sign alone; or owners and signers with their thresholds. */
  readonly keys: PinnedKeys
  /** The dataset to use until there is a newer one, as compiled and not as a view for another day. */
  readonly embedded: Dataset
  /** Where the dataset is kept: the Cache when absent; with null, and in a runtime without a Cache, nowhere. */
  readonly store?: DatasetStore | null
  /** Called with each newer dataset. */
  readonly onDataset?: (dataset: Dataset) => void
  /** Called with each problem, once while it lasts. */
  readonly onFault?: (fault: DatasetFault) => void
  /** Looks only when {@link DatasetFollower.look} is called: for workers, which have no timers between requests. */
  readonly isManual?: boolean
  /** The share of pairs that one dataset may change, from 0 to 1; 0.1 when absent. */
  readonly maximumChangedShare?: number
  /** The runtime's own when absent. */
  readonly fetch?: typeof fetch
  /** Ed25519, for runtimes whose WebCrypto has none. */
  readonly verify?: VerifySignature
}

/** A dataset that stays current. */
export interface DatasetFollower {
  /** The dataset to use now. Read it again for each question. */
  readonly dataset: Dataset
  /** Looks now: whether a newer dataset is in use, or why not. */
  readonly look: () => Promise<{ readonly ok: true } | ({ readonly ok: false } & DatasetFault)>
  /** Ends the following. The dataset stays. */
  readonly stop: () => void
}

/** The stored value: a line of JSON, and the dataset as it was sent. */
interface Kept {
  readonly state: FeedState | null
  readonly release: Release | null
  readonly packed: Uint8Array<ArrayBuffer>
}

const NOTHING: Kept = { state: null, release: null, packed: new Uint8Array(0) }

const writeKept = ({ packed, ...head }: Kept) => joinBytes([JSON.stringify(head), "\n", packed])

function readKept(value: Uint8Array, pinned: string): Kept {
  const end = value.indexOf(10)
  const { state, release } = JSON.parse(new TextDecoder().decode(value.subarray(0, end)))
  // Other keys are another feed, whose dataset is not trusted here.
  return state.pinned === pinned ? { state, release, packed: new Uint8Array(value.subarray(end + 1)) } : NOTHING
}

/** Says whether another program with the same store has seen a newer state of the feed. */
const isAhead = ({ state: there }: Kept, { state: here }: Kept): boolean =>
  !!there?.index &&
  (!here?.index || (there.index.trust - here.index.trust || there.index.version - here.index.version) > 0)

/**
 * Follows a feed of datasets. Ends as soon as the store was read, and waits for no network. Never rejects: the program answers from `embedded`
 * until something newer was verified.
 *
 * @example
 * ```ts
 * const keys = ["RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"]
 * const follower = await followDataset({ url: "https://data.example/feed", keys, embedded: embeddedDataset(), isManual: true })
 * lookupRequirement(follower.dataset, "FRA", "JPN").requirement // => "visa_free"
 * ```
 */
export async function followDataset(options: FollowDatasetOptions): Promise<DatasetFollower> {
  const { keys, embedded, onDataset, onFault, isManual = false, ...how } = options
  const store = options.store === undefined && globalThis.caches ? keepInCache() : options.store
  const pinned = JSON.stringify(keys)
  const ended = new AbortController()
  let [dataset, kept, written] = [embedded, NOTHING, ""]
  let [said, faults]: [string | null, number] = [null, 0]
  let timer: ReturnType<typeof setTimeout> | undefined
  let looking: ReturnType<DatasetFollower["look"]> | null = null

  const take = (found: Dataset) => {
    dataset = found
    onDataset?.(found)
  }
  /** Uses the stored state if it is newer: from an earlier run, or from another page of the same host. */
  const takeKept = async () => {
    try {
      const value = await store?.read()
      const found = value ? readKept(value, pinned) : NOTHING
      if (!isAhead(found, kept)) return
      kept = found
      const { release, packed } = found
      if (!release || !(release.as_of >= dataset.asOf) || release.version === dataset.version) return
      const opened = openDataset(await unpackRelease(packed, release))
      if (opened.ok) take(opened.value)
    } catch {
      // Lost or damaged data is fetched again.
    }
  }
  const keep = async (): Promise<DatasetFault | null> => {
    const next = JSON.stringify([kept.state, kept.release])
    if (!store || next === written) return null
    try {
      await store.write(await writeKept(kept))
      written = next
      return null
    } catch (cause) {
      return { reason: "not_kept", message: `The store failed: ${cause}` }
    }
  }
  const lookOnce = async () => {
    await takeKept()
    let offered = dataset
    const looked = await lookAtFeed({
      ...how,
      keys,
      state: kept.state,
      save: async (state, found) => {
        kept = { ...kept, state, ...found }
      },
      inUse: dataset,
      nowMs: Date.now(),
      readerFormat: FORMAT_VERSION,
      inspect: bytes => {
        const opened = openDataset(bytes)
        if (!opened.ok) return opened.error.message
        offered = opened.value
        return inspectDataset(dataset, offered)
      },
      signal: ended.signal,
    })
    if (ended.signal.aborted) return looked
    const lost = await keep()
    if (looked.ok) take(offered)
    const fault = looked.ok || looked.reason === "not_modified" ? lost : looked
    const name = nameFault((fault ?? (looked as Partial<DatasetFault>)).reason, kept.state, said)
    if (fault && name !== said) onFault?.(fault)
    said = name
    faults = fault ? faults + 1 : 0
    return looked
  }
  const look = () => {
    clearTimeout(timer)
    looking ??= lookOnce().finally(() => {
      looking = null
      if (isManual || ended.signal.aborted) return
      timer = setTimeout(look, waitForLook(faults, Math.random()))
      // A program in Node ends although it follows a feed.
      ;(timer as { unref?: () => void }).unref?.()
    })
    return looking
  }

  await takeKept()
  if (!isManual) look()
  return {
    get dataset() {
      return dataset
    },
    look,
    stop: () => {
      ended.abort()
      clearTimeout(timer)
    },
  }
}
