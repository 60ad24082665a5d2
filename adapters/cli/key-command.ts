/** `landfall key …`: lists, makes, replaces, revokes and reveals the API keys of accounts. */
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { type AccountKey, Name } from "../accounts/account.ts"
import { SCOPES } from "../accounts/key-limits.ts"
import { readNewKey } from "../accounts/read-new-key.ts"
import { makeCommand } from "./command.ts"
import { CalledWrongly, CommandFailed, printTable, printWire, switchFlag, textFlag } from "./command-outcome.ts"
import { accountArgument, onDeployment } from "./load-deployment.ts"

const keyArgument = Argument.Int("key").pipe(
  Argument.withDescription("The key's number, as landfall key list shows it"),
)

const list = makeCommand("list", {
  about: "List the keys of an account",
  examples: { "landfall key list ada@example.com": "Those of one account" },
  takes: { account: accountArgument },
  *run({ account: named, json }) {
    const keys = yield* onDeployment(({ accounts, findAccount }) =>
      Effect.flatMap(findAccount(named), ({ id }) => accounts.listKeys(id)),
    )
    if (json) return yield* printWire(keys)
    const nowMs = yield* Clock.currentTimeMillis
    yield* printTable(
      ["number", "kind", "name", "begins with", "state", "for", "used", "last used", "since"],
      keys.map(key => toRow(key, nowMs)),
    )
  },
})

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

/** The failure for a key that an account may not have in addition. */
const refuseAnother = (message: string) => new CommandFailed({ message })

const create = makeCommand("create", {
  about: "Make a key",
  usage:
    "landfall key create ACCOUNT [--name NAME --scopes SCOPES [--test] [--expires DAY] [--from ADDRESSES] | --team NAME | --replace [--end-team-keys]] [--json]",
  examples: {
    "landfall key create 1 --team Bookings": "A team key beside the first one",
    "landfall key create 1 --name Shop --scopes visa,lookup --expires 2030-01-01": "A named key",
    "landfall key create 1 --name Sandbox --test --scopes visa,webhooks": "A test key",
  },
  takes: {
    account: accountArgument,
    name: textFlag("name", "NAME", "Make a key with this name, beside the first one"),
    scopes: textFlag("scopes", "SCOPES", `With --name: what it is for, of ${SCOPES.join(",")}`),
    expires: textFlag("expires", "DAY", "With --name: the day on which it no longer works, such as 2030-01-01"),
    isTest: switchFlag("test", "With --name: a test key, which is charged to no quota"),
    from: textFlag("from", "ADDRESSES", "With --name: the addresses or CIDR blocks that it works from, by commas"),
    team: textFlag("team", "NAME", "Make a team key with this name, beside the first one"),
    replace: switchFlag("replace", "Revoke the account's first key at once and make another"),
    endsTeamKeys: switchFlag("end-team-keys", "With --replace: revoke its other keys too"),
  },
  *run({ account: named, team, replace, endsTeamKeys, json, ...flags }) {
    const refuse = (message: string) => new CalledWrongly({ message })
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
    const key = yield* onDeployment(({ accounts, findAccount }) =>
      Effect.gen(function* () {
        const { id } = yield* findAccount(named)
        if (wanted.value !== null) {
          const { name, ...limits } = wanted.value
          const made = accounts.createKey(id, name, limits)
          return (yield* Effect.catchTag(made, "TooManyKeys", ({ limit }) =>
            refuseAnother(`account ${id} has ${limit} named keys that work already`),
          )).key
        }
        if (Option.isSome(team)) {
          const made = accounts.createTeamKey(id, team.value)
          return (yield* Effect.catchTag(made, "TooManyTeamKeys", ({ limit }) =>
            refuseAnother(`account ${id} has ${limit} active team keys already`),
          )).key
        }
        if (!replace && (yield* accounts.revealKey(id)) !== null) {
          return yield* refuseAnother(
            `account ${id} has an active key: reveal it, or give --replace to revoke it and make another`,
          )
        }
        return (yield* accounts.regenerateKey(id, { endsTeamKeys })).key
      }),
    )
    yield* json ? printWire({ apiKey: key }) : Console.log(key)
  },
})

/** The failure for a number that is not a key's. */
const noSuchKey = (id: number) => () =>
  new CommandFailed({ message: `there is no key ${id}`, code: "not_found", field: "key", given: id })

const revoke = makeCommand("revoke", {
  about: "Revoke a key permanently",
  examples: { "landfall key revoke 2": "By its number" },
  takes: { key: keyArgument },
  *run({ key: id, json }) {
    const revoked = yield* onDeployment(({ accounts }) =>
      Effect.catchTag(accounts.revokeKey(id), "KeyNotFound", noSuchKey(id)),
    )
    yield* json
      ? printWire(revoked)
      : Console.log(`Key ${revoked.id} of account ${revoked.accountId}, ${revoked.keyPrefix}…, no longer works.`)
  },
})

const rotate = makeCommand("rotate", {
  about: "Replace a key; the old one works for 24 hours more",
  examples: { "landfall key rotate 2": "And print the new one" },
  takes: { key: keyArgument },
  *run({ key: id, json }) {
    const made = yield* onDeployment(({ accounts }) =>
      accounts.revealKeyById(id).pipe(
        Effect.flatMap(({ accountKey }) => accounts.rotateKey(accountKey.accountId, id)),
        Effect.catchTags({ KeyNotFound: noSuchKey(id), NoSuchKey: noSuchKey(id), AccountNotFound: noSuchKey(id) }),
      ),
    )
    yield* json ? printWire({ ...made.accountKey, apiKey: made.key }) : Console.log(made.key)
  },
})

const reveal = makeCommand("reveal", {
  about: "Print a whole key",
  examples: { "landfall key reveal 1": "By its number" },
  takes: { key: keyArgument },
  *run({ key: id, json }) {
    const { accountKey, key } = yield* onDeployment(({ accounts }) =>
      Effect.catchTag(accounts.revealKeyById(id), "KeyNotFound", noSuchKey(id)),
    )
    yield* json ? printWire({ ...accountKey, apiKey: key }) : Console.log(key)
  },
})

export const key = Command.make("key").pipe(
  Command.withDescription("List, make, replace, revoke and reveal API keys"),
  Command.withSubcommands([list, create, rotate, revoke, reveal]),
)
