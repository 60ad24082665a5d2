/**
 * Which fields does a record of the visa service have, with which values?
 *
 * The names below are the wire names (snake_case, and French inside `visa_types` and `extension`): the record is a published format, and
 * field-rows.ts and full.ts are the only places where the engine's names become these. The types of records and the schemas of the reference
 * are made from these tables. An unknown field is absent. `source_url`, `last_verified_at` and `visa_free_days` are null instead, as the
 * specification says, and so are the numbers and booleans of `health_requirements` and of `minor_rules`, because a client's default would be
 * an answer. Documents and tips are always present, as a list that may be empty. A field's table is that of the lowest plan that shows it,
 * which its row repeats.
 */

import { REQUIREMENTS } from "../codes.ts"
import { EVIDENCE_LEVELS, STALE_REASONS } from "../requirement/describe-pair.ts"
import {
  amount,
  count,
  type Fields,
  flag,
  type Given,
  type Kind,
  listOf,
  may,
  money,
  must,
  only,
  openRecord,
  orNull,
  anyText as text,
  word,
} from "../rules/table.ts"
import { MISSION_KINDS } from "./full-facts.ts"

type Made<F extends Fields> = Given<F, never>

/** A kind with what the reference says of it. */
const told = <Value>(is: Kind<Value>, about: string): Kind<Value> => ({ ...is, about })
/** A kind whose values have a name in the reference. */
const named = <Value>(name: string, is: Kind<Value>): Kind<Value> => ({ ...is, name })
const list = <Value>(is: Kind<Value>) => listOf(is, "entry")

const whole = count(0, 1_000_000)
const requirement = named("Requirement", word(REQUIREMENTS))
const texts = list(text)
const maybeText = orNull(text)
const ofMoney = { amount: must(amount), currency: must(text) }
const cost = named("Money", money)

// ---- The rule

const CONDITION = {
  /** A kind of `docs/data-rules.md`, `counted` (over which period days add up), `waiver` or `note`. */
  kind: must(told(text, "A kind of condition, or `waiver` or `note`.")),
  /** In the record's language; a note and a condition of kind `other` are in English. */
  text: must(text),
  source_url: must(maybeText),
}
/** A condition of a rule, or a waiver of it. */
export interface ConditionField extends Made<typeof CONDITION> {}

const SECOND_SOURCE = { source: must(text), source_url: must(maybeText), checked_on: must(text) }

const TERMS = {
  conditions: may<readonly ConditionField[]>(list(named("EntryCondition", openRecord(CONDITION)))),
  changed_since: may(
    told(
      openRecord({ on: must(text), source_url: must(maybeText) }),
      "An official log names a change of the entry rules that is newer than this record.",
    ),
  ),
  stay_basis: may(told(word(["table"]), "The days come from the imported table alone, and are not a maximum stay.")),
  ends_on: may(told(text, "The last day on which the rule is announced to hold, YYYY-MM-DD.")),
  after_expiry: may(
    told(only(true), "An earlier rule ended on `ended_on`, its last day, and nothing newer is recorded."),
  ),
  ended_on: may(text),
  corroborated: may(
    told(openRecord(SECOND_SOURCE), "A second source with the same answer, and the day on which it was read."),
  ),
  disputed: may(
    told(
      openRecord({
        ...SECOND_SOURCE,
        requirement: must(requirement),
        visa_free_days: must(orNull(whole)),
        because: may(text),
        open: may(only(true)),
      }),
      "A second source with another answer. `because` says in English why ours stands or what contradicts what; `open` is true if nothing decides between the two.",
    ),
  ),
  evidence: may(
    told(
      openRecord({ level: must(word(EVIDENCE_LEVELS)), on: may(text) }),
      "The evidence: `read` by us on the official page, `cited` by a compiler who names the page, or taken from a `table`; `on` is the day on which the page was last read.",
    ),
  ),
  age_days: may(
    told(whole, "Days since the last check of the page, of the table, or by a second source with the same answer."),
  ),
  stale: may(
    told(
      word(STALE_REASONS),
      "Why the answer may be outdated: its announced end has passed (`ended`), an official log names a later change (`changed_since`), or the last check is too long ago (`unchecked`).",
    ),
  ),
}
/** The additive fields of every answer about a pair; one with nothing to say is absent. */
export interface TermFields extends Made<typeof TERMS> {}

// ---- Parts of fields

const VISA_TYPE = {
  nom: must(text),
  /** The cost, or a text that none is recorded. */
  cout: must(text),
  duree: may(text),
  description: must(text),
}
/** One way to enter; the keys are French by specification, the texts are in the record's language. */
export interface VisaType extends Made<typeof VISA_TYPE> {}

