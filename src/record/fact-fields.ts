/**
 * Which fields does a fact of each subject have, with which values?
 *
 * This is the one list of them. The types of facts (full-facts.ts), the check of a dataset's section (facts-section.ts) and, with names in
 * snake_case, the schemas of the files in `data/destinations/` are made from it. A field marked with `maybe` is absent if nothing is known.
 * Subjects are in the order in which a record lists its sources.
 */
import type { Money } from "../rules/conditions.ts"
import type { Language } from "./languages.ts"

// ---- Documents of an application

// Which documents can a checklist name?
//
// The slugs are published: a destination's own list names its documents by them, and each has a sentence in every language.

/** The slugs, in no order: a list has its own. */
export const DOCUMENTS = [
  "passport",
  "identity_card",
  "eta_approval",
  "e_visa_copy",
  "visa",
  "application_form",
  "photo",
  "purpose_of_journey",
  "accommodation",
  "means",
  "intention_to_leave",
  "passport_copy",
  "return_ticket",
  "itinerary",
  "employment",
  "residence",
  "invitation",
  "insurance",
  "yellow_fever_certificate",
  "mission_list",
] as const

/** One of {@link DOCUMENTS}. */
export type DocumentSlug = (typeof DOCUMENTS)[number]

// ---- Subjects

/** The kind of a field's value; numbers are within bounds, `number` is above zero. */
export type FactField = (
  | { readonly is: "text" | "date" | "code" | "url" | "flag" | "money" | "names" }
  | { readonly is: "integer"; readonly least: number; readonly most: number }
  | { readonly is: "number"; readonly most: number }
  | { readonly is: "word"; readonly words: readonly (string | number)[] }
  | { readonly is: "list"; readonly of: FactField }
  | { readonly is: "object"; readonly fields: FactFields }
) & { readonly optional?: true }

/** The fields of a fact, or of an object inside it, by the engine's names. */
export type FactFields = Readonly<Record<string, FactField>>

const kind = <const Is extends string>(is: Is) => ({ is })
const maybe = <const Field extends FactField>(field: Field): Field & { readonly optional: true } => ({
  ...field,
  optional: true,
})
const integer = (least: number, most: number) => ({ is: "integer", least, most }) as const
const words = <const Word extends string | number>(...all: readonly Word[]) => ({ is: "word", words: all }) as const
const list = <const Of extends FactField>(of: Of) => ({ is: "list", of }) as const
const object = <const Fields extends FactFields>(fields: Fields) => ({ is: "object", fields }) as const

const text = kind("text")
const date = kind("date")
const code = kind("code")
const flag = kind("flag")
const money = kind("money")
const days = integer(0, 36_500)
const months = integer(0, 1_200)
const years = integer(0, 200)
const millimetres = integer(1, 1_000)
const names = kind("names")

/** Rules for children at a border or in an application. */
const MINOR_RULES = [
  "parental_care",
  "consent_advised",
  "consent_alone",
  "consent_application",
  "birth_certificate",
  "no_consent",
] as const

