/** How is a file replaced so that a reader never sees half of it? By a part beside it that takes its name when it is whole. */
import { realpathSync, renameSync, statSync, writeFileSync } from "node:fs"
import { removePart } from "./record-files.ts"

/**
 * Writes a file in one step, or throws what the system says. A link stays and its file is replaced; a device or a pipe, which a rename would put a file in the place of, is
 * written to.
 */
export function replaceFile(path: string, bytes: Uint8Array | string): void {
  const present = statSync(path, { throwIfNoEntry: false })
  if (present !== undefined && !present.isFile()) {
    writeFileSync(path, bytes)
    return
  }
  const place = present === undefined ? path : realpathSync(path)
  const part = `${place}.part`
  try {
    writeFileSync(part, bytes)
    renameSync(part, place)
  } finally {
    removePart(part)
  }
}
