/**
 * How large may a file be that is read as a dataset?
 *
 * Nothing larger is read, so that a wrong file that was named as a dataset by mistake does not fill the memory.
 */
import { statSync } from "node:fs"

/** The largest file that is read as a dataset: some thirty times what is known today. */
const MAXIMUM_DATASET_BYTES = 33_554_432

/** Says why a number of bytes is too large for a dataset, or null. */
export const refuseLarge = (bytes: number): string | null =>
  bytes > MAXIMUM_DATASET_BYTES ? `has ${bytes} bytes; a dataset has at most ${MAXIMUM_DATASET_BYTES}.` : null

/** Says why a file is too large to be a dataset, or null; a file that is missing or has no size fails when it is read. */
export function refuseLargeFile(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? refuseLarge(found.size) : null
}
