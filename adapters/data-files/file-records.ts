/**
 * How do the files in `data/` look, key by key?
 *
 * The schemas below are the files' own names (snake_case) in the order in which keys are written. A key that is optional is
 * left out where nothing is known; `source` and `verified_on` are always there, null when there is none. The translation into
 * the engine's names happens in read-facts.ts.
 */
import { Schema } from "effect"

const Text = Schema.NonEmptyString
const MaybeText = Schema.NullOr(Text)
const OptionalText = Schema.optionalKey(Text)

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
  languages: Schema.optionalKey(Schema.Array(Text)),
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
  pages: Schema.optionalKey(Schema.Array(Text)),
})

export type BlocRecord = typeof BlocRecord.Type
export type CountryRecord = typeof CountryRecord.Type
export type SourceRecord = typeof SourceRecord.Type
