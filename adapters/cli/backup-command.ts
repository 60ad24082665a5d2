/** `landfall backup` and `landfall restore`: a deployment's database as one file, and back. */
import { Console, Effect } from "effect"
import { Argument } from "effect/cli"
import { readSetting } from "../settings/config.ts"
import { settings } from "../settings/settings.ts"
import { makeCommand } from "./command.ts"
import { nameCount, printText, printWire } from "./command-outcome.ts"
import { failCommand } from "./failure.ts"

// Loaded when it is needed, because every other command starts faster without it.
const loadBackup = Effect.promise(() => import("../storage/backup.ts"))

const SECRET =
  "The secret is not in it. Keep it apart: LANDFALL_SECRET, or the file that ends with .secret beside the database."

export const backup = makeCommand("backup", {
  about: "Back up the database into a file, while the service runs, and check it by opening it",
  examples: { "landfall backup landfall-backup.db": "In place of an older backup of this name" },
  takes: { file: Argument.String("file").pipe(Argument.withDescription("The file to write")) },
  *run({ file, json }) {
    const { backUp } = yield* loadBackup
    const made = yield* Effect.gen(function* () {
      return yield* backUp(yield* readSetting(settings.rows.databaseUrl), file)
    }).pipe(Effect.mapError(failCommand))
    if (json) return yield* printWire({ file, ...made })
    const { label, bytes, accounts, rows } = made
    yield* Console.log(
      `${file}: ${label}, ${nameCount(accounts, "account")}, ${nameCount(rows, "row")}, ${nameCount(bytes, "byte")}; it was opened and is whole.`,
    )
    yield* printText(SECRET)
  },
})

export const restore = makeCommand("restore", {
  about: "Restore a backup into an empty database, on SQLite or PostgreSQL, while nothing runs on it",
  examples: { "landfall restore landfall-backup.db": "Into the database that LANDFALL_DATABASE_URL names" },
  takes: { file: Argument.String("file").pipe(Argument.withDescription("A file of landfall backup")) },
  *run({ file, json }) {
    const { restore: restoreFile } = yield* loadBackup
    const done = yield* Effect.gen(function* () {
      return yield* restoreFile(file, yield* readSetting(settings.rows.databaseUrl))
    }).pipe(Effect.mapError(failCommand))
    if (json) return yield* printWire({ file, ...done })
    yield* Console.log(
      `${done.label}: ${nameCount(done.accounts, "account")} and ${nameCount(done.rows, "row")} are restored.`,
    )
    yield* printText(
      "Start the service with the secret of the backup. Blocks of requests that nodes held count as used.",
    )
  },
})
