/** `landfall key …`: lists, makes, revokes and reveals the API keys of accounts. */
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { type AccountKey, Name } from "../../customers/accounts/account.ts"
import { accountArgument, loadDeployment } from "./account.ts"
import { CalledWrongly, CommandFailed, jsonFlag, printTable, printWire, switchFlag, textFlag } from "./outcome.ts"

const keyArgument = Argument.Int("key").pipe(Argument.withDescription("The key's number, as landfall key list says it"))

const list = Command.make(
  "list",
  { account: accountArgument, json: jsonFlag },
  Effect.fnUntraced(function* ({ account: named, json }) {
    const { Accounts, findAccount, onDeployment } = yield* loadDeployment
    const keys = yield* Effect.gen(function* () {
      const { id } = yield* findAccount(named)
      return yield* (yield* Accounts).listKeys(id)
    }).pipe(onDeployment({ makesDatabase: false }))
    if (json) return yield* printWire(keys)
    yield* printTable(["number", "kind", "name", "begins with", "state", "since"], keys.map(toRow))
  }),
).pipe(
  Command.withDescription("List the keys of an account"),
  Command.withExamples([{ command: "landfall key list ada@example.com", description: "Those of one account" }]),
)

const toRow = ({ id, kind, name, keyPrefix, isActive, createdAt }: AccountKey): (string | number)[] => [
  id,
  kind,
  name,
  keyPrefix,
  isActive ? "active" : "revoked",
  createdAt.slice(0, 10),
]

const CREATE_USAGE = "landfall key create ACCOUNT [--team NAME | --replace [--end-team-keys]] [--json]"

const create = Command.make(
  "create",
  {
    account: accountArgument,
    team: textFlag("team", "NAME", "Make a team key with this name, beside the account's own"),
    replace: switchFlag("replace", "Revoke the account's own key and make another"),
    endsTeamKeys: switchFlag("end-team-keys", "With --replace: revoke its team keys too"),
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ account: named, team, replace, endsTeamKeys, json }) {
    const refuse = (message: string) => new CalledWrongly({ message, usage: CREATE_USAGE })
    if (Option.isSome(team) && replace) return yield* refuse("--team and --replace exclude each other.")
    if (endsTeamKeys && !replace) return yield* refuse("--end-team-keys needs --replace.")
    if (Option.isSome(team) && !Schema.is(Name)(team.value)) {
      return yield* refuse(`--team: 1 to 100 characters on one line are expected, not ${JSON.stringify(team.value)}.`)
    }
    const { Accounts, findAccount, onDeployment } = yield* loadDeployment
    const key = yield* Effect.gen(function* () {
      const { id } = yield* findAccount(named)
      const accounts = yield* Accounts
      if (Option.isSome(team)) {
        const made = accounts
          .createTeamKey(id, team.value)
          .pipe(
            Effect.catchTag("TooManyTeamKeys", ({ limit }) =>
              Effect.fail(new CommandFailed({ message: `account ${id} has ${limit} active team keys already` })),
            ),
          )
        return (yield* made).key
      }
      if (!replace && (yield* accounts.revealKey(id)) !== null) {
        const message = `account ${id} has an active key: reveal it, or give --replace to revoke it and make another`
        return yield* new CommandFailed({ message })
      }
      return (yield* accounts.regenerateKey(id, { endsTeamKeys })).key
    }).pipe(onDeployment({ makesDatabase: false }))
    yield* json ? printWire({ apiKey: key }) : Console.log(key)
  }),
).pipe(
  Command.withDescription("Make a key"),
  Command.withExamples([
    { command: "landfall key create 1 --team Bookings", description: "A team key beside the account's own" },
  ]),
)

/** The failure for a number that is not a key's. */
const noSuchKey = (id: number) => () =>
  Effect.fail(new CommandFailed({ message: `there is no key ${id}`, code: "not_found", field: "key", given: id }))

const revoke = Command.make(
  "revoke",
  { key: keyArgument, json: jsonFlag },
  Effect.fnUntraced(function* ({ key: id, json }) {
    const { Accounts, onDeployment } = yield* loadDeployment
    const revoked = yield* Effect.gen(function* () {
      return yield* (yield* Accounts).revokeKey(id).pipe(Effect.catchTag("KeyNotFound", noSuchKey(id)))
    }).pipe(onDeployment({ makesDatabase: false }))
    yield* json
      ? printWire(revoked)
      : Console.log(`Key ${revoked.id} of account ${revoked.accountId}, ${revoked.keyPrefix}…, no longer works.`)
  }),
).pipe(
  Command.withDescription("Revoke a key for good"),
  Command.withExamples([{ command: "landfall key revoke 2", description: "By its number" }]),
)

const reveal = Command.make(
  "reveal",
  { key: keyArgument, json: jsonFlag },
  Effect.fnUntraced(function* ({ key: id, json }) {
    const { Accounts, onDeployment } = yield* loadDeployment
    const { accountKey, key } = yield* Effect.gen(function* () {
      return yield* (yield* Accounts).revealKeyById(id).pipe(Effect.catchTag("KeyNotFound", noSuchKey(id)))
    }).pipe(onDeployment({ makesDatabase: false }))
    yield* json ? printWire({ ...accountKey, apiKey: key }) : Console.log(key)
  }),
).pipe(
  Command.withDescription("Print a key whole"),
  Command.withExamples([{ command: "landfall key reveal 1", description: "By its number" }]),
)

export const key = Command.make("key").pipe(
  Command.withDescription("List, make, revoke and reveal API keys"),
  Command.withSubcommands([list, create, revoke, reveal]),
)
