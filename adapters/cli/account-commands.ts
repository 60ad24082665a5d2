/** `landfall account …` and `landfall key …`: makes accounts, shows them, and changes what they may do; exports what is kept of one, and erases its owner; and their API keys. */
import { Clock, Effect, Schema } from "effect"
import { type Account, type AccountKey, EmailAddress, Name } from "../accounts/account.ts"
import { type Accounts, exportAccount } from "../accounts/accounts.ts"
import { SCOPES } from "../accounts/key-limits.ts"
import { readNewKey } from "../accounts/read-new-key.ts"
import { LOOKUP_VERSIONS } from "../answers/lookup-answer.ts"
import { toWire } from "../answers/wire-names.ts"
import { PLAN_IDS } from "../settings/feature-options.ts"
import {
  argument,
  choice,
  choiceArgument,
  isSet,
  makeCommand,
  makePlainCommand,
  or,
  printJson,
  required,
  text,
  wholeArgument,
} from "./command.ts"
import { failed, wrong } from "./failure.ts"
import { account, onAccount, onDeployment } from "./operator-deployment.ts"
import { table } from "./print.ts"

export const exportData = makePlainCommand("account export", {
  examples: { "landfall account export 1": "By its number" },
  takes: { account },
  *run({ account: named }) {
    const nowMs = yield* Clock.currentTimeMillis
    yield* printJson(yield* onAccount(named, ({ id }) => exportAccount(id, nowMs)))
  },
})

export const erase = makeCommand("account erase", {
  examples: { "landfall account erase 1": "By its number" },
  takes: { account },
  *run({ account: named }) {
    const id = yield* onAccount(named, ({ id }, { accounts }) =>
      Effect.as(accounts.erase(id), id).pipe(
        Effect.catchTags({
          AccountNotFound: () => failed(`there is no account with the number ${id}`),
          StillSubscribed: () => failed(`account ${id} has a subscription: end it first`),
        }),
      ),
    )
    return {
      json: { erased: true, account_id: id },
      text: [`Account ${id} is erased: its counts and payments stay under this number, without the person.`],
    }
  },
})

export const trail = makeCommand("account trail", {
  examples: { "landfall account trail ada@example.com": "By its address" },
  takes: { account },
  *run({ account: named }) {
    const json = yield* onAccount(named, ({ id }, { storage }) => storage.audit.listOf(id))
    const rows = json.map(({ at, actor, action, detail }) => [at, actor, action.replaceAll("_", " "), detail])
    return { json, text: [rows.length === 0 ? "No change was recorded." : table(["when", "by", "what", ""], rows)] }
  },
})

const takenAddress = (email: string) => failed(`there is an account with the e-mail address ${email} already`)

function checkAddress(named: string, email: string): void {
  if (!Schema.is(EmailAddress)(email))
    throw wrong(`${named}: an e-mail address is expected, not ${JSON.stringify(email)}.`)
}

/** Refuses what is not the name of an owner or of a team. */
function checkName(flag: string, name: string): void {
  if (!Schema.is(Name)(name))
    throw wrong(`${flag}: 1 to 100 characters on one line are expected, not ${JSON.stringify(name)}.`)
}

export const createAccount = makeCommand("account create", {
  examples: { "landfall account create --name Ada --email ada@example.com --plan pro": "And print its key once" },
  takes: {
    name: required("NAME", "The owner of the account"),
    email: required("ADDRESS", "Its e-mail address"),
    plan: or(choice(PLAN_IDS, "Its plan"), "free"),
    unconfirmed: isSet("Leave the address unconfirmed: five requests in all"),
  },
  *run({ name, email, plan, unconfirmed }) {
    checkName("--name", name)
    checkAddress("--email", email)
    const wanted = { name, email, plan, isConfirmed: !unconfirmed }
    const made = yield* onDeployment(({ accounts }) =>
      accounts.createAccount(wanted).pipe(Effect.catchTag("EmailTaken", () => takenAddress(email))),
    )
    return {
      json: toWire({ account: made.account, apiKey: made.key }),
      text: [`Account ${made.account.id} on the plan ${plan}.\n\nIts key: ${made.key}`],
    }
  },
})