const MISSION = {
  /** Its name in the record's language, with the country that it represents. */
  name: must(text),
  /** Its kind as a slug: `embassy`, `consulate_general`… */
  kind: must(word(MISSION_KINDS)),
  address: may(text),
  city: may(text),
  /** The country in which it is, by its name in the record's language. */
  country: must(text),
  phone: may(text),
  emergency_phone: may(text),
  email: may(text),
  website: may(text),
  as_of: must(text),
}
/** An embassy, consulate or other mission, as of `as_of`. */
export interface Mission extends Made<typeof MISSION> {}
const mission: Kind<Mission> = named(
  "Mission",
  told(openRecord(MISSION), "A mission as of a day; unknown fields are absent."),
)

const OPINION = { advisory: must(text), source: must(text), source_url: may(text), updated_at: may(text) }
/** A government's advice on travel to the destination. */
export interface SafetyOpinion extends Made<typeof OPINION> {}

const SAFETY = {
  level: may(word([1, 2, 3, 4])),
  others: may<readonly SafetyOpinion[]>(list(openRecord(OPINION))),
  ...OPINION,
}
/** The level is that of the U.S. Department of State; the others have no levels and are in `others`. */
export interface Safety extends Made<typeof SAFETY> {}

const CHANGE = {
  date: must(text),
  /** The change came after this day. */
  seen_after: may(
    told(text, "The day of the last table with another answer; absent if the date is not that of a table."),
  ),
  from: must(requirement),
  to: must(requirement),
  note: may(text),
  sources: may(
    told(
      list(openRecord({ name: must(text), url: must(maybeText) })),
      "The sources of the rule after the change; absent for a change in a table.",
    ),
  ),
}
/** One change of the pair's requirement, at the day it was first seen in a dated table or on which an installed rule began. */
export interface HistoryEntry extends Made<typeof CHANGE> {}

const SOURCE = {
  name: must(text),
  url: must(maybeText),
  /** The day that the publication describes, or null. */
  as_of: must(maybeText),
  /** The day on which we last read the facts there, or null. */
  verified_on: must(maybeText),
  /** The day on which the compiler who states them last read the page that it cites. */
  cited_on: may(text),
  /** The licence for reuse, if it is known. */
  licence: may(text),
  /** The list that it was read from, if its own page was not read. */
  recorded_in: may(text),
  fields: must(texts),
}
/** A publication that fields of this record rest on. */
export interface RecordSource extends Made<typeof SOURCE> {}

// ---- The record

const CORE = {
  passport: must(text),
  destination: must(text),
  requirement: must(requirement),
  visa_free_days: must(orNull(whole)),
  visa_required: must(flag),
  home: may(only(true)),
  requirement_status: may(word(["uncertain"])),
  source_url: must(maybeText),
  last_verified_at: must(maybeText),
  verified: must(flag),
  description: must(text),
  ...TERMS,
  documents_required: must(texts),
  process: may(texts),
  visa_types: may<readonly VisaType[]>(list(openRecord(VISA_TYPE))),
  /** Whether a stay can be extended; the keys are French by specification. */
  extension: may(openRecord({ possible: must(flag), cout: may(text), duree: may(text), lieu: may(text) })),
  tips: must(texts),
  country_info: may(openRecord({ currency: may(text), language: may(text), timezone: may(text), capital: may(text) })),
  sources: may<readonly RecordSource[]>(list(openRecord(SOURCE))),
}

