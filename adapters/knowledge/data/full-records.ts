/**
 * How do the files of the extended facts look: `data/destinations/`, `data/missions/` and `data/history/`?
 *
 * One subject a file in `data/destinations/`, a list of facts; each names the destinations for which it holds, and where it does
 * not hold for everybody the requirements and passports. `as_of` is the day that the source describes, `verified_on` the day a
 * person last confirmed the fact there; both, and the source, are null where there is none. Missions are one file a sending
 * country, those known to have closed since the table among them, with where that was read; changes of requirements are one file a
 * destination.
 */
import { Schema } from "effect"
import { DOCUMENTS, LANGUAGES, MINOR_RULES } from "../../../src/compiler.ts"

const Text = Schema.NonEmptyString
const MaybeText = Schema.NullOr(Text)
const OptionalText = Schema.optionalKey(Text)
const OptionalTexts = Schema.optionalKey(Schema.Array(Text))
const OptionalInt = Schema.optionalKey(Schema.Int)
const OptionalFlag = Schema.optionalKey(Schema.Boolean)

const MoneyRecord = Schema.Struct({ amount: Schema.Finite, currency: Text })
const OptionalMoney = Schema.optionalKey(MoneyRecord)

/** What a name is in some languages. */
const NamesField = Schema.Struct(Object.fromEntries(LANGUAGES.map(language => [language, OptionalText])))
const OptionalNames = Schema.optionalKey(NamesField)

/** For whom a fact holds. */
const scope = { destinations: Schema.Array(Text), requirements: OptionalTexts, passports: OptionalTexts }

/** Where a fact was read. */
const provenance = {
  source: MaybeText,
  source_url: MaybeText,
  as_of: MaybeText,
  verified_on: MaybeText,
  note: OptionalText,
}

/** The fields of each subject, as they are written; the file has the subject's name. */
const subjectFields = {
  programme: {
    name: Text,
    names: OptionalNames,
    excluded_after_stay: Schema.optionalKey(
      Schema.Array(Schema.Struct({ countries: Schema.Array(Text), since: Text })),
    ),
    excluded_nationals: OptionalTexts,
  },
  "arrival-form": {
    name: Text,
    names: OptionalNames,
    form: Schema.Literals(["online", "paper", "none", "none_found"]),
    mandatory: Schema.Boolean,
    url: OptionalText,
    earliest_days: OptionalInt,
    fee: OptionalMoney,
    everybody: OptionalFlag,
    health: OptionalFlag,
    exempt_passports: OptionalTexts,
  },
  application: {
    regime: Schema.optionalKey(Schema.Literals(["schengen"])),
    channel: Schema.optionalKey(Schema.Literals(["online", "online_and_centre", "online_and_interview"])),
    form: OptionalText,
    fingerprints: OptionalFlag,
    earliest_months: OptionalInt,
    latest_days: OptionalInt,
    standard_days: OptionalInt,
    express_days: OptionalInt,
    rush_days: OptionalInt,
    working_days: OptionalFlag,
    exceptional_extension: OptionalFlag,
  },
  documents: { documents: Schema.Array(Schema.Literals(DOCUMENTS)) },
  border: { entry_exit_system: Schema.Boolean },
  "planned-authorisation": {
    system: Schema.Literals(["etias"]),
    not_before: Text,
    exempt: OptionalFlag,
  },
  fee: {
    single_entry: OptionalMoney,
    multiple_entry: OptionalMoney,
    children: Schema.optionalKey(Schema.Array(Schema.Struct({ below_years: Schema.Int, fee: MoneyRecord }))),
    biometrics: OptionalMoney,
  },
  insurance: { required: OptionalFlag, none_found: OptionalFlag, min_coverage: OptionalMoney },
  portal: { kind: Schema.Literals(["evisa", "eta", "arrival", "application", "policy"]) },
  photo: {
    width_mm: OptionalInt,
    height_mm: OptionalInt,
    background: Schema.optionalKey(Schema.Literals(["white", "light"])),
    glasses_allowed: OptionalFlag,
    head_covering_allowed: OptionalFlag,
  },
  extension: {
    possible: Schema.Boolean,
    max_days: OptionalInt,
    fee: OptionalMoney,
    where: Schema.optionalKey(Schema.Literals(["immigration_office", "online"])),
  },
  overstay: {
    fine_per_day: OptionalMoney,
    fine_max: OptionalMoney,
    bans: Schema.optionalKey(
      Schema.Array(Schema.Struct({ after_days: OptionalInt, years: Schema.Int, up_to: OptionalFlag })),
    ),
    criminal: OptionalFlag,
  },
  "yellow-fever": {
    risk: Schema.Boolean,
    certificate: Schema.optionalKey(Schema.Literals(["all_travellers", "from_risk_countries", "none"])),
    from_months: OptionalInt,
  },
  safety: {
    issuer: Schema.Literals(["usa", "gbr", "irl"]),
    level: Schema.optionalKey(Schema.Literals([1, 2, 3, 4])),
    status: Schema.optionalKey(
      Schema.Literals([
        "no_warning",
        "normal_precautions",
        "high_caution",
        "avoid_nonessential",
        "avoid_nonessential_parts",
        "avoid_all",
        "avoid_all_parts",
      ]),
    ),
    issued_on: OptionalText,
  },
  minors: { rule: Schema.Literals(MINOR_RULES) },
  customs: { declare_cash: OptionalMoney, cigarettes: OptionalInt, spirits_litres: Schema.optionalKey(Schema.Finite) },
  "dual-nationality": { rule: Schema.Literals(["own_passport", "not_recognised"]) },
  stamps: { of: Text },
  "remote-work": {
    available: OptionalFlag,
    months: OptionalInt,
    income_monthly: OptionalMoney,
    income_yearly: OptionalMoney,
    savings: OptionalMoney,
    employer_abroad: OptionalFlag,
    fee: OptionalMoney,
  },
  issuing: { country: Text },
  languages: { tags: Schema.Array(Text) },
} as const

