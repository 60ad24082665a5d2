/**
 * What can a decision say: blockers, conditions, and reasons why something is unknown?
 *
 * Every finding is a code with parameters. This is the one place that makes the English sentence. A reason without a row, or with other
 * parameters than its sentence needs, does not compile. Other languages: `sayNotice` of `landfall/full`.
 */
import type { Requirement } from "../dataset/requirement.ts"
import { BORDER_REASONS, FEATURES, listWords, nameWord, OTHER_WAYS } from "./border-reasons.ts"
import { sayValidityShort } from "./validity-reasons.ts"

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

/** Why a stay is too long: by the days of a country, or by the limits of a document. */
type StayExceeded =
  | (CountedDays & { readonly counting: string; readonly window: number | null })
  | (NamedDocument & { readonly destination: string; readonly by: string } & (
        | { readonly until: string }
        | { readonly days: number; readonly allowed: number }
      ))

/** What to obtain, with the held document of the destination that cannot be used, and why. */
type ToObtain =
  | { readonly destination: string }
  | (NamedDocument & {
      readonly destination: string
      readonly because: "ended" | "begins" | "no_entry"
      readonly on: string | null
    })
  | (NamedDocument & { readonly destination: string; readonly because: "too_few_days"; readonly days: number })

/** The terms of a document that must be checked before it makes an entry easier. */
interface HeldDocumentToCheck extends NamedDocument {
  readonly destination: string
  readonly requirement: Requirement
  readonly days: number | null
  readonly checks: readonly string[]
  readonly remark: string | null
}

/** What a past list showed, and from which day to which. */
interface SeenRule {
  readonly by: string
  readonly until: string
  readonly source: string
}

/** What two lists around a day showed: words, or days of stay. */
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
  if (counting === "admission") {
    return `${said.days} days by ${said.by} since the admission to ${said.destination}, which visits to its neighbours did not end: ${allowed} are allowed.`
  }
  const span = counting === "rolling" ? ` in any ${window}` : (SPANS[counting] ?? "")
  return `${countDays(said)}: ${allowed} are allowed${span}.`
}

const obtain =
  (what: string) =>
  (said: ToObtain): string => {
    if (!("because" in said)) return `${what}.`
    if (said.because === "too_few_days") {
      return `${what}: with ${nameDocument(said)} less is asked, for a stay of up to ${said.days} days.`
    }
    const why = { ended: `ended on ${said.on}`, begins: `begins on ${said.on}`, no_entry: "has no entry left" }
    return `${what}: ${nameDocument(said)} ${why[said.because]}.`
  }

function sayToCheck(said: HeldDocumentToCheck): string {
  const days = said.days === null ? "" : ` for ${said.days} days`
  return `With ${nameDocument(said)} the entry would be ${EASED[said.requirement]}${days}, if ${listChecks(said.checks, said.remark)}.`
}

function listChecks(checks: readonly string[], remark: string | null): string {
  const named = new Set(checks.flatMap(term => CHECKS[term] ?? []))
  if (remark !== null) named.add(`this is so: ${putInside(remark)}`)
  return [...named].join(" and ")
}

