/** Which files does a feed have: keys, the folder that a static host serves, and the state that a follower stores with its dataset? */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Console, Effect } from "effect"
import type { Dataset } from "../../src/index.ts"
import { openWholeDataset } from "../answers/dataset-file.ts"
import { type ToldEvent, tellEvent, writeAtom, writeCalendar } from "../events/feeds.ts"
import { FeedRefusal, type SigningKey } from "../feed/envelope.ts"
import { isPublicKey, type Release, readPublished, type SignedIndex } from "../feed/feed-index.ts"
import { unpackRelease } from "../feed/follow.ts"
import { takeLock } from "../files/lock-file.ts"
import { removePart } from "../files/record-files.ts"
import { replaceFile } from "../files/replace-file.ts"
import { onFile } from "./command-outcome.ts"
import { type CommandFailed, failed } from "./failure.ts"

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
export const writeKeyPair = Effect.fnUntraced(function* (path: string) {
  const { privateKey } = generateKeyPairSync("ed25519")
  const publicKey = publicPartOf(privateKey as never)
  yield* onFile(path, () => writeNewFile(path, privateKey.export({ type: "pkcs8", format: "pem" }), 0o600))
  const file = `${path}.pub`
  yield* onFile(file, () => writeNewFile(file, `${publicKey}\n`)).pipe(
    Effect.onError(() => Effect.sync(() => removePart(path))),
  )
  return publicKey
})

export const readSigningKey = (path: string): Effect.Effect<SigningKey, CommandFailed> =>
  Effect.gen(function* () {
    const text = yield* onFile(path, () => readFileSync(path, "utf8"))
    const key = yield* Effect.try({
      try: () => createPrivateKey(text),
      catch: () => failed(`${path}: is not a private key; landfall dataset keygen makes one.`),
    })
    if (key.asymmetricKeyType !== "ed25519") {
      return yield* failed(`${path}: an Ed25519 key is expected, not ${key.asymmetricKeyType}.`)
    }
    return { keyid: publicPartOf(key as never), sign: async message => sign(null, message, key) }
  })

/** Reads a public key: the key itself, or the path of a file that holds it. */
export const readPublicKey = (given: string): Effect.Effect<string, CommandFailed> =>
  Effect.suspend(() => {
    if (isPublicKey(given)) return Effect.succeed(given)
    const refused = failed(
      `${JSON.stringify(given)} is neither an Ed25519 public key in base64url nor a file that holds one.`,
    )
    if (!existsSync(given)) return Effect.fail(refused)
    return Effect.flatMap(
      onFile(given, () => readFileSync(given, "utf8").trim()),
      text => (isPublicKey(text) ? Effect.succeed(text) : Effect.fail(refused)),
    )
  })

/** Reads a file of JSON; null where there is none. */
export const readJson = <Value>(path: string): Effect.Effect<Value | null, CommandFailed> =>
  Effect.suspend(() => {
    if (!existsSync(path)) return Effect.succeed(null)
    return Effect.flatMap(
      onFile(path, () => readFileSync(path, "utf8")),
      text =>
        Effect.try({
          try: () => JSON.parse(text) as Value,
          catch: () => failed(`${path}: is not valid JSON.`),
        }),
    )
  })

/** Does something while no other process publishes to a folder. */
export const whilePublishing = <Value, Error, Needed>(
  folder: string,
  work: Effect.Effect<Value, Error, Needed>,
): Effect.Effect<Value, Error | CommandFailed, Needed> => {
  const path = join(folder, ".publishing")
  const take = Effect.flatMap(
    onFile(folder, () => takeLock(path)),
    taken => {
      const message = `${folder}: ${taken.ok || taken.holder} publishes to it; if that has ended, delete ${path}.`
      return taken.ok ? Effect.succeed(taken) : failed(message)
    },
  )
  return Effect.acquireUseRelease(
    take,
    () => work,
    ({ release }) => Effect.sync(release),
  )
}

/** Reads a folder that was published to; an empty one for the first time. */
export const readFolder = (folder: string) =>
  Effect.gen(function* () {
    const path = join(folder, "index.json")
    const signed = yield* readJson<SignedIndex>(path)
    const kept = yield* readJson<{ readonly changes: readonly WrittenChange[] }>(join(folder, "changes.json"))
    const releases = yield* Effect.try({
      try: () => (signed === null ? [] : readPublished(signed).releases),
      catch: () => failed(`${path}: is not an index of this program.`),
    })
    return { signed, releases, changes: (kept?.changes ?? []).map(readChange) }
  })

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
export const openRelease = (folder: string, release: Release): Effect.Effect<Dataset | null, CommandFailed> =>
  Effect.gen(function* () {
    const path = join(folder, `${release.sha256}.landfall`)
    const packed = yield* onFile(path, () => new Uint8Array(readFileSync(path)))
    const refuse = (message: string) => failed(`${path}: ${message}`)
    const bytes = yield* Effect.tryPromise({
      try: () => unpackRelease(packed, release),
      catch: cause => refuse(cause instanceof FeedRefusal ? cause.message : String(cause)),
    })
    const opened = openWholeDataset(bytes)
    if (opened.ok) return opened.value
    yield* Console.error(`${path} cannot be opened, so nothing is compared with it: ${opened.message}`)
    return null
  })

/** Everything that is written to a folder. */
export interface FolderContent {
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
export const writeFolder = (folder: string, content: FolderContent) =>
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
