/** `landfall account export | erase | trail`: exports what is kept of an account, erases its owner, and lists who has changed what. */
import { Clock, Console, Effect } from "effect"
import { Command } from "effect/cli"
import { accountArgument, loadDeployment } from "./load-deployment.ts"
import { CommandFailed, jsonFlag, printJson, printTable } from "./outcome.ts"

const exportData = Command.make(
  "export",
  { account: accountArgument },
  Effect.fnUntraced(function* ({ account: named }) {
    const { findAccount, onDeployment } = yield* loadDeployment
    const { exportAccount } = yield* Effect.promise(() => import("../../customers/accounts/data-rights.ts"))
    const exported = yield* Effect.gen(function* () {
      const { id } = yield* findAccount(named)
      return yield* exportAccount(id, yield* Clock.currentTimeMillis)
    }).pipe(onDeployment({ makesDatabase: false }))
    yield* printJson(exported)
  }),
).pipe(
  Command.withDescription("Print everything that is kept of an account, as JSON"),
  Command.withExamples([{ command: "landfall account export 1", description: "By its number" }]),
)

const erase = Command.make(
  "erase",
  { account: accountArgument, json: jsonFlag },
  Effect.fnUntraced(function* ({ account: named, json }) {
    const { Accounts, findAccount, onDeployment } = yield* loadDeployment
    const id = yield* Effect.gen(function* () {
      const { id } = yield* findAccount(named)
      yield* (yield* Accounts).erase(id).pipe(
        Effect.catchTags({
          AccountNotFound: () =>
            Effect.fail(new CommandFailed({ message: `there is no account with the number ${id}` })),
          StillSubscribed: () =>
            Effect.fail(new CommandFailed({ message: `account ${id} has a subscription: end it first` })),
        }),
      )
      return id
    }).pipe(onDeployment({ makesDatabase: false }))
    if (json) return yield* printJson({ erased: true, account_id: id })
    yield* Console.log(`Account ${id} is erased: its counts and payments stay under this number, without the person.`)
  }),
).pipe(
  Command.withDescription("Erase the person from an account, for good"),
  Command.withExamples([{ command: "landfall account erase 1", description: "By its number" }]),
)

const trail = Command.make(
  "trail",
  { account: accountArgument, json: jsonFlag },
  Effect.fnUntraced(function* ({ account: named, json }) {
    const { Storage, findAccount, onDeployment } = yield* loadDeployment
    const lines = yield* Effect.gen(function* () {
      const { id } = yield* findAccount(named)
      return yield* (yield* Storage).audit.listOf(id)
    }).pipe(onDeployment({ makesDatabase: false }))
    if (json) return yield* printJson(lines)
    if (lines.length === 0) return yield* Console.log("No change was recorded.")
    const rows = lines.map(({ at, actor, action, detail }) => [at, actor, action.replaceAll("_", " "), detail])
    yield* printTable(["when", "by", "what", ""], rows)
  }),
).pipe(
  Command.withDescription("Show who has changed an account's keys and plan"),
  Command.withExamples([{ command: "landfall account trail ada@example.com", description: "By its address" }]),
)

/** The commands, in the order in which they are listed. */
export const dataCommands = [trail, exportData, erase] as const
