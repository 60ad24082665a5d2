/**
 * Which spots does a file contain?
 *
 * Reads a GeoJSON feature collection of points, or CSV with a line of column names, and returns all of its spots or none: for a file with
 * mistakes it returns them, each with the line on which its spot begins and the field, up to {@link MOST_ISSUES}. Unknown properties and
 * columns are skipped and named, so that a misspelt one is noticed. It stores nothing.
 */

import { CsvBroken, type CsvRow, readTable } from "../files/csv.ts"
import { describeJsonError } from "../files/file-errors.ts"
import { isFields } from "../validation/fields.ts"
import { MAX_SPOTS } from "./search-spots.ts"
import { type FoundRecord, readSpot, type Spot, SpotRecord } from "./spot.ts"

/** A mistake in a file of spots. */
interface SpotFileIssue {
  readonly line: number
  /** The field, or null where the line as a whole is meant. */
  readonly field: string | null
  readonly message: string
}

type ReadSpotsFile =
  | {
      readonly ok: true
      readonly spots: readonly Spot[]
      /** Properties or columns that no spot has. */
      readonly passedOver: readonly string[]
    }
  | {
      readonly ok: false
      /** The first of them, at most {@link MOST_ISSUES}. */
      readonly issues: readonly SpotFileIssue[]
      readonly issueCount: number
    }

/** The most mistakes that are named at once. */
const MOST_ISSUES = 50

/** One record of a file, and the line on which it begins. */
interface Row {
  readonly line: number
  readonly record: FoundRecord
}

/** Other names of a field; the field's own name has priority if a file has both. */
const ALIASES: Readonly<Record<string, string>> = {
  name: "title",
  lat: "latitude",
  lon: "longitude",
  lng: "longitude",
  country: "country_code",
}

/** Reads the text of a file: GeoJSON where it begins with a brace, else CSV. `createdAt` is the day or instant of the import. */
export function readSpotsFile(text: string, createdAt: string): ReadSpotsFile {
  const issues: SpotFileIssue[] = []
  let issueCount = 0
  const report = (line: number, field: string | null, message: string) => {
    if (++issueCount <= MOST_ISSUES) issues.push({ line, field, message })
  }
  const rows = /^\uFEFF?\s*[{[]/.test(text) ? readGeoJson(text, report) : readCsv(text, report)
  const spots: Spot[] = []
  const lineOf = new Map<string, number>()
  const passedOver = new Set<string>()
  for (const { line, record } of rows) {
    const named = nameFields(record, passedOver)
    const spot = readSpot(named, createdAt, (field, message) => report(line, field, message))
    if (spot === null) continue
    const twin = lineOf.get(spot.id)
    if (twin !== undefined) report(line, "id", `"${spot.id}" is already on line ${twin}.`)
    lineOf.set(spot.id, twin ?? line)
    spots.push(spot)
  }
  if (spots.length > MAX_SPOTS) report(1, null, `At most ${MAX_SPOTS} spots are expected, not ${spots.length}.`)
  else if (rows.length === 0 && issueCount === 0) report(1, null, "The file holds no spot.")
  return issueCount === 0 ? { ok: true, spots, passedOver: [...passedOver].sort() } : { ok: false, issues, issueCount }
}

function nameFields(record: FoundRecord, passedOver: Set<string>): FoundRecord {
  const named: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record)) {
    const field = ALIASES[name] ?? name
    if (!FIELDS.has(field)) passedOver.add(name)
    else if (field === name || !(field in record)) named[field] = value
  }
  return named
}

const FIELDS: ReadonlySet<string> = new Set(Object.keys(SpotRecord.fields))

/** Reports a mistake. */
type Report = (line: number, field: string | null, message: string) => void