const STARTER = {
  passport_validity_months: may(whole),
  visa_fee: may(
    openRecord({
      single_entry: may(cost),
      multiple_entry: may(cost),
      /** The fee for children below an age, the youngest first. */
      children: may(list(openRecord({ below_years: must(whole), ...ofMoney }))),
      /** The fee for fingerprints and photo, if it is separate. */
      biometrics: may(cost),
    }),
  ),
  processing_days: may(
    openRecord({
      standard: may(whole),
      express: may(whole),
      rush: may(whole),
      unit: must(word(["days", "working_days"])),
    }),
  ),
  best_apply_period: may(text),
  photo_specs: may(
    openRecord({
      width_mm: may(amount),
      height_mm: may(amount),
      background: may(text),
      glasses_allowed: may(flag),
      head_covering_allowed: may(flag),
    }),
  ),
  insurance_required: may(
    openRecord({
      required: must(flag),
      /** With a false `required`: the source found no requirement, and does not say that there is none. */
      none_found: may(flag),
      min_coverage: may(amount),
      currency: may(text),
    }),
  ),
  vaccinations_required: may(texts),
  /** Health requirements; null if it is not known whether there are any. */
  health_requirements: may(
    openRecord({
      covid_test: must(orNull(flag)),
      vaccination_proof: must(orNull(flag)),
      health_declaration: must(orNull(flag)),
      quarantine_days: must(orNull(whole)),
      ebola_screening: must(orNull(flag)),
      notes: must(texts),
    }),
  ),
  safety: may<Safety>(openRecord(SAFETY)),
  transit_visa: may(
    openRecord({
      required_for: may(texts),
      /** With `required_for`: false if further passports may be on a list that is not recorded. */
      complete: may(flag),
      /** With an empty `required_for`: how long a traveller may stay inside the transit area. */
      max_hours: may(whole),
      hubs: may(texts),
      source_url: may(text),
    }),
  ),
  /** Rules for children; null if they are not known. */
  minor_rules: may(
    openRecord({
      solo_travel_min_age: must(orNull(whole)),
      single_parent_letter_required: must(orNull(flag)),
      notarized_consent_required: must(orNull(flag)),
      notes: must(texts),
    }),
  ),
  /** What has to be declared on entry, and the duty-free amounts. */
  customs: may(openRecord({ declare_cash: may(cost), cigarettes: may(whole), spirits_litres: may(amount) })),
  dual_nationality_warnings: may(texts),
  stamp_warnings: may(texts),
  overstay_penalty: may(
    openRecord({ fine_per_day: may(cost), ban_days: may(whole), criminal: may(flag), details: must(text) }),
  ),
  entry_by_mode: may(openRecord({ air: may(text), land: may(text), sea: may(text) })),
  extension_rules: may(openRecord({ possible: must(flag), max_days: may(whole), fee: may(cost), where: may(text) })),
  /** The mission to contact in each direction: for help there, and to apply. */
  embassy: may(
    openRecord({
      /** The mission of the passport's country in the destination. */
      your_embassy_at_destination: may(mission),
      /** The mission of the destination in the passport's country. */
      visa_application_embassy: may(mission),
    }),
  ),
  /** All known missions, those of `embassy` among them. */
  embassies: may(openRecord({ at_destination: may(list(mission)), to_apply: may(list(mission)) })),
}

const PRO = {
  remote_work_visa: may(
    openRecord({ available: must(flag), duration_months: may(whole), fee: may(cost), requirements: may(texts) }),
  ),
  reciprocity_history: may<readonly HistoryEntry[]>(list(openRecord(CHANGE))),
}

/** The fields that every plan shows. */
export interface CoreFields extends Made<typeof CORE> {}
/** The fields of the plan `starter` and above; of the missions it shows those to apply to, and `pro` both directions. */
export interface StarterFields extends Made<typeof STARTER> {}
/** The fields of the plan `pro` and above. */
export interface ProFields extends Made<typeof PRO> {}
/** The full visa record of one pair in one language. */
export interface FullRecord extends CoreFields, StarterFields, ProFields {}

/** Every field of the record; field-rows.ts has their order. */
export const RECORD_FIELDS = { ...CORE, ...STARTER, ...PRO }

// ---- What a plan does not show

const STUB = { upgrade: must(text), upgrade_url: must(text) }
/** Replaces a field that the plan does not show. */
export interface UpgradeStub extends Made<typeof STUB> {}
/** {@link UpgradeStub} as a kind of values. */
export const UPGRADE_STUB: Kind<UpgradeStub> = named(
  "UpgradeStub",
  told(openRecord(STUB), "Replaces a field that the plan does not show."),
)

const PREVIEW = {
  documents_required: must(whole),
  process_steps: must(whole),
  embassy_info: must(flag),
  transit_visa: must(flag),
  visa_fees: must(flag),
  vaccinations: must(whole),
  dual_nationality_warnings: must(whole),
  reciprocity_history: must(whole),
  best_apply_period: must(flag),
  passport_validity_months: must(flag),
  /** Absent where no government's advice is recorded. */
  safety_advisory: may(text),
  languages: must(whole),
  upgrade_url: must(text),
}
/** The contents of the full record, in numbers, for the offer of an upgrade. */
export interface UpgradePreview extends Made<typeof PREVIEW> {}

/** The fields of the quick check of one pair. */
export const CHECK_FIELDS = {
  passport: CORE.passport,
  destination: CORE.destination,
  requirement: CORE.requirement,
  requirement_status: CORE.requirement_status,
  visa_free_days: must(told(orNull(whole), "Allowed stay in days; null when it is not a fixed number.")),
  visa_required: must(told(flag, "False exactly for visa_free and eta.")),
  home: CORE.home,
  ...TERMS,
  /** The day on which we last read the rule on its own page (`YYYY-MM-DD`), or null. */
  last_verified: must(maybeText),
  _hint: must(text),
  _upgrade_preview: must<UpgradePreview>(told(openRecord(PREVIEW), "The contents of the full record, in numbers.")),
}
/** The quick check of one pair. */
export interface CheckRecord extends Made<typeof CHECK_FIELDS> {}
