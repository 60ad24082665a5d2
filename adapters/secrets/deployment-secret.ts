/**
 * Which secret does this deployment seal its keys with?
 *
 * `LANDFALL_SECRET`, or, if the database is a file, `<database>.secret`, which the first start creates next to it: 32 random bytes in
 * base64, readable by its owner only. The file appears complete or not at all, and a second process reads the one that the first has
 * written. Without the secret every API key is lost: back it up, but not next to the database.
 *
 * The secret seals one key of the deployment, which is random and stored in the database; every other key is derived from that one. A wrong
 * secret is therefore noticed at the start, and a secret is replaced without touching a row: two are given for a while, the new one first,
 * and the key is sealed with both. The first start with the new one alone ends the old one.
 */
import { randomBytes, randomUUID } from "node:crypto"
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { type DatabaseUrlRefused, parseDatabaseUrl } from "../storage/database-url.ts"
import { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { deriveKey, sealText, unsealText } from "./sealing.ts"

/** There is no secret that this database can be used with. */
export class SecretRefused extends Schema.TaggedError<SecretRefused>()("SecretRefused", {
  reason: Schema.Literals(["malformed", "missing", "wrong", "file"]),
  message: Schema.String,
}) {}

const SECRET_BYTES = 32
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/
const HOW_TO_MAKE_ONE = "make one with: openssl rand -base64 32"

const MOST_SECRETS = 2

/** Reads one secret, or two: the new one and the old one. */
const decodeSecrets = (text: string, origin: string): Effect.Effect<readonly Uint8Array[], SecretRefused> => {
  const refuse = (found: string) => {
    const message = `${origin} ${found}; expected at least ${SECRET_BYTES} random bytes in base64 (${HOW_TO_MAKE_ONE})`
    return Effect.fail(new SecretRefused({ reason: "malformed", message }))
  }
  const texts = text
    .trim()
    .split(/[,\n]/)
    .map(one => one.trim())
  const read = Effect.forEach(texts, one => {
    const bytes = BASE64.test(one) ? Buffer.from(one, "base64") : null
    if (bytes !== null && bytes.length >= SECRET_BYTES) return Effect.succeed(bytes)
    return refuse(bytes === null ? "is not base64" : `holds ${bytes.length} bytes`)
  })
  return Effect.filterOrElse(
    read,
    ({ length }) => length <= MOST_SECRETS,
    ({ length }) => refuse(`holds ${length} secrets, at most ${MOST_SECRETS}`),
  )
}

/** Writes a new secret to a temporary file and then links it to the final name, which only one process can do. */
function makeSecretFile(path: string): void {
  const part = `${path}.${randomUUID()}.part`
  const file = openSync(part, "wx", 0o600)
  try {
    try {
      writeFileSync(file, `${randomBytes(SECRET_BYTES).toString("base64")}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    linkSync(part, path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
  } finally {
    unlinkSync(part)
  }
  syncFolder(dirname(path))
}

/** Makes a new name survive a power cut, where the system can. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, "r")
    fsyncSync(handle)
    closeSync(handle)
  } catch {
    // Windows cannot open folders; there the file system does this by itself.
  }
}

const onFile = <A>(path: string, operation: () => A): Effect.Effect<A, SecretRefused> =>
  Effect.try({
    try: operation,
    catch: cause => {
      const why = (cause as Error).message
      const message = `the secret file ${path} cannot be used: ${why}; or give the secret as LANDFALL_SECRET`
      return new SecretRefused({ reason: "file", message })
    },
  })

const readSecretFile = (path: string, isSealed: boolean): Effect.Effect<readonly Uint8Array[], SecretRefused> =>
  Effect.gen(function* () {
    const exists = yield* onFile(path, () => existsSync(path))
    if (!exists && isSealed) {
      const message = `the API keys in the database are sealed, but there is no ${path} and no LANDFALL_SECRET; restore one of them`
      return yield* new SecretRefused({ reason: "missing", message })
    }
    if (!exists) yield* onFile(path, () => makeSecretFile(path))
    const isOpenToOthers =
      process.platform !== "win32" && (yield* onFile(path, () => statSync(path).mode & 0o077)) !== 0
    if (isOpenToOthers) yield* Effect.logWarning(`other users of this machine can read ${path}; run: chmod 600 ${path}`)
    const text = yield* onFile(path, () => readFileSync(path, "utf8"))
    return yield* decodeSecrets(text, `the secret file ${path}`)
  })

/** Says which key of the deployment counts; written once. */
const CHECK = "secret_check"
/** The key as each secret has sealed it. */
const SEALED = "secret/"
/** The name of the secret that was given first last. */
const NEWEST = "secret_newest"

const nameSecret = (secret: Uint8Array): string =>
  SEALED + Buffer.from(deriveKey(secret, "name")).subarray(0, 12).toString("base64url")

/** Opens the key of the deployment with one of some secrets, or makes it in a new database; seals it with the first secret. */
const openKey = Effect.fnUntraced(function* (secrets: readonly Uint8Array[]) {
  const { deployment } = yield* Storage
  const given = secrets.map(secret => ({ name: nameSecret(secret), key: deriveKey(secret, "deployment key") }))
  const newest = given[0]!
  const checkOf = (key: Uint8Array) => Buffer.from(deriveKey(key, "check")).toString("base64")
  const made = new Uint8Array(randomBytes(SECRET_BYTES))
  // Of several processes that start at once on an empty database, one makes the key.
  const isMade = (yield* deployment.keepValue(CHECK, checkOf(made))) === checkOf(made)
  const sealed = new Map((yield* deployment.listValues(SEALED)).map(({ name, value }) => [name, value]))
  const opened = isMade
    ? made
    : given.flatMap(({ name, key }) => {
        const text = unsealText(key, name, sealed.get(name) ?? "")
        return text === null ? [] : [new Uint8Array(Buffer.from(text, "base64"))]
      })[0]
  if (opened === undefined) {
    const message =
      "the API keys in the database are sealed with another secret than the one given; give the one that it was last used with"
    return yield* new SecretRefused({ reason: "wrong", message })
  }
  if (!sealed.has(newest.name)) {
    const text = Buffer.from(opened).toString("base64")
    yield* deployment.put(
      [
        { name: newest.name, value: sealText(newest.key, newest.name, text) },
        { name: NEWEST, value: newest.name },
      ],
      "name",
    )
  }
  const isAlone = secrets.length === 1 && (yield* deployment.findValue(NEWEST)) === newest.name
  if (isAlone) {
    for (const name of sealed.keys()) if (name !== newest.name) yield* deployment.remove({ name })
  }
  return opened
})

/** Finds the secret of a database that is a file, and refuses to make one for a database that several machines share. */
const findSecret = Effect.fnUntraced(function* (databaseUrl: string) {
  const { deployment } = yield* Storage
  // Asked before the file is: a process that finds the check value finds the file that was written before it.
  const isSealed = (yield* deployment.findValue(CHECK)) !== undefined
  const location = yield* parseDatabaseUrl(databaseUrl)
  if (location.path !== null) return yield* readSecretFile(`${location.path}.secret`, isSealed)
  const message = `LANDFALL_SECRET is not set: a secret is made by itself only beside a database file, because every process that shares a database server needs the same one (${HOW_TO_MAKE_ONE})`
  return yield* new SecretRefused({ reason: "missing", message })
})

/** Keys for one purpose each, derived from the deployment's key. */
export class DeploymentSecret extends Context.Service<
  DeploymentSecret,
  {
    /** Derives the 32-byte key of a purpose: the same in every process of this deployment. */
    readonly deriveKey: (purpose: string) => Uint8Array
  }
>()("landfall/accounts/DeploymentSecret") {
  /**
   * Finds or makes the secret and proves that it is this database's.
   *
   * Fails with `SecretRefused`, `DatabaseUrlRefused` or `Unavailable`.
   */
  static readonly layer = (options: {
    readonly databaseUrl: string
    /** `LANDFALL_SECRET`, if it is given. */
    readonly secret?: Redacted.Redacted<string> | undefined
  }): Layer.Layer<DeploymentSecret, SecretRefused | DatabaseUrlRefused | Unavailable, Storage> =>
    Layer.effect(
      DeploymentSecret,
      Effect.gen(function* () {
        const secrets =
          options.secret === undefined
            ? yield* findSecret(options.databaseUrl)
            : yield* decodeSecrets(Redacted.value(options.secret), "LANDFALL_SECRET")
        const { transact } = yield* Storage
        const key = yield* transact(openKey(secrets))
        return { deriveKey: purpose => deriveKey(key, purpose) }
      }),
    )
}
