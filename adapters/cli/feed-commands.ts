/** `landfall dataset keygen`, `publish`, `rotate` and `fetch`: a signed feed of datasets, for its publisher and its followers. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { FORMAT_VERSION } from "../../src/index.ts"
import { inspectBytes, openWholeDataset } from "../answers/dataset-file.ts"
import { type ToldEvent, tellEvent, writeAtom, writeCalendar } from "../events/feeds.ts"
import { listAnnounced, makeRelease } from "../events/install-dataset.ts"
import { FeedRefusal, type SigningKey } from "../feed/envelope.ts"
import {
  isPublicKey,
  type Release,
  readPublished,
  type SignedIndex,
  signNextIndex,
  signRotation,
} from "../feed/feed-index.ts"
import { lookAtFeed, readFeedState, unpackRelease } from "../feed/follow.ts"
import { describeFileError } from "../files/file-errors.ts"
import { removePart } from "../files/record-files.ts"
import { replaceFile } from "../files/replace-file.ts"
import { argument, isSet, makeCommand, or, output, type Running, several, text, whole } from "./command.ts"
import { runEffect } from "./effects.ts"
import { failed, wrong } from "./failure.ts"
import { onFile, readDatasetBytes } from "./inputs.ts"

// Which files does a feed have: keys, the folder that a static host serves, and the state that a follower stores with its dataset?

/** How many changes are kept in `changes.json`, and of these in the feeds for people. */
const MAXIMUM_CHANGES = 1_000
const MAXIMUM_ENTRIES = 200

const publicPartOf = (key: Parameters<typeof createPublicKey>[0]): string =>
  createPublicKey(key).export({ format: "jwk" }).x as string

// A new file, whole or not at all; it throws where there is one.
function writeNewFile(path: string, text: string | Buffer, mode?: number): void {
  try {
    writeFileSync(path, text, { flag: "wx", ...(mode === undefined ? {} : { mode }) })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") removePart(path)
    throw cause
  }
}

/** Makes a key pair: the private key as PKCS #8, readable by its owner only, and the public one next to it. Nothing is overwritten, and no half of a pair is left. */
function writeKeyPair(path: string): string {
  const { privateKey } = generateKeyPairSync("ed25519")
  const publicKey = publicPartOf(privateKey as never)
  const file = `${path}.pub`
  onFile(path, () => writeNewFile(path, privateKey.export({ type: "pkcs8", format: "pem" }), 0o600))
  try {
    onFile(file, () => writeNewFile(file, `${publicKey}\n`))
  } catch (ended) {
    removePart(path)
    throw ended
  }
  return publicKey
}

export function readSigningKey(path: string): SigningKey {
  const text = onFile(path, () => readFileSync(path, "utf8"))
  let key: KeyObject
  try {
    key = createPrivateKey(text)
  } catch {
    throw failed(`${path}: is not a private key; landfall dataset keygen makes one.`)
  }
  if (key.asymmetricKeyType !== "ed25519")
    throw failed(`${path}: an Ed25519 key is expected, not ${key.asymmetricKeyType}.`)
  return { keyid: publicPartOf(key as never), sign: async message => sign(null, message, key) }
}

/** Reads a public key: the key itself, or the path of a file that holds it. */
function readPublicKey(given: string): string {
  const isFile = !isPublicKey(given) && existsSync(given)
  const key = isFile ? onFile(given, () => readFileSync(given, "utf8").trim()) : given
  if (isPublicKey(key)) return key
  throw failed(`${JSON.stringify(given)} is neither an Ed25519 public key in base64url nor a file that holds one.`)
}

/** Reads a file of JSON; null where there is none. */
function readJson<Value>(path: string): Value | null {
  if (!existsSync(path)) return null
  const text = onFile(path, () => readFileSync(path, "utf8"))
  try {
    return JSON.parse(text) as Value
  } catch {
    throw failed(`${path}: is not valid JSON.`)
  }
}

