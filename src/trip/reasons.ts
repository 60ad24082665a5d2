/**
 * What can a decision find, what does each finding weigh, and how is it said?
 *
 * The one catalogue: every code stands under its weight, with its English sentence (the placeholders are explained below). The other languages
 * have the same codes and placeholders in `data/locales`, which compiling checks. A code without a weight or a sentence does not compile, nor does one
 * without the parameters that its sentence writes, so a gap that nobody weighed cannot be harmless. Answers name the codes of this catalogue.
 */

import type { Requirement } from "../codes.ts"

/** Why a field is not known that changes nothing. */
const SETTLED = {
  stay_set_by_permit: "The stay depends on the visa or permit that is issued.",
  stay_moves_freely: "Freedom of movement names no number of days.",
  stay_set_by_document: "The stay depends on the document that is held.",
  validity_for_visitors: "Rules of passport validity bind visitors only.",
  todays_rule: "The zone's rule is of 2013-10-18; earlier stays are counted by it too.",
  document_assumed: "Assumed: {>document} is valid for such a visit and the whole stay.",
  not_modelled: "This changes nothing here.",
} as const

/** Every code with its English sentence, by its weight. */
export const REASONS = {
  // Nobody enters so.
  blocks: {
    no_admission: "{destination country} admits no holders of {passport country} passports.",
    visa_suspended:
      "{destination country} issues no visitor visas to holders of {passport country} passports: {visas} are suspended.",
    purpose_not_covered:
      "{destination country} admits by this rule only for {purposes purpose or}, not for {purpose purpose}.",
    entry_point_closed: "{destination country} admits by this rule only by {borders word or}, not by {by word}.",
    own_passport_needed:
      "{destination country} asks its own citizens to enter on the {own country} passport, and gives no visa or authorisation for the {passport country} one.",
    barred:
      "{destination country} admits no tourists with {passport country} passports at its border, also not on a visa of another Schengen state. Close relatives and some others are exempt.",
    stay_exceeded:
      "[{until?}The stay ends on {by date}: {>document} is valid until {until date}|{kind?}{days days} by {by date} under {>document}: it allows {allowed}|{counting=accumulated}{>counted}, over all visits inside {window days}: {allowed} are allowed, and no rule is recorded that counts anew|{counting=admission}{days days} by {by date} since the admission to {destination country}, which visits to its neighbours did not end: {allowed} are allowed|{>counted}: {allowed} are allowed[{counting=rolling} in any {window}|{counting=per_entry} from one entry on|{counting=calendar_year} in a calendar year|{counting=per_year_of_entry} in the year that begins with the first entry|]].",
    zone_stay_exceeded:
      "{days days} in the {name zone} by {by date}: {allowed} are allowed [in any {window}|from entry to exit].[ An extension can be asked for: {agreement}.]",
    passport_expired: "The {passport country} passport expires on {expiry date}, before the arrival on {arrival date}.",
    passport_validity_short:
      "[{years?}The {passport country} passport was issued on {issued date}: {destination country} asks for less than {years years} before the arrival|The {passport country} passport expires on {expiry date}: {destination country} asks that it be valid {>validity}].",
    passport_expires_before_exit:
      "The {passport country} passport expires on {expiry date}, before the exit on {exit date}.",
    transit_not_permitted:
      "[{because=passport}To change in {destination country} is to enter it, which is not possible on the {passports country or} passport.|{destination country} lets holders of {passports country and} passports change there only with a visa.]",
  },
  // It has to be had or done before departure.
  obtain: {
    eta: "A travel authorisation is needed before travel{>unused}.",
    e_visa: "An electronic visa is needed before travel{>unused}.",
    visa_required: "A visa is needed before travel{>unused}.",
    held_document: "One of these documents is needed: {documents document ;}.",
    registration:
      "A registration is needed [at least {hours} hours before the arrival|before travel]: {name}[, for {amount money}][ ({url})].",
    gateway_visa:
      "The way leads through {states state}: whoever needs a visa there needs it too[, for {entries} entries].",
    sponsor: "Somebody else has to apply for the traveller: {by sponsor or}.",
    special_document: "This document is needed instead of the passport: {name}.",
    bond: "A bond of {least money}[ to {most money}] may be asked for, paid back on leaving in time.",
    bring: "To be shown: {proofs proof and}.",
    arrival_form: "Fill in an arrival form[ ({name})] online before the arrival[, from {opens date} on].",
    insurance: "Travel medical insurance for the whole stay is needed.",
    vaccination: "A yellow fever certificate is needed[ from the age of {months months}].",
  },
  // It decides, and only a person can see it.
  check: {
    check_permitted_stay: "{>counted}: a general table names {allowed}; check the stay on the visa.",
    check_held_document:
      "With {>document} the entry would be possible {requirement way}[ for {days days}][, if {>checks}].",
    check_exemption:
      "{destination country} refuses holders of this passport; {>document} exempts from it if [it was issued before {before date}|it is permanent].",
    earlier_overstay:
      "{days days} by {by date} in an earlier stay, where {allowed} are allowed today: entry may be refused.",
    entry_points: "Entry is possible only [by {borders word or}, at {names}|by {borders word or}|at {names}].",
    purpose: "Only for {purposes purpose or}.",
    group: "Only in groups of at least {least} people.",
    passport_kind: "The passport has to be of this kind: {features feature}.",
    age: "Only for people [from {least} up to {most}|from {least}|up to {most}] years of age.",
    own_passport:
      "{destination country} treats its citizens only as its own: use its passport, or check whether it admits you on the {passport country} one.",
    expired_accepted:
      "The {passport country} passport has expired. {destination country} accepts it, but carriers may not.",
    residents_only: "Only for people who live in the country that issued the document: {passport country}.",
    authorisation_announced:
      "A travel authorisation (ETIAS) is announced, not before {from date}: check before travel whether it is needed.",
    check_vaccination:
      "A yellow fever certificate is needed[ from the age of {months months}] on a journey from or through {country country}: check before travel.",
    suspension: "Visas of these classes are not issued to holders of this passport: {visas}.",
    other: "{text}",
  },
  // It decides nothing: it is to do on arrival, another rule settles it, or no rule for visitors binds.
  info: {
    visa_on_arrival: "A visa is issued on arrival{>unused}.",
    entry_exit_system: "The border registers the face and, without a visa, fingerprints (EES): no application, no fee.",
    arrival_form_paper: "Fill in the arrival form handed out on the way or on arrival.",
    visa_instead:
      "Instead of the entry {asked way}, {destination country} asks for a visa of [{because=passport}holders of passports {features lacking or}|{because=presence}a traveller who was in {country country} on {seen date}, after {since date}|a traveller who is a national of {country country}].",
    border_control: "{states state} controls the border, and its own rules of entry apply there.",
    not_enforced: "The law asks for it, and [the border by {borders word and} does|the borders do] not check it.",
    exempt:
      "It does not concern [{who exempt}, holders of visas issued before {before date}|{who exempt}|holders of visas issued before {before date}].",
    asked_at: "It is asked of arrivals by {borders word or} only. Others enter {elsewhere way}.",
    also: "The same entry can also be had in another way: {requirement way}[, if this is so: {remark inside}].",
    ...SETTLED,
  },
  // No rule says what it depends on.
  unknown: {
    stay_not_recorded: "No number of days is recorded for this stay.",
    end_not_given: "The last day of the stay is not given.",
    stay_refused: "There is no stay without admission.",
    treaty_left: "The entry rests on a treaty that one of the countries has left.",
    disputed: "Sources contradict each other about what is needed: {says}",
    answer_ended: "A rule was announced until {on date}, and nothing newer is recorded: check with the authorities.",
    answer_changed_since:
      "An official log names a newer change of the entry rules, on {on date}: check with the authorities.",
    zone_no_fixed_stay: "Days in the zone are counted for fixed visa-free stays only.",
    zone_other_stays: "Other days in the zone may count too.",
    zone_unclear_visa: "The class of the visa does not say whether its days count in the zone.",
    zone_own_stay: "This country's own stay is longer than the zone's, and all days were here.",
    zone_nationals: "Nationals of its states may stay longer than visitors: {zone}[ ({instrument})].",
    purpose_not_recorded: "Nothing is recorded here for this purpose of the journey.",
    no_validity_rule: "How long a passport has to be valid there is not recorded.",
    validity_not_named: "How long this passport has to be valid there is not recorded.",
    permitted_stay_not_known: "The passport has to outlast the permitted stay, which is not known.",
    expiry_not_given: "The passport's expiry date is not given.",
    issue_date_not_given: "The passport's issue date is not given.",
    no_transit_rule: "No transit rule is recorded for this country.",
    transit_not_named: "The transit rules of this country do not name this passport.",
    transit_area_not_given:
      "Whether the change stays inside the international area is not given; it is permitted there only.",
    transit_day_not_given: "The day of the change is not given; it is not permitted on every day of the journey.",
    transit_conditional: "A transit visa is needed under this condition: {condition}.",
    transit_limits:
      "The change is permitted under these conditions: [at most {hours} hours, {condition}|at most {hours} hours|{condition}].",
    transit_document_to_check: "With {>document} the change is permitted, if [{>checks}|it is issued and valid].",
    transit_visa_to_obtain:
      "The change is permitted with the visa of {destination country} for a stop, if it is issued for it.",
    transit_needs_entry:
      "To leave the international area is to enter {destination country}, which is possible {requirement way} and depends on more.",
    no_passport_record: "No passport with this code is recorded.",
    passport_kind_not_recorded: "No rule is recorded here for this kind of passport.",
    stay_counted_nowhere: "No destination with this code is recorded.",
    imported_past: "What was needed then is what {source} has from {by date} to {until date}; it was not verified.",
    rule_seen_between:
      "Last seen on {after date}: {earlier past}; first seen on {by date}: {later past}. Which of the two held between is not known.",
    stay_seen_between:
      "Last seen on {after date}: {earlier stay}; first seen on {by date}: {later stay}. Which of the two held between is not known.",
    past_word: "The lists of that time say {word past}, which does not name one requirement of today.",
    no_rule_of_that_day: "Rules of this kind are not recorded for past days.",
    stay_rule_of_today: "The stay rule of that day is not recorded; today's rule counts the days.",
    // The lookup says in `message` what exactly is not recorded.
    no_rule: "[{message}|{>no_rule}]",
    unknown_passport: "[{message}|{>unknown_passport}]",
    unknown_destination: "[{message}|{>unknown_destination}]",
    before_dataset: "[{message}|{>no_rule}.]",
    before_history: "[{message}|{>no_rule}.]",
    after_history: "[{message}|{>no_rule}.]",
  },
} as const