const AT_ONCE = 500

export const listAccounts = makeCommand("account list", {
  examples: { "landfall account list": "The number, plan and state of each" },
  takes: {},
  *run() {
    const found = yield* onDeployment(({ accounts }) =>
      Effect.gen(function* () {
        const all: Account[] = []
        for (;;) {
          const page = yield* accounts.listAccounts({ afterId: all.at(-1)?.id ?? 0, limit: AT_ONCE })
          all.push(...page)
          if (page.length < AT_ONCE) return all
        }
      }),
    )
    const rows = found.map(account => [
      account.id,
      account.plan,
      describeState(account),
      account.email,
      account.name,
      account.createdAt.slice(0, 10),
    ])
    const listed = table(["number", "plan", "state", "e-mail", "name", "since"], rows)
    const none = "There are no accounts. landfall account create makes one."
    return { json: toWire(found), text: [rows.length === 0 ? none : listed] }
  },
})

const describeState = ({ isConfirmed, isDisabled }: Account): string =>
  isDisabled ? "disabled" : isConfirmed ? "confirmed" : "unconfirmed"

export const show = makeCommand("account show", {
  examples: { "landfall account show ada@example.com": "By its address" },
  takes: { account },
  *run({ account: named }) {
    const shown = yield* onAccount(named, (account, { accounts, storage }) =>
      Effect.gen(function* () {
        const listed = accounts.listKeys(account.id)
        const keys = yield* Effect.catchTag(listed, "AccountNotFound", () => Effect.succeed([]))
        return { account, keys, used: yield* storage.pools.listUsed(String(account.id)) }
      }),
    )
    const { account: of, keys, used } = shown
    const facts = [
      ["name", of.name],
      ["e-mail", of.email],
      ["plan", of.plan],
      ["state", describeState(of)],
      ["mails in", of.language ?? "English, as nothing else was chosen"],
      ["lookup", of.apiVersion ?? "the present version"],
      ["since", of.createdAt],
      ["keys", `${keys.filter(key => key.isActive).length} active, ${keys.length} in all`],
    ]
    const rows = used.map(({ pool, period, used: requests }) => [pool, period, requests])
    const usage = rows.length === 0 ? ["\nNothing was used yet."] : ["", table(["surface", "period", "requests"], rows)]
    return { json: toWire(shown), text: [table([`account ${of.id}`, ""], facts), ...usage] }
  },
})

/** Changes an account, and answers with what it is then. */
const change = <Changed, E extends { readonly message: string }>(
  named: string,
  act: (accounts: Accounts["Service"], id: number) => Effect.Effect<Changed, E>,
) =>
  onAccount(named, ({ id }, { accounts, findAccount }) =>
    Effect.gen(function* () {
      const changed = yield* act(accounts, id)
      const after = yield* findAccount(String(id))
      const said = `Account ${id} is ${describeState(after)}, on the plan ${after.plan}.`
      return { changed, after, answer: { json: toWire(after), text: [said] } }
    }),
  )

export const confirm = makeCommand("account confirm", {
  examples: { "landfall account confirm 1": "By its number" },
  takes: { account },
  *run({ account: named }) {
    const { changed: key, after, answer } = yield* change(named, (accounts, id) => accounts.confirmEmail(id))
    if (key === null) return answer
    const ended = `Every earlier key, session and webhook has ended. Its key: ${key}`
    return { json: toWire({ ...after, apiKey: key }), text: [...answer.text, ended] }
  },
})

export const setPlan = makeCommand("account set-plan", {
  examples: { "landfall account set-plan 1 business": "By its number" },
  takes: { account, plan: choiceArgument(PLAN_IDS) },
  *run({ account: named, plan }) {
    return (yield* change(named, (accounts, id) => accounts.setPlan(id, plan))).answer
  },
})

