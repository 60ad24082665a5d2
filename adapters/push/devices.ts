/**
 * What can an account do with its devices?
 *
 * Register one, change what it follows, its language or its token, and end it. A token belongs to one device: registering it
 * again changes that device, and if another account registers it the device moves there, because the app on it now uses that
 * account. Tokens are sealed, and found by a keyed hash. An account does not see the devices of others.
 */

import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { Dataset } from "../../src/engine.ts"
import { LANGUAGES, type Language } from "../../src/full.ts"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { makeHasher, makeSealer } from "../secrets/sealing.ts"
import type { DeviceCodes, DeviceRow } from "../storage/devices-repository.ts"
import { Storage } from "../storage/storage.ts"
import { PLATFORMS, type Platform } from "../storage/tables.ts"
import { FieldReader, type Fields, type ReadFields, readBody, sayExpected } from "../validation/fields.ts"

// What does the registration of a device contain?
// Its token, whose service it is for, what it follows and its language; an empty or missing list filters nothing. Every mistake is named
// with its field, and a token is never repeated. Tokens and lists are as long as devices of people need, because what they follow is
// stored, a row for each code.

export interface DeviceRequest {
  readonly token: string
  readonly platform: Platform
  readonly lang: Language
  readonly codes: DeviceCodes
}

export interface DeviceChange {
  readonly token?: string
  readonly lang?: Language
  readonly codes: Partial<DeviceCodes>
}

/** A token of FCM has some 160 characters, and no length that is guaranteed. */
const LONGEST_FCM_TOKEN = 512

/** The most codes of each list; whoever follows more follows everything. */
const MOST_CODES = { passports: 10, destinations: 100 } as const

const TOKENS: Readonly<Record<Platform, { readonly expected: string; readonly form: RegExp }>> = {
  apns: { expected: "a device token of APNs: 64 to 200 hexadecimal digits", form: /^(?:[0-9a-fA-F]{2}){32,100}$/ },
  fcm: {
    expected: `a registration token of FCM: at most ${LONGEST_FCM_TOKEN} characters without blanks`,
    form: new RegExp(`^[\\w:.-]{20,${LONGEST_FCM_TOKEN}}$`),
  },
}

const FOLLOWED = ["passports", "destinations"] as const

/** Reads what requests that register and that change a device have in common. */
class DeviceReader extends FieldReader {
  readonly body: Fields
  readonly #dataset: Dataset

  constructor(body: Fields, known: readonly string[], dataset: Dataset) {
    super()
    this.body = body
    this.#dataset = dataset
    this.checkNames(body, known)
  }

  token(platform: Platform): string {
    const { device_token: token } = this.body
    const { expected, form } = TOKENS[platform]
    if (typeof token === "string" && form.test(token)) return platform === "apns" ? token.toLowerCase() : token
    this.report("device_token", sayExpected(expected, token))
    return ""
  }

  lang(): Language | undefined {
    return this.body.lang === undefined ? undefined : this.oneOf("lang", this.body.lang, LANGUAGES)
  }

  /** The lists that are given; one that is missing is left out. */
  codes(): Partial<DeviceCodes> {
    const given = FOLLOWED.filter(name => this.body[name] !== undefined)
    const readOf = (name: (typeof FOLLOWED)[number]) => ({
      expected: "ISO 3166-1 alpha-3 codes that are recorded",
      atMost: MOST_CODES[name],
      readItem: (code: string) => this.#dataset[name].find(known => known === code),
    })
    return Object.fromEntries(given.map(name => [name, this.list(name, this.body[name], readOf(name))]))
  }
}

export function readDevice(text: string, dataset: Dataset): ReadFields<DeviceRequest> {
  const body = readBody(text)
  if (!body.ok) return body
  const reader = new DeviceReader(body.value, ["device_token", "platform", ...FOLLOWED, "lang"], dataset)
  const platform = reader.oneOf("platform", body.value.platform, PLATFORMS) ?? "apns"
  const token = reader.token(platform)
  const lang = reader.lang() ?? "en"
  return reader.end({ token, platform, lang, codes: { passports: [], destinations: [], ...reader.codes() } })
}