/** What codes mean besides their weight. */
const TRAITS = {
  /** They can hide no blocker, or only the document in hand says more: no rule for visitors binds, or it sets the stay. */
  harmless: ["stay_moves_freely", "validity_for_visitors", "stay_set_by_document", "permitted_stay_not_known"],
  /** They are to do on arrival. */
  onArrival: ["visa_on_arrival", "arrival_form_paper"],
  /** Nothing that can be obtained or done lets the traveller in on this passport. */
  closing: ["no_admission", "visa_suspended", "own_passport_needed", "barred"],
  /** They are asked of who passes the border, and not of who changes planes inside. */
  onEntry: [
    "bring",
    "arrival_form",
    "arrival_form_paper",
    "insurance",
    "vaccination",
    "check_vaccination",
    "entry_exit_system",
  ],
  /** Days are used up on one day, and may not be on another. */
  ofDays: ["stay_exceeded", "zone_stay_exceeded", "check_permitted_stay", "zone_other_stays"],
} as const satisfies Readonly<Record<string, readonly ReasonCode[]>>

/** Says whether a code means something besides its weight. */
export function isOf(trait: keyof typeof TRAITS, code: ReasonCode): boolean {
  return (TRAITS[trait] as readonly ReasonCode[]).includes(code)
}

/** What several sentences have in common, or others say too. */
export const PARTS = {
  no_rule: "Nothing is recorded for this pair. That means unknown, not that no visa is needed.",
  unknown_passport: "No passport with this code is recorded.",
  unknown_destination: "No destination with this code is recorded.",
  document: "[{held?}the|a] {kind held} of {issuer country}[{held?} that is held]",
  counted: "{days days} in {places country and} by {by date}",
  checks: "[{checks check and} and this is so: {remark inside}|{checks check and}|this is so: {remark inside}]",
  unused:
    "[{because=too_few_days}: with {>document} less is asked, for a stay of up to {days days}|{because=ended}: {>document} ended on {on date}|{because=begins}: {>document} begins on {on date}|{because=no_entry}: {>document} has no entry left|]",
  validity:
    "[{months=0}[{days=0}until|for {days days} after]|[{days=0}for {months months} after|for {months months} and {days days} after]] [{anchor=permitted_stay}the end of the permitted stay[ of {stayDays days}]|{anchor=arrival}arrival|departure]",
} as const

