/**
 * When does a thread copy the log of a database file into the file?
 *
 * In steps: as soon as the log has as many pages as SQLite leaves there by itself. This is the file that the thread starts with
 * (`sqlite-client.ts`).
 */
import { statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { isMainThread, workerData } from "node:worker_threads"

const STEP_MS = 100
const PAGES = 1_000

/** Makes a step for the file at a path, over a connection of its own. */
export function makeCopier(path: string): () => void {
  const database = new DatabaseSync(path, { timeout: 0 })
  // An SQLite before 3.51 does not know NOOP, and copies at each look.
  const look = database.prepare("PRAGMA wal_checkpoint(NOOP)")
  const copy = database.prepare("PRAGMA wal_checkpoint(PASSIVE)")
  let bytes = 0
  return () => {
    try {
      // A file that was truncated must not grow again before the writer has noticed, which does not write any more.
      if (statSync(path).size < bytes) return
      const { log, checkpointed } = look.get() as { log: number; checkpointed: number }
      if (log - checkpointed >= PAGES) copy.get()
      bytes = statSync(path).size
    } catch {
      // Another process copies, or the disk is full: the log stays as it is until the next step.
    }
  }
}

if (!isMainThread) setInterval(makeCopier(workerData as string), STEP_MS)
