/**
 * Which spots ship with the package?
 *
 * Reads `seeds/spots.json`: real places, with positions from the World Heritage list or, where `source` is null, from general knowledge. The file is read
 * when it is first asked for; a mistake in it is named by its place in the list and its field.
 */
import { Option, Result, Schema } from "effect"
import { DataError, type FileIssue } from "../files/data-error.ts"
import { findOwnFile } from "../files/own-files.ts"
import { readRecordFile } from "../files/record-files.ts"
import { type FoundRecord, readSpot } from "./read-spot.ts"
import type { Spot } from "./spot.ts"

const Text = Schema.String
const MaybeText = Schema.NullOr(Schema.String)

/** One spot as the file writes it, keys in this order. */
export const SpotSeedRecord = Schema.Struct({
  id: Text,
  title: Text,
  description: Text,
  latitude: Schema.Finite,
  longitude: Schema.Finite,
  category: Text,
  tags: Schema.Array(Text),
  country_code: Text,
  photos: Schema.Array(Text),
  avg_rating: Schema.Finite,
  review_count: Schema.Int,
  source: MaybeText,
  created_at: Text,
  verified_on: MaybeText,
})

/** Reads a file of seeds; fails with every mistake in it. */
export function readSeedSpots(): Result.Result<readonly Spot[], DataError> {
  const path = findOwnFile("seeds/spots.json")
  const issues: FileIssue[] = []
  const records = readRecordFile(path, Schema.Array(SpotSeedRecord), issue => issues.push(issue))
  const spots: Spot[] = []
  const seen = new Set<string>()
  const found: readonly FoundRecord[] = Option.getOrElse(records, () => [])
  found.forEach((record, at) => {
    const refuse = (field: string, message: string) => issues.push({ file: path, field: `[${at}].${field}`, message })
    const spot = readSpot(record, "", refuse)
    if (spot === null) return
    if (seen.has(spot.id)) refuse("id", `"${spot.id}" is given twice.`)
    seen.add(spot.id)
    spots.push(spot)
  })
  return issues.length === 0 ? Result.succeed(spots) : Result.fail(DataError.of(issues))
}
