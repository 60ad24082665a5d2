/**
 * With which accounts at Apple and Google does a deployment send pushes?
 *
 * Those that the configuration names: a key of Apple's with its three ids, a service account of Google's. Keys are files that are read once, at the start; a mistake in one stops the start
 * with the file's name and none of its contents. Without any the service keeps devices and sends nothing.
 */

import { readFileSync } from "node:fs"
import { Effect, Schema, type Scope } from "effect"
import { importPKCS8 } from "jose"
import { describeFileError } from "../files/file-errors.ts"
import { type SettingValues, settings } from "../settings/settings.ts"
import type { Platform } from "../storage/tables.ts"
import { makeApns } from "./apns.ts"
import { makeFcm } from "./fcm.ts"
import { type PushService, readJson } from "./push-service.ts"

/** The settings of pushes; null if there are none. */
type PushConfig = Pick<SettingValues, Extract<keyof SettingValues, `apns${string}` | `fcm${string}`>>

/** An account at a push service; `open` opens the service until the scope ends. */
export interface PushAccount {
  readonly platform: Platform
  readonly open: Effect.Effect<PushService, never, Scope.Scope>
}

/** An account cannot be used; no part of a key is in the message. */
export class PushRefused extends Schema.TaggedError<PushRefused>()("PushRefused", { message: Schema.String }) {}

const refuse = (name: string, message: string) => new PushRefused({ message: `${name}: ${message}` })

const readKeyFile = (name: string, path: string) =>
  Effect.try({
    try: () => readFileSync(path, "utf8"),
    catch: cause => refuse(name, `${path} ${describeFileError(cause)}`),
  })

const importKey = (name: string, text: string, algorithm: "ES256" | "RS256", what: string) =>
  Effect.tryPromise({
    try: () => importPKCS8(text, algorithm),
    catch: () => refuse(name, `${what} (PKCS #8, for ${algorithm}) is expected.`),
  })

const APNS_NAMES = ["apnsKeyFile", "apnsKeyId", "apnsTeamId", "apnsTopic"] as const

const readApns = (config: PushConfig): Effect.Effect<PushAccount | null, PushRefused> =>
  Effect.gen(function* () {
    const { apnsUrl: url, apnsKeyFile, apnsKeyId: keyId, apnsTeamId: teamId, apnsTopic: topic } = config
    if (apnsKeyFile === null || keyId === null || teamId === null || topic === null) {
      const missing = APNS_NAMES.filter(name => config[name] === null).map(name => settings.rows[name].name)
      if (missing.length === APNS_NAMES.length) return null
      return yield* refuse(missing.join(", "), "missing; Apple's service needs all four of its settings.")
    }
    const { name } = settings.rows.apnsKeyFile
    const key = yield* importKey(name, yield* readKeyFile(name, apnsKeyFile), "ES256", `${apnsKeyFile}: a private key`)
    return { platform: "apns", open: makeApns({ url, key, keyId, teamId, topic }) }
  })

const readFcm = ({
  fcmUrl: url,
  fcmServiceAccount: path,
}: PushConfig): Effect.Effect<PushAccount | null, PushRefused> =>
  Effect.gen(function* () {
    if (path === null) return null
    const { name } = settings.rows.fcmServiceAccount
    const account = readJson(yield* readKeyFile(name, path))
    const { project_id: projectId, client_email: email, private_key: text, token_uri: tokenUri } = account
    const areTexts = [projectId, email, text, tokenUri].every(value => typeof value === "string" && value !== "")
    if (!areTexts || !/^[\w.:-]+$/.test(projectId as string) || !/^https:/.test(tokenUri as string)) {
      const expected = "project_id, client_email, private_key and token_uri"
      return yield* refuse(name, `${path}: the JSON of a service account with ${expected} is expected.`)
    }
    const key = yield* importKey(name, text as string, "RS256", `${path}: a private_key`)
    const fcm = { url, projectId: projectId as string, email: email as string, key, tokenUri: tokenUri as string }
    return { platform: "fcm", open: Effect.sync(() => makeFcm(fcm)) }
  })

/** Reads the accounts that the configuration names. */
export const readPushAccounts = (config: PushConfig): Effect.Effect<readonly PushAccount[], PushRefused> =>
  Effect.map(Effect.all([readApns(config), readFcm(config)]), found => found.filter(account => account !== null))