export const changeEmail = makeCommand("account change-email", {
  examples: { "landfall account change-email 1 ada@example.com": "By its number" },
  takes: { account, email: argument("The new address") },
  *run({ account: named, email }) {
    checkAddress("EMAIL", email)
    const { answer } = yield* change(named, (accounts, id) =>
      accounts.changeEmail(id, email).pipe(Effect.catchTag("EmailTaken", () => takenAddress(email))),
    )
    const ended = "Every earlier key, session and webhook has ended; confirming the address makes a key."
    return { ...answer, text: [...answer.text, ended] }
  },
})

export const setVersion = makeCommand("account set-version", {
  examples: { "landfall account set-version 1 present": "No longer pinned" },
  takes: { account, version: choiceArgument([...LOOKUP_VERSIONS, "present"]) },
  *run({ account: named, version }) {
    const pinned = version === "present" ? null : version
    const { after } = yield* change(named, (accounts, id) => accounts.setApiVersion(id, pinned))
    const answered = after.apiVersion === null ? "the present version" : `version ${after.apiVersion}`
    return {
      json: toWire(after),
      text: [`Account ${after.id} gets ${answered} of the lookup if a request names none.`],
    }
  },
})

const makeSwitch = (verb: "disable" | "enable") =>
  makeCommand(`account ${verb}`, {
    examples: { [`landfall account ${verb} 1`]: "By its number" },
    takes: { account },
    *run({ account: named }) {
      return (yield* change(named, (accounts, id) => accounts.setDisabled(id, verb === "disable"))).answer
    },
  })
export const [disable, enable] = [makeSwitch("disable"), makeSwitch("enable")]

export const listKeys = makeCommand("key list", {
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

function describeKey({ isActive, expiresAt, replacedAt }: AccountKey, nowMs: number): string {
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
  describeKey(key, nowMs),
  `${key.scopes.length === SCOPES.length ? "everything" : key.scopes.join(",")}${key.allowedAddresses.length > 0 ? ` from ${key.allowedAddresses.join(",")}` : ""}`,
  key.used,
  key.lastUsedAt === null ? "never" : dayOf(key.lastUsedAt),
  key.createdAt.slice(0, 10),
]

const splitList = (list: string): readonly string[] => list.split(",").map(item => item.trim())

export const createKey = makeCommand("key create", {
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
      throw wrong("--name, --team and --replace exclude each other.")
    const [needsName] = Object.entries({ scopes, expires, from, test }).find(([, given]) => given) ?? []
    if (name === undefined && needsName !== undefined) throw wrong(`--${needsName} needs --name.`)
    const fields = {
      name,
      mode: test ? "test" : "live",
      scopes: scopes === undefined ? [] : splitList(scopes),
      ...(expires === undefined ? {} : { expires_at: `${expires}T00:00:00Z` }),
      ...(from === undefined ? {} : { allowed_addresses: splitList(from) }),
    }
    const wanted = name === undefined ? null : readNewKey(fields, yield* Clock.currentTimeMillis)
    if (wanted?.ok === false) throw wrong(wanted.issues.map(({ path, message }) => `${path}: ${message}.`).join(" "))
    if (team !== undefined) checkName("--team", team)
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
          throw failed(`account ${id} has an active key: reveal it, or give --replace to revoke it and make another`)
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
        ? failed(`there is no key ${id}`, { code: "not_found", field: "key", given: id })
        : error,
    ),
  )

export const revoke = makeCommand("key revoke", {
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

export const rotate = makeCommand("key rotate", {
  examples: { "landfall key rotate 2": "And print the new one" },
  takes: { key: keyNumber },
  *run({ key: id }) {
    const { accountKey, key } = yield* onKey(id, accounts =>
      Effect.flatMap(accounts.revealKeyById(id), ({ accountKey }) => accounts.rotateKey(accountKey.accountId, id)),
    )
    return { json: toWire({ ...accountKey, apiKey: key }), text: [key] }
  },
})

export const reveal = makeCommand("key reveal", {
  examples: { "landfall key reveal 1": "By its number" },
  takes: { key: keyNumber },
  *run({ key: id }) {
    const { accountKey, key } = yield* onKey(id, accounts => accounts.revealKeyById(id))
    return { json: toWire({ ...accountKey, apiKey: key }), text: [key] }
  },
})
