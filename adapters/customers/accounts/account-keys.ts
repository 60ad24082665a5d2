/**
 * How are the keys of accounts kept, and shown again?
 *
 * A key is made, sealed under the deployment's secret into its own row, and found again by a hash. Lists show only its beginning;
 * the whole key is revealed only where somebody asks for it.
 */
import { Clock, Effect } from "effect"
import type { DeploymentSecret } from "../../platform/secrets/deployment-secret.ts"
import { sealText, unsealText } from "../../platform/secrets/sealing.ts"
import type { AccountsRepository, KeyRow } from "../../platform/storage/accounts-repository.ts"
import type { Unavailable } from "../../platform/storage/storage-errors.ts"
import type { AccountKey, TeamKey } from "./account.ts"
import { abbreviateApiKey, hashApiKey, type KeyKind, makeApiKey } from "./api-key.ts"

/** The present instant as ISO 8601 text, in UTC. */
export const nowAsText = Effect.map(Clock.currentTimeMillis, ms => new Date(ms).toISOString())

/** What can be done with keys, over the repository's rows. */
export const makeAccountKeys = (rows: AccountsRepository, secret: DeploymentSecret["Service"]) => {
  const hashKey = secret.deriveKey("api key hash")
  const sealKey = secret.deriveKey("api key seal")

  /** Reveals the whole key of a row. */
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
    }))

  const listActive = (accountId: number, kind: KeyKind): Effect.Effect<readonly KeyRow[], Unavailable> =>
    Effect.map(rows.listKeys(accountId), found => found.filter(key => key.kind === kind && key.is_active))

  return {
    reveal,
    describe,
    listActive,

    /** Hashes a key as it is looked up. */
    hash: (key: string): string => hashApiKey(hashKey, key),

    /** Makes a key and its row. */
    insert: (accountId: number, kind: KeyKind, name: string) =>
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
        }
        yield* rows.insertKey({ ...row, key_hash: hashApiKey(hashKey, key) })
        return { row, key }
      }),

    /** An account's own key, whole; null when it is deactivated. */
    findCurrent: (accountId: number): Effect.Effect<string | null, Unavailable> =>
      Effect.flatMap(listActive(accountId, "account"), ([row]) =>
        row === undefined ? Effect.succeed(null) : reveal(row),
      ),

    /** Every team key, oldest first, deactivated ones too. */
    listTeam: (accountId: number): Effect.Effect<readonly KeyRow[], Unavailable> =>
      Effect.map(rows.listKeys(accountId), found => found.filter(key => key.kind === "team")),

    describeTeam: (row: KeyRow): Effect.Effect<TeamKey> =>
      Effect.map(describe(row), ({ id, name, isActive, keyPrefix, createdAt }) => ({
        id,
        name,
        isActive,
        keyPrefix,
        createdAt,
      })),
  }
}
