/**
 * How does a dataset file become a dataset?
 *
 * A dataset that cannot be read completely is refused. The caller passes the bytes; this file reads no files. It is separate from open.ts,
 * because a page with only the embedded dataset needs none of these checks.
 */
import { type DatasetError, failure, type Result, success } from "../errors.ts"
import { findPartsMistake } from "./check-header.ts"
import { decodeDataset } from "./file-form.ts"
import { copyBytes, type DatasetParts } from "./format.ts"
import { completeDataset, type Dataset } from "./open.ts"
import { assemblePairs } from "./pair-table.ts"

/**
 * Opens the bytes of a dataset file.
 *
 * Fails with `WrongMagic`, `WrongFormatVersion`, `TruncatedDataset`, `WrongChecksum` or `MalformedDataset`; a dataset that opens
 * is sound in all its parts. Costs 160 KB and some 0.6 ms, ten times as long in a process that has compiled nothing yet.
 *
 * @example
 * ```ts
 * const opened = openDataset(new Uint8Array(3))
 * !opened.ok && opened.error.message // => "The dataset is cut off: 3 bytes found, at least 20 expected."
 * ```
 */
export function openDataset(bytes: Uint8Array): Result<Dataset, DatasetError> {
  const parts = decodeDataset(bytes)
  return parts.ok ? openParts(parts.value) : parts
}

/**
 * Opens a dataset that is already taken apart, as the embedded one is. Fails with `MalformedDataset`.
 *
 * @example
 * ```ts
 * const opened = openParts(parts)
 * opened.ok && opened.value.passports // => ["AAA", "BBB", "CCC"]
 * ```
 */
export function openParts(parts: DatasetParts): Result<Dataset, DatasetError> {
  const refuse = (mistake: string) =>
    failure<DatasetError>({ tag: "MalformedDataset", message: `The dataset contradicts itself: ${mistake}.` })
  try {
    const mistake = findPartsMistake(parts)
    if (mistake !== null) return refuse(mistake)
    const { header, pairs, terms, formatVersion, sections } = parts
    return success(
      completeDataset(
        assemblePairs(header, copyBytes(pairs), formatVersion),
        { header, sources: [], terms, sections },
        header.destinations,
      ),
    )
  } catch {
    // Parts that no file can hold, such as an object whose properties throw.
    return refuse("its header cannot be read")
  }
}
