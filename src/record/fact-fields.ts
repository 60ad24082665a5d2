/**
 * Which fields does a fact of each subject have, with which values?
 *
 * This is the one list of them. The types of facts (full-facts.ts), the check of a dataset's section (facts-section.ts) and, with names in
 * snake_case, the schemas of the files in `data/destinations/` are made from it. A field that may be left out is absent if nothing is known.
 */
import {
  code,
  codes,
  count,
  date,
  type Field,
  type Fields,
  flag,
  type Given,
  type Kind,
  kind,
  listOf,
  may,
  money,
  must,
  openRecord,
  text,
  texts,
  url,
  word,
} from "../rules/table.ts"
import { LANGUAGES, type Language } from "./languages.ts"

// ---- Documents of an application

// Which documents can a checklist name?
//
// The slugs are published: a destination's own list names its documents by them, and each has a sentence in every language.

/** The slugs, in no order: a list has its own. */
const DOCUMENTS = [
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

const months = count(0, 1_200)
const days = count(0, 36_500)
const years = count(0, 200)
const millimetres = count(1, 1_000)
const litres = kind<number>(
  "a number of litres above 0, at most 1000",
  "amount",
  value => typeof value === "number" && value > 0 && value <= 1_000,
)
/** Words of the data. */
const words = <const Word extends string | number>(...all: readonly Word[]) => word(all)
const country = code("destinations")
const countries = codes("destinations")
/** A name by language, where it is another than the first. */
const names = openRecord(
  Object.fromEntries(LANGUAGES.map(language => [language, may(text)])) as Readonly<
    Record<Language, Field<string, false, null>>
  >,
)

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
const FACT_FIELDS = {
  /** The name of the authorisation or visa that is applied for online. */
  programme: { name: must(text), names: may(names) },
  application: {
    /** A set of rules for visas that several destinations share. */
    regime: may(words("schengen")),
    /** How to apply, if a source says so; at a mission if it is absent. */
    channel: may(words("online", "online_and_centre", "online_and_interview")),
    /** The name of the form. */
    form: may(text),
    fingerprints: may(flag),
    earliestMonths: may(months),
    latestDays: may(days),
    standardDays: may(days),
    expressDays: may(days),
    rushDays: may(days),
    /** True where the days of decision are working days. */
    workingDays: may(flag),
    /** A stay is made longer only for force majeure, humanitarian or serious personal reasons. */
    exceptionalExtension: may(flag),
  },
  /** Documents to submit or show besides the passport, in the destination's own list and order. */
  documents: { documents: must(listOf(words(...DOCUMENTS), "document")) },
  border: { entryExitSystem: must(flag) },
  /** An authorisation that is announced for visitors who need no visa now. */
  plannedAuthorisation: {
    system: must(words("etias")),
    /** Its announced start, at the earliest. */
    notBefore: must(date),
    /** The first day on which it can be required, at the earliest. */
    requiredFrom: may(date),
    exempt: may(flag),
  },
  fee: {
    singleEntry: may(money),
    multipleEntry: may(money),
    /** The fee for children below an age, the youngest first. */
    children: may(listOf(openRecord({ belowYears: must(years), fee: must(money) }), "fee")),
    /** The fee for fingerprints and photo, if it is separate. */
    biometrics: may(money),
  },
  insurance: {
    /** False if a source says that none is required. */
    required: may(flag),
    /** True in addition if the source found no requirement, and does not say that there is none. */
    noneFound: may(flag),
    minCoverage: may(money),
  },
  portal: { kind: must(words("evisa", "eta", "arrival", "application", "policy")) },
  /** A form that is filled in shortly before, or on, arrival; it is not a permission to travel. */
  arrivalForm: {
    name: must(text),
    names: may(names),
    /** `none` where a source says that there is no form, `none_found` where one that lists forms names none. */
    form: must(words("online", "paper", "none", "none_found")),
    mandatory: must(flag),
    url: may(url),
    /** The first day on which it can be filled in, counted back from the arrival. */
    earliestDays: may(days),
    fee: may(money),
    /** True where those who move freely, or come home, fill it in too. */
    everybody: may(flag),
    /** True if it asks about health. */
    health: may(flag),
    /** Passports whose holders fill in none. */
    exemptPassports: may(countries),
  },
  photo: {
    widthMm: may(millimetres),
    heightMm: may(millimetres),
    background: may(words("white", "light")),
    glassesAllowed: may(flag),
    headCoveringAllowed: may(flag),
  },
  extension: {
    possible: must(flag),
    /** The total number of days. */
    maxDays: may(days),
    /** How long the whole stay may be with it. */
    totalDays: may(days),
    /** True where all extensions together are not longer than the stay that was given. */
    atMostGiven: may(flag),
    /** How many days before the end of the permitted stay it is applied for at the latest. */
    latestDays: may(days),
    /** True where it is given for a special or urgent need only. */
    forSpecialNeed: may(flag),
    fee: may(money),
    where: may(words("immigration_office", "online")),
  },
  overstay: {
    finePerDay: may(money),
    fineMax: may(money),
    /** Entry bans, each from more days of overstay than the one before. */
    bans: may(listOf(openRecord({ afterDays: may(days), years: must(years), upTo: may(flag) }), "ban")),
    criminal: may(flag),
  },
  yellowFever: {
    /** The World Health Organization lists a risk of transmission. */
    risk: must(flag),
    /** Who has to show a certificate; absent if it is not known whether anybody has to. */
    certificate: may(words("all_travellers", "from_risk_countries", "none")),
    fromMonths: may(months),
    /** The countries from which it is asked; those with a risk if absent. */
    countries: may(countries),
    /** True where not every arrival from there has to show it, or the country's own list was not read. */
    partly: may(flag),
  },
  safety: {
    issuer: must(words("usa", "gbr", "irl")),
    level: may(words(1, 2, 3, 4)),
    status: may(
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
    issuedOn: may(date),
  },
  minors: { rule: must(words(...MINOR_RULES)) },
  customs: {
    /** The amount from which, or beyond which, cash has to be declared. */
    declareCash: may(money),
    /** Duty-free pieces. */
    cigarettes: may(count(0, 10_000)),
    /** Duty-free litres of spirits. */
    spiritsLitres: may(litres),
  },
  stamps: { of: must(country) },
  remoteWork: {
    /** False for passports that cannot have it, though others can. */
    available: may(flag),
    months: may(months),
    incomeMonthly: may(money),
    incomeYearly: may(money),
    savings: may(money),
    employerAbroad: may(flag),
    fee: may(money),
  },
  /** The country whose missions issue visas for this territory. */
  issuing: { country: must(country) },
  /** Languages are BCP 47 tags. */
  country: {
    capital: may(text),
    currency: may(text),
    languages: may(texts),
    timezone: may(text),
  },
} as const satisfies Readonly<Record<string, Fields>>

/** A kind of fact. */
export type Subject = keyof typeof FACT_FIELDS

/** The possible facts about a destination, by subject. */
export type SubjectFacts = { readonly [Of in Subject]: Given<(typeof FACT_FIELDS)[Of], never> }

/** The kind of a fact's value, by subject, in the order in which a record lists its sources. */
export const FACT_KINDS = Object.fromEntries(
  Object.entries<Fields>(FACT_FIELDS).map(([subject, fields]) => [subject, openRecord(fields)]),
) as unknown as { readonly [Of in Subject]: Kind<SubjectFacts[Of]> }

/** The value of a fact in the file of languages, which become part of the country. */
export const LANGUAGE_TAGS = openRecord({ tags: must(texts) })
