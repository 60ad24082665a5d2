/**
 * How is a dataset installed by copying a file to a path?
 *
 * The file is checked every {@link LOOK_MS}. It is installed when its size or time has changed and then stayed the same from one
 * check to the next, so that a copy in progress is left alone. A refusal is logged once, and the file is tried again only after
 * it has changed.
 */
import { statSync } from "node:fs"
import { Effect, Schedule } from "effect"
import { readDatasetBytes } from "../answers/dataset-file.ts"
import { InstallRefused, installDataset } from "./install-dataset.ts"
import { LiveDataset } from "./live-dataset.ts"

/** How often the file is checked. */
const LOOK_MS = 1_000

/** The size and time of a file; null if it does not exist. */
function describeFile(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? `${found.ino} ${found.size} ${found.mtimeMs}` : null
}

/** Installs the file at a path whenever it changes; ends with the scope. */
export const watchFile = Effect.fnUntraced(function* (path: string) {
  const live = yield* LiveDataset
  let handled: string | null = null
  let seen: string | null = null
  const look = Effect.gen(function* () {
    const found = yield* Effect.try(() => describeFile(path))
    const isStill = found !== null && found === seen
    seen = found
    if (!isStill || found === handled) return
    handled = found
    const bytes = readDatasetBytes(path)
    if (!bytes.ok) return yield* new InstallRefused({ message: bytes.message })
    const { after, events } = yield* installDataset(live.configured, bytes.value)
    yield* Effect.logInfo(`installed dataset ${after} from LANDFALL_DATASET_WATCH: ${events.length} events`)
    yield* live.refresh
  }).pipe(
    Effect.catch(error => {
      // A database that cannot be reached may be there at the next check.
      if ("_tag" in error && error._tag === "Unavailable") handled = null
      return Effect.logWarning(`LANDFALL_DATASET_WATCH: ${path} was not installed: ${error.message}`)
    }),
  )
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(LOOK_MS)))
})
