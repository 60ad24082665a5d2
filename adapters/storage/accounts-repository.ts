/**
 * How are accounts and their keys written and read?
 *
 * SQL and rows only: no rule about who may have what, no key in the clear. Whatever changes an account or a key has to bump
 * {@link ACCOUNTS_REVISION} in the same transaction, so that every process notices.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { bumpCounter } from "./counter.ts"

/** The counter that says whether accounts or keys have changed. */
export const ACCOUNTS_REVISION = "accounts_revision"

const Flag = Schema.BooleanFromBit

const AccountRow = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  email: Schema.String,
  plan: Schema.Literals(["free", "hobby", "starter", "pro", "business"]),
  is_confirmed: Flag,
  created_at: Schema.String,
})

const KeyRow = Schema.Struct({
  id: Schema.Int,
  account_id: Schema.Int,
  kind: Schema.Literals(["account", "team"]),
  name: Schema.String,
  sealed_key: Schema.String,
  is_active: Flag,
  created_at: Schema.String,
})

const CallerRow = Schema.Struct({
  key_id: Schema.Int,
  kind: KeyRow.fields.kind,
  account_id: Schema.Int,
  plan: AccountRow.fields.plan,
  is_confirmed: Flag,
})

export type AccountRow = typeof AccountRow.Type
export type KeyRow = typeof KeyRow.Type

// A row that does not fit was not written by this program: a defect, not an answer.
const decodeRows = <Row, Encoded>(schema: Schema.Codec<Row, Encoded>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(schema))
  return (rows: readonly unknown[]): Effect.Effect<readonly Row[]> => Effect.orDie(decode(rows))
}

const decodeAccounts = decodeRows(AccountRow)
const decodeKeys = decodeRows(KeyRow)
const decodeCallers = decodeRows(CallerRow)

/** The statements on accounts and keys, bound to the client in scope. */
export const makeAccountsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accountColumns = sql.literal("id, name, email, plan, is_confirmed, created_at")
  const keyColumns = sql.literal("id, account_id, kind, name, sealed_key, is_active, created_at")
  const withClient = Effect.provideService(SqlClient.SqlClient, sql)

  return {
    nextAccountId: bumpCounter("accounts_id").pipe(withClient),
    nextKeyId: bumpCounter("api_keys_id").pipe(withClient),
    bumpRevision: bumpCounter(ACCOUNTS_REVISION).pipe(withClient),

    countAccounts: Effect.map(
      sql<{ count: number }>`SELECT CAST(COUNT(*) AS INTEGER) AS count FROM accounts`,
      rows => rows[0]!.count,
    ),

    insertAccount: (account: AccountRow & { readonly email_folded: string }) =>
      Effect.asVoid(
        sql`INSERT INTO accounts ${sql.insert({ ...account, is_confirmed: Number(account.is_confirmed) })}`,
      ),

    findAccount: (id: number) =>
      sql`SELECT ${accountColumns} FROM accounts WHERE id = ${id}`.pipe(
        Effect.flatMap(decodeAccounts),
        Effect.map(rows => rows[0]),
      ),

    findAccountByEmail: (emailFolded: string) =>
      sql`SELECT ${accountColumns} FROM accounts WHERE email_folded = ${emailFolded}`.pipe(
        Effect.flatMap(decodeAccounts),
        Effect.map(rows => rows[0]),
      ),

    confirmAccount: (id: number) => Effect.asVoid(sql`UPDATE accounts SET is_confirmed = 1 WHERE id = ${id}`),

    setPlan: (id: number, plan: AccountRow["plan"]) =>
      Effect.asVoid(sql`UPDATE accounts SET plan = ${plan} WHERE id = ${id}`),

    insertKey: (key: KeyRow & { readonly key_hash: string }) =>
      Effect.asVoid(sql`INSERT INTO api_keys ${sql.insert({ ...key, is_active: Number(key.is_active) })}`),

    /** An account's keys of a kind, oldest first, deactivated ones too. */
    listKeys: (accountId: number, kind: KeyRow["kind"]) =>
      sql`SELECT ${keyColumns} FROM api_keys WHERE account_id = ${accountId} AND kind = ${kind} ORDER BY id`.pipe(
        Effect.flatMap(decodeKeys),
      ),

    deactivateKey: (id: number) => Effect.asVoid(sql`UPDATE api_keys SET is_active = 0 WHERE id = ${id}`),

    /** The active key with this hash and what is known of its account. */
    findCaller: (keyHash: string) =>
      sql`SELECT k.id AS key_id, k.kind, a.id AS account_id, a.plan, a.is_confirmed
        FROM api_keys k JOIN accounts a ON a.id = k.account_id
        WHERE k.key_hash = ${keyHash} AND k.is_active = 1`.pipe(
        Effect.flatMap(decodeCallers),
        Effect.map(rows => rows[0]),
      ),
  }
})
