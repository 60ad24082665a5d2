/** `landfall account …`: makes accounts, shows them, and changes what they may do. */
import { Clock, Console, Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type Account, EmailAddress, Name } from "../accounts/account.ts"
import { LOOKUP_VERSIONS } from "../answers/lookup-versions.ts"
import { PLAN_IDS } from "../settings/feature-options.ts"
import { makeCommand, makePlainCommand } from "./command.ts"
import { CalledWrongly, CommandFailed, printJson, printTable, printWire, switchFlag } from "./command-outcome.ts"
import { accountArgument, changeAccount, onDeployment } from "./load-deployment.ts"

// `landfall account export | erase | trail`: exports what is kept of an account, erases its owner, and lists who has changed what.

const exportData = makePlainCommand("export", {
  about: "Print everything that is stored about an account, as JSON",
  examples: { "landfall account export 1": "By its number" },
  takes: { account: accountArgument },
  *run({ account: named }) {
    const { exportAccount } = yield* Effect.promise(() => import("../accounts/data-rights.ts"))
    const nowMs = yield* Clock.currentTimeMillis
    yield* printJson(
      yield* onDeployment(({ findAccount }) =>
        Effect.flatMap(findAccount(named), ({ id }) => exportAccount(id, nowMs)),
      ),
    )
  },
})

const erase = makeCommand("erase", {
  about: "Erase the personal data of an account permanently",
  examples: { "landfall account erase 1": "By its number" },
  takes: { account: accountArgument },
  *run({ account: named, json }) {
    const id = yield* onDeployment(({ accounts, findAccount }) =>
      Effect.gen(function* () {
        const { id } = yield* findAccount(named)
        yield* accounts.erase(id).pipe(
          Effect.catchTags({
            AccountNotFound: () => new CommandFailed({ message: `there is no account with the number ${id}` }),
            StillSubscribed: () => new CommandFailed({ message: `account ${id} has a subscription: end it first` }),
          }),
        )
        return id
      }),
    )
    if (json) return yield* printJson({ erased: true, account_id: id })
    yield* Console.log(`Account ${id} is erased: its counts and payments stay under this number, without the person.`)
  },
})

const trail = makeCommand("trail", {
  about: "List the changes of an account's keys and plan",
  examples: { "landfall account trail ada@example.com": "By its address" },
  takes: { account: accountArgument },
  *run({ account: named, json }) {
    const lines = yield* onDeployment(({ storage, findAccount }) =>
      Effect.flatMap(findAccount(named), ({ id }) => storage.audit.listOf(id)),
    )
    if (json) return yield* printJson(lines)
    if (lines.length === 0) return yield* Console.log("No change was recorded.")
    const rows = lines.map(({ at, actor, action, detail }) => [at, actor, action.replaceAll("_", " "), detail])
    yield* printTable(["when", "by", "what", ""], rows)
  },
})

/** The commands, in the order in which they are listed. */
export const dataCommands = [trail, exportData, erase] as const

const takenAddress = (email: string) =>
  new CommandFailed({ message: `there is an account with the e-mail address ${email} already` })

const create = makeCommand("create", {
  about: "Make an account and its key",
  usage: "landfall account create --name NAME --email ADDRESS [--plan PLAN] [--unconfirmed] [--json]",
  examples: { "landfall account create --name Ada --email ada@example.com --plan pro": "And print its key once" },
  takes: {
    name: Flag.String("name").pipe(Flag.withDescription("The owner of the account")),
    email: Flag.String("email").pipe(Flag.withMetavar("ADDRESS"), Flag.withDescription("Its e-mail address")),
    plan: Flag.Literals("plan", PLAN_IDS).pipe(Flag.withDescription("Its plan"), Flag.withDefault("free" as const)),
    unconfirmed: switchFlag("unconfirmed", "Leave the address unconfirmed: five requests in all"),
  },
  *run({ name, email, plan, unconfirmed, json }) {
    const refuse = (message: string) => new CalledWrongly({ message })
    if (!Schema.is(Name)(name)) {
      return yield* refuse(`--name: 1 to 100 characters on one line are expected, not ${JSON.stringify(name)}.`)
    }
    if (!Schema.is(EmailAddress)(email)) {
      return yield* refuse(`--email: an e-mail address is expected, not ${JSON.stringify(email)}.`)
    }
    const wanted = { name, email, plan, isConfirmed: !unconfirmed }
    const made = yield* onDeployment(({ accounts }) =>
      accounts.createAccount(wanted).pipe(Effect.catchTag("EmailTaken", () => takenAddress(email))),
    )
    if (json) return yield* printWire({ account: made.account, apiKey: made.key })
    yield* Console.log(`Account ${made.account.id} on the plan ${plan}.\n\nIts key: ${made.key}`)
  },
})

