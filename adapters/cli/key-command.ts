/** `landfall key …`: lists, makes, replaces, revokes and reveals the API keys of accounts. */
import { Clock, Effect, Schema } from "effect"
import { type AccountKey, Name } from "../accounts/account.ts"
import type { Accounts } from "../accounts/accounts.ts"
import { SCOPES } from "../accounts/key-limits.ts"
import { readNewKey } from "../accounts/read-new-key.ts"
import { toWire } from "../answers/wire-names.ts"
import { isSet, makeCommand, makeGroup, text, wholeArgument } from "./command.ts"
import { CommandFailed, failed, wrong } from "./failure.ts"
import { account, onAccount, onDeployment } from "./load-deployment.ts"
import { table } from "./print.ts"

const list = makeCommand("key list", {
  about: "List the keys of an account",
  examples: { "landfall key list ada@example.com": "Those of one account" },
  takes: { account },
  *run({ account: named }) {
    const keys = yield* onAccount(named, ({ id }, { accounts }) => accounts.listKeys(id))
    const nowMs = yield* Clock.currentTimeMillis
    const head = ["number", "kind", "name", "begins with", "state", "for", "used", "last used", "since"]
    const rows = keys.map(key => toRow(key, nowMs))
    return { json: toWire(keys), text: [table(head, rows)] }
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

const splitList = (list: string): readonly string[] => list.split(",").map(item => item.trim())

const create = makeCommand("key create", {
  about: "Make a key",
  examples: {
    "landfall key create 1 --team Bookings": "A team key beside the first one",
    "landfall key create 1 --name Shop --scopes visa,lookup --expires 2030-01-01": "A named key",
    "landfall key create 1 --name Sandbox --test --scopes visa,webhooks": "A test key",
  },
  takes: {
    account,
    name: text("NAME", "Make a key with this name, beside the first one"),
    scopes: text("SCOPES", `With --name: what it is for, of ${SCOPES.join(",")}`),
    expires: text("DAY", "With --name: the day on which it no longer works, such as 2030-01-01"),
    test: isSet("With --name: a test key, which is charged to no quota"),
    from: text("ADDRESSES", "With --name: the addresses or CIDR blocks that it works from, by commas"),
    team: text("NAME", "Make a team key with this name, beside the first one"),
    replace: isSet("Revoke the account's first key at once and make another"),
  },
  *run({ account: named, name, team, replace, scopes, expires, test, from }) {
    if (Number(team !== undefined) + Number(name !== undefined) + Number(replace) > 1)
      return yield* wrong("--name, --team and --replace exclude each other.")
    const [needsName] = Object.entries({ scopes, expires, from, test }).find(([, given]) => given) ?? []
    if (name === undefined && needsName !== undefined) return yield* wrong(`--${needsName} needs --name.`)
    const fields = {
      name,
      mode: test ? "test" : "live",
      scopes: scopes === undefined ? [] : splitList(scopes),
      ...(expires === undefined ? {} : { expires_at: `${expires}T00:00:00Z` }),
      ...(from === undefined ? {} : { allowed_addresses: splitList(from) }),
    }
    const wanted = name === undefined ? null : readNewKey(fields, yield* Clock.currentTimeMillis)
    if (wanted?.ok === false)
      return yield* wrong(wanted.issues.map(({ path, message }) => `${path}: ${message}.`).join(" "))
    if (team !== undefined && !Schema.is(Name)(team)) {
      return yield* wrong(`--team: 1 to 100 characters on one line are expected, not ${JSON.stringify(team)}.`)
    }
    const { key } = yield* onAccount(named, ({ id }, { accounts }) =>
      Effect.gen(function* () {
        if (wanted !== null) {
          const { name, ...limits } = wanted.value
          return yield* Effect.catchTag(accounts.createKey(id, name, limits), "TooManyKeys", ({ limit }) =>
            failed(`account ${id} has ${limit} named keys that work already`),
          )
        }
        if (team !== undefined) {
          return yield* Effect.catchTag(accounts.createTeamKey(id, team), "TooManyKeys", ({ limit }) =>
            failed(`account ${id} has ${limit} active team keys already`),
          )
        }
        if (!replace && (yield* accounts.revealKey(id)) !== null) {
          return yield* failed(
            `account ${id} has an active key: reveal it, or give --replace to revoke it and make another`,
          )
        }
        return yield* accounts.regenerateKey(id)
      }),
    )
    return { json: { api_key: key }, text: [key] }
  },
})

const keyNumber = wholeArgument("The key's number, as landfall key list shows it")

/** Does something with a key; a number that is not a key's ends with 1. */
const onKey = <A>(
  id: number,
  work: (accounts: Accounts["Service"]) => Effect.Effect<A, { readonly message: string; readonly _tag: string }>,
) =>
  onDeployment(({ accounts }) =>
    Effect.mapError(work(accounts), error =>
      ["NoSuchKey", "AccountNotFound"].includes(error._tag)
        ? new CommandFailed({ message: `there is no key ${id}`, code: "not_found", field: "key", given: id })
        : error,
    ),
  )

const revoke = makeCommand("key revoke", {
  about: "Revoke a key permanently",
  examples: { "landfall key revoke 2": "By its number" },
  takes: { key: keyNumber },
  *run({ key: id }) {
    const revoked = yield* onKey(id, accounts => accounts.revokeKey(id))
    return {
      json: toWire(revoked),
      text: [`Key ${revoked.id} of account ${revoked.accountId}, ${revoked.keyPrefix}…, no longer works.`],
    }
  },
})

const rotate = makeCommand("key rotate", {
  about: "Replace a key; the old one works for 24 hours more",
  examples: { "landfall key rotate 2": "And print the new one" },
  takes: { key: keyNumber },
  *run({ key: id }) {
    const { accountKey, key } = yield* onKey(id, accounts =>
      Effect.flatMap(accounts.revealKeyById(id), ({ accountKey }) => accounts.rotateKey(accountKey.accountId, id)),
    )
    return { json: toWire({ ...accountKey, apiKey: key }), text: [key] }
  },
})

const reveal = makeCommand("key reveal", {
  about: "Print a whole key",
  examples: { "landfall key reveal 1": "By its number" },
  takes: { key: keyNumber },
  *run({ key: id }) {
    const { accountKey, key } = yield* onKey(id, accounts => accounts.revealKeyById(id))
    return { json: toWire({ ...accountKey, apiKey: key }), text: [key] }
  },
})

export const key = makeGroup("key", "List, make, replace, revoke and reveal API keys", [
  list,
  create,
  rotate,
  revoke,
  reveal,
])