function sayTransitCheck(
  said: NamedDocument & { readonly checks: readonly string[]; readonly remark: string | null },
): string {
  const checks = listChecks(said.checks, said.remark)
  return `With ${nameDocument(said)} the change is permitted, if ${checks === "" ? "it is issued and valid" : checks}.`
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

const nameStates = (states: readonly string[]) =>
  states.map(state => (state === "@schengen" ? "the Schengen area" : state.replace("@", ""))).join(", ")

function sayRegistration(said: {
  readonly name: string
  readonly url: string | null
  readonly hours: number | null
  readonly amount: number | null
  readonly currency: string | null
}): string {
  const { name, url, hours, amount, currency } = said
  const when = hours === null ? "before travel" : `at least ${hours} hours before the arrival`
  const price = amount === null ? "" : `, for ${amount} ${currency}`
  return `A registration is needed ${when}: ${name}${price}${url === null ? "" : ` (${url})`}.`
}

/** The sentence of a code without parameters. */
const plain = (sentence: string) => (_: object) => sentence

/** Every code, with the function that makes its sentence. */
export const REASONS = {
  // Blockers.
  no_admission: ({ destination, passport }: { readonly destination: string; readonly passport: string }) =>
    `${destination} admits no holders of ${passport} passports.`,
  visa_suspended: (said: {
    readonly destination: string
    readonly passport: string
    readonly visas: readonly string[]
  }) =>
    `${said.destination} issues no visitor visas to holders of ${said.passport} passports: ${said.visas.join(", ")} are suspended.`,
  purpose_not_covered: (said: {
    readonly destination: string
    readonly purpose: string
    readonly purposes: readonly string[]
  }) => `${said.destination} admits by this rule only for ${listWords(said.purposes, "or")}, not for ${said.purpose}.`,
  ...BORDER_REASONS,
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
  transit_not_permitted: ({ destination, passport }: { readonly destination: string; readonly passport: string }) =>
    `${destination} lets holders of ${passport} passports change there only with a visa.`,
  // What to obtain or check.
  eta: obtain("A travel authorisation is needed before travel"),
  visa_on_arrival: obtain("A visa is issued on arrival"),
  e_visa: obtain("An electronic visa is needed before travel"),
  visa_required: obtain("A visa is needed before travel"),
  check_permitted_stay: (said: CountedDays) =>
    `${countDays(said)}: the table that names ${said.allowed} says nothing of the visa that is issued. Check the stay that it permits.`,
  check_held_document: sayToCheck,
  check_exemption: (
    said: NamedDocument & {
      readonly destination: string
      readonly who: readonly string[]
      readonly before: string | null
    },
  ) =>
    `${said.destination} refuses holders of this passport; ${nameDocument(said)} exempts from it if ${said.before === null ? "it has no end" : `it was issued before ${said.before}`}.`,
  // Conditions of rules, by kind.
  held_document: ({ documents }: { readonly documents: readonly string[] }) =>
    `One of these documents is needed: ${documents.join("; ")}.`,
  registration: sayRegistration,
  gateway_visa: ({ states, entries }: { readonly states: readonly string[]; readonly entries: number | null }) =>
    `The way leads through ${nameStates(states)}, which ${entries === null ? "has" : `has ${entries} times`} to admit the traveller.`,
  border_control: ({ states }: { readonly states: readonly string[] }) =>
    `${nameStates(states)} controls the border, and its own rules of entry apply there.`,
  sponsor: ({ by }: { readonly by: readonly string[] }) =>
    `Somebody else has to apply for the traveller: ${listWords(by, "or")}.`,
  special_document: ({ name }: { readonly name: string }) => `Another document than the passport is used: ${name}.`,
  not_enforced: ({ borders }: { readonly borders: readonly string[] }) =>
    `The law asks for it, and ${borders.length === 0 ? "the borders do" : `the border by ${listWords(borders, "and")} does`} not check it.`,
  exempt: ({ who, before }: { readonly who: readonly string[]; readonly before: string | null }) =>
    `It does not concern ${[...who.map(nameWord), ...(before === null ? [] : [`holders of visas issued before ${before}`])].join(", ")}.`,
  suspension: ({ visas }: { readonly visas: readonly string[] }) =>
    `Visas of these classes are not issued to holders of this passport: ${visas.join(", ")}.`,
  bond: ({
    least,
    most,
    currency,
  }: {
    readonly least: number
    readonly most: number | null
    readonly currency: string
  }) =>
    `A bond of ${least}${most === null ? "" : ` to ${most}`} ${currency} may be asked for, which is paid back on leaving in time.`,
  entry_points: ({ names, borders }: { readonly names: readonly string[]; readonly borders: readonly string[] }) =>
    `Entry is possible only ${[...(borders.length === 0 ? [] : [`by ${listWords(borders, "or")}`]), ...(names.length === 0 ? [] : [`at ${names.join(", ")}`])].join(", ")}.`,
  asked_at: (said: {
    readonly destination: string
    readonly borders: readonly string[]
    readonly elsewhere: Requirement
  }) =>
    `${said.destination} asks for it of arrivals by ${listWords(said.borders, "or")} only. Others enter ${OTHER_WAYS[said.elsewhere]}.`,
  purpose: ({ purposes }: { readonly purposes: readonly string[] }) => `Only for ${listWords(purposes, "or")}.`,
  group: ({ least }: { readonly least: number }) => `Only in groups of at least ${least} people.`,
  bring: ({ proofs }: { readonly proofs: readonly string[] }) => `To be shown: ${listWords(proofs, "and")}.`,
  passport_kind: ({ features }: { readonly features: readonly string[] }) =>
    `The passport has to be of this kind: ${features.map(each => FEATURES[each] ?? each).join(", ")}.`,
  age: ({ least, most }: { readonly least: number | null; readonly most: number | null }) =>
    `Only for people ${[least === null ? [] : `from ${least}`, most === null ? [] : `up to ${most}`].flat().join(" ")} years of age.`,
  also: ({ requirement, remark }: { readonly requirement: Requirement; readonly remark: string | null }) =>
    `The same entry can also be had in another way: ${OTHER_WAYS[requirement]}${remark === null ? "" : `, if this is so: ${putInside(remark)}`}.`,
  other: ({ text }: { readonly text: string }) => text,
  // Reasons why something is unknown.
  stay_set_by_permit: plain("The stay depends on the visa or permit that is issued."),
  stay_not_recorded: plain("No number of days is recorded for this stay."),
  stay_moves_freely: plain("Freedom of movement names no number of days."),
  stay_set_by_document: plain("The stay depends on the document that is held."),
  end_not_given: plain("The last day of the stay is not given, so whether it may be that long is not known."),
  stay_refused: plain("There is no stay without admission."),
  treaty_left: plain("The entry rests on a treaty that one of the countries has left."),
  disputed: ({ says }: { readonly says: string }) =>
    `Sources contradict each other about what is needed, and nothing decides between them: ${says}`,
  answer_ended: ({ on }: { readonly on: string }) =>
    `An earlier rule was announced until ${on}, and nothing newer is recorded: check with the authorities.`,
  answer_changed_since: ({ on }: { readonly on: string }) =>
    `An official log names a change of the entry rules on ${on}, which is newer than this rule: check with the authorities.`,
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
  validity_not_named: plain(
    "The rule of passport validity that is recorded for this destination does not name this passport; what it asks of others is not known.",
  ),
  permitted_stay_not_known: plain(
    "The passport has to be valid for some days after the end of the permitted stay, which is not known.",
  ),
  validity_for_visitors: plain("Rules of passport validity bind visitors only."),
  expiry_not_given: plain("The passport's expiry date is not given."),
  issue_date_not_given: plain("The passport's issue date is not given."),
  no_transit_rule: plain("No transit rule is recorded for this country."),
  transit_not_named: plain("The transit rules that are recorded for this country do not name this passport."),
  transit_area_not_given: plain(
    "Whether the change stays inside the international area of the airport is not given; it is permitted there only.",
  ),
  transit_day_not_given: plain("The day of the change is not given; it is not permitted on every day of the journey."),
  transit_conditional: ({ condition }: { readonly condition: string }) =>
    `A transit visa is needed under this condition: ${condition}.`,
  transit_limits: ({ hours, condition }: { readonly hours: number | null; readonly condition: string | null }) =>
    `The change is permitted under these conditions: ${[hours === null ? [] : `at most ${hours} hours`, condition ?? []].flat().join(", ")}.`,
  transit_document_to_check: sayTransitCheck,
  transit_visa_to_obtain: ({ destination }: { readonly destination: string }) =>
    `The change is permitted with the visa of ${destination} that has to be obtained for a stop, if it is issued for it.`,
  transit_needs_entry: ({
    destination,
    requirement,
  }: {
    readonly destination: string
    readonly requirement: Requirement
  }) =>
    `To leave the international area is to enter ${destination}, which is ${EASED[requirement]} and depends on more than is judged here.`,
  no_passport_record: plain("No passport with this code is recorded."),
  passport_kind_not_recorded: plain("No rule is recorded here for this kind of passport."),
  stay_counted_nowhere: plain("No destination with this code is recorded; the stay is counted nowhere."),
  todays_rule: plain("The zone's rule has had its form since 2013-10-18; the stay is counted by it all the same."),
  not_modelled: plain("This is repeated and not judged."),
  // Past days: what a history says, and what nobody recorded.
  imported_past: ({ by, until, source }: SeenRule) =>
    `What was needed then is imported from ${source}, which has it from ${by} to ${until}; it was not verified.`,
  rule_seen_between: (said: SeenBetween<string>) => saySeenBetween(said, said.earlier, said.later),
  stay_seen_between: (said: SeenBetween<number | null>) =>
    saySeenBetween(said, nameStay(said.earlier), nameStay(said.later)),
  past_word: ({ word }: { readonly word: string }) =>
    `The lists of that time say ${word}, which does not name one requirement of today.`,
  no_rule_of_that_day: plain("Rules of this kind are not recorded for past days."),
  stay_rule_of_today: plain("The stay rule of that day is not recorded; the days are counted by the rule of today."),
  // The result of a lookup without a record.
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

/** The code of a finding. */
export type ReasonCode = keyof typeof REASONS
/** The parameters of a code's sentence. */
export type ParamsOf<C extends ReasonCode> = Parameters<(typeof REASONS)[C]>[0]
/** Parameters of any code; they have the same names on the wire. */
export type ReasonParams = { readonly [name: string]: string | number | null | readonly string[] }

/** For codes without parameters. */
export const NO_PARAMS: ReasonParams = Object.freeze({})

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
    return Object.keys(REASONS).includes(code) ? writeReason(code, params) : ""
  } catch {
    return ""
  }
}

/** Makes the sentence of a code that this package wrote. Wrong parameters are a bug of ours, and throw. */
export function writeReason<C extends ReasonCode>(code: C, params: ParamsOf<C>): string {
  return (REASONS[code] as (params: ParamsOf<C>) => string)(params)
}