const AT_ONCE = 500

const list = makeCommand("list", {
  about: "List every account",
  examples: { "landfall account list": "The number, plan and state of each" },
  takes: {},
  *run({ json }) {
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
  },
})

const describeState = ({ isConfirmed, isDisabled }: Account): string =>
  isDisabled ? "disabled" : isConfirmed ? "confirmed" : "unconfirmed"

const show = makeCommand("show", {
  about: "Show an account and its usage",
  examples: { "landfall account show ada@example.com": "By its address" },
  takes: { account: accountArgument },
  *run({ account: named, json }) {
    const { account, keys, used } = yield* onDeployment(({ accounts, storage, findAccount }) =>
      Effect.gen(function* () {
        const account = yield* findAccount(named)
        const listed = accounts.listKeys(account.id)
        const keys = yield* Effect.catchTag(listed, "AccountNotFound", () => Effect.succeed([]))
        return { account, keys, used: yield* storage.pools.listUsed(String(account.id)) }
      }),
    )
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
  },
})

type Change = "confirm" | "disable" | "enable"

/** A command that changes one account and says what it is now. */
const makeChange = (change: Change, description: string) =>
  makeCommand(change, {
    about: description,
    examples: { [`landfall account ${change} 1`]: "By its number" },
    takes: { account: accountArgument },
    *run({ account: named, json }) {
      const { account, changed: key } = yield* changeAccount(named, (accounts, id) =>
        change === "confirm"
          ? accounts.confirmEmail(id)
          : Effect.as(accounts.setDisabled(id, change === "disable"), null),
      )
      if (key === null) return yield* printChanged(account, json)
      if (json) return yield* printWire({ ...account, apiKey: key })
      yield* printChanged(account, json)
      yield* Console.log(`Every earlier key, session and webhook has ended. Its key: ${key}`)
    },
  })

const printChanged = (account: Account, json: boolean) =>
  json
    ? printWire(account)
    : Console.log(`Account ${account.id} is ${describeState(account)}, on the plan ${account.plan}.`)

const setPlan = makeCommand("set-plan", {
  about: "Move an account to another plan",
  examples: { "landfall account set-plan 1 business": "By its number" },
  takes: { account: accountArgument, plan: Argument.Literals("plan", PLAN_IDS) },
  *run({ account: named, plan, json }) {
    const { account } = yield* changeAccount(named, (accounts, id) => accounts.setPlan(id, plan))
    yield* printChanged(account, json)
  },
})

const changeEmail = makeCommand("change-email", {
  about: "Change an account's e-mail address, which must then be confirmed",
  usage: "landfall account change-email ACCOUNT EMAIL [--json]",
  examples: { "landfall account change-email 1 ada@example.com": "By its number" },
  takes: { account: accountArgument, email: Argument.String("email") },
  *run({ account: named, email, json }) {
    if (!Schema.is(EmailAddress)(email)) {
      return yield* new CalledWrongly({
        message: `EMAIL: an e-mail address is expected, not ${JSON.stringify(email)}.`,
      })
    }
    const { account } = yield* changeAccount(named, (accounts, id) =>
      accounts.changeEmail(id, email).pipe(Effect.catchTag("EmailTaken", () => takenAddress(email))),
    )
    yield* printChanged(account, json)
    if (!json)
      yield* Console.log("Every earlier key, session and webhook has ended; confirming the address makes a key.")
  },
})

const setVersion = makeCommand("set-version", {
  about: "Pin an account's version of the lookup",
  examples: { "landfall account set-version 1 present": "No longer pinned" },
  takes: {
    account: accountArgument,
    version: Argument.Literals("version", [...LOOKUP_VERSIONS, "present"]),
  },
  *run({ account: named, version, json }) {
    const pinned = version === "present" ? null : version
    const { account } = yield* changeAccount(named, (accounts, id) => accounts.setApiVersion(id, pinned))
    if (json) return yield* printWire(account)
    const answered = account.apiVersion === null ? "the present version" : `version ${account.apiVersion}`
    yield* Console.log(`Account ${account.id} gets ${answered} of the lookup if a request names none.`)
  },
})

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