/** Lets no other process publish to a folder until the command ends: the lock is the system's, and ends with the process that has it. */
async function lockFolder(folder: string, { onEnd }: Running): Promise<void> {
  // Loaded here, because a follower needs no database.
  const { lockFile } = await import("../storage/sqlite-client.ts")
  const release = onFile(folder, () => lockFile(join(folder, ".publishing")))
  if (release === null) throw failed(`${folder}: another process publishes to it.`)
  onEnd(release)
}

/** Reads a folder that was published to; an empty one for the first time. */
function readFolder(folder: string) {
  const path = join(folder, "index.json")
  const signed = readJson<SignedIndex>(path)
  const kept = readJson<{ readonly changes: readonly WrittenChange[] }>(join(folder, "changes.json"))
  const changes = (kept?.changes ?? []).map(readChange)
  try {
    return { signed, changes, releases: signed === null ? [] : readPublished(signed).releases }
  } catch {
    throw failed(`${path}: is not an index of this program.`)
  }
}

type WrittenChange = Omit<ToldEvent, "body" | "created_at"> & { readonly created_at: string; readonly data: unknown }

const readChange = ({ data, created_at, ...rest }: WrittenChange): ToldEvent => ({
  ...rest,
  created_at: Date.parse(created_at),
  body: JSON.stringify(data),
})

const writeChange = ({ id, type, passport, destination, severity, effective_from, created_at, body }: ToldEvent) => ({
  id,
  type,
  passport,
  destination,
  severity,
  effective_from,
  created_at: new Date(created_at).toISOString(),
  data: JSON.parse(body) as unknown,
})

/** Opens the dataset of a release; null, with a line on stderr, for one of another version of the program. */
async function openRelease(folder: string, release: Release, { console }: Running) {
  const path = join(folder, `${release.sha256}.landfall`)
  const packed = onFile(path, () => new Uint8Array(readFileSync(path)))
  const bytes = await unpackRelease(packed, release).catch(cause => {
    throw failed(`${path}: ${cause instanceof FeedRefusal ? cause.message : String(cause)}`)
  })
  const opened = openWholeDataset(bytes)
  if (opened.ok) return opened.value
  console.error(`${path} cannot be opened, so nothing is compared with it: ${opened.message}`)
  return null
}

/** Everything that is written to a folder. */
interface FolderContent {
  /** Null where no dataset is added. */
  readonly dataset: { readonly release: Release; readonly packed: Uint8Array } | null
  /** The newest first. */
  readonly changes: readonly ToldEvent[]
  /** Null where they are not known: what was written before stays. */
  readonly announced: readonly ToldEvent[] | null
  readonly signed: SignedIndex
  /** Where the folder will be served; null where that is not known. */
  readonly baseUrl: string | null
  readonly startedAt: string
}

/** Writes a folder: the index last, so that followers find every file that it names. */
const writeFolder = (folder: string, content: FolderContent) =>
  onFile(folder, () => {
    const { dataset, announced, signed, baseUrl, startedAt } = content
    const changes = content.changes.slice(0, MAXIMUM_CHANGES)
    const write = (name: string, bytes: Uint8Array | string) => replaceFile(join(folder, name), bytes)
    const headOf = (name: string) => ({
      title: "Changes of visa rules",
      scope: "",
      url: baseUrl === null ? null : new URL(name, baseUrl).href,
      startedAt,
    })
    const entries = changes.slice(0, MAXIMUM_ENTRIES).map(tellEvent)
    if (dataset !== null) write(`${dataset.release.sha256}.landfall`, dataset.packed)
    write("changes.json", `${JSON.stringify({ changes: changes.map(writeChange) }, null, 1)}\n`)
    write("changes.atom", writeAtom(headOf("changes.atom"), entries))
    if (announced !== null) {
      write("changes.ics", writeCalendar(headOf("changes.ics"), announced.slice(0, MAXIMUM_CHANGES).map(tellEvent)))
    }
    write("index.json", `${JSON.stringify(signed)}\n`)
  })

const LONGEST_DAYS = 366

