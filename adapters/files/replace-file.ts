/** How is a file replaced so that a reader never sees half of it? A temporary file beside it is written and then renamed. */
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs"
import { removePart } from "./record-files.ts"

/** A file that is being replaced. */
export interface Replacement {
  /** Where its new content is written. */
  readonly part: string
  /** Renames the new content to the file's name. */
  readonly keep: () => void
  /** Removes what was written and not kept; called at the end in any case. */
  readonly discard: () => void
}

/** The files that are being written: a process that ends for any reason, an uncaught error among them, removes them. */
const unfinished = new Set<string>()
const removeUnfinished = () => unfinished.forEach(removePart)

/**
 * Says where the new content of a file is written until it is whole: in a file of its own name for each call, so that two writers do not mix.
 * Behind a link, the file that it points to is replaced. A device or a pipe is written to directly, because a rename would replace it by a file.
 */
export function startReplacing(path: string): Replacement {
  const present = statSync(path, { throwIfNoEntry: false })
  if (present !== undefined && !present.isFile()) return { part: path, keep: () => {}, discard: () => {} }
  const place = present === undefined ? path : realpathSync(path)
  const part = `${place}.${randomUUID().slice(0, 8)}.part`
  if (unfinished.size === 0) process.once("exit", removeUnfinished)
  unfinished.add(part)
  return {
    part,
    keep: () => renameSync(part, place),
    discard: () => {
      removePart(part)
      unfinished.delete(part)
      if (unfinished.size === 0) process.off("exit", removeUnfinished)
    },
  }
}

/** Writes a file that a build makes, unless it has this text already. */
export function writeWhereNew(path: string, text: string): void {
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text)
}

/** Writes a file in one step, or throws the system's error. */
export function replaceFile(path: string, bytes: Uint8Array | string): void {
  const { part, keep, discard } = startReplacing(path)
  try {
    writeFileSync(part, bytes)
    keep()
  } finally {
    discard()
  }
}
