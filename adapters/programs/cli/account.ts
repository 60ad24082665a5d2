/** `landfall account …`: makes accounts, shows them, and changes what they may do. */
import { Console, Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type Account, EmailAddress, Name } from "../../customers/accounts/account.ts"
import { LOOKUP_VERSIONS } from "../../knowledge/answers/lookup-versions.ts"
import { PLAN_IDS } from "../../platform/settings/feature-options.ts"
import { dataCommands } from "./account-data.ts"
import { accountArgument, loadDeployment } from "./load-deployment.ts"
import { CalledWrongly, CommandFailed, jsonFlag, printTable, printWire, switchFlag } from "./outcome.ts"

export { accountArgument, loadDeployment } from "./load-deployment.ts"

const takenAddress = (email: string) =>
  Effect.fail(new CommandFailed({ message: `there is an account with the e-mail address ${email} already` }))

const CREATE_USAGE = "landfall account create --name NAME --email ADDRESS [--plan PLAN] [--unconfirmed] [--json]"

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("Whom the account is for")),
    email: Flag.String("email").pipe(Flag.withMetavar("ADDRESS"), Flag.withDescription("Its e-mail address")),
    plan: Flag.Literals("plan", PLAN_IDS).pipe(Flag.withDescription("Its plan"), Flag.withDefault("free" as const)),
    unconfirmed: switchFlag("unconfirmed", "Leave the address unconfirmed: five requests in all"),
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ name, email, plan, unconfirmed, json }) {
    const refuse = (message: string) => new CalledWrongly({ message, usage: CREATE_USAGE })
    if (!Schema.is(Name)(name)) {
      return yield* refuse(`--name: 1 to 100 characters on one line are expected, not ${JSON.stringify(name)}.`)
    }
    if (!Schema.is(EmailAddress)(email)) {
      return yield* refuse(`--email: an e-mail address is expected, not ${JSON.stringify(email)}.`)
    }
    const { Accounts, onDeployment } = yield* loadDeployment
    const made = yield* Effect.gen(function* () {
      const accounts = yield* Accounts
      return yield* accounts
        .createAccount({ name, email, plan, isConfirmed: !unconfirmed })
        .pipe(Effect.catchTag("EmailTaken", () => takenAddress(email)))
    }).pipe(onDeployment({ makesDatabase: true }))
    if (json) return yield* printWire({ account: made.account, apiKey: made.key })
    yield* Console.log(`Account ${made.account.id} on the plan ${plan}.\n\nIts key: ${made.key}`)
  }),
).pipe(
  Command.withDescription("Make an account and its key"),
  Command.withExamples([
    {
      command: "landfall account create --name Ada --email ada@example.com --plan pro",
      description: "And print its key once",
    },
  ]),
)

const AT_ONCE = 500

const list = Command.make(
  "list",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const { Accounts, onDeployment } = yield* loadDeployment
    const found = yield* Effect.gen(function* () {
      const accounts = yield* Accounts
      const all: Account[] = []
      for (;;) {
        const page = yield* accounts.listAccounts({ afterId: all.at(-1)?.id ?? 0, limit: AT_ONCE })
        all.push(...page)
        if (page.length < AT_ONCE) return all
      }
    }).pipe(onDeployment({ makesDatabase: false }))
    if (json) return yield* printWire(found)
    if (found.length === 0) return yield* Console.log("There are no accounts. landfall account create makes one.")
    const rows = found.map(account => [
      account.id,
      account.plan,
      describeState(account),
      account.email,
      account.name,
      account.createdAt.slice(0, 10),
    ])
    yield* printTable(["number", "plan", "state", "e-mail", "name", "since"], rows)
  }),
).pipe(
  Command.withDescription("List every account"),
  Command.withExamples([{ command: "landfall account list", description: "The number, plan and state of each" }]),
)

const describeState = ({ isConfirmed, isDisabled }: Account): string =>
  isDisabled ? "disabled" : isConfirmed ? "confirmed" : "unconfirmed"

const show = Command.make(
  "show",
  { account: accountArgument, json: jsonFlag },
  Effect.fnUntraced(function* ({ account: named, json }) {
    const { Accounts, Storage, findAccount, onDeployment } = yield* loadDeployment
    const { account, keys, used } = yield* Effect.gen(function* () {
      const account = yield* findAccount(named)
      const keys = yield* (yield* Accounts)
        .listKeys(account.id)
        .pipe(Effect.catchTag("AccountNotFound", () => Effect.succeed([])))
      const used = yield* (yield* Storage).pools.listUsed(String(account.id))
      return { account, keys, used }
    }).pipe(onDeployment({ makesDatabase: false }))
    if (json) return yield* printWire({ account, keys, used })
    const facts = [
      ["name", account.name],
      ["e-mail", account.email],
      ["plan", account.plan],
      ["state", describeState(account)],
      ["mails in", account.language ?? "English, as nothing else was chosen"],
      ["lookup", account.apiVersion ?? "the present version"],
      ["since", account.createdAt],
      ["keys", `${keys.filter(key => key.isActive).length} active, ${keys.length} in all`],
    ]
    yield* printTable([`account ${account.id}`, ""], facts)
    if (used.length === 0) return yield* Console.log("\nNothing was used yet.")
    const rows = used.map(({ pool, period, used: requests }) => [pool, period, requests])
    yield* Console.log("")
    yield* printTable(["surface", "period", "requests"], rows)
  }),
).pipe(
  Command.withDescription("Show an account and what it has used"),
  Command.withExamples([{ command: "landfall account show ada@example.com", description: "By its address" }]),
)

