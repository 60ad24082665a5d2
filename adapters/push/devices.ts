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
import { type FieldReader, type Fields, type ReadFields, readBodyWith, sayExpected } from "../validation/fields.ts"

// What does the registration of a device contain?
// Its token, whose service it is for, what it follows and its language; an empty or missing list filters nothing. Every mistake is named
// with its field, and a token is never repeated. Tokens and lists are as long as devices of people need, because what they follow is
// stored, a row for each code.

export interface DeviceChange {
  readonly token?: string
  readonly lang?: Language
  readonly codes: Partial<DeviceCodes>
}

export interface DeviceRequest extends Required<DeviceChange> {
  readonly platform: Platform
  readonly codes: DeviceCodes
}

/** A token of FCM has some 160 characters, and no length that is guaranteed. */
const [SHORTEST_FCM_TOKEN, LONGEST_FCM_TOKEN] = [20, 512]

/** The most codes of each list; whoever follows more follows everything. */
const MOST_CODES = { passports: 10, destinations: 100 } as const

const TOKENS: Readonly<Record<Platform, { readonly expected: string; readonly form: RegExp }>> = {
  apns: { expected: "a device token of APNs: 64 to 200 hexadecimal digits", form: /^(?:[0-9a-fA-F]{2}){32,100}$/ },
  fcm: {
    expected: `a registration token of FCM: ${SHORTEST_FCM_TOKEN} to ${LONGEST_FCM_TOKEN} letters, digits and signs out of _ : . -`,
    form: new RegExp(`^[\\w:.-]{${SHORTEST_FCM_TOKEN},${LONGEST_FCM_TOKEN}}$`),
  },
}

/** A token of a device whose platform is not known: that of FCM is the wider form. */
const ANY_TOKEN = { expected: "a device token", form: TOKENS.fcm.form }

const FOLLOWED = ["passports", "destinations"] as const
const CHANGEABLE = [...FOLLOWED, "lang", "device_token"] as const

/** Reads the fields that both requests have, with the mistakes in them; one that is not given is left out. */
function readGiven(reader: FieldReader, body: Fields, dataset: Dataset, platform: Platform | null): DeviceChange {
  const { device_token: token, lang } = body
  const { expected, form } = platform === null ? ANY_TOKEN : TOKENS[platform]
  const isToken = typeof token === "string" && form.test(token)
  if (token !== undefined && !isToken) reader.report("device_token", sayExpected(expected, token))
  const language = lang === undefined ? undefined : reader.oneOf("lang", lang, LANGUAGES)
  const given = FOLLOWED.filter(name => body[name] !== undefined).map(name => {
    const readItem = (code: string) => dataset[name].find(known => known === code)
    const codes = { expected: "ISO 3166-1 alpha-3 codes that are recorded", atMost: MOST_CODES[name], readItem }
    return [name, reader.list(name, body[name], codes)] as const
  })
  return {
    ...(isToken && { token: platform === "apns" ? token.toLowerCase() : token }),
    ...(language && { lang: language }),
    codes: Object.fromEntries(given),
  }
}

export const readDevice = (text: string, dataset: Dataset): ReadFields<DeviceRequest> =>
  readBodyWith(text, ["device_token", "platform", ...FOLLOWED, "lang"], (body, reader) => {
    const platform = reader.oneOf("platform", body.platform, PLATFORMS) ?? "apns"
    if (body.device_token === undefined)
      reader.report("device_token", sayExpected(TOKENS[platform].expected, undefined))
    const { token = "", lang = "en", codes } = readGiven(reader, body, dataset, platform)
    return { token, platform, lang, codes: { passports: [], destinations: [], ...codes } }
  })

/** Reads the body of a change; the form of a token depends on the platform of the device, if it is known. */
export const readDeviceChange = (text: string, dataset: Dataset, platform: Platform | null): ReadFields<DeviceChange> =>
  readBodyWith(text, CHANGEABLE, (body, reader) => {
    if (Object.keys(body).length === 0) reader.report("", `Expected at least one of ${CHANGEABLE.join(", ")}`)
    return readGiven(reader, body, dataset, platform)
  })

const MAXIMUM_DEVICES = 100

/** The account has as many devices as it may have. */
export class TooManyDevices extends Schema.TaggedError<TooManyDevices>()("TooManyDevices", {
  message: Schema.String,
}) {}

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
                return yield* new TooManyDevices({ message: `An account may have at most ${MAXIMUM_DEVICES} devices.` })
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
            if ((yield* devices.find({ id, account_id: accountId })) === undefined) return false
            const row: Partial<DeviceRow> = lang === undefined ? {} : { lang }
            if (token === undefined) return yield* Effect.as(devices.update(id, row, codes), true)
            const token_hash = tokens.hash(token)
            const other = yield* devices.find({ token_hash })
            if (other !== undefined && other.id !== id) yield* devices.remove(other.id)
            const registered_at = yield* Clock.currentTimeMillis
            const changed = { ...row, token_hash, sealed_token: tokens.seal(id, token), registered_at }
            return yield* Effect.as(devices.update(id, changed, codes), true)
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
