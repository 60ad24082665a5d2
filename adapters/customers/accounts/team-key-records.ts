/**
 * Which team keys act for an account?
 *
 * They share its plan and its quota, and give no access to the account itself. A deactivated one stays in the list.
 */
import { Effect, Schema, Semaphore } from "effect"
import type { TeamKey } from "./account.ts"
import type { AccountNotFound, AccountStore, Stored } from "./account-store.ts"

/** How many active team keys an account may have. */
export const MAXIMUM_TEAM_KEYS = 100

/** The account has no team key with this id. */
class TeamKeyNotFound extends Schema.TaggedError<TeamKeyNotFound>()("TeamKeyNotFound", {}) {}
/** The account has as many active team keys as it may have. */
class TooManyTeamKeys extends Schema.TaggedError<TooManyTeamKeys>()("TooManyTeamKeys", { limit: Schema.Int }) {}

/** What can be done with team keys. */
export interface TeamKeyRecords {
  /** Makes a team key; the whole key is in this answer and in no later one. */
  readonly createTeamKey: (
    accountId: number,
    name: string,
  ) => Stored<{ readonly teamKey: TeamKey; readonly key: string }, AccountNotFound | TooManyTeamKeys>
  /** Every team key, oldest first, deactivated ones too. */
  readonly listTeamKeys: (accountId: number) => Stored<readonly TeamKey[]>
  /** Deactivates a team key and keeps its record; doing it again changes nothing. */
  readonly deactivateTeamKey: (accountId: number, id: number) => Stored<TeamKey, TeamKeyNotFound>
}

/** Makes what can be done with the team keys of a store. */
export function makeTeamKeyRecords(store: AccountStore): TeamKeyRecords {
  const { storage, rows, keys, note, changing, holdAccount } = store
  const oneAtATime = Semaphore.makeUnsafe(1)
  return {
    createTeamKey: (accountId, name) =>
      Effect.gen(function* () {
        yield* holdAccount(accountId)
        const active = yield* keys.listActive(accountId, "team")
        if (active.length >= MAXIMUM_TEAM_KEYS) return yield* new TooManyTeamKeys({ limit: MAXIMUM_TEAM_KEYS })
        const { row, key } = yield* keys.insert(accountId, "team", name)
        yield* note(accountId, "team_key_made", `key ${row.id}`)
        return { teamKey: yield* keys.describeTeam(row), key }
      }).pipe(
        storage.transact,
        // All of them wait for the same row: at once they would hold every connection to the database.
        oneAtATime.withPermit,
      ),

    listTeamKeys: accountId =>
      Effect.flatMap(keys.listTeam(accountId), found => Effect.forEach(found, keys.describeTeam)),

    deactivateTeamKey: (accountId, id) =>
      changing(
        Effect.gen(function* () {
          const row = (yield* keys.listTeam(accountId)).find(key => key.id === id)
          if (row === undefined) return yield* new TeamKeyNotFound()
          yield* rows.deactivateKey(id)
          if (row.is_active) yield* note(accountId, "key_revoked", `team key ${id}`)
          return yield* keys.describeTeam({ ...row, is_active: false })
        }),
      ),
  }
}
