/** `landfall account …` and `landfall key …`: makes accounts, shows them, and changes what they may do; exports what is kept of one, and erases its owner; and their API keys. `landfall operate` lists them, and has what the operators' page has. */
import { Effect, Schema } from "effect"
import { type Account, EmailAddress, Name } from "../accounts/account.ts"
import { type Accounts, exportAccount, type MadeKey } from "../accounts/accounts.ts"
import { SCOPES } from "../accounts/key-limits.ts"
import { readNewKey } from "../accounts/read-new-key.ts"
import { LOOKUP_VERSIONS } from "../answers/lookup-answer.ts"
import { toWire } from "../answers/wire-names.ts"
import { PLAN_IDS } from "../settings/feature-options.ts"
import { readWhole } from "../validation/fields.ts"
import {
  argument,
  choice,
  choiceArgument,
  type Given,
  isSet,
  makeCommand,
  or,
  type Running,
  required,
  type Takes,
  text,
  type Words,
  wholeNumber,
} from "./command.ts"
import { failed, wrong } from "./failure.ts"
import { type Deployment, openDeployment } from "./operator-deployment.ts"
import { type Answer, layOutRecord, unbroken } from "./print.ts"

async function findAccount({ run, accounts }: Deployment, named: string): Promise<Account> {
  const isNumber = /^\d+$/.test(named)
  // No account has the number 0.
  const found = await run(isNumber ? accounts.findAccount(readWhole(named) ?? 0) : accounts.findAccountByEmail(named))
  if (found !== null) return found
  const message = `there is no account with the ${isNumber ? "number" : "e-mail address"} ${named}`
  throw failed(message, { code: "not_found", field: "account", given: named })
}

const named = argument("The account's number, or its e-mail address")

/** Opens the deployment, and finds an account by its number or its e-mail address. */
async function openAccount(named: string, at: Running) {
  const deployment = await openDeployment(at)
  return { ...deployment, account: await findAccount(deployment, named) }
}

/** Makes a command that does something with an account. */
const onAccount = <const Taken extends Takes>(
  path: string,
  {
    takes,
    examples,
    run,
  }: Words & {
    readonly takes?: Taken
    run(opened: Awaited<ReturnType<typeof openAccount>>, given: Given<Taken>): Promise<Answer>
  },
) =>
  makeCommand(path, {
    examples,
    takes: { account: named, ...takes },
    run: async (given, at) => run(await openAccount(given.account, at), given as never),
  })

export const exportData = onAccount("account export", {
  examples: { "landfall account export 1": "By its number" },
  async run({ run, account: { id } }) {
    const stored = await run(exportAccount(id, Date.now()))
    return { json: stored, text: [unbroken(JSON.stringify(stored, null, 2))] }
  },
})

export const erase = onAccount("account erase", {
  examples: { "landfall account erase 1": "By its number" },
  async run({ run, accounts, account: { id } }) {
    const explained = Effect.catchTags(accounts.erase(id), {
      AccountNotFound: () => Effect.fail(failed(`there is no account with the number ${id}`)),
      StillSubscribed: () => Effect.fail(failed(`account ${id} has a subscription: end it first`)),
    })
    await run(explained)
    return {
      json: { erased: true, account_id: id },
      text: [`Account ${id} is erased: its counts and payments stay under this number, without the person.`],
    }
  },
})

const takenAddress = (email: string) => () =>
  Effect.fail(failed(`there is an account with the e-mail address ${email} already`))

function readAddress(given: string, called: string): string {
  if (Schema.is(EmailAddress)(given)) return given
  throw wrong(`${called}: an e-mail address is expected, not ${JSON.stringify(given)}.`)
}

/** Reads the name of an owner or of a team. */
function readName(given: string, called: string): string {
  if (Schema.is(Name)(given)) return given
  throw wrong(`${called}: 1 to 100 characters on one line are expected, not ${JSON.stringify(given)}.`)
}

export const createAccount = makeCommand("account create", {
  examples: { "landfall account create --name Ada --email ada@example.com --plan pro": "And print its key once" },
  takes: {
    name: required("NAME", "The owner of the account", readName),
    email: required("ADDRESS", "Its e-mail address", readAddress),
    plan: or(choice(PLAN_IDS, "Its plan"), "free"),
    unconfirmed: isSet("Leave the address unconfirmed: five requests in all"),
  },
  async run({ name, email, plan, unconfirmed }, at) {
    const { run, accounts } = await openDeployment(at)
    const wanted = accounts.createAccount({ name, email, plan, isConfirmed: !unconfirmed })
    const made = await run(Effect.catchTag(wanted, "EmailTaken", takenAddress(email)))
    return {
      json: toWire({ account: made.account, apiKey: made.key }),
      text: [`Account ${made.account.id} on the plan ${plan}.\n\nIts key: ${made.key}`],
    }
  },
})

const KEY_COLUMNS =
  "id kind name key_prefix is_active expires_at scopes allowed_addresses replaced_at used last_used_at created_at"

export const show = onAccount("account show", {
  examples: { "landfall account show ada@example.com": "By its address" },
  async run({ run, accounts, storage, account }) {
    const keys = await run(Effect.catchTag(accounts.listKeys(account.id), "AccountNotFound", () => Effect.succeed([])))
    const used = await run(storage.pools.listUsed(String(account.id)))
    const json = toWire({ account, keys, used })
    const { account: of, ...lists } = json
    return {
      json,
      text: [...layOutRecord(of), "", ...layOutRecord(lists, { keys: KEY_COLUMNS, used: "pool period used" })],
    }
  },
})

