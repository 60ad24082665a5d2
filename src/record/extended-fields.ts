/**
 * What do the facts of a destination become in a record?
 *
 * One function a field, from facts to the field as it is on the wire, or undefined where nothing is known. Facts are cited as
 * they are used. What a traveller at home, or one who moves freely by treaty, is not bound by is left out for him.
 */

import type { RuleSource } from "../dataset/travel-rules.ts"
import { type Case, findPortal, listDocuments, listSteps } from "./checklist.ts"
import type { Citations } from "./citations.ts"
import { type Fact, type FullFacts, type Subject, type SubjectFacts, selectFact, selectFacts } from "./full-facts.ts"
import { describeSafety, listHealthAdvice, listVaccinations } from "./health-and-safety.ts"
import type { Locale, Phrase, PhraseValue } from "./localise.ts"
import type { FullRecord, Money, VisaType } from "./record-fields.ts"

/** What a field is made from. */
export interface Desk {
  readonly situation: Case
  readonly locale: Locale
  readonly citations: Citations
  readonly sourceOf: FullFacts["sourceOf"]
}

type Field<Name extends keyof FullRecord> = FullRecord[Name] | undefined

type Known<Value> = { [Key in keyof Value]: Exclude<Value[Key], undefined> }

/** Drops what is undefined, so that what is not known is absent. */
export function keepKnown<Value extends object>(value: Value): Known<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, held]) => held !== undefined)) as Known<Value>
}

function keepSome<Value extends object>(value: Value): Known<Value> | undefined {
  const known = keepKnown(value)
  return Object.keys(known).length === 0 ? undefined : known
}

/** Finds a fact and cites it for a field. */
function use<Of extends Subject>(desk: Desk, subject: Of, ...fields: string[]): SubjectFacts[Of] | undefined {
  const fact = selectFact(desk.situation.facts, subject, asked(desk))
  if (fact === null) return undefined
  for (const field of fields) desk.citations.cite(field, fact.origin)
  return fact.value
}

function useAll<Of extends Subject>(desk: Desk, subject: Of, field: string): readonly Fact<Of>[] {
  const facts = selectFacts(desk.situation.facts, subject, asked(desk))
  for (const fact of facts) desk.citations.cite(field, fact.origin)
  return facts
}

/** Cites a rule of the dataset. */
function citeRule({ citations, sourceOf }: Desk, rule: RuleSource | null, name: string): void {
  if (rule === null || rule.source === null) return
  const retrievedOn = sourceOf(rule.source.id)?.retrievedOn ?? null
  const source = { ...rule.source, retrievedOn }
  citations.cite(name, { source, url: rule.sourceUrl, asOf: retrievedOn, verifiedOn: rule.verifiedOn })
}

function asked({ situation }: Desk) {
  return { requirement: situation.answer.requirement, passport: situation.passport }
}

function sayAll(locale: Locale, phrases: readonly Phrase[]): readonly string[] | undefined {
  return phrases.length === 0 ? undefined : phrases.map(locale.say)
}

function money(locale: Locale, value: Money | undefined): string | undefined {
  return value === undefined ? undefined : locale.formatValue({ money: value })
}

/** Lists the documents to bring or hand in; undefined where no document opens the border. */
export function describeDocuments(desk: Desk): Field<"documents_required"> {
  const documents = listDocuments(desk.situation)
  const slugs = new Set(documents.map(({ slug }) => slug))
  const named = selectFact(desk.situation.facts, "application", asked(desk))?.value.documents ?? []
  if (named.some(slug => slugs.has(slug))) use(desk, "application", "documents_required")
  const { validity } = desk.situation.rules
  if (slugs.has("passport") && !desk.situation.movesFreely) citeRule(desk, validity, "documents_required")
  if (documents.some(({ phrase }) => phrase.key === "documents.photo_size")) use(desk, "photo", "documents_required")
  if (slugs.has("insurance")) use(desk, "insurance", "documents_required")
  if (slugs.has("yellow_fever_certificate")) use(desk, "yellowFever", "documents_required")
  return sayAll(
    desk.locale,
    documents.map(({ phrase }) => phrase),
  )
}

/** Lists what to do, in order. */
export function describeSteps(desk: Desk): Field<"process"> {
  const steps = listSteps(desk.situation)
  const keys = new Set(steps.map(({ key }) => key))
  if (keys.has("process.pay_fee_amount")) use(desk, "fee", "process")
  if (keys.has("process.mission_fingerprints") || keys.has("process.wait_days")) use(desk, "application", "process")
  return sayAll(desk.locale, steps)
}

