/** `landfall account export | erase | trail`: exports what is kept of an account, erases its owner, and lists who has changed what. */
import { Clock, Console, Effect } from "effect"
import { makeCommand, makePlainCommand } from "./command.ts"
import { CommandFailed, printJson, printTable } from "./command-outcome.ts"
import { accountArgument, onDeployment } from "./load-deployment.ts"

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
