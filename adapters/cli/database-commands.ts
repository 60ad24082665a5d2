/** `landfall backup`, `restore` and `migrate`: a deployment's database as one file and back, and its tables changed to those of this version. */

import { Effect } from "effect"
import { toWire } from "../answers/wire-names.ts"
import { readSetting } from "../settings/config.ts"
import { settings } from "../settings/settings.ts"
import { argument, isSet, makeCommand } from "./command.ts"
import { nameCount } from "./command-outcome.ts"
import { CommandFailed, failCommand } from "./failure.ts"
import { printAnswer } from "./print.ts"

// Loaded when it is needed, because every other command starts faster without it.
const loadBackup = Effect.promise(() => import("../storage/backup.ts"))

export const backup = makeCommand("backup", {
  about: "Back up the database into a file, while the service runs, and check it by opening it",
  examples: { "landfall backup landfall-backup.db": "In place of an older backup of this name" },
  takes: { file: argument("The file to write") },
  *run({ file }) {
    const { backUp } = yield* loadBackup
    const made = yield* Effect.flatMap(readSetting(settings.rows.databaseUrl), url => backUp(url, file)).pipe(
      Effect.mapError(failCommand),
    )
    const counts = [
      nameCount(made.accounts, "account"),
      nameCount(made.rows, "row"),
      nameCount(made.bytes, "byte"),
    ].join(", ")
    return {
      json: toWire({ file, ...made }),
      text: [
        `${file}: ${made.label}, ${counts}; it was opened and is whole.`,
        "The secret is not in it. Keep it apart: LANDFALL_SECRET, or the file that ends with .secret beside the database.",
      ],
    }
  },
})

export const restore = makeCommand("restore", {
  about: "Restore a backup into an empty database, on SQLite or PostgreSQL, while nothing runs on it",
  examples: { "landfall restore landfall-backup.db": "Into the database that LANDFALL_DATABASE_URL names" },
  takes: { file: argument("A file of landfall backup") },
  *run({ file }) {
    const { restore: restoreFile } = yield* loadBackup
    const done = yield* Effect.flatMap(readSetting(settings.rows.databaseUrl), url => restoreFile(file, url)).pipe(
      Effect.mapError(failCommand),
    )
    return {
      json: toWire({ file, ...done }),
      text: [
        `${done.label}: ${nameCount(done.accounts, "account")} and ${nameCount(done.rows, "row")} are restored.`,
        "Start the service with the secret of the backup. Blocks of requests that nodes held count as used.",
      ],
    }
  },
})

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