/** Every subject that has a file in `data/destinations/`. */
export type SubjectFile = keyof typeof subjectFields

/** The names of the files in `data/destinations/`, without ending. */
export const SUBJECT_FILES = Object.keys(subjectFields) as readonly SubjectFile[]

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
  /** The fields of the subject. */
  readonly [field: string]: unknown
}

/** The schema of a subject's file. */
export function subjectSchema(subject: SubjectFile): Schema.ConstraintDecoder<readonly FactRecord[]> {
  const fields: Schema.Struct.Fields = { ...scope, ...subjectFields[subject], ...provenance }
  return Schema.Array(Schema.Struct(fields)) as unknown as Schema.ConstraintDecoder<readonly FactRecord[]>
}

/** What a city is called in languages that do not call it by the name in the data. */
export const CityRecord = Schema.Struct({
  country: Text,
  name: Text,
  names: NamesField,
  source: MaybeText,
  verified_on: MaybeText,
})

export const MissionsRecord = Schema.Struct({
  operator: Text,
  source: Text,
  as_of: Text,
  verified_on: MaybeText,
  missions: Schema.Array(
    Schema.Struct({
      host: Text,
      kind: Text,
      city: OptionalText,
      website: OptionalText,
      phone: OptionalText,
      email: OptionalText,
      wikidata: OptionalText,
      closed: Schema.optionalKey(Schema.Struct({ on: OptionalText, source: Text, source_url: MaybeText, as_of: Text })),
    }),
  ),
})

export const HistoryRecord = Schema.Struct({
  destination: Text,
  source: Text,
  as_of: Text,
  verified_on: MaybeText,
  changes: Schema.Array(
    Schema.Struct({
      on: Text,
      from: Text,
      to: Text,
      days_before: OptionalInt,
      days_after: OptionalInt,
      after_ban: OptionalFlag,
      source: OptionalText,
      source_url: OptionalText,
      /** True where its own source, an authority, names the day; no table has to show it. */
      published: OptionalFlag,
      passports: Schema.Array(Text),
    }),
  ),
})

export type CityRecord = typeof CityRecord.Type
export type MissionsRecord = typeof MissionsRecord.Type
export type HistoryRecord = typeof HistoryRecord.Type