/** What has to be so for a document, by the term that asks for it. */
const CHECKS = {
  types: "its class is one that is accepted",
  typesExcept: "its class is one that is accepted",
  multipleEntry: "it is for several entries",
  usedBefore: "it was used before to enter the state that issued it",
  permanent: "it is permanent",
  physical: "it is on paper or a card",
  enteredIssuerFirst: "the traveller comes from the state that issued it, after having been admitted there",
  validDaysAfterEntry: "it is valid for long enough after the entry",
  validDaysAfterExit: "it is valid for long enough after the exit",
} as const

/** By kind: words that English sentences use for values. A word that is not listed is written as it is, with blanks. */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  check: CHECKS,
  held: { eta: "travel authorisation" },
  way: {
    visa_free: "without a visa",
    eta: "with a travel authorisation",
    visa_on_arrival: "with a visa on arrival",
    e_visa: "with an electronic visa",
    visa_required: "with a visa",
    no_admission: "none",
  },
  feature: { identity_number: "with an identity number", machine_readable: "machine-readable" },
  lacking: {
    biometric: "that are not biometric",
    identity_number: "without an identity number",
    machine_readable: "that are not machine-readable",
  },
}

type Weighed = typeof REASONS
type Texts = Weighed["blocks"] & Weighed["obtain"] & Weighed["check"] & Weighed["info"] & Weighed["unknown"]

/**
 * `blocks`: nobody enters so. `obtain`: it has to be had or done before departure. `check`: it decides, and only a person can see it.
 * `unknown`: no rule says what it depends on. `info`: it decides nothing.
 */