export const keygen = makeCommand("dataset keygen", {
  examples: { "landfall dataset keygen -o feed.key": "feed.key and feed.key.pub" },
  takes: {
    output: or(output("Where to write the private key; the public one is written beside it as FILE.pub"), "feed.key"),
  },
  run({ output: file }) {
    const publicKey = writeKeyPair(file)
    return {
      json: { file, public_key: publicKey },
      text: [
        `${file} holds the private key: keep it secret, and keep a copy.\n${file}.pub holds the public key, for those who follow:\n${publicKey}`,
      ],
    }
  },
})

const folder = argument("The folder that a static host serves")
const signingKeys = several("FILE", "A private key to sign with; may be given several times", 1, readSigningKey)
const validDays = or(
  whole("DAYS", "The number of days for which the index is valid; sign again before its end. 30 when absent", [
    1,
    LONGEST_DAYS,
  ]),
  30,
)

/** Reads the address at which a folder is served. */
function readBaseUrl(url: string, called: string): string {
  const read = URL.parse(url)
  if (read === null || !/^https?:$/.test(read.protocol) || read.search !== "" || read.hash !== "")
    throw wrong(`${called}: an http or https URL of a folder is expected, not ${JSON.stringify(url)}.`)
  return read.href.endsWith("/") ? read.href : `${read.href}/`
}

export const publish = makeCommand("dataset publish", {
  examples: {
    "landfall dataset publish feed --dataset new.landfall --key feed.key":
      "A new release, with feeds of its changes for people",
    "landfall dataset publish feed --key feed.key": "Sign again, so that it does not expire",
  },
  takes: {
    dir: folder,
    dataset: text("FILE", "The dataset to publish; without it the existing releases are signed again"),
    key: signingKeys,
    url: text("URL", "The URL at which the folder will be served, for the feeds' links to themselves", readBaseUrl),
    days: validDays,
  },
  async run({ dir, dataset: file, key: keys, url, days }, at) {
    onFile(dir, () => mkdirSync(dir, { recursive: true }))
    await lockFolder(dir, at)
    const found = readFolder(dir)
    const [newest] = found.releases
    if (file === undefined && newest === undefined) {
      throw wrong(`${dir} has no release to sign again: give a dataset with --dataset.`)
    }
    const before = newest === undefined ? null : await openRelease(dir, newest, at)
    const nowMs = Date.now()
    const readNew = async (path: string) => {
      const bytes = readDatasetBytes(path, at)
      const opened = openWholeDataset(bytes)
      if (!opened.ok) throw failed(`${path}: ${opened.message}`)
      const dataset = opened.value
      const { version, asOf } = dataset
      if (found.releases.some(release => release.version === version))
        throw failed(`${path}: dataset ${version} is published already. A new release needs a new version.`)
      if (newest !== undefined && asOf < newest.as_of) {
        const older = `older than the newest release, of ${newest.as_of}`
        throw failed(`${path}: dataset ${version} is of ${asOf}, ${older}.`)
      }
      const number = (found.signed === null ? 0 : readPublished(found.signed).version) + 1
      const made = await runEffect(at, makeRelease({ bytes, dataset, before, nowMs, number }))
      return { dataset, ...made, release: { ...made.release, previous: newest?.version ?? null } }
    }
    const added = file === undefined ? null : await readNew(file)
    const release = added?.release ?? null
    const { index, signed } = await signNextIndex({ before: found.signed, release, nowMs, lastsDays: days, keys })
    const latest = added?.dataset ?? before
    writeFolder(dir, {
      dataset: added,
      changes: [...(added?.events ?? []), ...found.changes],
      announced: latest === null ? null : await runEffect(at, listAnnounced(latest, nowMs)),
      signed,
      baseUrl: url ?? null,
      startedAt: `${index.releases.at(-1)!.as_of}T00:00:00.000Z`,
    })
    const what =
      release === null
        ? `signed again, ${index.releases.length} releases`
        : `dataset ${release.version}, ${release.bytes} bytes, ${release.changes.major} major and ${release.changes.minor} minor changes`
    const text = [`${dir}: ${what}. Index ${index.version} is valid until ${index.expires_at}.`]
    return { json: { ...index, release }, text }
  },
})