/** Reads the body of a change; the form of a token depends on the platform of the device. */
export function readDeviceChange(text: string, dataset: Dataset, platform: Platform): ReadFields<DeviceChange> {
  const body = readBody(text)
  if (!body.ok) return body
  const known = [...FOLLOWED, "lang", "device_token"]
  const reader = new DeviceReader(body.value, known, dataset)
  if (Object.keys(body.value).length === 0) reader.report("", `Expected at least one of ${known.join(", ")}`)
  const lang = reader.lang()
  const codes = reader.codes()
  const token = body.value.device_token === undefined ? undefined : reader.token(platform)
  return reader.end({
    ...(token === undefined ? {} : { token }),
    ...(lang === undefined ? {} : { lang }),
    codes,
  })
}

export const MAXIMUM_DEVICES = 100

/** The account has as many devices as it may have. */
class TooManyDevices extends Schema.TaggedError<TooManyDevices>()("TooManyDevices", {}) {}

export const makeTokenBox = (secret: DeploymentSecret["Service"]) => ({
  hash: makeHasher(secret, "device token hash"),
  ...makeSealer(secret, { purpose: "device token seal", table: "devices" }),
})

export class Devices extends Context.Service<Devices>()("landfall/push/Devices", {
  make: Effect.fnUntraced(function* (reached: readonly Platform[]) {
    const { devices, transact } = yield* Storage
    const tokens = makeTokenBox(yield* DeploymentSecret)

    const silent = new Set<Platform>()
    const sayNothingIsSent = (platform: Platform) =>
      Effect.suspend(() => {
        if (reached.includes(platform) || silent.has(platform)) return Effect.void
        silent.add(platform)
        const missing = platform === "apns" ? "LANDFALL_APNS_KEY_FILE" : "LANDFALL_FCM_SERVICE_ACCOUNT"
        return Effect.logWarning(
          `devices are registered for ${platform}, and nothing is sent to them: ${missing} is not set`,
        )
      })

    return {
      /** Registers a device, or changes the one with the token; returns its number. */
      register: (accountId: number, { token, platform, lang, codes }: DeviceRequest) =>
        Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          const id = yield* transact(
            Effect.gen(function* () {
              // Locked first, so that the second of two simultaneous registrations waits.
              const nextId = yield* devices.nextId
              const known = yield* devices.find({ token_hash: tokens.hash(token) })
              if (known?.account_id === accountId) {
                const fields = { platform, lang, registered_at: nowMs }
                yield* devices.update(known.id, fields, codes)
                return known.id
              }
              if ((yield* devices.count({ account_id: accountId })) >= MAXIMUM_DEVICES)
                return yield* new TooManyDevices()
              if (known !== undefined) yield* devices.remove(known.id)
              const row: DeviceRow = {
                id: nextId,
                account_id: accountId,
                platform,
                token_hash: tokens.hash(token),
                sealed_token: tokens.seal(nextId, token),
                lang,
                registered_at: nowMs,
              }
              yield* devices.insert(row, codes)
              return nextId
            }),
          )
          yield* sayNothingIsSent(platform)
          return id
        }),

      /** The platform of a device; null where there is none. */
      findPlatform: (accountId: number, id: number) =>
        Effect.map(devices.find({ id, account_id: accountId }), found => found?.platform ?? null),

      /** Changes what is given; says whether there was such a device. */
      update: (accountId: number, id: number, { token, lang, codes }: DeviceChange) =>
        transact(
          Effect.gen(function* () {
            const found = yield* devices.find({ id, account_id: accountId })
            if (found === undefined) return false
            if (token !== undefined) {
              const other = yield* devices.find({ token_hash: tokens.hash(token) })
              if (other !== undefined && other.id !== id) yield* devices.remove(other.id)
            }
            const given =
              token === undefined
                ? {}
                : {
                    token_hash: tokens.hash(token),
                    sealed_token: tokens.seal(id, token),
                    registered_at: yield* Clock.currentTimeMillis,
                  }
            yield* devices.update(id, { ...given, ...(lang === undefined ? {} : { lang }) }, codes)
            return true
          }),
        ),

      /** Says whether there was one. */
      remove: (accountId: number, id: number) =>
        Effect.gen(function* () {
          const found = yield* devices.find({ id, account_id: accountId })
          if (found !== undefined) yield* devices.remove(id)
          return found !== undefined
        }),
    }
  }),
}) {
  /** `reached` are the platforms that pushes are sent to. */
  static readonly layer = (reached: readonly Platform[]) => Layer.effect(Devices, Devices.make(reached))
}
