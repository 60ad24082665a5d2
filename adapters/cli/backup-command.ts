/** `landfall backup` and `landfall restore`: a deployment's database as one file, and back. */
import { Effect } from "effect"
import { toWire } from "../answers/wire-names.ts"
import { readSetting } from "../settings/config.ts"
import { settings } from "../settings/settings.ts"
import { argument, makeCommand } from "./command.ts"
import { nameCount } from "./command-outcome.ts"
import { failCommand } from "./failure.ts"

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
