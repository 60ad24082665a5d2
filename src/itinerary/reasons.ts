/**
 * What can a decision say: what blocks, what has to be obtained or checked, and why something is not known?
 *
 * Everything that is said is a code with parameters; this is the one place where the English sentence is made of them. A reason without a
 * row, or one that is given other parameters than its sentence asks for, does not compile. Other languages: `sayNotice` of `landfall/full`.
 */
import type { Requirement } from "../requirement/requirement.ts"

/** A document that a sentence names: one that is held, by its place, or the residence as a permit. */
export interface NamedDocument {
  readonly kind: string
  readonly issuer: string
  readonly held: number | null
}

/** Days that were counted at the places of one country. */
interface CountedDays {
  readonly destination: string
  readonly days: number
  readonly places: readonly string[]
  readonly by: string
  readonly allowed: number
}

/** Why a stay is too long: by the days of a country, or by what a document allows. */
type StayExceeded =
  | (CountedDays & { readonly counting: string; readonly window: number | null })
  | (NamedDocument & { readonly destination: string; readonly by: string } & (
        | { readonly until: string }
        | { readonly days: number; readonly allowed: number }
      ))

/** Why the dates of a passport do not suffice: its expiry by what is asked in months and days, or its issue by years. */
type ValidityShort = { readonly passport: string; readonly destination: string } & (
  | { readonly expiry: string; readonly anchor: string; readonly months: number; readonly days: number }
  | { readonly issued: string; readonly years: number; readonly expiry: string | null }
)

/** What has to be obtained; with the document of the destination that is held and cannot be used, and why. */
type ToObtain =
  | { readonly destination: string }
  | (NamedDocument & {
      readonly destination: string
      readonly because: "ended" | "begins" | "no_entry"
      readonly on: string | null
    })

/** What of a document has to be checked before it makes an entry easier. */
interface HeldDocumentToCheck extends NamedDocument {
  readonly destination: string
  readonly requirement: Requirement
  readonly days: number | null
  readonly checks: readonly string[]
  readonly remark: string | null
}

/** What a list of the past had, and from which day to which. */
interface SeenRule {
  readonly by: string
  readonly until: string
  readonly source: string
}

/** What two lists around a day had: words, or days of stay. */
interface SeenBetween<What> {
  readonly earlier: What
  readonly later: What
  readonly after: string
  readonly by: string
}

const SPANS: Readonly<Record<string, string>> = {
  per_entry: " from one entry on",
  calendar_year: " in a calendar year",
  per_year_of_entry: " in the year that begins with the first entry",
}

const EASED: Readonly<Record<Requirement, string>> = {
  visa_free: "visa-free",
  eta: "possible with a travel authorisation",
  visa_on_arrival: "possible with a visa on arrival",
  e_visa: "possible with an electronic visa",
  visa_required: "possible with a visa",
  no_admission: "refused",
}

const CHECKS: Readonly<Record<string, string>> = {
  types: "its class is one that is accepted",
  typesExcept: "its class is one that is accepted",
  multipleEntry: "it is for several entries",
  usedBefore: "it was used before to enter the state that issued it",
  permanent: "it has no end",
  physical: "it is on paper or a card",
  enteredIssuerFirst: "the traveller comes from the state that issued it, after having been admitted there",
  validDaysAfterEntry: "it is valid for long enough after the entry",
  validDaysAfterExit: "it is valid for long enough after the exit",
}

function nameDocument({ kind, issuer, held }: NamedDocument): string {
  const name = `${kind === "visa" ? "visa" : "residence permit"} of ${issuer}`
  return held === null ? `a ${name}` : `the ${name} that is held`
}

function countDays({ days, places, by }: CountedDays): string {
  return `${days} days in ${places.join(" and ")} by ${by}`
}

function sayExceeded(said: StayExceeded): string {
  if ("until" in said) return `The stay ends on ${said.by}: ${nameDocument(said)} is valid until ${said.until}.`
  if ("held" in said) return `${said.days} days by ${said.by} under ${nameDocument(said)}: it allows ${said.allowed}.`
  const { counting, allowed, window } = said
  if (counting === "accumulated") {
    return `${countDays(said)}, over all visits inside ${window} days: ${allowed} are allowed, and no rule is recorded that counts anew.`
  }
  const span = counting === "rolling" ? ` in any ${window}` : (SPANS[counting] ?? "")
  return `${countDays(said)}: ${allowed} are allowed${span}.`
}

