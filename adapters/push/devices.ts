/**
 * What can an account do with its devices?
 *
 * Register one, change what it follows, its language or its token, and end it. A token belongs to one device: registering it
 * again changes that device, and if another account registers it the device moves there, because the app on it now uses that
 * account. Tokens are sealed, and found by a keyed hash. An account does not see the devices of others.
 */
import { createHmac } from "node:crypto"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { sealText, unsealText } from "../secrets/sealing.ts"
import type { DeviceRow, Platform } from "../storage/devices-repository.ts"
import { Storage } from "../storage/storage.ts"
import type { DeviceChange, DeviceRequest } from "./device.ts"

export const MAXIMUM_DEVICES = 100

/** The account has as many devices as it may have. */
class TooManyDevices extends Schema.TaggedError<TooManyDevices>()("TooManyDevices", {}) {}

export const makeTokenBox = (secret: DeploymentSecret["Service"]) => {
  const sealKey = secret.deriveKey("device token seal")
  const hashKey = secret.deriveKey("device token hash")
  const nameOf = (id: number) => `devices/${id}`
  return {
    hash: (token: string) => createHmac("sha256", hashKey).update(token).digest("base64"),
    seal: (id: number, token: string) => sealText(sealKey, nameOf(id), token),
    /** Null where the row was changed. */
    unseal: ({ id, sealed_token }: DeviceRow) => unsealText(sealKey, nameOf(id), sealed_token),
  }
}

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
              const known = yield* devices.findByHash(tokens.hash(token))
              if (known?.account_id === accountId) {
                const fields = { platform, lang, registered_at: nowMs }
                yield* devices.update(known.id, fields, codes)
                return known.id
              }
              if ((yield* devices.countOf(accountId)) >= MAXIMUM_DEVICES) return yield* new TooManyDevices()
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
        Effect.map(devices.find(accountId, id), found => found?.platform ?? null),

      /** Changes what is given; says whether there was such a device. */
      update: (accountId: number, id: number, { token, lang, codes }: DeviceChange) =>
        transact(
          Effect.gen(function* () {
            const found = yield* devices.find(accountId, id)
            if (found === undefined) return false
            if (token !== undefined) {
              const other = yield* devices.findByHash(tokens.hash(token))
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
          const found = yield* devices.find(accountId, id)
          if (found !== undefined) yield* devices.remove(id)
          return found !== undefined
        }),
    }
  }),
}) {
  /** `reached` are the platforms that pushes are sent to. */
  static readonly layer = (reached: readonly Platform[]) => Layer.effect(Devices, Devices.make(reached))
}