/** Changes an account, and answers with what it is then. */
async function change<Changed, Error extends { readonly message: string }>(
  deployment: Deployment & { readonly account: Account },
  work: (accounts: Accounts["Service"], id: number) => Effect.Effect<Changed, Error>,
) {
  const { run, accounts, account } = deployment
  const changed = await run(work(accounts, account.id))
  return { changed, json: toWire(await findAccount(deployment, String(account.id))) }
}

const ENDED = "Every earlier key, session and webhook has ended."

export const confirm = onAccount("account confirm", {
  examples: { "landfall account confirm 1": "By its number" },
  async run(opened) {
    const { changed: key, json } = await change(opened, (accounts, id) => accounts.confirmEmail(id))
    return key === null ? { json } : { json: { ...json, api_key: key }, note: ENDED }
  },
})

export const changeEmail = onAccount("account change-email", {
  examples: { "landfall account change-email 1 ada@example.com": "By its number" },
  takes: { email: argument("The new address", readAddress) },
  async run(opened, { email }) {
    const { json } = await change(opened, (accounts, id) =>
      Effect.catchTag(accounts.changeEmail(id, email), "EmailTaken", takenAddress(email)),
    )
    return { json, note: `${ENDED} Confirming the address makes a key.` }
  },
})

export const setVersion = onAccount("account set-version", {
  examples: { "landfall account set-version 1 present": "No longer pinned" },
  takes: { version: choiceArgument([...LOOKUP_VERSIONS, "present"]) },
  run: (opened, { version }) =>
    change(opened, (accounts, id) => accounts.setApiVersion(id, version === "present" ? null : version)),
})

const makeSwitch = (verb: "disable" | "enable") =>
  onAccount(`account ${verb}`, {
    examples: { [`landfall account ${verb} 1`]: "By its number" },
    run: opened => change(opened, (accounts, id) => accounts.setDisabled(id, verb === "disable")),
  })
export const [disable, enable] = [makeSwitch("disable"), makeSwitch("enable")]

const splitList = (list: string): readonly string[] => list.split(",").map(item => item.trim())

export const createKey = makeCommand("key create", {
  examples: {
    "landfall key create 1 --team Bookings": "A team key beside the first one",
    "landfall key create 1 --name Shop --scopes visa,lookup --expires 2030-01-01": "A named key",
    "landfall key create 1 --name Sandbox --test --scopes visa,webhooks": "A test key",
  },
  takes: {
    account: named,
    name: text("NAME", "Make a key with this name, beside the first one"),
    scopes: text("SCOPES", `With --name: what it is for, of ${SCOPES.join(",")}`),
    expires: text("DAY", "With --name: the day on which it no longer works, such as 2030-01-01"),
    test: isSet("With --name: a test key, which is charged to no quota"),
    from: text("ADDRESSES", "With --name: the addresses or CIDR blocks that it works from, by commas"),
    team: text("NAME", "Make a team key with this name, beside the first one", readName),
    replace: isSet("Revoke the account's first key at once and make another"),
  },
  async run({ account: of, name, team, replace, scopes, expires, test, from }, at) {
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
    const wanted = name === undefined ? null : readNewKey(fields, Date.now())
    if (wanted?.ok === false) throw wrong(wanted.issues.map(({ path, message }) => `${path}: ${message}.`).join(" "))
    const { run, accounts, account } = await openAccount(of, at)
    const { id } = account
    const makeKey = () => {
      if (wanted !== null) return run(accounts.createKey(id, wanted.value.name, wanted.value))
      return team === undefined ? run(accounts.regenerateKey(id)) : run(accounts.createTeamKey(id, team))
    }
    if (wanted === null && team === undefined && !replace && (await run(accounts.revealKey(id))) !== null)
      throw failed(`account ${id} has an active key: reveal it, or give --replace to revoke it and make another`)
    const { key } = await makeKey()
    return { json: { api_key: key }, text: [key] }
  },
})

/** Makes a command that shows a whole key; a number that is not a key's ends with 1. */
const onKey = (
  verb: string,
  example: string,
  act: (
    accounts: Accounts["Service"],
    id: number,
  ) => Effect.Effect<MadeKey, { readonly message: string; readonly _tag: string }>,
) =>
  makeCommand(`key ${verb}`, {
    examples: { [`landfall key ${verb} 2`]: example },
    takes: { key: argument("The key's number, as landfall account show shows it", wholeNumber()) },
    async run({ key: id }, at) {
      const { run, accounts } = await openDeployment(at)
      const done = Effect.mapError(act(accounts, id), error =>
        ["NoSuchKey", "AccountNotFound"].includes(error._tag)
          ? failed(`there is no key ${id}`, { code: "not_found", field: "key", given: id })
          : error,
      )
      const { accountKey, key } = await run(done)
      return { json: toWire({ ...accountKey, apiKey: key }), text: [key] }
    },
  })

export const rotate = onKey("rotate", "And print the new one", (accounts, id) =>
  Effect.flatMap(accounts.revealKeyById(id), ({ accountKey }) => accounts.rotateKey(accountKey.accountId, id)),
)

export const reveal = onKey("reveal", "By its number", (accounts, id) => accounts.revealKeyById(id))
