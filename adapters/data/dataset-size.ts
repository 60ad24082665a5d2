/**
 * How large may a file be that is read as a dataset?
 *
 * Nothing larger is read, so that a file that was put into the place of a dataset by mistake does not take the memory of whoever opens it.
 */
import { statSync } from "node:fs"

/** The largest file that is read as a dataset: some thirty times what is known today. */
const MAXIMUM_DATASET_BYTES = 33_554_432

/** Says why so many bytes are no dataset, or null. */
export const refuseLarge = (bytes: number): string | null =>
  bytes > MAXIMUM_DATASET_BYTES ? `has ${bytes} bytes; a dataset has at most ${MAXIMUM_DATASET_BYTES}.` : null

/** Says why a file is too large to be a dataset, or null; what is not there, or has no size, is judged when it is read. */
export function refuseLargeFile(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? refuseLarge(found.size) : null
}