function readCsv(text: string, report: Report): Row[] {
  let table: readonly CsvRow[]
  try {
    table = readTable(new TextEncoder().encode(text))
  } catch (cause) {
    if (!(cause instanceof CsvBroken)) throw cause
    report(Number(/^line (\d+)/.exec(cause.message)?.[1] ?? 1), null, `The table is not CSV: ${cause.message}`)
    return []
  }
  const [head, ...rows] = table
  const columns = head?.cells ?? []
  if (head !== undefined && head.error !== null) report(head.line, null, head.error)
  return rows.flatMap(({ line, cells, error }) => {
    if (error === null && cells.length === columns.length) {
      return [{ line, record: readCells(Object.fromEntries(columns.map((name, at) => [name, cells[at] as string]))) }]
    }
    report(line, null, error ?? `The row has ${cells.length} cells, ${columns.length} are expected.`)
    return []
  })
}

// Cells are text; a cell that is not a number stays text and is refused by its field.
function readCells(cells: Readonly<Record<string, string>>): FoundRecord {
  const record: Record<string, unknown> = { ...cells }
  for (const name of ["latitude", "longitude", "lat", "lon", "lng", "avg_rating", "review_count"]) {
    const cell = cells[name]
    if (cell !== undefined && /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(cell)) record[name] = Number(cell)
  }
  if (cells.tags !== undefined) record.tags = splitCell(cells.tags, /[,;|]/)
  if (cells.photos !== undefined) record.photos = splitCell(cells.photos, /[\s|]+/)
  return record
}

function splitCell(cell: string, separator: RegExp): string[] {
  return cell
    .split(separator)
    .map(part => part.trim())
    .filter(part => part !== "")
}

function readGeoJson(text: string, report: Report): Row[] {
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch (cause) {
    const message = describeJsonError(text, cause)
    report(Number(/line (\d+)/.exec(message)?.[1] ?? 1), null, `The file ${message}`)
    return []
  }
  const features = isFields(json) && json.type === "FeatureCollection" ? json.features : undefined
  if (!Array.isArray(features)) {
    report(
      1,
      null,
      "A GeoJSON feature collection is expected: an object with the type FeatureCollection and a list of features.",
    )
    return []
  }
  const lines = findFeatureLines(text)
  return features.flatMap((feature: unknown, at) => {
    const line = lines[at] ?? 1
    const record = readFeature(feature, (field, message) => report(line, field, message))
    return record === null ? [] : [{ line, record }]
  })
}

function readFeature(feature: unknown, refuse: (field: string, message: string) => void): FoundRecord | null {
  if (!isFields(feature) || feature.type !== "Feature") {
    refuse("type", "A feature is expected.")
    return null
  }
  const { geometry, properties, id } = feature
  const coordinates = isFields(geometry) && geometry.type === "Point" ? geometry.coordinates : undefined
  if (!Array.isArray(coordinates) || coordinates.length < 2 || coordinates.length > 3) {
    refuse("geometry", "A point with longitude and latitude is expected.")
    return null
  }
  const [longitude, latitude]: unknown[] = coordinates
  return {
    ...(isFields(properties) ? properties : {}),
    ...(id === undefined ? {} : { id: typeof id === "number" ? String(id) : id }),
    longitude,
    latitude,
  }
}

/** The line on which each feature of a text begins; the text is known to be JSON with a list of features at its top. */
function findFeatureLines(text: string): number[] {
  let lines: number[] = []
  let [line, depth, key, listDepth, isElementNext] = [1, 0, "", -1, false]
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string
    if (sign === "\n") line++
    if (sign <= " ") continue
    if (isElementNext && sign !== "]") lines.push(line)
    isElementNext = sign === "," && depth === listDepth
    if (sign === '"') {
      const from = at + 1
      at = findStringEnd(text, at)
      if (depth === 1) key = text.slice(from, at)
    } else if (sign === "{" || sign === "[") {
      depth++
      if (sign === "[" && depth === 2 && key === "features") {
        lines = []
        listDepth = depth
        isElementNext = true
      }
    } else if (sign === "}" || sign === "]") {
      if (depth === listDepth) listDepth = -1
      depth--
    }
  }
  return lines
}

function findStringEnd(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return at
}
