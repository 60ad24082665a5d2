/**
 * How do the files in `data/` look, key by key?
 *
 * The schemas below are the files' own names (snake_case) in the order in which keys are written; types, checks, formatting and the schemas
 * for editors follow from them. A key that is optional is left out where nothing is known; `source` and `verified_on` are always there, null
 * when there is none. Conditions, provisions and facts have the fields of the engine's declarations. Claims are in claim-records.ts; the
 * translation into the engine's names happens in read-facts.ts.
 */
import { Schema } from "effect"
import {
  FACT_KINDS,
  type JsonSchema,
  type Kind,
  LANGUAGE_TAGS,
  LANGUAGES,
  MISSION_KINDS,
  PROVISIONS,
  type ProvisionKind,
  policyCondition,
  ruleCondition,
  type Subject,
  schemaOf,
} from "../../src/compiler.ts"
import { toCamelCase } from "../answers/wire-names.ts"

const Text = Schema.NonEmptyString
const MaybeText = Schema.NullOr(Text)
const OptionalText = Schema.optionalKey(Text)
const OptionalTexts = Schema.optionalKey(Schema.Array(Text))

/** For every record: where it was read, and the day a person last confirmed it there. */
const provenance = { source: MaybeText, verified_on: MaybeText }

export const DatasetRecord = Schema.Struct({ version: Text, as_of: Text, since: Text })

export const SourceRecord = Schema.Struct({
  id: Text,
  name: Text,
  url: MaybeText,
  licence: MaybeText,
  /** Why none is needed, where none is known. */
  licence_reason: OptionalText,
  retrieved_on: MaybeText,
  imported: Schema.optionalKey(Schema.Boolean),
  /** It reports what official pages say; a source with `via` was read in one that does. */
  compiled: Schema.optionalKey(Schema.Boolean),
  /** The list through which it was read, where its own page was not: the id of another source. */
  via: OptionalText,
  note: OptionalText,
})

export const CountryRecord = Schema.Struct({
  code: Text,
  alpha2: Text,
  numeric: MaybeText,
  name: Text,
  region: MaybeText,
  subregion: MaybeText,
  sovereign: Schema.Boolean,
  parent: OptionalText,
  capital: OptionalText,
  currency: OptionalText,
  languages: OptionalTexts,
  timezone: OptionalText,
  latitude: Schema.optionalKey(Schema.Finite),
  longitude: Schema.optionalKey(Schema.Finite),
  population: Schema.optionalKey(Schema.Int),
  population_year: Schema.optionalKey(Schema.Int),
  population_source: OptionalText,
  gdp_usd: Schema.optionalKey(Schema.Int),
  gdp_year: Schema.optionalKey(Schema.Int),
  gdp_source: OptionalText,
  ...provenance,
})

export const PassportRecord = Schema.Struct({ code: Text, ...provenance })

const MemberRecord = Schema.Struct({ code: Text, from: OptionalText, until: OptionalText, note: OptionalText })

export const BlocRecord = Schema.Struct({
  id: Text,
  name: Text,
  freedom_of_movement: Schema.Boolean,
  /** The stay that the treaty itself gives without a permit, in days. */
  treaty_days: Schema.optionalKey(Schema.Int),
  /** The member that gives the freedom of movement to the others, where only one does. */
  into: OptionalText,
  instrument: OptionalText,
  note: OptionalText,
  ...provenance,
  members: Schema.Array(MemberRecord),
})

/** What a reader of a compiler's file, the page with a title of its claims, took down about a destination, and no subject has yet. */
export const ReadingNotesRecord = Schema.Struct({
  destination: Text,
  facts: Schema.Record(Schema.String, Schema.Unknown),
  conditional_waivers: Schema.optionalKey(Schema.Array(Schema.Record(Schema.String, Schema.Unknown))),
  /** Pages that were read for it besides those of the claims. */
  pages: OptionalTexts,
})

/** The destinations with the most visitors in one year, the busiest first. */
export const BusiestRecord = Schema.Struct({
  source: Text,
  year: Schema.Int,
  destinations: Schema.Array(Schema.Struct({ code: Text, visitors: Schema.Int })),
})

export type BlocRecord = typeof BlocRecord.Type
export type CountryRecord = typeof CountryRecord.Type
export type SourceRecord = typeof SourceRecord.Type