/** Names the ways to enter that are more than a stamp. */
export function listVisaTypes(desk: Desk): Field<"visa_types"> {
  const { situation, locale } = desk
  const { answer } = situation
  if (answer.requirement === "visa_free" || answer.requirement === "no_admission") return undefined
  const fee = use(desk, "fee", "visa_types")
  const cout = money(locale, fee?.singleEntry ?? fee?.multipleEntry)
  const describe = (kind: VisaKind, duree?: string, price?: string): VisaType => ({
    nom: locale.say({ key: `visa_types.${kind}` }),
    ...keepKnown({ cout: price, duree }),
    description: locale.say({ key: `visa_types.${kind}_about` }),
  })
  if (answer.requirement !== "visa_required") {
    const duree = answer.days === null ? undefined : sayStay(locale, { duration: { days: answer.days } })
    return [describe(answer.requirement, duree, cout)]
  }
  if (selectFact(situation.facts, "application", asked(desk))?.value.regime === "schengen") {
    use(desk, "application", "visa_types")
    return [describe("schengen_c", sayWindow(desk), cout), describe("schengen_d")]
  }
  return cout === undefined ? undefined : [describe("visitor", undefined, cout)]
}

type VisaKind = "eta" | "visa_on_arrival" | "e_visa" | "schengen_c" | "schengen_d" | "visitor"

function sayStay(locale: Locale, values: Readonly<Record<string, PhraseValue>>): string {
  return locale.say({ key: "visa_types.stay_up_to", values })
}

function sayWindow({ situation, locale }: Desk): string | undefined {
  const rule = situation.rules.zone?.rule
  if (rule?.kind !== "rolling") return undefined
  const values = { duration: { days: rule.allowanceDays }, window: { days: rule.windowDays } }
  return locale.say({ key: "visa_types.stay_in_window", values })
}

/** Says whether a stay can be made longer, in the words of the specification's French keys. */
export function describeExtension(desk: Desk): Field<"extension"> {
  const rules = use(desk, "extension", "extension", "extension_rules")
  if (rules === undefined) return undefined
  const { locale } = desk
  return {
    possible: rules.possible,
    ...keepKnown({
      cout: money(locale, rules.fee),
      duree: rules.maxDays === undefined ? undefined : locale.formatValue({ days: rules.maxDays }),
      lieu: sayWhere(locale, rules),
    }),
  }
}

function sayWhere(locale: Locale, { where }: SubjectFacts["extension"]): string | undefined {
  return where === undefined ? undefined : locale.say({ key: `extension.${where}` })
}

/** The same as numbers. */
export function describeExtensionRules(desk: Desk): Field<"extension_rules"> {
  const rules = use(desk, "extension")
  if (rules === undefined) return undefined
  return {
    possible: rules.possible,
    ...keepKnown({ max_days: rules.maxDays, fee: rules.fee, where: sayWhere(desk.locale, rules) }),
  }
}

/** Lists advice: what the law of the destination implies first, what is good practice everywhere last. */
export function listTips(desk: Desk): Field<"tips"> {
  const { situation, locale } = desk
  const { answer, destination } = situation
  const tips: Phrase[] = []
  const entered = answer.requirement !== "no_admission"
  if (entered) tips.push(...listZoneTips(desk))
  const years = entered ? situation.rules.validity?.issuedWithinYears : null
  if (years !== null && years !== undefined) {
    citeRule(desk, situation.rules.validity, "tips")
    tips.push({ key: "tips.passport_issued_within", values: { years } })
  }
  if (entered && use(desk, "border", "tips")?.entryExitSystem === true) tips.push({ key: "tips.entry_exit_system" })
  tips.push(...listPlannedAuthorisation(desk))
  if (selectFact(situation.facts, "application", asked(desk))?.value.exceptionalExtension === true) {
    use(desk, "application", "tips")
    tips.push({ key: "tips.exceptional_extension" })
  }
  if (answer.requirement === "eta" || answer.requirement === "e_visa") {
    const url = findPortal(situation, answer.requirement === "eta" ? "eta" : "evisa")
    if (url !== null) tips.push({ key: "tips.portal_only", values: { url } })
    tips.push({ key: "tips.same_passport" })
  }
  const page = findPortal(situation, "policy")
  if (page !== null) tips.push({ key: "tips.official_page", values: { url: page } })
  if (entered) tips.push({ key: "tips.border_questions" })
  tips.push({ key: "tips.confirm", values: { destination: { country: destination } } })
  return sayAll(locale, tips)
}

