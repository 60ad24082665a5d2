/**
 * How do the files of the extended facts look: `data/destinations/` and `data/missions/`?
 *
 * One subject a file in `data/destinations/`, a list of facts; each names the destinations for which it holds, and where it does
 * not hold for everybody the requirements and passports. `as_of` is the day that the source describes, `verified_on` the day a
 * person last confirmed the fact there; both, and the source, are null where there is none. Missions are one file a sending
 * country, those known to have closed since the table among them, with where that was read.
 */
import { Schema } from "effect"
import {
  FACT_KINDS,
  type Kind,
  LANGUAGE_TAGS,
  LANGUAGES,
  MISSION_KINDS,
  type Subject,
  schemaOf,
} from "../../src/compiler.ts"
import { toFields } from "./condition-records.ts"
import type { CountryRecord } from "./file-records.ts"

const Text = Schema.NonEmptyString
const MaybeText = Schema.NullOr(Text)
const OptionalText = Schema.optionalKey(Text)
const OptionalTexts = Schema.optionalKey(Schema.Array(Text))

const NamesField = Schema.Struct(Object.fromEntries(LANGUAGES.map(language => [language, OptionalText])))

const scope = { destinations: Schema.Array(Text), requirements: OptionalTexts, passports: OptionalTexts }

/** Where a fact was read. */
const provenance = {
  source: MaybeText,
  source_url: MaybeText,
  as_of: MaybeText,
  verified_on: MaybeText,
  note: OptionalText,
}

/** A name of the engine as the files have it: `not_before` of `notBefore`, or with another mark than `_`. */
const writeName = (name: string, mark = "_"): string => name.replaceAll(/[A-Z]/g, letter => mark + letter.toLowerCase())

type FileName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${FileName<Rest>}`
  : Name

/** Every subject that has a file in `data/destinations/`; the file has its name. */
export type SubjectFile = FileName<Exclude<Subject, "country">> | "languages"

/** Which subject of the engine each file becomes. The file of languages becomes part of the country, which has none of its own. */
export const SUBJECT_OF = new Map(
  (Object.keys(FACT_KINDS) as Subject[])
    .filter(subject => subject !== "country")
    .map(subject => [writeName(subject, "-") as SubjectFile, subject]),
)

/** The names of the files in `data/destinations/`, without ending. */
export const SUBJECT_FILES: readonly SubjectFile[] = [...SUBJECT_OF.keys(), "languages"]

/** The value of a fact in the file of a subject. */
export function kindOf(file: SubjectFile): Kind<object> {
  const subject = SUBJECT_OF.get(file)
  return subject === undefined ? LANGUAGE_TAGS : FACT_KINDS[subject]
}

/** One fact of any subject, as written. */
export interface FactRecord {
  readonly destinations: readonly string[]
  readonly requirements?: readonly string[]
  readonly passports?: readonly string[]
  readonly source: string | null
  readonly source_url: string | null
  readonly as_of: string | null
  readonly verified_on: string | null
  readonly note?: string
  readonly [field: string]: unknown
}

/** The schema of a fact in the file of a subject. */
export function factSchema(subject: SubjectFile): Schema.ConstraintDecoder<FactRecord> {
  const fields: Schema.Struct.Fields = { ...scope, ...toFields(schemaOf(kindOf(subject))), ...provenance }
  return Schema.Struct(fields) as unknown as Schema.ConstraintDecoder<FactRecord>
}

/** The schema of the file of a subject. */
export const subjectSchema = (subject: SubjectFile): Schema.ConstraintDecoder<readonly FactRecord[]> =>
  Schema.Array(factSchema(subject))

/** Places, and their names in languages with another name than that in the data. */
const Places = Schema.Array(Schema.Struct({ country: Text, name: Text, names: NamesField }))

/** The files of cities, and of other parts of countries, with one source for all of them but those of which none was kept. */
export const PlacesRecord = Schema.Struct({
  source: MaybeText,
  verified_on: MaybeText,
  places: Places,
  unsourced: Schema.optionalKey(Places),
})
export type PlacesRecord = typeof PlacesRecord.Type

/** All places of a file. */
export const placesOf = ({ places, unsourced = [] }: PlacesRecord) => [...places, ...unsourced]

/** A mission in columns: host, city ("" for the host's capital), number at Wikidata, website (null where unknown), and what few have. */
const MissionRow = Schema.Tuple([
  Text,
  Schema.NullOr(Schema.String),
  Schema.Int,
  Schema.optionalKey(MaybeText),
  Schema.optionalKey(
    Schema.Struct({
      phone: OptionalText,
      email: OptionalText,
      closed: Schema.optionalKey(Schema.Struct({ on: OptionalText, source: Text, source_url: MaybeText, as_of: Text })),
    }),
  ),
])

const MissionRows = Schema.optionalKey(Schema.Array(MissionRow))

/** The missions of a country, a list for each kind. */
export const MissionsRecord = Schema.Struct({
  operator: Text,
  source: Text,
  as_of: Text,
  verified_on: MaybeText,
  ...(Object.fromEntries(MISSION_KINDS.map(kind => [kind, MissionRows])) as Record<
    (typeof MISSION_KINDS)[number],
    typeof MissionRows
  >),
})

/** Names the columns of all missions, with the capitals where they are. */
export function readMissions(
  missions: readonly MissionsRecord[],
  countries: readonly Pick<CountryRecord, "code" | "capital">[],
) {
  const capitals = new Map(countries.map(({ code, capital = null }) => [code, capital]))
  return missions.flatMap(record =>
    MISSION_KINDS.flatMap(kind =>
      (record[kind] ?? []).map(([host, place, , website = null, more]) => {
        const city = place === "" ? (capitals.get(host) ?? null) : place
        return { operator: record.operator, host, kind, city, website, ...more }
      }),
    ),
  )
}

export type MissionsRecord = typeof MissionsRecord.Type