export type Weight = keyof Weighed
/** The codes of some weights. */
export type CodeOf<W extends Weight> = { [Each in W]: keyof Weighed[Each] }[W]
/** The code of a finding. */
export type ReasonCode = CodeOf<Weight>
/** The code of what can be obtained, checked or told. */
type AskedCode = Exclude<CodeOf<"obtain" | "check" | "info">, keyof typeof SETTLED>
/** Why a field is not known. */
type Missing = CodeOf<"unknown"> | keyof typeof SETTLED

/** The codes of blockers, as an answer names them. */
export const BLOCKER_CODES = /* @__PURE__ */ Object.keys(REASONS.blocks) as readonly CodeOf<"blocks">[]
/** The codes of conditions, likewise. */
export const CONDITION_CODES = /* @__PURE__ */ Object.keys({
  ...REASONS.obtain,
  ...REASONS.check,
  ...REASONS.info,
}).filter((code): code is AskedCode => !(code in SETTLED))
/** Parameters of any code; they have the same names on the wire. */
export type ReasonParams = { readonly [name: string]: string | number | null | readonly string[] }

/** For codes without parameters. */
export const NO_PARAMS: ReasonParams = Object.freeze({})

/** The class by which a stay is judged, and the page where it was read; absent where the document itself limits the stay. */
export interface CitedClass {
  readonly class?: string
  readonly page?: string | null
}

/** A document in a sentence: a held one, by its index, or the residence as a permit. */
export interface NamedDocument {
  readonly kind: string
  readonly issuer: string
  readonly held: number | null
}

/** Days counted at the places of one country. */
interface CountedDays {
  readonly destination: string
  readonly days: number
  readonly places: readonly string[]
  readonly by: string
  readonly allowed: number
}

/** What to obtain, with the held document of the destination that cannot be used, and why. */
type ToObtain =
  | { readonly destination: string }
  | (NamedDocument & {
      readonly destination: string
      readonly because: "ended" | "begins" | "no_entry"
      readonly on: string | null
    })
  | (NamedDocument & { readonly destination: string; readonly because: "too_few_days"; readonly days: number })

/** The traveller at a destination, by a passport. */
interface Holder {
  readonly destination: string
  readonly passport: string
}

/** A certificate of vaccination: from which age, because of which country if not of all travellers, and how long before the arrival at least. */
interface Vaccination {
  readonly destination: string
  readonly months: number | null
  readonly country: string | null
  readonly hours: number
}

/** What two lists around a day showed: words, or days of stay. */
interface SeenBetween<What> {
  readonly earlier: What
  readonly later: What
  readonly after: string
  readonly by: string
}

interface LookedUp {
  readonly message: string
}

/** A key that is no code of the catalogue does not compile. */
type OfCodes<Params extends { readonly [C in keyof Params]: C extends ReasonCode ? object : never }> = Params