export const rotate = makeCommand("dataset rotate", {
  examples: {
    "landfall dataset rotate feed --key feed.key --owner feed.key.pub --signer feed.key.pub":
      "The same key once more; name new ones, and give their private keys too",
  },
  takes: {
    dir: folder,
    key: signingKeys,
    owner: several("KEY", "A public key, or its file, that may change the keys from now on", 1, readPublicKey),
    signer: several("KEY", "A public key, or its file, that may sign the index from now on", 1, readPublicKey),
    days: validDays,
  },
  async run({ dir, key: keys, owner: owners, signer: signers, days }, at) {
    await lockFolder(dir, at)
    const found = readFolder(dir)
    if (found.signed === null) throw failed(`${dir} has no index yet.`)
    const trust = {
      version: readPublished(found.signed).trust + 1,
      owners: { keys: owners, threshold: 1 },
      signers: { keys: signers, threshold: 1 },
    }
    const change = { before: found.signed, trust, keys, nowMs: Date.now(), lastsDays: days }
    const { index, signed } = await signRotation(change).catch(cause => {
      throw failed(cause instanceof Error ? cause.message : String(cause))
    })
    onFile(dir, () => replaceFile(`${dir}/index.json`, `${JSON.stringify(signed)}\n`))
    const rest =
      "Keys that are not among them are revoked. Followers need no new setting; give new followers the new keys if the old ones are no longer safe."
    return { json: { ...index, keys: trust }, text: [`${dir}: keys of version ${trust.version}. ${rest}`] }
  },
})

export const fetchDataset = makeCommand("dataset fetch", {
  examples: {
    "landfall dataset fetch http://localhost:9/index.json --key feed.key.pub -o today.landfall":
      "A feed on this machine; call it again to update",
  },
  takes: {
    url: argument("The address of the feed's index.json"),
    key: several("KEY", "A public key of the feed, or its file; may be given several times", 1, readPublicKey),
    output: or(output("Where to write the dataset; dataset.landfall when absent"), "dataset.landfall"),
    force: isSet("Accept a dataset that is older than FILE, or that changes more than a tenth of its pairs"),
  },
  async run({ url, key: keys, output, force }, at) {
    const remembered = `${output}.feed`
    const kept = existsSync(remembered) ? onFile(remembered, () => readFileSync(remembered, "utf8")) : null
    const state = kept === null ? null : readFeedState(kept)
    if (kept !== null && state === null) {
      at.console.error(`${remembered} cannot be read. The feed is followed as a new one.`)
    }
    const read = existsSync(output) ? openWholeDataset(readDatasetBytes(output, at)) : null
    if (read?.ok === false) at.console.error(`${output} cannot be opened and is not compared: ${read.message}`)
    const present = read?.ok === true ? read.value : null
    const looked = await lookAtFeed({
      url,
      keys,
      state,
      nowMs: Date.now(),
      save: async (next, found) => {
        if (found !== undefined) replaceFile(output, await unpackRelease(found.packed, found.release))
        replaceFile(remembered, `${JSON.stringify(next)}\n`)
      },
      inUse: present === null ? null : { version: present.version, asOf: present.asOf },
      readerFormat: FORMAT_VERSION,
      inspect: bytes => inspectBytes(present, bytes),
      isForced: force,
    }).catch(cause => {
      throw failed(`${output}: ${describeFileError(cause)}`)
    })
    if (!looked.ok && looked.reason !== "not_modified") {
      throw failed(`${looked.reason}: ${looked.message}`, { given: looked.reason })
    }
    return {
      json: { file: output, is_new: looked.ok, release: looked.ok ? looked.release : null },
      text: [
        looked.ok
          ? `${output}: dataset ${looked.release.version} of ${looked.release.as_of}, ${looked.bytes.length} bytes`
          : `${output}: nothing new. ${looked.message}`,
      ],
    }
  },
})