function listPlannedAuthorisation(desk: Desk): readonly Phrase[] {
  const fact = selectFact(desk.situation.facts, "plannedAuthorisation", asked(desk))
  if (fact === null || fact.origin.url === null || fact.value.exempt === true) return []
  desk.citations.cite("tips", fact.origin)
  return [{ key: "tips.etias_planned", values: { date: { on: fact.value.notBefore }, url: fact.origin.url } }]
}

// A zone's rule binds those whose stay is the zone's: visitors without a visa for its number of days, and holders of its visa.
function listZoneTips(desk: Desk): readonly Phrase[] {
  const { answer, rules } = desk.situation
  const { zone } = rules
  if (zone === null || (answer.requirement !== "visa_required" && answer.days !== zone.rule.allowanceDays)) return []
  const duration = { days: zone.rule.allowanceDays }
  if (zone.rule.kind === "single-permission") {
    if (answer.requirement === "visa_required") return []
    citeRule(desk, zone, "tips")
    const countries = desk.locale.list(zone.members.map(({ code }) => desk.locale.nameCountry(code)))
    return [{ key: "tips.shared_permission", values: { countries, duration } }]
  }
  if (zone.id !== "schengen") return []
  citeRule(desk, zone, "tips")
  const values = { duration, window: { days: zone.rule.windowDays } }
  return [{ key: "tips.rolling_window", values }, { key: "tips.both_days_count" }]
}

/** Describes the country in the words of the language; capitals and time zones keep their international names. */
export function describeCountry(desk: Desk): Field<"country_info"> {
  const country = use(desk, "country", "country_info")
  const languages = country?.languages?.map(desk.locale.nameLanguage)
  return keepSome({
    currency: country?.currency,
    language: languages === undefined ? undefined : desk.locale.list(languages),
    timezone: country?.timezone,
    capital: country?.capital,
  })
}

/** Names the passports for which changing planes takes a visa, as far as the lists could be read. */
export function describeTransit(desk: Desk): Field<"transit_visa"> {
  const rules = desk.situation.rules.airportVisas
  if (rules.length === 0) return undefined
  for (const rule of rules) citeRule(desk, rule, "transit_visa")
  const named = new Set(rules.flatMap(rule => rule.passports ?? []))
  return {
    ...(named.size === 0 ? {} : { required_for: [...named].sort() }),
    source_url: rules[0]?.sourceUrl ?? null,
  }
}

/** Whole months for which the passport must stay valid; 0 where validity on the day is enough. */
export function countValidityMonths(desk: Desk): Field<"passport_validity_months"> {
  const { validity } = desk.situation.rules
  if (validity === null || validity.days > 0) return undefined
  citeRule(desk, validity, "passport_validity_months")
  return validity.months
}

/** The fee of the destination's government. */
export function describeFee(desk: Desk): Field<"visa_fee"> {
  const fee = use(desk, "fee", "visa_fee")
  return keepSome({ single_entry: fee?.singleEntry, multiple_entry: fee?.multipleEntry })
}

/** Days within which an application is decided. */
export function describeProcessing(desk: Desk): Field<"processing_days"> {
  const application = selectFact(desk.situation.facts, "application", asked(desk))
  const days = keepSome({
    standard: application?.value.standardDays,
    express: application?.value.expressDays,
    rush: application?.value.rushDays,
  })
  if (application !== null && days !== undefined) desk.citations.cite("processing_days", application.origin)
  return days
}

/** When to apply. */
export function describeApplyPeriod(desk: Desk): Field<"best_apply_period"> {
  const application = selectFact(desk.situation.facts, "application", asked(desk))
  if (application === null) return undefined
  const { earliestMonths, latestDays } = application.value
  const sentences: Phrase[] = []
  if (earliestMonths !== undefined) sentences.push({ key: "apply.earliest", values: { months: earliestMonths } })
  if (latestDays !== undefined) sentences.push({ key: "apply.latest", values: { days: latestDays } })
  if (sentences.length === 0) return undefined
  desk.citations.cite("best_apply_period", application.origin)
  return desk.locale.join(sentences.map(desk.locale.say))
}

/** How the photo of an application has to be. */
export function describePhoto(desk: Desk): Field<"photo_specs"> {
  const photo = use(desk, "photo", "photo_specs")
  if (photo === undefined) return undefined
  return keepSome({
    width_mm: photo.widthMm,
    height_mm: photo.heightMm,
    background: photo.background === undefined ? undefined : desk.locale.say({ key: `photo.${photo.background}` }),
    glasses_allowed: photo.glassesAllowed,
    head_covering_allowed: photo.headCoveringAllowed,
  })
}