/** The fields of each subject. */
export const FACT_FIELDS = {
  /** The name of the authorisation or visa that is applied for online. */
  programme: { name: text, names: maybe(names) },
  application: {
    /** A set of rules for visas that several destinations share. */
    regime: maybe(words("schengen")),
    /** How to apply, if a source says so; at a mission if it is absent. */
    channel: maybe(words("online", "online_and_centre", "online_and_interview")),
    /** The name of the form. */
    form: maybe(text),
    fingerprints: maybe(flag),
    earliestMonths: maybe(months),
    latestDays: maybe(days),
    standardDays: maybe(days),
    expressDays: maybe(days),
    rushDays: maybe(days),
    /** True where the days of decision are working days. */
    workingDays: maybe(flag),
    /** A stay is made longer only for force majeure, humanitarian or serious personal reasons. */
    exceptionalExtension: maybe(flag),
  },
  /** Documents to submit or show besides the passport, in the destination's own list and order. */
  documents: { documents: list(words(...DOCUMENTS)) },
  border: { entryExitSystem: flag },
  /** An authorisation that is announced for visitors who need no visa now. */
  plannedAuthorisation: {
    system: words("etias"),
    /** Its announced start, at the earliest. */
    notBefore: date,
    /** The first day on which it can be required, at the earliest. */
    requiredFrom: maybe(date),
    exempt: maybe(flag),
  },
  fee: {
    singleEntry: maybe(money),
    multipleEntry: maybe(money),
    /** The fee for children below an age, the youngest first. */
    children: maybe(list(object({ belowYears: years, fee: money }))),
    /** The fee for fingerprints and photo, if it is separate. */
    biometrics: maybe(money),
  },
  insurance: {
    /** False if a source says that none is required. */
    required: maybe(flag),
    /** True in addition if the source found no requirement, and does not say that there is none. */
    noneFound: maybe(flag),
    minCoverage: maybe(money),
  },
  portal: { kind: words("evisa", "eta", "arrival", "application", "policy") },
  /** A form that is filled in shortly before, or on, arrival; it is not a permission to travel. */
  arrivalForm: {
    name: text,
    names: maybe(names),
    /** `none` where a source says that there is no form, `none_found` where one that lists forms names none. */
    form: words("online", "paper", "none", "none_found"),
    mandatory: flag,
    url: maybe(kind("url")),
    /** The first day on which it can be filled in, counted back from the arrival. */
    earliestDays: maybe(days),
    fee: maybe(money),
    /** True where those who move freely, or come home, fill it in too. */
    everybody: maybe(flag),
    /** True if it asks about health. */
    health: maybe(flag),
    /** Passports whose holders fill in none. */
    exemptPassports: maybe(list(code)),
  },
  photo: {
    widthMm: maybe(millimetres),
    heightMm: maybe(millimetres),
    background: maybe(words("white", "light")),
    glassesAllowed: maybe(flag),
    headCoveringAllowed: maybe(flag),
  },
  extension: {
    possible: flag,
    /** The total number of days. */
    maxDays: maybe(days),
    /** How long the whole stay may be with it. */
    totalDays: maybe(days),
    /** True where all extensions together are not longer than the stay that was given. */
    atMostGiven: maybe(flag),
    /** How many days before the end of the permitted stay it is applied for at the latest. */
    latestDays: maybe(days),
    /** True where it is given for a special or urgent need only. */
    forSpecialNeed: maybe(flag),
    fee: maybe(money),
    where: maybe(words("immigration_office", "online")),
  },
  overstay: {
    finePerDay: maybe(money),
    fineMax: maybe(money),
    /** Entry bans, each from more days of overstay than the one before. */
    bans: maybe(list(object({ afterDays: maybe(days), years, upTo: maybe(flag) }))),
    criminal: maybe(flag),
  },
  yellowFever: {
    /** The World Health Organization lists a risk of transmission. */
    risk: flag,
    /** Who has to show a certificate; absent if it is not known whether anybody has to. */
    certificate: maybe(words("all_travellers", "from_risk_countries", "none")),
    fromMonths: maybe(months),
    /** The countries from which it is asked; those with a risk if absent. */
    countries: maybe(list(code)),
    /** True where not every arrival from there has to show it, or the country's own list was not read. */
    partly: maybe(flag),
  },
  safety: {
    issuer: words("usa", "gbr", "irl"),
    level: maybe(words(1, 2, 3, 4)),
    status: maybe(
      words(
        "no_warning",
        "normal_precautions",
        "high_caution",
        "avoid_nonessential",
        "avoid_nonessential_parts",
        "avoid_all",
        "avoid_all_parts",
      ),
    ),
    issuedOn: maybe(date),
  },
  minors: { rule: words(...MINOR_RULES) },
  customs: {
    /** The amount from which, or beyond which, cash has to be declared. */
    declareCash: maybe(money),
    /** Duty-free pieces. */
    cigarettes: maybe(integer(0, 10_000)),
    /** Duty-free litres of spirits. */
    spiritsLitres: maybe({ is: "number", most: 1_000 }),
  },
  dualNationality: { rule: words("own_passport", "not_recognised") },
  stamps: { of: code },
  remoteWork: {
    /** False for passports that cannot have it, though others can. */
    available: maybe(flag),
    months: maybe(months),
    incomeMonthly: maybe(money),
    incomeYearly: maybe(money),
    savings: maybe(money),
    employerAbroad: maybe(flag),
    fee: maybe(money),
  },
  /** The country whose missions issue visas for this territory. */
  issuing: { country: code },
  /** Languages are BCP 47 tags. */
  country: {
    capital: maybe(text),
    currency: maybe(text),
    languages: maybe(list(text)),
    timezone: maybe(text),
  },
} as const satisfies Readonly<Record<string, FactFields>>

type Names = { readonly [Code in Language]?: string }

type ValueOf<Field> = Field extends { readonly is: "list"; readonly of: infer Of }
  ? readonly ValueOf<Of>[]
  : Field extends { readonly is: "word"; readonly words: readonly (infer Word)[] }
    ? Word
    : Field extends { readonly is: "object"; readonly fields: infer Fields }
      ? ValuesOf<Fields>
      : Field extends { readonly is: "integer" | "number" }
        ? number
        : Field extends { readonly is: infer Is }
          ? Is extends "flag"
            ? boolean
            : Is extends "money"
              ? Money
              : Is extends "names"
                ? Names
                : string
          : never

type OptionalOf<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { readonly optional: true } ? Name : never
}[keyof Fields]

type ValuesOf<Fields> = { readonly [Name in Exclude<keyof Fields, OptionalOf<Fields>>]: ValueOf<Fields[Name]> } & {
  readonly [Name in OptionalOf<Fields>]?: ValueOf<Fields[Name]>
}

/** A kind of fact. */
export type Subject = keyof typeof FACT_FIELDS

/** The possible facts about a destination, by subject. */
export type SubjectFacts = { readonly [Of in Subject]: ValuesOf<(typeof FACT_FIELDS)[Of]> }

/** Every subject, in the order in which sources are listed. */
export const SUBJECTS = Object.keys(FACT_FIELDS) as readonly Subject[]
