/** How is a file replaced so that a reader never sees half of it? A temporary file beside it is written and then renamed. */
import { realpathSync, renameSync, statSync, writeFileSync } from "node:fs"
import { removePart } from "./record-files.ts"

/**
 * Writes a file in one step, or throws the system's error. Behind a link, the file that it points to is replaced. A device or a
 * pipe is written to directly, because a rename would replace it by a file.
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
