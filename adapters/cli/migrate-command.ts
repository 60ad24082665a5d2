/** `landfall migrate`: changes the tables of a deployment's database to those of this version. */
import { Effect } from "effect"
import { toWire } from "../answers/wire-names.ts"
import { readSetting } from "../settings/config.ts"
import { settings } from "../settings/settings.ts"
import { isSet, makeCommand } from "./command.ts"
import { nameCount } from "./command-outcome.ts"
import { CommandFailed, failCommand } from "./failure.ts"
import { printAnswer } from "./print.ts"

export const migrate = makeCommand("migrate", {
  about:
    "Change the tables of the database to those of this version. A step that removes something waits until no older node is alive: run it again then",
  short: "Change the tables of the database to those of this version",
  examples: {
    "landfall migrate --check":
      "Say what would be done; exits with 4 if this version cannot use the tables as they are",
    "landfall migrate": "Before the nodes of a new version start, and once more when the old ones have ended",
  },
  takes: { check: isSet("Only say what would be done") },
  *run({ check, json }) {
    // Loaded here, because every other command starts faster without it.
    const { migrateDatabase } = yield* Effect.promise(() => import("../storage/migrations.ts"))
    const { applied, next, state, label } = yield* Effect.gen(function* () {
      return yield* migrateDatabase(yield* readSetting(settings.rows.databaseUrl), { isCheck: check })
    }).pipe(Effect.mapError(failCommand))
    const older = next?.older ?? []
    const isUsable = state === "current"
    const said =
      next === undefined
        ? `The tables of ${label} are those of this version.`
        : older.length > 0
          ? `Step ${next.number}, "${next.step.name}", waits until ${nameCount(older.length, "older node has", "older nodes have")} ended: ${older.map(({ id, version }) => `${id} (${version})`).join(", ")}.`
          : `Step ${next.number}, "${next.step.name}", is to be applied to ${label}.`
    const answer = {
      json: toWire({
        applied,
        next: next === undefined ? null : { number: next.number, name: next.step.name, waitsFor: older },
        isUsable,
      }),
      text: [...applied.map(name => `applied: ${name}`), said],
    }
    if (isUsable) return answer
    yield* printAnswer(answer, json)
    const message = "this version cannot use the database as it is: run landfall migrate"
    return yield* new CommandFailed({ message, code: "other_version", hasAnswered: true })
  },
})
