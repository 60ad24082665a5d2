/**
 * How are accounts and their keys written and read?
 *
 * SQL and rows only: no rule about who may have what, no key in the clear. A change of an account or a key has to bump the
 * revision in the same transaction, so that every process notices.
 */
import { Effect, Schema } from "effect"
import { LANGUAGES } from "../../src/full.ts"
import { bumpCounter, readCounter, takeId } from "./counter.ts"
import type { Database } from "./database.ts"
import { inChunks, listJsonRows } from "./json-rows.ts"
import type { Conflict, Unavailable } from "./storage-errors.ts"

/** The counter that says whether accounts or keys have changed. */
const ACCOUNTS_REVISION = "accounts_revision"

const Flag = Schema.BooleanFromBit

const AccountRow = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  email: Schema.String,
  plan: Schema.Literals(["free", "hobby", "starter", "pro", "business"]),
  is_confirmed: Flag,
  is_disabled: Flag,
  api_version: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.Literals(LANGUAGES)),
  created_at: Schema.String,
})

/** The limits of a key, with words and addresses separated by commas. */
const LIMIT_FIELDS = {
  scopes: Schema.String,
  allowed_addresses: Schema.String,
  expires_at: Schema.NullOr(Schema.Int),
  replaced_at: Schema.NullOr(Schema.Int),
}

const KeyRow = Schema.Struct({
  id: Schema.Int,
  account_id: Schema.Int,
  kind: Schema.Literals(["account", "team", "named", "test"]),
  name: Schema.String,
  sealed_key: Schema.String,
  is_active: Flag,
  created_at: Schema.String,
  ...LIMIT_FIELDS,
  last_used_at: Schema.NullOr(Schema.Int),
  used: Schema.Int,
})

const CallerRow = Schema.Struct({
  key_id: Schema.Int,
  kind: KeyRow.fields.kind,
  ...LIMIT_FIELDS,
  account_id: Schema.Int,
  plan: AccountRow.fields.plan,
  is_confirmed: Flag,
  api_version: AccountRow.fields.api_version,
})

export type AccountRow = typeof AccountRow.Type
export type KeyRow = typeof KeyRow.Type

/** The use of a key: its charges, and the hour of its last use. */
export interface KeyUse {
  readonly id: number
  readonly used: number
  readonly lastUsedAt: number
}

type Query = Parameters<Database["ask"]>[0]

// A row that does not fit was not written by this program: a defect, not an answer.
const makeReader = <Row, Encoded>(database: Database, schema: Schema.Codec<Row, Encoded>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(schema))
  const decodeAll = <E>(rows: Effect.Effect<unknown, E>) => Effect.flatMap(rows, found => Effect.orDie(decode(found)))
  const list = (question: Query) => decodeAll(database.ask(question))
  return {
    list,
    find: (question: Query) => Effect.map(list(question), ([row]) => row as Row | undefined),
    change: (statement: Query) => Effect.map(decodeAll(database.change(statement)), ([row]) => row as Row | undefined),
  }
}

