/** `landfall dataset keygen`, `publish`, `rotate` and `fetch`: a signed feed of datasets, for its publisher and its followers. */
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { Clock, Console, Effect } from "effect"
import { FORMAT_VERSION } from "../../src/index.ts"
import { describeFileError } from "../files/file-errors.ts"
import { replaceFile } from "../files/replace-file.ts"
import { argument, isSet, load, makeCommand, or, output, several, text, whole } from "./command.ts"
import { onFile, readDatasetBytes } from "./command-outcome.ts"
import { CommandFailed, failed, wrong } from "./failure.ts"

const loadFeed = load(() => [
  import("./feed-files.ts"),
  import("../events/release.ts"),
  import("../answers/dataset-file.ts"),
  import("../feed/feed-index.ts"),
  import("../feed/follow.ts"),
])
const LONGEST_DAYS = 366

const keygen = makeCommand("dataset keygen", {
  about: "Make a pair of keys to sign a feed of datasets with",
  examples: { "landfall dataset keygen -o feed.key": "feed.key and feed.key.pub" },
  takes: {
    output: or(output("Where to write the private key; the public one is written beside it as FILE.pub"), "feed.key"),
  },
  *run({ output: file }) {
    const { writeKeyPair } = yield* loadFeed
    const publicKey = yield* writeKeyPair(file)
    return {
      json: { file, public_key: publicKey },
      text: [
        `${file} holds the private key: keep it secret, and keep a copy.\n${file}.pub holds the public key, for those who follow:\n${publicKey}`,
      ],
    }
  },
})

const folder = argument("The folder that a static host serves")
const signingKeys = several("FILE", "A private key to sign with; may be given several times", 1)
const validDays = or(
  whole("DAYS", "The number of days for which the index is valid; sign again before its end. 30 when absent"),
  30,
)

const checkDays = (days: number) =>
  days >= 1 && days <= LONGEST_DAYS
    ? Effect.void
    : Effect.fail(wrong(`--days: a number from 1 to ${LONGEST_DAYS} is expected, not ${days}.`))

/** Reads the address at which a folder is served. */
const readBaseUrl = (url: string | undefined) =>
  Effect.gen(function* () {
    if (url === undefined) return null
    const read = URL.parse(url)
    if (read !== null && /^https?:$/.test(read.protocol) && read.search === "" && read.hash === "") {
      return read.href.endsWith("/") ? read.href : `${read.href}/`
    }
    return yield* wrong(`--url: an http or https URL of a folder is expected, not ${JSON.stringify(url)}.`)
  })

const publish = makeCommand("dataset publish", {
  about: "Write a signed feed of datasets into a folder that any static host can serve",
  examples: {
    "landfall dataset publish feed --dataset new.landfall --key feed.key":
      "A new release, with feeds of its changes for people",
    "landfall dataset publish feed --key feed.key": "Sign again, so that it does not expire",
  },
  takes: {
    dir: folder,
    dataset: text("FILE", "The dataset to publish; without it the existing releases are signed again"),
    key: signingKeys,
    url: text("URL", "The URL at which the folder will be served, for the feeds' links to themselves"),
    days: validDays,
  },
  *run({ dir, dataset: file, key: paths, url, days }) {
    yield* checkDays(days)
    const baseUrl = yield* readBaseUrl(url)
    const feed = yield* loadFeed
    const keys = yield* Effect.forEach(paths, feed.readSigningKey)
    yield* onFile(dir, () => mkdirSync(dir, { recursive: true }))
    const work = Effect.gen(function* () {
      const found = yield* feed.readFolder(dir)
      const [newest] = found.releases
      if (file === undefined && newest === undefined) {
        return yield* wrong(`${dir} has no release to sign again: give a dataset with --dataset.`)
      }
      const before = newest === undefined ? null : yield* feed.openRelease(dir, newest)
      const nowMs = yield* Clock.currentTimeMillis
      const added =
        file === undefined
          ? null
          : yield* Effect.gen(function* () {
              const bytes = yield* readDatasetBytes(file)
              const opened = feed.openWholeDataset(bytes)
              const refuse = (message: string) => failed(`${file}: ${message}`)
              if (!opened.ok) return yield* refuse(opened.message)
              const dataset = opened.value
              if (found.releases.some(({ version }) => version === dataset.version)) {
                return yield* refuse(
                  `dataset ${dataset.version} is published already. A new release needs a new version.`,
                )
              }
              if (newest !== undefined && dataset.asOf < newest.as_of) {
                return yield* refuse(
                  `dataset ${dataset.version} is of ${dataset.asOf}, older than the newest release, of ${newest.as_of}.`,
                )
              }
              const number = (found.signed === null ? 0 : feed.readPublished(found.signed).version) + 1
              const made = yield* feed.makeRelease({ bytes, dataset, before, nowMs, number })
              return { dataset, ...made, release: { ...made.release, previous: newest?.version ?? null } }
            })
      const { index, signed } = yield* Effect.promise(() =>
        feed.signNextIndex({ before: found.signed, release: added?.release ?? null, nowMs, lastsDays: days, keys }),
      )
      const latest = added?.dataset ?? before
      yield* feed.writeFolder(dir, {
        dataset: added,
        changes: [...(added?.events ?? []), ...found.changes],
        announced: latest === null ? null : yield* feed.listAnnounced(latest, nowMs),
        signed,
        baseUrl,
        startedAt: `${index.releases.at(-1)!.as_of}T00:00:00.000Z`,
      })
      return { index, added }
    })
    const { index, added } = yield* feed.whilePublishing(dir, work)
    const what =
      added === null
        ? `signed again, ${index.releases.length} releases`
        : `dataset ${added.release.version}, ${added.release.bytes} bytes, ${added.release.changes.major} major and ${added.release.changes.minor} minor changes`
    return {
      json: { ...index, release: added?.release ?? null },
      text: [`${dir}: ${what}. Index ${index.version} is valid until ${index.expires_at}.`],
    }
  },
})