/** The parameters of the codes that have some. */
type ParamsByCode = OfCodes<{
  no_admission: Holder
  visa_suspended: Holder & { readonly visas: readonly string[] }
  purpose_not_covered: {
    readonly destination: string
    readonly purpose: string
    readonly purposes: readonly string[]
  }
  entry_point_closed: {
    readonly destination: string
    readonly by: string
    readonly borders: readonly string[]
    readonly names: readonly string[]
  }
  own_passport_needed: Holder & { readonly own: string }
  barred: Holder
  stay_exceeded:
    | (CountedDays & { readonly counting: string; readonly window: number | null })
    | (NamedDocument & { readonly destination: string; readonly by: string } & (
          | { readonly until: string }
          | ({ readonly days: number; readonly allowed: number } & CitedClass)
        ))
  zone_stay_exceeded: {
    readonly days: number
    readonly zone: string
    readonly name: string
    readonly by: string
    readonly allowed: number
    readonly window: number | null
    /** The agreement under which it may be extended, and the days that it allows beside the zone's; null if it names none. */
    readonly agreement?: string
    readonly more?: number | null
  }
  passport_expired: { readonly passport: string; readonly expiry: string; readonly arrival: string }
  passport_validity_short: Holder &
    (
      | {
          readonly expiry: string
          readonly anchor: string
          readonly months: number
          readonly days: number
          /** The permitted days, if they matter; null if they are not known. */
          readonly stayDays?: number | null
        }
      | { readonly issued: string; readonly years: number; readonly expiry: string | null }
    )
  passport_expires_before_exit: { readonly passport: string; readonly expiry: string; readonly exit: string }
  transit_not_permitted: {
    readonly destination: string
    readonly passports: readonly string[]
    readonly because?: "passport"
  }
  eta: ToObtain
  visa_on_arrival: ToObtain
  e_visa: ToObtain
  visa_required: ToObtain
  check_permitted_stay: CountedDays
  check_held_document: NamedDocument & {
    readonly destination: string
    readonly requirement: Requirement
    readonly days: number | null
    readonly checks: readonly string[]
    readonly remark: string | null
  }
  check_exemption: NamedDocument & {
    readonly destination: string
    readonly who: readonly string[]
    readonly before: string | null
  }
  visa_instead: { readonly destination: string; readonly asked: Requirement } & (
    | { readonly because: "presence"; readonly country: string; readonly since: string; readonly seen: string }
    | { readonly because: "nationality"; readonly country: string }
    | { readonly because: "passport"; readonly features: readonly string[] }
  )
  earlier_overstay: {
    readonly destination: string
    readonly days: number
    readonly by: string
    readonly allowed: number
  }
  held_document: { readonly documents: readonly string[] }
  registration: {
    readonly name: string
    readonly url: string | null
    readonly hours: number | null
    readonly amount: number | null
    readonly currency: string | null
  }
  gateway_visa: { readonly states: readonly string[]; readonly entries: number | null }
  border_control: { readonly states: readonly string[] }
  sponsor: { readonly by: readonly string[] }
  special_document: { readonly name: string }
  not_enforced: { readonly borders: readonly string[] }
  exempt: { readonly who: readonly string[]; readonly before: string | null }
  suspension: { readonly visas: readonly string[] }
  bond: { readonly least: number; readonly most: number | null; readonly currency: string }
  entry_points: { readonly names: readonly string[]; readonly borders: readonly string[] }
  asked_at: {
    readonly destination: string
    readonly borders: readonly string[]
    readonly elsewhere: Requirement
  }
  purpose: { readonly purposes: readonly string[] }
  group: { readonly least: number }
  bring: { readonly proofs: readonly string[] }
  arrival_form: { readonly destination: string; readonly opens: string | null; readonly name?: string }
  arrival_form_paper: { readonly destination: string }
  entry_exit_system: { readonly destination: string }
  insurance: { readonly destination: string }
  vaccination: Vaccination
  check_vaccination: Vaccination
  own_passport: Holder
  expired_accepted: Holder
  residents_only: Holder
  authorisation_announced: { readonly destination: string; readonly from: string }
  passport_kind: { readonly features: readonly string[] }
  age: { readonly least: number | null; readonly most: number | null }
  also: { readonly requirement: Requirement; readonly remark: string | null }
  other: { readonly text: string }
  disputed: { readonly says: string }
  answer_ended: { readonly on: string }
  answer_changed_since: { readonly on: string }
  zone_nationals: { readonly zone: string; readonly instrument: string | null }
  transit_conditional: { readonly condition: string }
  transit_limits: { readonly hours: number | null; readonly condition: string | null }
  document_assumed: NamedDocument
  transit_document_to_check: NamedDocument & { readonly checks: readonly string[]; readonly remark: string | null }
  transit_visa_to_obtain: { readonly destination: string }
  transit_needs_entry: { readonly destination: string; readonly requirement: Requirement }
  imported_past: { readonly by: string; readonly until: string; readonly source: string }
  rule_seen_between: SeenBetween<string>
  stay_seen_between: SeenBetween<number | null>
  past_word: { readonly word: string }
  no_rule: LookedUp
  unknown_passport: LookedUp
  unknown_destination: LookedUp
  before_dataset: LookedUp
  before_history: LookedUp
  after_history: LookedUp
}>

/** The parameters of a code's sentence. */
export type ParamsOf<C extends ReasonCode> = C extends keyof ParamsByCode
  ? ParamsByCode[C]
  : // A sentence that writes something needs parameters.
    Texts[C] extends `${string}{${string}`
    ? never
    : object

interface Row {
  readonly weight: Weight
  readonly text: string
  /** The sentence, read when it is first written; null until then. */
  sentence: Sentence | null
}

function listRows(): Readonly<Record<string, Row>> {
  const rows: Record<string, Row> = {}
  for (const [weight, texts] of Object.entries(REASONS)) {
    for (const [code, text] of Object.entries(texts)) rows[code] = { weight: weight as Weight, text, sentence: null }
  }
  return rows
}

const ROWS = /* @__PURE__ */ listRows()

/** The key of an English text in the language files. */
export type EnglishKey = `issue.${ReasonCode}` | `part.${keyof typeof PARTS}` | `check.${keyof typeof CHECKS}`

/**
 * Lists every English text of the catalogue by its key in the language files.
 *
 * @example
 * ```ts
 * listEnglishTexts()["issue.stay_refused"] // => "There is no stay without admission."
 * ```
 */
export function listEnglishTexts(): Readonly<Record<EnglishKey, string>> {
  const keyed = (family: string, texts: object) => Object.entries(texts).map(([name, text]) => [family + name, text])
  const sentences = Object.values(REASONS).flatMap(group => keyed("issue.", group))
  return Object.fromEntries([...sentences, ...keyed("part.", PARTS), ...keyed("check.", CHECKS)])
}

/** Returns what a code weighs. */
export function weigh(code: ReasonCode): Weight {
  return ROWS[code]!.weight
}

/** Returns an English word of sentences; null if the value is written as it is. */
export function findEnglishWord(kind: string, word: unknown): string | null {
  return WORDS[kind]?.[word as string] ?? (kind === "check" ? "" : null)
}

