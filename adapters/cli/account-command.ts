/** `landfall account …`: makes accounts, shows them, and changes what they may do; exports what is kept of one, and erases its owner. */
import { Clock, Effect, Schema } from "effect"
import { type Account, EmailAddress, Name } from "../accounts/account.ts"
import type { Accounts } from "../accounts/accounts.ts"
import { LOOKUP_VERSIONS } from "../answers/lookup-answer.ts"
import { toWire } from "../answers/wire-names.ts"
import { PLAN_IDS } from "../settings/feature-options.ts"
import {
  argument,
  choice,
  choiceArgument,
  isSet,
  makeCommand,
  makeGroup,
  makePlainCommand,
  or,
  required,
} from "./command.ts"
import { failed, wrong } from "./failure.ts"
import { account, onAccount, onDeployment } from "./load-deployment.ts"
import { printJson, table } from "./print.ts"

const exportData = makePlainCommand("account export", {
  about: "Print everything that is stored about an account, as JSON",
  examples: { "landfall account export 1": "By its number" },
  takes: { account },
  *run({ account: named }) {
    const { exportAccount } = yield* Effect.promise(() => import("../accounts/data-rights.ts"))
    const nowMs = yield* Clock.currentTimeMillis
    yield* printJson(yield* onAccount(named, ({ id }) => exportAccount(id, nowMs)))
  },
})

const erase = makeCommand("account erase", {
  about: "Erase the personal data of an account permanently",
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

const trail = makeCommand("account trail", {
  about: "List the changes of an account's keys and plan",
  examples: { "landfall account trail ada@example.com": "By its address" },
  takes: { account },
  *run({ account: named }) {
    const json = yield* onAccount(named, ({ id }, { storage }) => storage.audit.listOf(id))
    const rows = json.map(({ at, actor, action, detail }) => [at, actor, action.replaceAll("_", " "), detail])
    return { json, text: [rows.length === 0 ? "No change was recorded." : table(["when", "by", "what", ""], rows)] }
  },
})

const takenAddress = (email: string) => failed(`there is an account with the e-mail address ${email} already`)

const checkAddress = (named: string, email: string) =>
  Schema.is(EmailAddress)(email)
    ? Effect.void
    : wrong(`${named}: an e-mail address is expected, not ${JSON.stringify(email)}.`)

const create = makeCommand("account create", {
  about: "Make an account and its key",
  examples: { "landfall account create --name Ada --email ada@example.com --plan pro": "And print its key once" },
  takes: {
    name: required("NAME", "The owner of the account"),
    email: required("ADDRESS", "Its e-mail address"),
    plan: or(choice(PLAN_IDS, "Its plan"), "free"),
    unconfirmed: isSet("Leave the address unconfirmed: five requests in all"),
  },
  *run({ name, email, plan, unconfirmed }) {
    if (!Schema.is(Name)(name)) {
      return yield* wrong(`--name: 1 to 100 characters on one line are expected, not ${JSON.stringify(name)}.`)
    }
    yield* checkAddress("--email", email)
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

const list = makeCommand("account list", {
  about: "List every account",
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

const show = makeCommand("account show", {
  about: "Show an account and its usage",
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

const confirm = makeCommand("account confirm", {
  about: "Confirm an account's e-mail address",
  examples: { "landfall account confirm 1": "By its number" },
  takes: { account },
  *run({ account: named }) {
    const { changed: key, after, answer } = yield* change(named, (accounts, id) => accounts.confirmEmail(id))
    if (key === null) return answer
    const ended = `Every earlier key, session and webhook has ended. Its key: ${key}`
    return { json: toWire({ ...after, apiKey: key }), text: [...answer.text, ended] }
  },
})

const makeSwitch = (verb: "disable" | "enable", about: string) =>
  makeCommand(`account ${verb}`, {
    about,
    examples: { [`landfall account ${verb} 1`]: "By its number" },
    takes: { account },
    *run({ account: named }) {
      return (yield* change(named, (accounts, id) => accounts.setDisabled(id, verb === "disable"))).answer
    },
  })

const setPlan = makeCommand("account set-plan", {
  about: "Move an account to another plan",
  examples: { "landfall account set-plan 1 business": "By its number" },
  takes: { account, plan: choiceArgument(PLAN_IDS) },
  *run({ account: named, plan }) {
    return (yield* change(named, (accounts, id) => accounts.setPlan(id, plan))).answer
  },
})

const changeEmail = makeCommand("account change-email", {
  about: "Change an account's e-mail address, which must then be confirmed",
  examples: { "landfall account change-email 1 ada@example.com": "By its number" },
  takes: { account, email: argument("The new address") },
  *run({ account: named, email }) {
    yield* checkAddress("EMAIL", email)
    const { answer } = yield* change(named, (accounts, id) =>
      accounts.changeEmail(id, email).pipe(Effect.catchTag("EmailTaken", () => takenAddress(email))),
    )
    const ended = "Every earlier key, session and webhook has ended; confirming the address makes a key."
    return { ...answer, text: [...answer.text, ended] }
  },
})

const setVersion = makeCommand("account set-version", {
  about: "Pin an account's version of the lookup",
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

const accountCommands = makeGroup("account", "Make, show and change accounts", [
  create,
  list,
  show,
  setPlan,
  setVersion,
  changeEmail,
  confirm,
  makeSwitch("disable", "Disable an account: none of its keys works then"),
  makeSwitch("enable", "Enable a disabled account again"),
  trail,
  exportData,
  erase,
])

export { accountCommands as account }
