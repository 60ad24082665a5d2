/** `landfall key …`: lists, makes, replaces, revokes and reveals the API keys of accounts. */
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { type AccountKey, Name } from "../../customers/accounts/account.ts"
import { SCOPES } from "../../customers/accounts/key-limits.ts"
import { readNewKey } from "../../customers/accounts/read-new-key.ts"
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
    const nowMs = yield* Clock.currentTimeMillis
    yield* printTable(
      ["number", "kind", "name", "begins with", "state", "for", "used", "last used", "since"],
      keys.map(key => toRow(key, nowMs)),
    )
  }),
).pipe(
  Command.withDescription("List the keys of an account"),
  Command.withExamples([{ command: "landfall key list ada@example.com", description: "Those of one account" }]),
)

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

function describeState({ isActive, expiresAt, replacedAt }: AccountKey, nowMs: number): string {
  if (!isActive) return "revoked"
  if (expiresAt === null) return "active"
  if (nowMs >= expiresAt) return "expired"
  return `${replacedAt === null ? "active" : "replaced, works"} until ${new Date(expiresAt).toISOString().slice(0, 16)}Z`
}

const toRow = (key: AccountKey, nowMs: number): (string | number)[] => [
  key.id,
  key.kind,
  key.name,
  key.keyPrefix,
  describeState(key, nowMs),
  `${key.scopes.length === SCOPES.length ? "everything" : key.scopes.join(",")}${key.allowedAddresses.length > 0 ? ` from ${key.allowedAddresses.join(",")}` : ""}`,
  key.used,
  key.lastUsedAt === null ? "never" : dayOf(key.lastUsedAt),
  key.createdAt.slice(0, 10),
]

const CREATE_USAGE =
  "landfall key create ACCOUNT [--name NAME --scopes SCOPES [--test] [--expires DAY] [--from ADDRESSES] | --team NAME | --replace [--end-team-keys]] [--json]"

interface NamedFlags {
  readonly name: Option.Option<string>
  readonly scopes: Option.Option<string>
  readonly expires: Option.Option<string>
  readonly from: Option.Option<string>
  readonly isTest: boolean
}

const splitList = (text: string): readonly string[] => text.split(",").map(item => item.trim())

/** The fields of a named key, as its endpoint reads them. */
const toFields = ({ name, scopes, expires, from, isTest }: NamedFlags) => ({
  name: Option.getOrUndefined(name),
  mode: isTest ? "test" : "live",
  scopes: Option.match(scopes, { onNone: () => [], onSome: splitList }),
  ...Option.match(expires, { onNone: () => ({}), onSome: day => ({ expires_at: `${day}T00:00:00Z` }) }),
  ...Option.match(from, { onNone: () => ({}), onSome: list => ({ allowed_addresses: splitList(list) }) }),
})

const create = Command.make(
  "create",
  {
    account: accountArgument,
    name: textFlag("name", "NAME", "Make a key with this name, beside the first one"),
    scopes: textFlag("scopes", "SCOPES", `With --name: what it is for, of ${SCOPES.join(",")}`),
    expires: textFlag("expires", "DAY", "With --name: the day on which it no longer works, such as 2030-01-01"),
    isTest: switchFlag("test", "With --name: a test key, which is charged to no quota"),
    from: textFlag("from", "ADDRESSES", "With --name: the addresses or CIDR blocks that it works from, by commas"),
    team: textFlag("team", "NAME", "Make a team key with this name, beside the first one"),
    replace: switchFlag("replace", "Revoke the account's first key at once and make another"),
    endsTeamKeys: switchFlag("end-team-keys", "With --replace: revoke its other keys too"),
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ account: named, team, replace, endsTeamKeys, json, ...flags }) {
    const refuse = (message: string) => new CalledWrongly({ message, usage: CREATE_USAGE })
    if (Number(Option.isSome(team)) + Number(Option.isSome(flags.name)) + Number(replace) > 1)
      return yield* refuse("--name, --team and --replace exclude each other.")
    const needsName = (["scopes", "expires", "from"] as const).find(name => Option.isSome(flags[name]))
    if (Option.isNone(flags.name) && needsName !== undefined) return yield* refuse(`--${needsName} needs --name.`)
    if (Option.isNone(flags.name) && flags.isTest) return yield* refuse("--test needs --name.")
    const wanted = Option.isSome(flags.name)
      ? readNewKey(toFields(flags), yield* Clock.currentTimeMillis)
      : ({ ok: true, value: null } as const)
    if (!wanted.ok) return yield* refuse(wanted.issues.map(({ path, message }) => `${path}: ${message}.`).join(" "))
    if (endsTeamKeys && !replace) return yield* refuse("--end-team-keys needs --replace.")
    if (Option.isSome(team) && !Schema.is(Name)(team.value)) {
      return yield* refuse(`--team: 1 to 100 characters on one line are expected, not ${JSON.stringify(team.value)}.`)
    }
    const { Accounts, findAccount, onDeployment } = yield* loadDeployment
    const key = yield* Effect.gen(function* () {
      const { id } = yield* findAccount(named)
      const accounts = yield* Accounts
      if (wanted.value !== null) {
        const { name, ...limits } = wanted.value
        const made = accounts
          .createKey(id, name, limits)
          .pipe(
            Effect.catchTag("TooManyKeys", ({ limit }) =>
              Effect.fail(new CommandFailed({ message: `account ${id} has ${limit} named keys that work already` })),
            ),
          )
        return (yield* made).key
      }
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
    { command: "landfall key create 1 --team Bookings", description: "A team key beside the first one" },
    {
      command: "landfall key create 1 --name Shop --scopes visa,lookup --expires 2030-01-01",
      description: "A named key",
    },
    { command: "landfall key create 1 --name Sandbox --test --scopes visa,webhooks", description: "A test key" },
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

const rotate = Command.make(
  "rotate",
  { key: keyArgument, json: jsonFlag },
  Effect.fnUntraced(function* ({ key: id, json }) {
    const { Accounts, onDeployment } = yield* loadDeployment
    const made = yield* Effect.gen(function* () {
      const accounts = yield* Accounts
      const { accountId } = (yield* accounts.revealKeyById(id)).accountKey
      return yield* accounts.rotateKey(accountId, id)
    }).pipe(
      Effect.catchTags({ KeyNotFound: noSuchKey(id), NoSuchKey: noSuchKey(id), AccountNotFound: noSuchKey(id) }),
      onDeployment({ makesDatabase: false }),
    )
    yield* json ? printWire({ ...made.accountKey, apiKey: made.key }) : Console.log(made.key)
  }),
).pipe(
  Command.withDescription("Replace a key; the old one works for 24 hours more"),
  Command.withExamples([{ command: "landfall key rotate 2", description: "And print the new one" }]),
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
  Command.withDescription("List, make, replace, revoke and reveal API keys"),
  Command.withSubcommands([list, create, rotate, revoke, reveal]),
)