/** Writes words with blanks instead of underscores. */
export const nameWord = (word: unknown): string => String(word).replaceAll("_", " ")

/** Joins a list in English. */
export function joinEnglish(items: readonly string[], word: string | undefined): string {
  if (word === undefined) return items.join(", ")
  return word === ";" ? items.join("; ") : `${items.slice(0, -1).join(", ")} ${word} ${items[items.length - 1]}`
}

const count = (number: unknown, unit: string) => `${number} ${unit}${number === 1 ? "" : "s"}`

/** Puts a remark into a sentence: it is one of its own in the data. Names keep their capitals. */
export function putInside(remark: unknown): string {
  const open = String(remark).replace(/\.$/, "")
  return /^(An?|The|In|On|With|From|For|No|It)\b/.test(open) ? open.charAt(0).toLowerCase() + open.slice(1) : open
}

// Countries, days and words as the wire has them.
function writePlain(value: unknown, kind: string, params: Readonly<Record<string, unknown>>): string {
  switch (kind) {
    case "text":
    case "country":
    case "date":
    case "zone":
    case "past":
    case "document":
      return String(value)
    case "days":
      return count(value, "day")
    case "months":
      return count(value, "month")
    case "years":
      return count(value, "year")
    case "stay":
      return value === null ? "a stay without a number of days" : `a stay of ${count(value, "day")}`
    case "money":
      return `${value} ${params.currency}`
    case "state":
      return value === "@schengen" ? "the Schengen area" : String(value).replace("@", "")
    case "inside":
      return putInside(value)
    default:
      return findEnglishWord(kind, value) ?? nameWord(value)
  }
}

const PLAIN: Speaker = {
  readPart: name => parseSentence(PARTS[name as keyof typeof PARTS]),
  write: writePlain,
  join: joinEnglish,
}

/**
 * Makes the English sentence of a code with its parameters. Cannot fail: returns an empty text for an unknown code or wrong parameters.
 *
 * @example
 * ```ts
 * sayReason("expiry_not_given", {}) // => "The passport's expiry date is not given."
 * ```
 */
export function sayReason<C extends ReasonCode>(code: C, params: ParamsOf<C>): string {
  try {
    return writeReason(code, params)
  } catch {
    return ""
  }
}

/** Makes the English sentence of a code that this package wrote. */
function writeReason<C extends ReasonCode>(code: C, params: ParamsOf<C>): string {
  const row = ROWS[code]!
  row.sentence ??= parseSentence(row.text)
  const { sentence } = row
  // Most sentences write no parameter.
  const plain = sentence.length === 1 ? sentence[0] : null
  return typeof plain === "string" ? plain : writeSentence(sentence, params as ReasonParams, PLAIN)
}

// ---- Findings

// How does a decision express what it knows and what it does not know?
//
// Every field of a decision is a finding. A finding says whether it is about the pair or about the destination, and has a value or the reason
// why there is none. A gap is never filled with a default.

/** The subject of a finding: this passport at this destination, or the destination for every passport. */
export type Granularity = "pair" | "destination"

/** A finding with a value. */
export interface Known<Value> {
  /** Whether it is about the pair, or about the destination for every passport. */
  readonly granularity: Granularity
  /** The value is known. */
  readonly status: "known"
  /** The value. */
  readonly value: Value
}

/** A gap, with its reason. */
export interface Unknown {
  /** Whether it is about the pair, or about the destination for every passport. */
  readonly granularity: Granularity
  /** The value is not known. */
  readonly status: "unknown"
  /** Why, in English. */
  readonly reason: string
  /** The meaning of the sentence, as a code of the reference. */
  readonly code: ReasonCode
  /** The parameters of the sentence. */
  readonly params: ReasonParams
}

/** The content of one field of a decision. */
export type Finding<Value> = Known<Value> | Unknown

/** Makes a gap that can be shared. */
export function unknown<C extends ReasonCode, More extends object>(
  granularity: Granularity,
  code: C,
  params: ParamsOf<C>,
  more?: More,
): Unknown & More {
  const reason = writeReason(code, params)
  const shared = Object.freeze({ ...(params as object) })
  const finding = { granularity, status: "unknown", reason, code, params: shared, ...more }
  return Object.freeze(finding) as unknown as Unknown & More
}

/** Makes a finding with a value that can be shared. */
export function known<Value, More extends object>(
  granularity: Granularity,
  value: Value,
  more?: More,
): Known<Value> & More {
  return Object.freeze({ granularity, status: "known", value, ...more }) as Known<Value> & More
}

// By their number, because the days of most stays are few: made when they are first said.
const daysSaid: (Known<number> | null)[] = /* @__PURE__ */ new Array(1024).fill(null)

/** Makes the finding of a number of days about a pair; the same one each time for as many as most stays have. */
export function knownDays(days: number): Known<number> {
  const said = daysSaid[days] ?? known("pair", days)
  if (days < daysSaid.length) daysSaid[days] = said
  return said
}

