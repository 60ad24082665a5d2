/**
 * What does the owner of an account have a right to?
 *
 * To see everything that is kept (GDPR, article 15, as JSON for article 20), and to be forgotten (article 17). Erasing leaves
 * what accounting needs, under the account's number: counts, plans, payments. It cannot be undone: the keys stop working, and the
 * address is free again.
 */
import { Effect } from "effect"
import { Storage } from "../storage/storage.ts"

const NOTE =
  "Everything that is kept under this account, by table. Left out are hashes and sealed texts (keys, secrets, tokens), which only the service can read: sign in to see the key itself."

export const exportAccount = (accountId: number, nowMs: number) =>
  Effect.flatMap(Storage, ({ accountData }) =>
    Effect.map(accountData.read(accountId), data => ({
      exported_at: new Date(nowMs).toISOString(),
      account_id: accountId,
      note: NOTE,
      data,
    })),
  )