/** Vaccinations that have to be shown. */
export function describeVaccinations(desk: Desk): Field<"vaccinations_required"> {
  const list = listVaccinations(desk.situation)
  if (list.length > 0) use(desk, "yellowFever", "vaccinations_required")
  return sayAll(desk.locale, list)
}

/** What to know of health. */
export function describeHealth(desk: Desk): Field<"health_requirements"> {
  const list = listHealthAdvice(desk.situation)
  if (list.length > 0) use(desk, "yellowFever", "health_requirements")
  return sayAll(desk.locale, list)
}

/** Insurance that the law asks for. */
export function describeInsurance(desk: Desk): Field<"insurance_required"> {
  const insurance = use(desk, "insurance", "insurance_required")
  if (insurance === undefined) return undefined
  const { minCoverage } = insurance
  return { required: true, ...keepKnown({ min_coverage: minCoverage?.amount, currency: minCoverage?.currency }) }
}

/** What the destination makes of a second nationality. */
export function listDualNationalityWarnings(desk: Desk): Field<"dual_nationality_warnings"> {
  const country = { country: desk.situation.destination }
  return sayAll(
    desk.locale,
    useAll(desk, "dualNationality", "dual_nationality_warnings").map(({ value }) => ({
      key: `dual_nationality.${value.rule}`,
      values: { country },
    })),
  )
}

/** Stamps of other countries that can close the border. */
export function listStampWarnings(desk: Desk): Field<"stamp_warnings"> {
  return sayAll(
    desk.locale,
    useAll(desk, "stamps", "stamp_warnings").map(({ value }) => ({
      key: "stamps.may_be_refused",
      values: { country: { country: value.of } },
    })),
  )
}

/** What holds for children. */
export function describeMinorRules(desk: Desk): Field<"minor_rules"> {
  const minors = use(desk, "minors", "minor_rules")
  return minors === undefined ? undefined : desk.locale.say({ key: `minors.${minors.rule}` })
}

/** What staying too long leads to. */
export function describeOverstay(desk: Desk): Field<"overstay_penalty"> {
  const penalty = use(desk, "overstay", "overstay_penalty")
  if (penalty === undefined) return undefined
  const { finePerDay, fineMax, bans, criminal } = penalty
  const sentences: Phrase[] = []
  if (finePerDay !== undefined) {
    sentences.push({ key: "overstay.fine_per_day", values: { amount: { money: finePerDay } } })
  }
  if (fineMax !== undefined) sentences.push({ key: "overstay.fine_max", values: { amount: { money: fineMax } } })
  for (const { afterDays, years, upTo } of bans ?? []) {
    const duration = { years }
    if (afterDays !== undefined) {
      const overstay = afterDays % 365 === 0 ? { years: afterDays / 365 } : { days: afterDays }
      sentences.push({ key: "overstay.ban_after", values: { overstay, duration } })
    } else sentences.push({ key: upTo === true ? "overstay.ban_up_to" : "overstay.ban", values: { duration } })
  }
  if (criminal === true) sentences.push({ key: "overstay.criminal" })
  return {
    ...keepKnown({ fine_per_day: finePerDay, criminal }),
    details: desk.locale.join(sentences.map(desk.locale.say)),
  }
}

/** What governments advise. */
export function citeSafety(desk: Desk): Field<"safety"> {
  const safety = describeSafety(desk.locale, desk.situation)
  if (safety === null) return undefined
  for (const fact of desk.situation.facts.safety) desk.citations.cite("safety", fact.origin)
  return safety
}

/** The visa for those who work for an employer elsewhere. */
export function describeRemoteWork(desk: Desk): Field<"remote_work_visa"> {
  const visa = use(desk, "remoteWork", "remote_work_visa")
  if (visa === undefined) return undefined
  const { incomeMonthly, incomeYearly, savings } = visa
  const asks: Phrase[] = []
  if (visa.employerAbroad === true) asks.push({ key: "remote_work.employer_abroad" })
  if (incomeMonthly !== undefined) {
    asks.push({ key: "remote_work.income_monthly", values: { amount: { money: incomeMonthly } } })
  }
  if (incomeYearly !== undefined) {
    asks.push({ key: "remote_work.income_yearly", values: { amount: { money: incomeYearly } } })
  }
  if (savings !== undefined) asks.push({ key: "remote_work.savings", values: { amount: { money: savings } } })
  return {
    available: true,
    ...keepKnown({ duration_months: visa.months, fee: visa.fee, requirements: sayAll(desk.locale, asks) }),
  }
}
