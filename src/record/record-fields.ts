/**
 * Which fields does a record of the visa service have, with which values?
 *
 * The names below are the wire names (snake_case, and French inside `visa_types` and `extension`): the record is a published format, and
 * field-rows.ts and full.ts are the only places where the engine's names become these. An unknown field is absent. `source_url`,
 * `last_verified_at` and `visa_free_days` are null instead, as the specification says, and so are the numbers and booleans of
 * `health_requirements` and of `minor_rules`, because a client's default would be an answer. Documents and tips are always present, as a
 * list that may be empty. A field's interface is that of the lowest plan that shows it, which its row repeats.
 */

import type { Requirement } from "../dataset/requirement.ts"
import type { Money } from "../rules/table.ts"
import type { TermFields } from "./conditions.ts"
import type { MissionKind } from "./missions.ts"

/** One way to enter; the keys are French by specification, the texts are in the record's language. */
export interface VisaType {
  readonly nom: string
  /** The cost, or a text that none is recorded. */
  readonly cout: string
  readonly duree?: string
  readonly description: string
}

/** Whether a stay can be extended; the keys are French by specification. */
interface Extension {
  readonly possible: boolean
  readonly cout?: string
  readonly duree?: string
  readonly lieu?: string
}

/** An embassy, consulate or other mission, as of `as_of`. */
export interface Mission {
  /** Its name in the record's language, with the country that it represents. */
  readonly name: string
  /** Its kind as a slug: `embassy`, `consulate_general`… */
  readonly kind: MissionKind
  readonly address?: string
  readonly city?: string
  /** The country in which it is, by its name in the record's language. */
  readonly country: string
  readonly phone?: string
  readonly emergency_phone?: string
  readonly email?: string
  readonly website?: string
  readonly as_of: string
}

/** The mission to contact in each direction: for help there, and to apply. */
interface Embassy {
  /** The mission of the passport's country in the destination. */
  readonly your_embassy_at_destination?: Mission
  /** The mission of the destination in the passport's country. */
  readonly visa_application_embassy?: Mission
}

/** All known missions, those of {@link Embassy} among them. */
interface Embassies {
  readonly at_destination?: readonly Mission[]
  readonly to_apply?: readonly Mission[]
}

/** Health requirements; null if it is not known whether there are any. */
interface HealthRequirements {
  readonly covid_test: boolean | null
  readonly vaccination_proof: boolean | null
  readonly health_declaration: boolean | null
  readonly quarantine_days: number | null
  readonly ebola_screening: boolean | null
  readonly notes: readonly string[]
}

/** Rules for children; null if they are not known. */
interface MinorRules {
  readonly solo_travel_min_age: number | null
  readonly single_parent_letter_required: boolean | null
  readonly notarized_consent_required: boolean | null
  readonly notes: readonly string[]
}

/** A government's advice on travel to the destination. */
export interface SafetyOpinion {
  readonly advisory: string
  readonly source: string
  readonly source_url?: string
  readonly updated_at?: string
}

/** The level is that of the U.S. Department of State; the others have no levels and are in `others`. */
export interface Safety extends SafetyOpinion {
  readonly level?: 1 | 2 | 3 | 4
  readonly others?: readonly SafetyOpinion[]
}

/** One change of the pair's requirement, at the day it was first seen in a dated table or on which an installed rule began. */
export interface HistoryEntry {
  readonly date: string
  /** The day of the last table that still showed another answer: the change came after it. Absent if the day is not that of a table. */
  readonly seen_after?: string
  readonly from: Requirement
  readonly to: Requirement
  readonly note?: string
  /** The sources of the rule after the change; absent for a table's. */
  readonly sources?: readonly { readonly name: string; readonly url: string | null }[]
}

/** A publication that fields of this record rest on. */
export interface RecordSource {
  readonly name: string
  readonly url: string | null
  /** The day that the publication describes, or null. */
  readonly as_of: string | null
  /** The day on which we last read the facts there, or null. */
  readonly verified_on: string | null
  /** The day on which the compiler who states them last read the page that it cites. */
  readonly cited_on?: string
  /** The licence for reuse, if it is known. */
  readonly licence?: string
  /** The list that it was read from, if its own page was not read. */
  readonly recorded_in?: string
  readonly fields: readonly string[]
}

/** The fields that every plan shows. */
export interface CoreFields extends TermFields {
  readonly passport: string
  readonly destination: string
  readonly requirement: Requirement
  readonly visa_free_days: number | null
  readonly visa_required: boolean
  readonly home?: true
  readonly requirement_status?: "uncertain"
  readonly source_url: string | null
  readonly last_verified_at: string | null
  readonly verified: boolean
  readonly description: string
  readonly documents_required: readonly string[]
  readonly process?: readonly string[]
  readonly visa_types?: readonly VisaType[]
  readonly extension?: Extension
  readonly tips: readonly string[]
  readonly country_info?: {
    readonly currency?: string
    readonly language?: string
    readonly timezone?: string
    readonly capital?: string
  }
  readonly sources?: readonly RecordSource[]
}