// Conditions and provisions are made from the engine's declarations, with the names of the files.

/**
 * Makes the schema by which a file is read and its keys are ordered. It asks for the kind of each value and for no other key; the engine
 * checks words and numbers, so that mistakes are named in one way. One of several objects is read as one with the keys of all.
 */
function toSchema(given: JsonSchema): Schema.Codec<unknown> {
  const { type, items, anyOf, oneOf } = given
  if (anyOf !== undefined) return Schema.NullOr(toSchema(anyOf[0] as JsonSchema))
  if (oneOf !== undefined) return toSchema({ type: "object", properties: mergeKeys(oneOf), required: ["kind"] })
  if (type === "array") return Schema.Array(toSchema(items as JsonSchema))
  if (type === "object") return Schema.Struct(toFields(given)) as unknown as Schema.Codec<unknown>
  return type === "integer" || type === "number" ? Schema.Number : type === "boolean" ? Schema.Boolean : Text
}

/** The keys of an object, as a part of another one. */
function toFields({ properties = {}, required }: JsonSchema): Schema.Struct.Fields {
  const fields = Object.entries(properties).map(([key, each]) => {
    const schema = toSchema(each)
    return [key, required?.includes(key) ? schema : Schema.optionalKey(schema)] as const
  })
  return Object.fromEntries(fields)
}

// The keys of all, each before those that follow it in any.
function mergeKeys(all: readonly JsonSchema[]): Readonly<Record<string, JsonSchema>> {
  const keys: [string, JsonSchema][] = []
  for (const { properties = {} } of all) {
    let place = keys.length
    for (const entry of Object.entries(properties).reverse()) {
      const known = keys.findIndex(([key]) => key === entry[0])
      if (known < 0) keys.splice(place, 0, entry)
      else place = Math.min(place, known)
    }
  }
  return Object.fromEntries(keys)
}

/** A condition as its file has it, of a rule or of a policy. */
export interface ConditionRecord {
  readonly kind: string
  readonly requirement?: string
  readonly source?: string | null
  readonly requirements?: readonly string[]
  readonly passports?: readonly string[]
  readonly except?: readonly string[]
  readonly from?: string
  readonly until?: string
  readonly [parameter: string]: unknown
}

/** A condition of a rule, and of a policy, which may be for some passports. */
export const ConditionRecord = toSchema(schemaOf(ruleCondition)) as Schema.Codec<ConditionRecord>
export const PolicyConditionRecord = toSchema(schemaOf(policyCondition)) as Schema.Codec<ConditionRecord>

/** A provision as its file has it. */
export interface ProvisionRecord {
  readonly destinations: readonly string[]
  readonly passports?: readonly string[]
  readonly [field: string]: unknown
}

/** The schema of the records of a kind of provision. */
export const provisionRecord = (of: ProvisionKind) =>
  toSchema(schemaOf(PROVISIONS[of])) as Schema.Codec<ProvisionRecord>

/** Translates keys from snake_case into the engine's names, inside lists and records too. */
export function camelKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelKeys)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [toCamelCase(key), camelKeys(held)]))
}

// The extended facts: `data/destinations/` and `data/missions/`.
// One subject a file, a list of facts; each names the destinations for which it holds, and where it does not hold for everybody the
// requirements and passports. `as_of` is the day that the source describes, `verified_on` the day a person last confirmed the fact there;
// both, and the source, are null where there is none. Missions are one file a sending country, those known to have closed since the table
// among them, with where that was read.

const NamesField = Schema.Struct(Object.fromEntries(LANGUAGES.map(language => [language, OptionalText])))

const scope = { destinations: Schema.Array(Text), requirements: OptionalTexts, passports: OptionalTexts }

/** Where a fact was read. */
const factProvenance = {
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

const SharedRecord = Schema.Struct({ ...scope, ...factProvenance })

/** The keys that facts of all subjects have. */
export const SHARED_KEYS: readonly string[] = Object.keys(SharedRecord.fields)

/** One fact of any subject, as written. */
export type FactRecord = typeof SharedRecord.Type & { readonly [field: string]: unknown }

/** The schema of a fact in the file of a subject. */
export function factSchema(subject: SubjectFile): Schema.ConstraintDecoder<FactRecord> {
  const fields: Schema.Struct.Fields = { ...scope, ...toFields(schemaOf(kindOf(subject))), ...factProvenance }
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