// ---- Issues

// What did a decision find about an entry, a transit or the whole journey?
//
// The outcome of a journey is read off the weights of its issues alone. What blocks, what has to be obtained or checked, and what is not known are
// made by one function each, which take only codes of such weights: a gap is unknown or written down as harmless, and never a blocker.

/** What was found about an entry, a transit or the whole journey. */
export interface Issue {
  readonly code: ReasonCode
  readonly weight: Weight
  /** The field that is not known; null for what blocks, and for what has to be obtained or checked. */
  readonly field: string | null
  readonly granularity: Granularity
  readonly params: ReasonParams
  /** The sentence, if the issue is shared by many decisions; null if it is made when it is told. */
  readonly message: string | null
  /** Further fields of a blocker, and of what a transit needs. */
  readonly more: MoreOfBlocker
}

/** Further fields of a blocker. */
type MoreOfBlocker = {
  readonly zone?: string
  readonly basis?: "accumulated" | "held_document"
  readonly transit?: number
} | null

/** Makes an issue that blocks; its granularity is the pair, unless another one is given. */
export function block<C extends CodeOf<"blocks">>(
  code: C,
  params: ParamsOf<C>,
  more: MoreOfBlocker = null,
  granularity: Granularity = "pair",
): Issue {
  return { code, weight: "blocks", field: null, granularity, params: params as ReasonParams, message: null, more }
}

/** Makes an issue about something to obtain or to check, with the weight of its code unless it decides nothing here. */
export function ask<C extends AskedCode>(
  code: C,
  params: ParamsOf<C>,
  weight: Weight = weigh(code),
  message: string | null = null,
): Issue {
  return { code, weight, field: null, granularity: "pair", params: params as ReasonParams, message, more: null }
}

/** Makes an issue with its sentence, to be shared by decisions. */
export function askEverybody<C extends AskedCode | "no_admission">(code: C, params: ParamsOf<C>): Issue {
  return ask(code as AskedCode, Object.freeze(params) as never, weigh(code), writeReason(code, params))
}

/** Makes an issue about a field that is not known. */
export function miss<C extends Missing>(
  field: string,
  code: C,
  params: ParamsOf<C>,
  granularity: Granularity = "pair",
  message: string | null = null,
): Issue {
  return { code, weight: weigh(code), field, granularity, params: params as ReasonParams, message, more: null }
}

/** Makes an issue about a field from its finding. */
export function missing(field: string, { code, params, granularity, reason }: Unknown): Issue {
  return miss(field, code as Missing, params as never, granularity, reason)
}

/** Makes an issue about a field whose code has no parameters. */
export function missPlain(field: string, code: Missing, granularity: Granularity = "pair"): Issue {
  return miss(field, code, NO_PARAMS as never, granularity)
}

/** Returns the sentence of an issue, in English. */
export function sayIssue({ message, code, params }: Issue): string {
  return message ?? writeReason(code, params as never)
}

// ---- Sentences

// How does a sentence with parameters become text?
//
// A sentence is a text with placeholders, the same in every language. `{days days}` writes a parameter as a kind of value; `{purposes purpose or}`
// joins a list with a word of its own language. `[one|other]` writes the first part whose parameters are all given, and `[one]` also nothing.
// `{held?}` and `{because=ended}` write nothing and only choose a part. `{>document}` includes a part that several sentences share. A speaker
// knows the texts, the words and the values of one language; this part knows none.

/** The parameters of a sentence. */
type Params = Readonly<Record<string, unknown>>

/** One language, as sentences need it. */
export interface Speaker {
  /** Returns a part that sentences share. */
  readonly readPart: (name: string) => Sentence
  /** Writes a value as a kind; an empty text for a value without words. */
  readonly write: (value: unknown, kind: string, params: Params) => string
  /** Joins a list; `word` stands before the last item. */
  readonly join: (items: readonly string[], word: string | undefined) => string
}

// All have the same fields, so that V8 reads them by place.
interface Placeholder {
  /** The parameter, or the part that is included. */
  readonly name: string
  readonly kind: string
  readonly word: string | undefined
  /** What the parameter has to be; null if any value will do. Undefined if the value is written. */
  readonly test: string | number | null | undefined
  /** The parts of which the first is written whose parameters are all given; null for other placeholders. */
  readonly choices: readonly Sentence[] | null
}

/** A sentence that was read. */
type Sentence = readonly (string | Placeholder)[]

const PART = ">"

const parsed = /* @__PURE__ */ new Map<string, Sentence>()

/** Reads a sentence, once for each text. Fails with a `SyntaxError` for a bracket or a brace that is not closed. */
export function parseSentence(text: string): Sentence {
  const known = parsed.get(text)
  if (known !== undefined) return known
  const tokens = text.split(/(\{[^{}]*\}|[[\]|])/)
  const [pieces, end] = parseFrom(tokens, 0, false)
  if (end < tokens.length || /[{}]/.test(text.replace(/\{[^{}]*\}/g, ""))) throw new SyntaxError(`Not closed: ${text}`)
  parsed.set(text, pieces)
  return pieces
}