/** The statements on accounts and keys. */
export const makeAccountsRepository = (database: Database) => {
  const { sql } = database
  const accountColumns = sql.literal(Object.keys(AccountRow.fields).join(", "))
  const keyColumns = sql.literal(Object.keys(KeyRow.fields).join(", "))

  const accounts = makeReader(database, AccountRow)
  const keys = makeReader(database, KeyRow)
  const callers = makeReader(database, CallerRow)

  return {
    nextAccountId: takeId(database, "accounts_id"),
    nextKeyId: takeId(database, "api_keys_id"),
    bumpRevision: bumpCounter(database, ACCOUNTS_REVISION),
    readRevision: readCounter(database, ACCOUNTS_REVISION),

    countAccounts: database.count(query => query<{ count: number }>`SELECT COUNT(*) AS count FROM accounts`),

    insertAccount: (
      account: Omit<AccountRow, "language"> & Partial<Pick<AccountRow, "language">> & { readonly email_folded: string },
    ) => {
      const row = { ...account, is_confirmed: Number(account.is_confirmed), is_disabled: Number(account.is_disabled) }
      return Effect.asVoid(database.insert(query => query`INSERT INTO accounts ${query.insert(row)}`))
    },

    findAccount: (id: number) => accounts.find(query => query`SELECT ${accountColumns} FROM accounts WHERE id = ${id}`),

    /** An account, whose row stays locked until the transaction ends. */
    holdAccount: (id: number) =>
      accounts.change(query => query`UPDATE accounts SET plan = plan WHERE id = ${id} RETURNING ${accountColumns}`),

    findAccountByEmail: (emailFolded: string) =>
      accounts.find(query => query`SELECT ${accountColumns} FROM accounts WHERE email_folded = ${emailFolded}`),

    /** Up to a number of accounts with ids above a given one, in the order of their ids. */
    listAccounts: (options: { readonly afterId: number; readonly limit: number }) =>
      accounts.list(
        query => query`SELECT ${accountColumns} FROM accounts WHERE id > ${options.afterId}
          ORDER BY id LIMIT ${options.limit}`,
      ),

    /** Deletes the oldest keys of an account that have ended, with the answers kept for them, so that at most `most` of those are left. */
    trimEndedKeys: (accountId: number, nowMs: number, most: number): Effect.Effect<void, Unavailable> =>
      Effect.gen(function* () {
        const deleted = yield* database.change(query => {
          const ended = query`account_id = ${accountId} AND (is_active = 0 OR expires_at <= ${nowMs})`
          return query<{ id: number }>`DELETE FROM api_keys WHERE ${ended} AND id <= (
            SELECT id FROM api_keys WHERE ${ended} ORDER BY id DESC LIMIT 1 OFFSET ${most}) RETURNING id`
        })
        for (const { id } of deleted)
          yield* database.change(query => query`DELETE FROM kept_requests WHERE key_id = ${id}`)
      }),

    /** Changes the given fields; `Conflict` if another account has the address. */
    updateAccount: (
      id: number,
      fields: Partial<Omit<AccountRow, "id"> & { readonly email_folded: string }>,
    ): Effect.Effect<void, Conflict | Unavailable> => {
      const row = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name, typeof value === "boolean" ? Number(value) : value]),
      )
      return Effect.asVoid(database.insert(query => query`UPDATE accounts SET ${query.update(row)} WHERE id = ${id}`))
    },

    insertKey: (key: KeyRow & { readonly key_hash: string }) => {
      const row = { ...key, is_active: Number(key.is_active) }
      return database.run(query => query`INSERT INTO api_keys ${query.insert(row)}`)
    },

    findKey: (id: number) => keys.find(query => query`SELECT ${keyColumns} FROM api_keys WHERE id = ${id}`),

    /** An account's keys of every kind, oldest first, deactivated ones too. */
    listKeys: (accountId: number) =>
      keys.list(query => query`SELECT ${keyColumns} FROM api_keys WHERE account_id = ${accountId} ORDER BY id`),

    /** Those of a kind, or of all kinds, above a number, up to a number of them. */
    listKeysAbove: (
      accountId: number,
      {
        kind,
        aboveId,
        limit,
      }: { readonly kind?: KeyRow["kind"] | undefined; readonly aboveId: number; readonly limit: number },
    ) =>
      keys.list(
        query => query`SELECT ${keyColumns} FROM api_keys WHERE account_id = ${accountId} AND id > ${aboveId}
          ${kind === undefined ? query.literal("") : query`AND kind = ${kind}`} ORDER BY id LIMIT ${limit}`,
      ),

    deactivateKey: (id: number) => database.run(query => query`UPDATE api_keys SET is_active = 0 WHERE id = ${id}`),

    /** Notes that a key was replaced, and when it ends. */
    replaceKey: (id: number, { replacedAt, expiresAt }: { readonly replacedAt: number; readonly expiresAt: number }) =>
      database.run(
        query => query`UPDATE api_keys SET replaced_at = ${replacedAt}, expires_at = ${expiresAt} WHERE id = ${id}`,
      ),

    /** Adds to the use of keys, each named once. */
    addKeyUse: (uses: readonly KeyUse[]): Effect.Effect<void, Unavailable> =>
      Effect.forEach(
        inChunks(uses),
        chunk =>
          database.change(
            sql => sql`UPDATE api_keys SET used = api_keys.used + noted.used,
                last_used_at = CASE WHEN api_keys.last_used_at > noted.at THEN api_keys.last_used_at ELSE noted.at END
              FROM (${listJsonRows(
                sql,
                { id: "BIGINT", used: "BIGINT", at: "BIGINT" },
                chunk.map(({ id, used, lastUsedAt }) => [id, used, lastUsedAt]),
              )}) AS noted WHERE api_keys.id = noted.id`,
          ),
        { discard: true },
      ),

    /** The active key with this hash and the known fields of its account, unless that is disabled. */
    findCaller: (keyHash: string) =>
      callers.find(
        query => query`SELECT k.id AS key_id, k.kind, k.scopes, k.allowed_addresses, k.expires_at, k.replaced_at, a.id AS account_id, a.plan, a.is_confirmed, a.api_version
              FROM api_keys k JOIN accounts a ON a.id = k.account_id
              WHERE k.key_hash = ${keyHash} AND k.is_active = 1 AND a.is_disabled = 0`,
      ),
  }
}

export type AccountsRepository = ReturnType<typeof makeAccountsRepository>
