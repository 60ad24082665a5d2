/**
 * By which other words are countries found?
 *
 * The runtime's data (CLDR) has names of countries only. `data/demonyms.json` is our own record of the names of their people: adjectives
 * and nouns that people type to name a passport, in those of the fifteen languages in which we are sure of them. A word that several
 * countries share is listed with each of them. `data/cities.json` has cities, `data/regions.json` islands and parts of countries that
 * people travel to by name, and `data/airports.json` airports by their IATA codes.
 */
import { join } from "node:path"
import { Option, Result, Schema } from "effect"
import { LANGUAGES } from "../../src/compiler.ts"
import { isCode } from "../../src/engine.ts"
import type { PlaceWords } from "../../src/full.ts"
import { DataError, type FileIssue } from "../files/data-error.ts"
import { readRecordFile } from "../files/record-files.ts"
import { PlacesRecord, placesOf } from "./file-records.ts"

const Word = Schema.String.check(Schema.isPattern(/^[^|\s]+(?: [^|\s]+)*$/))
const Code = Schema.String.check(Schema.makeFilter(code => isCode(code)))

const DemonymRecord = Schema.Struct({
  code: Code,
  names: Schema.Record(Schema.Literals(LANGUAGES), Schema.optionalKey(Schema.Array(Word))),
  source: Schema.NullOr(Schema.String),
  verified_on: Schema.NullOr(Schema.String),
})

/** The file of the names of peoples, as it is read and written. */
export const DemonymRecords = Schema.Array(DemonymRecord)

/** The file of airports, with one source for all of them. */
export const AirportRecords = Schema.Struct({
  source: Schema.String,
  verified_on: Schema.NullOr(Schema.String),
  /** In columns: the IATA code, the country, the city (null where unknown), and the name if it is not that of the city and "Airport". */
  airports: Schema.Array(Schema.Tuple([Code, Code, Schema.NullOr(Word), Schema.optionalKey(Word)])),
})

// Words that do not distinguish airports.
const GENERAL = /\b(International|Regional|Municipal|Airport|Airfield|National|Domestic)\b/gu

/** The words of an airport: its code, its city, and the rest of its name where that says more. */
function airportWords([
  code,
  ,
  city,
  name = `${city} Airport`,
]: (typeof AirportRecords.Type)["airports"][number]): readonly string[] {
  const own = name.replace(GENERAL, "").replace(/\s+/gu, " ").trim()
  const place = city ?? (own === "" ? name : own)
  return own === "" || own === place ? [`${code} ${place}`] : [`${code} ${place}`, own]
}

type Words = Record<string, Set<string>>

function addWords(to: Words, code: string, words: readonly string[]): void {
  to[code] ??= new Set()
  for (const word of words) to[code].add(word)
}

const joinWords = (words: Words): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(words).map(([code, all]) => [code, [...all].join("|")]))

interface Country {
  readonly code: string
  readonly alpha2: string
}

/** The names of each country in all languages, by the runtime's data. */
function nameCountries(countries: readonly Country[]): Readonly<Record<string, string>> {
  const names: Words = {}
  for (const language of LANGUAGES) {
    for (const style of ["long", "short"] as const) {
      const reader = new Intl.DisplayNames([language], { type: "region", style, fallback: "none" })
      for (const { code, alpha2 } of countries) addWords(names, code, [reader.of(alpha2) ?? code])
    }
  }
  return joinWords(names)
}

/** Reads the words of each country, joined by bars; fails with every mistake in the files. */
export function readPlaceWords(folder: string, countries: readonly Country[]): Result.Result<PlaceWords, DataError> {
  const issues: FileIssue[] = []
  const read = <Record>(name: string, schema: Schema.ConstraintDecoder<Record>): Record | null =>
    Option.getOrNull(readRecordFile(join(folder, name), schema, issue => issues.push(issue)))
  const demonyms = read("demonyms.json", DemonymRecords)
  const cities = read("cities.json", PlacesRecord)
  const regions = read("regions.json", PlacesRecord)
  const airports = read("airports.json", AirportRecords)
  if (demonyms === null || cities === null || regions === null || airports === null) {
    return Result.fail(DataError.of(issues))
  }
  const [peoples, places, landings]: [Words, Words, Words] = [{}, {}, {}]
  for (const { code, names } of demonyms) addWords(peoples, code, Object.values(names).flat())
  for (const { country, name, names } of [...placesOf(cities), ...placesOf(regions)]) {
    addWords(places, country, [name, ...Object.values(names).flatMap(word => word ?? [])])
  }
  for (const airport of airports.airports) addWords(landings, airport[1], airportWords(airport))
  return Result.succeed({
    names: nameCountries(countries),
    peoples: joinWords(peoples),
    places: joinWords(places),
    airports: joinWords(landings),
  })
}