type Change = "confirm" | "disable" | "enable"

/** A command that changes one account and says what it is now. */
const makeChange = (change: Change, description: string) =>
  Command.make(
    change,
    { account: accountArgument, json: jsonFlag },
    Effect.fnUntraced(function* ({ account: named, json }) {
      const { Accounts, findAccount, onDeployment } = yield* loadDeployment
      const changed = yield* Effect.gen(function* () {
        const { id } = yield* findAccount(named)
        const accounts = yield* Accounts
        const key = yield* change === "confirm"
          ? accounts.confirmEmail(id)
          : Effect.as(accounts.setDisabled(id, change === "disable"), null)
        return { account: yield* findAccount(String(id)), key }
      }).pipe(onDeployment({ makesDatabase: false }))
      const { account, key } = changed
      if (key === null) return yield* printChanged(account, json)
      if (json) return yield* printWire({ ...account, apiKey: key })
      yield* printChanged(account, json)
      yield* Console.log(`Every key, session and webhook of before has ended. Its key: ${key}`)
    }),
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([{ command: `landfall account ${change} 1`, description: "By its number" }]),
  )

const printChanged = (account: Account, json: boolean) =>
  json
    ? printWire(account)
    : Console.log(`Account ${account.id} is ${describeState(account)}, on the plan ${account.plan}.`)

const setPlan = Command.make(
  "set-plan",
  { account: accountArgument, plan: Argument.Literals("plan", PLAN_IDS), json: jsonFlag },
  Effect.fnUntraced(function* ({ account: named, plan, json }) {
    const { Accounts, findAccount, onDeployment } = yield* loadDeployment
    const changed = yield* Effect.gen(function* () {
      const { id } = yield* findAccount(named)
      yield* (yield* Accounts).setPlan(id, plan)
      return yield* findAccount(String(id))
    }).pipe(onDeployment({ makesDatabase: false }))
    yield* printChanged(changed, json)
  }),
).pipe(
  Command.withDescription("Move an account to another plan"),
  Command.withExamples([{ command: "landfall account set-plan 1 business", description: "By its number" }]),
)

const changeEmail = Command.make(
  "change-email",
  { account: accountArgument, email: Argument.String("email"), json: jsonFlag },
  Effect.fnUntraced(function* ({ account: named, email, json }) {
    if (!Schema.is(EmailAddress)(email)) {
      const usage = "landfall account change-email ACCOUNT EMAIL [--json]"
      return yield* new CalledWrongly({
        message: `EMAIL: an e-mail address is expected, not ${JSON.stringify(email)}.`,
        usage,
      })
    }
    const { Accounts, findAccount, onDeployment } = yield* loadDeployment
    const changed = yield* Effect.gen(function* () {
      const { id } = yield* findAccount(named)
      yield* (yield* Accounts).changeEmail(id, email).pipe(Effect.catchTag("EmailTaken", () => takenAddress(email)))
      return yield* findAccount(String(id))
    }).pipe(onDeployment({ makesDatabase: false }))
    yield* printChanged(changed, json)
    if (!json)
      yield* Console.log("Every key, session and webhook of before has ended; confirming the address makes a key.")
  }),
).pipe(
  Command.withDescription("Change an account's e-mail address, which then has to be confirmed"),
  Command.withExamples([{ command: "landfall account change-email 1 ada@example.com", description: "By its number" }]),
)

const setVersion = Command.make(
  "set-version",
  { account: accountArgument, version: Argument.Literals("version", [...LOOKUP_VERSIONS, "present"]), json: jsonFlag },
  Effect.fnUntraced(function* ({ account: named, version, json }) {
    const { Accounts, findAccount, onDeployment } = yield* loadDeployment
    const changed = yield* Effect.gen(function* () {
      const { id } = yield* findAccount(named)
      yield* (yield* Accounts).setApiVersion(id, version === "present" ? null : version)
      return yield* findAccount(String(id))
    }).pipe(onDeployment({ makesDatabase: false }))
    if (json) return yield* printWire(changed)
    const answered = changed.apiVersion === null ? "the present version" : `version ${changed.apiVersion}`
    yield* Console.log(`Account ${changed.id} is answered in ${answered} of the lookup where a request names none.`)
  }),
).pipe(
  Command.withDescription("Pin the version of the lookup that an account is answered in"),
  Command.withExamples([{ command: "landfall account set-version 1 present", description: "No longer pinned" }]),
)

export const account = Command.make("account").pipe(
  Command.withDescription("Make, show and change accounts"),
  Command.withSubcommands([
    create,
    list,
    show,
    setPlan,
    setVersion,
    changeEmail,
    makeChange("confirm", "Confirm an account's e-mail address"),
    makeChange("disable", "Disable an account: none of its keys works then"),
    makeChange("enable", "Enable a disabled account again"),
    ...dataCommands,
  ]),
)
