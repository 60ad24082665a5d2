/**
 * How are the keys of accounts stored, and shown again?
 *
 * A key is sealed with the deployment's secret in its own row, and found by a hash. Lists show only its first characters; the whole key is
 * shown only on request.
 */
import { Clock, Effect } from "effect"
import type { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { sealText, unsealText } from "../secrets/sealing.ts"
import type { AccountsRepository, KeyRow } from "../storage/accounts-repository.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import type { AccountKey } from "./account.ts"
import { abbreviateApiKey, hashApiKey, type KeyKind, makeApiKey } from "./api-key.ts"
import { type KeyLimits, NO_LIMITS, SCOPES } from "./key-limits.ts"

/** How many keys that have ended an account's list shows; the oldest are deleted. */
export const MAXIMUM_ENDED_KEYS = 200

/** The present instant as ISO 8601 text, in UTC. */
export const nowAsText = Effect.map(Clock.currentTimeMillis, ms => new Date(ms).toISOString())

/** The operations on keys, over the repository's rows. */
export const makeAccountKeys = (rows: AccountsRepository, secret: DeploymentSecret["Service"]) => {
  const hashKey = secret.deriveKey("api key hash")
  const sealKey = secret.deriveKey("api key seal")

  const reveal = (row: KeyRow): Effect.Effect<string> => {
    const key = unsealText(sealKey, `api_keys/${row.id}`, row.sealed_key)
    return key === null
      ? Effect.die(new Error(`the sealed key ${row.id} does not open: its row was changed`))
      : Effect.succeed(key)
  }

  const describe = (row: KeyRow): Effect.Effect<AccountKey> =>
    Effect.map(reveal(row), key => ({
      id: row.id,
      accountId: row.account_id,
      kind: row.kind,
      name: row.name,
      isActive: row.is_active,
      keyPrefix: abbreviateApiKey(key),
      createdAt: row.created_at,
      ...readLimits(row),
      replacedAt: row.replaced_at,
      lastUsedAt: row.last_used_at,
      used: row.used,
    }))

  const describeAll = (found: readonly KeyRow[]) => Effect.forEach(found, describe)

  /** The keys of some kinds that work and were not replaced. */
  const listCurrent = (
    accountId: number,
    ...kinds: readonly KeyKind[]
  ): Effect.Effect<readonly KeyRow[], Unavailable> =>
    Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const found = yield* rows.listKeys(accountId)
      return found.filter(key => kinds.includes(key.kind) && worksAt(key, nowMs) && key.replaced_at === null)
    })

  return {
    reveal,
    describe,
    describeAll,
    listCurrent,

    /** Hashes a key as it is looked up. */
    hash: (key: string): string => hashApiKey(hashKey, key),

    insert: (accountId: number, kind: KeyKind, name: string, limits: KeyLimits = NO_LIMITS) =>
      Effect.gen(function* () {
        const key = makeApiKey(kind)
        const id = yield* rows.nextKeyId
        const row: KeyRow = {
          id,
          account_id: accountId,
          kind,
          name,
          sealed_key: sealText(sealKey, `api_keys/${id}`, key),
          is_active: true,
          created_at: yield* nowAsText,
          scopes: limits.scopes.join(","),
          allowed_addresses: limits.allowedAddresses.join(","),
          expires_at: limits.expiresAt,
          replaced_at: null,
          last_used_at: null,
          used: 0,
        }
        yield* rows.insertKey({ ...row, key_hash: hashApiKey(hashKey, key) })
        yield* rows.trimEndedKeys(accountId, yield* Clock.currentTimeMillis, MAXIMUM_ENDED_KEYS)
        return { row, key }
      }),

    /** An account's own key, whole; null when it is deactivated. */
    findCurrent: (accountId: number): Effect.Effect<string | null, Unavailable> =>
      Effect.flatMap(listCurrent(accountId, "account"), ([row]) =>
        row === undefined ? Effect.succeed(null) : reveal(row),
      ),
  }
}

/** Says whether a key works at a moment. */
export const worksAt = ({ is_active, expires_at }: KeyRow, nowMs: number): boolean =>
  is_active && (expires_at === null || nowMs < expires_at)

export const readLimits = ({
  scopes,
  allowed_addresses,
  expires_at,
}: Pick<KeyRow, "scopes" | "allowed_addresses" | "expires_at">): KeyLimits => ({
  scopes: SCOPES.filter(scope => scopes.split(",").includes(scope)),
  expiresAt: expires_at,
  allowedAddresses: allowed_addresses === "" ? [] : allowed_addresses.split(","),
})