function sayValidityShort(said: ValidityShort): string {
  const { passport, destination } = said
  if ("issued" in said) {
    return `The ${passport} passport was issued on ${said.issued}: ${destination} asks for less than ${said.years} years before the arrival.`
  }
  const { expiry, anchor, months, days } = said
  const count = (number: number, unit: string) => (number === 1 ? `1 ${unit}` : `${number} ${unit}s`)
  const span = [months && count(months, "month"), days && count(days, "day")].filter(Boolean).join(" and ")
  const asked = span === "" ? `until ${anchor}` : `for ${span} after ${anchor}`
  return `The ${passport} passport expires on ${expiry}: ${destination} asks that it be valid ${asked}.`
}

const obtain =
  (what: string) =>
  (said: ToObtain): string => {
    if (!("because" in said)) return `${what}.`
    const why = { ended: `ended on ${said.on}`, begins: `begins on ${said.on}`, no_entry: "has no entry left" }
    return `${what}: ${nameDocument(said)} ${why[said.because]}.`
  }

function sayToCheck(said: HeldDocumentToCheck): string {
  const checks = new Set(said.checks.flatMap(term => CHECKS[term] ?? []))
  if (said.remark !== null) checks.add(`this is so: ${putInside(said.remark)}`)
  const days = said.days === null ? "" : ` for ${said.days} days`
  return `With ${nameDocument(said)} the entry would be ${EASED[said.requirement]}${days}, if ${[...checks].join(" and ")}.`
}

function nameStay(days: number | null): string {
  return days === null ? "a stay without a number of days" : `a stay of ${days} days`
}

function saySeenBetween({ after, by }: SeenBetween<unknown>, earlier: string, later: string): string {
  return `Last seen on ${after}: ${earlier}; first seen on ${by}: ${later}. Nobody saw which of the two held between these days.`
}

// A remark is a sentence of its own in the data; names keep their capitals.
function putInside(remark: string): string {
  const open = remark.replace(/\.$/, "")
  return /^(An?|The|In|On|With|From|For|No|It)\b/.test(open) ? open.charAt(0).toLowerCase() + open.slice(1) : open
}

/** The sentence of a code without parameters. */
const plain = (sentence: string) => (_: object) => sentence