/** The fields of the plan `starter` and above; of the missions it shows those to apply to, and `pro` both directions. */
export interface StarterFields {
  readonly passport_validity_months?: number
  readonly visa_fee?: {
    readonly single_entry?: Money
    readonly multiple_entry?: Money
    /** The fee for children below an age, the youngest first. */
    readonly children?: readonly (Money & { readonly below_years: number })[]
    /** The fee for fingerprints and photo, if it is separate. */
    readonly biometrics?: Money
  }
  readonly processing_days?: {
    readonly standard?: number
    readonly express?: number
    readonly rush?: number
    readonly unit: "days" | "working_days"
  }
  readonly best_apply_period?: string
  readonly photo_specs?: {
    readonly width_mm?: number
    readonly height_mm?: number
    readonly background?: string
    readonly glasses_allowed?: boolean
    readonly head_covering_allowed?: boolean
  }
  readonly insurance_required?: {
    readonly required: boolean
    /** With a false `required`: the source found no requirement, and does not say that there is none. */
    readonly none_found?: boolean
    readonly min_coverage?: number
    readonly currency?: string
  }
  readonly vaccinations_required?: readonly string[]
  readonly health_requirements?: HealthRequirements
  readonly safety?: Safety
  readonly transit_visa?: {
    readonly required_for?: readonly string[]
    /** With `required_for`: false if further passports may be on a list that is not recorded. */
    readonly complete?: boolean
    /** With an empty `required_for`: how long a traveller may stay inside the transit area. */
    readonly max_hours?: number
    readonly hubs?: readonly string[]
    readonly source_url?: string
  }
  readonly minor_rules?: MinorRules
  /** What has to be declared on entry, and the duty-free amounts. */
  readonly customs?: { readonly declare_cash?: Money; readonly cigarettes?: number; readonly spirits_litres?: number }
  readonly dual_nationality_warnings?: readonly string[]
  readonly stamp_warnings?: readonly string[]
  readonly overstay_penalty?: {
    readonly fine_per_day?: Money
    readonly ban_days?: number
    readonly criminal?: boolean
    readonly details: string
  }
  readonly entry_by_mode?: { readonly air?: string; readonly land?: string; readonly sea?: string }
  readonly extension_rules?: {
    readonly possible: boolean
    readonly max_days?: number
    readonly fee?: Money
    readonly where?: string
  }
  readonly embassy?: Embassy
  readonly embassies?: Embassies
}

/** The fields of the plan `pro` and above. */
export interface ProFields {
  readonly remote_work_visa?: {
    readonly available: boolean
    readonly duration_months?: number
    readonly fee?: Money
    readonly requirements?: readonly string[]
  }
  readonly reciprocity_history?: readonly HistoryEntry[]
}

/** The full visa record of one pair in one language. */
export interface FullRecord extends CoreFields, StarterFields, ProFields {}

/** Replaces a field that the plan does not show. */
export interface UpgradeStub {
  readonly upgrade: string
  readonly upgrade_url: string
}

/** Fields that published clients read as a list, a number or a text only: a plan that does not show them leaves them out. */
export const FIELDS_WITHOUT_STUB = [
  "reciprocity_history",
  "vaccinations_required",
  "dual_nationality_warnings",
  "best_apply_period",
  "passport_validity_months",
] as const satisfies readonly (keyof (StarterFields & ProFields))[]

/** A record as a plan shows it: the core fields, and stubs or values for the others. */
export type GatedRecord = CoreFields & {
  readonly [Field in keyof (StarterFields & ProFields)]?:
    | (StarterFields & ProFields)[Field]
    | (Field extends (typeof FIELDS_WITHOUT_STUB)[number] ? never : UpgradeStub)
}

/** The contents of the full record, in numbers, for the offer of an upgrade. */
export interface UpgradePreview {
  readonly documents_required: number
  readonly process_steps: number
  readonly embassy_info: boolean
  readonly transit_visa: boolean
  readonly visa_fees: boolean
  readonly vaccinations: number
  readonly dual_nationality_warnings: number
  readonly reciprocity_history: number
  readonly best_apply_period: boolean
  readonly passport_validity_months: boolean
  /** Absent where no government's advice is recorded. */
  readonly safety_advisory?: string
  readonly languages: number
  readonly upgrade_url: string
}

/** The quick check of one pair. */
export interface CheckRecord extends TermFields {
  readonly passport: string
  readonly destination: string
  readonly requirement: Requirement
  readonly visa_free_days: number | null
  readonly visa_required: boolean
  readonly home?: true
  readonly requirement_status?: "uncertain"
  /** The day on which we last read the rule on its own page (`YYYY-MM-DD`), or null. */
  readonly last_verified: string | null
  readonly _hint: string
  readonly _upgrade_preview: UpgradePreview
}