const rotate = makeCommand("dataset rotate", {
  about: "Change the keys of a feed, signed by the old and the new owners",
  examples: {
    "landfall dataset rotate feed --key feed.key --owner feed.key.pub --signer feed.key.pub":
      "The same key once more; name new ones, and give their private keys too",
  },
  takes: {
    dir: folder,
    key: signingKeys,
    owner: several("KEY", "A public key, or its file, that may change the keys from now on", 1),
    signer: several("KEY", "A public key, or its file, that may sign the index from now on", 1),
    days: validDays,
  },
  *run({ dir, key: paths, owner: owners, signer: signers, days }) {
    yield* checkDays(days)
    const feed = yield* loadFeed
    const keys = yield* Effect.forEach(paths, feed.readSigningKey)
    const work = Effect.gen(function* () {
      const found = yield* feed.readFolder(dir)
      if (found.signed === null) return yield* failed(`${dir} has no index yet.`)
      const trust = {
        version: feed.readPublished(found.signed).trust + 1,
        owners: { keys: yield* Effect.forEach(owners, feed.readPublicKey), threshold: 1 },
        signers: { keys: yield* Effect.forEach(signers, feed.readPublicKey), threshold: 1 },
      }
      const nowMs = yield* Clock.currentTimeMillis
      const change = { before: found.signed, trust, keys, nowMs, lastsDays: days }
      const { index, signed } = yield* Effect.tryPromise({
        try: () => feed.signRotation(change),
        catch: cause => failed(cause instanceof Error ? cause.message : String(cause)),
      })
      yield* onFile(dir, () => replaceFile(`${dir}/index.json`, `${JSON.stringify(signed)}\n`))
      return { index, trust }
    })
    const { index, trust } = yield* feed.whilePublishing(dir, work)
    return {
      json: { ...index, keys: trust },
      text: [
        `${dir}: keys of version ${trust.version}. Keys that are not among them are revoked. Followers need no new setting; give new followers the new keys if the old ones are no longer safe.`,
      ],
    }
  },
})

const fetchDataset = makeCommand("dataset fetch", {
  about: "Fetch the newest dataset of a feed, if its signature, age and size are valid",
  examples: {
    "landfall dataset fetch http://localhost:9/index.json --key feed.key.pub -o today.landfall":
      "A feed on this machine; call it again to update",
  },
  takes: {
    url: argument("The address of the feed's index.json"),
    key: several("KEY", "A public key of the feed, or its file; may be given several times", 1),
    output: or(output("Where to write the dataset; dataset.landfall when absent"), "dataset.landfall"),
    force: isSet("Accept a dataset that is older than FILE, or that changes more than a tenth of its pairs"),
  },
  *run({ url, key: given, output, force }) {
    const feed = yield* loadFeed
    const keys = yield* Effect.forEach(given, feed.readPublicKey)
    const remembered = `${output}.feed`
    const kept = existsSync(remembered) ? yield* onFile(remembered, () => readFileSync(remembered, "utf8")) : null
    const state = kept === null ? null : feed.readFeedState(kept)
    if (kept !== null && state === null) {
      yield* Console.error(`${remembered} cannot be read. The feed is followed as a new one.`)
    }
    const read = existsSync(output) ? feed.openWholeDataset(yield* readDatasetBytes(output)) : null
    if (read?.ok === false) yield* Console.error(`${output} cannot be opened and is not compared: ${read.message}`)
    const present = read?.ok === true ? read.value : null
    const nowMs = yield* Clock.currentTimeMillis
    const looked = yield* Effect.tryPromise({
      try: () =>
        feed.lookAtFeed({
          url,
          keys,
          state,
          nowMs,
          save: async (next, found) => {
            if (found !== undefined) replaceFile(output, await feed.unpackRelease(found.packed, found.release))
            replaceFile(remembered, `${JSON.stringify(next)}\n`)
          },
          inUse: present === null ? null : { version: present.version, asOf: present.asOf },
          readerFormat: FORMAT_VERSION,
          inspect: bytes => feed.inspectBytes(present, bytes),
          isForced: force,
        }),
      catch: cause => failed(`${output}: ${describeFileError(cause)}`),
    })
    const isRefused = !looked.ok && looked.reason !== "not_modified"
    if (isRefused) {
      return yield* new CommandFailed({ message: `${looked.reason}: ${looked.message}`, given: looked.reason })
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

export const feedCommands = [keygen, publish, rotate, fetchDataset] as const