function parseFrom(tokens: readonly string[], from: number, isInside: boolean): readonly [Sentence, number] {
  const pieces: (string | Placeholder)[] = []
  let at = from
  while (at < tokens.length) {
    const token = tokens[at]!
    if (isInside && (token === "|" || token === "]")) return [pieces, at]
    if (token === "]") return [pieces, at]
    at++
    if (token === "[") {
      const choices: Sentence[] = []
      do {
        const [choice, end] = parseFrom(tokens, at, true)
        choices.push(choice)
        at = end + 1
      } while (tokens[at - 1] === "|")
      if (at > tokens.length) throw new SyntaxError(`Not closed: ${tokens.join("")}`)
      pieces.push({ name: "", kind: "", word: undefined, test: undefined, choices })
    } else if (token[0] === "{") pieces.push(readPlaceholder(token.slice(1, -1)))
    else if (token !== "") pieces.push(token)
  }
  return [pieces, at]
}

function readPlaceholder(inside: string): Placeholder {
  const [tested = "", test] = inside.split(/[?=]/)
  const [first = "", second = "text", word] = tested.split(" ")
  const isPart = inside[0] === PART
  return {
    name: asName(isPart ? first.slice(1) : first),
    kind: isPart ? PART : asName(second),
    word,
    test: test === undefined ? undefined : inside.includes("=") ? readTest(test) : null,
    choices: null,
  }
}

const readTest = (test: string) => (/^\d+$/.test(test) ? Number(test) : asName(test))

// V8 compares names of fields by their address, and copies of their letters only one by one.
const asName = (text: string) => Object.keys({ [text]: 0 })[0]!

/** Writes a sentence with its parameters; an empty text if one of them is missing. */
export function writeSentence(sentence: Sentence, params: Params, speaker: Speaker): string {
  const draft: Draft = { text: "", last: "" }
  return write(sentence, params, speaker, draft) ? draft.text : ""
}

/** What was written, with its last piece: V8 would copy the text to read its end. */
interface Draft {
  text: string
  last: string
}

function append(draft: Draft, said: string): void {
  // A date or a remark may end with a full stop of its own.
  draft.text += said.charCodeAt(0) === FULL_STOP && draft.last.endsWith(".") ? said.slice(1) : said
  draft.last = said
}

const FULL_STOP = 0x2e

// False if a parameter is missing, or is another one than asked for.
function write(sentence: Sentence, params: Params, speaker: Speaker, draft: Draft): boolean {
  for (let at = 0; at < sentence.length; at++) {
    const piece = sentence[at]!
    if (typeof piece === "string") append(draft, piece)
    else if (!writePiece(piece, params, speaker, draft)) return false
  }
  return true
}

function writePiece(piece: Placeholder, params: Params, speaker: Speaker, draft: Draft): boolean {
  const { name, kind, test, choices } = piece
  if (choices !== null) {
    const { text, last } = draft
    for (let at = 0; at < choices.length; at++) {
      if (write(choices[at]!, params, speaker, draft)) return true
      draft.text = text
      draft.last = last
    }
    return choices.length === 1
  }
  if (kind === PART) return write(speaker.readPart(name), params, speaker, draft)
  const value = params[name]
  if (test !== undefined) return test === null ? value != null : value === test
  // A stay without a number of days has words too.
  if (value == null && kind !== "stay") return false
  const said = Array.isArray(value) ? writeList(piece, value, params, speaker) : speaker.write(value, kind, params)
  if (said === "") return false
  append(draft, said)
  return true
}

function writeList({ kind, word }: Placeholder, values: readonly unknown[], params: Params, speaker: Speaker): string {
  const said: string[] = []
  for (let at = 0; at < values.length; at++) {
    const each = speaker.write(values[at], kind, params)
    if (each !== "" && !said.includes(each)) said.push(each)
  }
  return said.length > 1 ? speaker.join(said, word) : (said[0] ?? "")
}

/**
 * Lists the parameters that a sentence writes, with those of the parts that it includes; null for a bracket or a brace that is not closed, and
 * for an unknown part.
 *
 * @example
 * ```ts
 * listPlaceholders("Until {by date}[: {>counted}].", { counted: "{days days}" }) // => ["by", "days"]
 * ```
 */
export function listPlaceholders(text: string, parts: Readonly<Record<string, unknown>>): readonly string[] | null {
  const names = new Set<string>()
  const add = (sentence: Sentence): void => {
    for (const piece of sentence) {
      if (typeof piece === "string") continue
      const { name, kind, test, choices } = piece
      if (choices !== null) for (const choice of choices) add(choice)
      else if (kind === PART) add(parseSentence(parts[name] as string))
      else if (test === undefined) names.add(name)
    }
  }
  try {
    add(parseSentence(text))
    return [...names].sort()
  } catch {
    return null
  }
}