/** Every code, with what makes its sentence. */
export const REASONS = {
  // What blocks.
  no_admission: ({ destination, passport }: { readonly destination: string; readonly passport: string }) =>
    `${destination} admits no holders of ${passport} passports.`,
  stay_exceeded: sayExceeded,
  zone_stay_exceeded: (said: {
    readonly days: number
    readonly zone: string
    readonly name: string
    readonly by: string
    readonly allowed: number
    readonly window: number | null
  }) =>
    `${said.days} days in the ${said.name} by ${said.by}: ${said.allowed} are allowed ${said.window === null ? "from entry to exit" : `in any ${said.window}`}.`,
  passport_expired: (said: { readonly passport: string; readonly expiry: string; readonly arrival: string }) =>
    `The ${said.passport} passport expires on ${said.expiry}, before the arrival on ${said.arrival}.`,
  passport_validity_short: sayValidityShort,
  passport_expires_before_exit: (said: { readonly passport: string; readonly expiry: string; readonly exit: string }) =>
    `The ${said.passport} passport expires on ${said.expiry}, before the exit on ${said.exit}.`,
  // What has to be obtained or checked.
  eta: obtain("A travel authorisation is needed before travel"),
  visa_on_arrival: obtain("A visa is issued on arrival"),
  e_visa: obtain("An electronic visa is needed before travel"),
  visa_required: obtain("A visa is needed before travel"),
  check_permitted_stay: (said: CountedDays) =>
    `${countDays(said)}: the table that names ${said.allowed} says nothing of the visa that is issued. Check the stay that it permits.`,
  check_held_document: sayToCheck,
  // Why something is not known.
  stay_set_by_permit: plain("The stay depends on the visa or permit that is issued."),
  stay_not_recorded: plain("No number of days is recorded for this stay."),
  stay_moves_freely: plain("Freedom of movement names no number of days."),
  stay_set_by_document: plain("The stay depends on the document that is held."),
  stay_refused: plain("There is no stay without admission."),
  treaty_left: plain("The entry rests on a treaty that one of the countries has left."),
  disputed: ({ says }: { readonly says: string }) =>
    `Sources contradict each other about what is needed, and nothing decides between them: ${says}`,
  zone_no_fixed_stay: plain("The zone's rule is judged for a fixed number of visa-free days only."),
  zone_other_stays: plain("Other days in the zone, not of a fixed visa-free stay, may count too."),
  zone_unclear_visa: plain(
    "The class of the visa does not say whether its days count in the zone: those of a long-stay visa do not.",
  ),
  zone_own_stay: plain("This country's own stay is longer than the zone's, and all days were spent here."),
  agreement_may_exceed_zone: ({ agreement }: { readonly agreement: string }) =>
    `${agreement} may allow more days than the zone's.`,
  agreement_exempts: ({ agreement }: { readonly agreement: string }) =>
    `${agreement} exempts from the zone's rule and names no number of days.`,
  agreement_beside_zone: ({ agreement, days }: { readonly agreement: string; readonly days: number }) =>
    `${agreement} allows ${days} days beside the zone's; how both add up is not judged.`,
  zone_nationals: ({ zone, instrument }: { readonly zone: string; readonly instrument: string | null }) =>
    `Nationals of its states may stay longer than visitors: ${instrument === null ? zone : `${zone} (${instrument})`}.`,
  no_validity_rule: plain("No passport validity rule is recorded for this destination."),
  validity_for_visitors: plain("The rule is for visitors; none is recorded for who is at home or moves freely."),
  expiry_not_given: plain("The passport's expiry date is not given."),
  issue_date_not_given: plain("The passport's issue date is not given."),
  no_transit_rule: plain("No transit rule is recorded for this country."),
  transit_waived: plain(
    "A held document waives the visa that the rule demands; the rule never decides for one passport.",
  ),
  transit_not_decided: plain("The rule is recorded for the country and never decides for one passport."),
  no_passport_record: plain("No passport with this code is recorded."),
  stay_counted_nowhere: plain("No destination with this code is recorded; the stay is counted nowhere."),
  todays_rule: plain("The zone's rule has had its form since 2013-10-18; the stay is counted by it all the same."),
  not_modelled: plain("This is echoed and not modelled."),
  // What a history says of past days, and what nobody recorded of them.
  imported_past: ({ by, until, source }: SeenRule) =>
    `What was needed then is imported from ${source}, which has it from ${by} to ${until}; it was not verified.`,
  rule_seen_between: (said: SeenBetween<string>) => saySeenBetween(said, said.earlier, said.later),
  stay_seen_between: (said: SeenBetween<number | null>) =>
    saySeenBetween(said, nameStay(said.earlier), nameStay(said.later)),
  past_word: ({ word }: { readonly word: string }) =>
    `The lists of that time say ${word}, which does not name one requirement of today.`,
  no_rule_of_that_day: plain("Rules of this kind are not recorded for past days."),
  stay_rule_of_today: plain("The stay rule of that day is not recorded; the days are counted by the rule of today."),
  // What a lookup says where there is no record.
  no_rule: sayLookedUp,
  unknown_passport: sayLookedUp,
  unknown_destination: sayLookedUp,
  before_dataset: sayLookedUp,
  before_history: sayLookedUp,
  after_history: sayLookedUp,
}

function sayLookedUp({ message }: { readonly message: string }): string {
  return message
}

/** What a decision says, as a code. */
export type ReasonCode = keyof typeof REASONS
/** What the sentence of a code is made of. */
export type ParamsOf<C extends ReasonCode> = Parameters<(typeof REASONS)[C]>[0]
/** Parameters of a code, whichever it is; names on the wire are the same. */
export type ReasonParams = { readonly [name: string]: string | number | null | readonly string[] }

/** Of a code without parameters. */
export const NO_PARAMS: ReasonParams = Object.freeze({})

/** Says what a code means with its parameters, in English. */
export function sayReason<C extends ReasonCode>(code: C, params: ParamsOf<C>): string {
  return (REASONS[code] as (params: ParamsOf<C>) => string)(params)
}
