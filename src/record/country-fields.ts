/**
 * What does a record say about the destination itself?
 *
 * Advice, the country, transit, health, safety, second nationalities, children, overstaying and remote work. Each function returns its
 * field in its wire form, or undefined if nothing is known.
 */
import { type Case, findFreeTransit, findPortalFact, listArrivalForms, nameProgramme } from "./checklist.ts"
import {
  citeRule,
  type Field,
  type FieldContext,
  findFact,
  keepKnown,
  keepSome,
  sayAll,
  useFact,
  useFacts,
} from "./field-context.ts"
import { type Fact, selectFact } from "./full-facts.ts"
import type { Locale, Phrase } from "./localise.ts"
import type { Safety, SafetyOpinion } from "./record-fields.ts"

/** Lists advice: what the law of the destination implies first, what is good practice everywhere last. */
export function listTips(context: FieldContext): Field<"tips"> {
  const { situation, locale } = context
  const { answer, destination } = situation
  const tips: Phrase[] = []
  const entered = answer.requirement !== "no_admission"
  if (entered) tips.push(...listZoneTips(context))
  const years = entered ? situation.validity?.issuedWithinYears : null
  if (years !== null && years !== undefined) {
    citeRule(context, situation.validity, "tips")
    tips.push({ key: "tips.passport_issued_within", values: { years } })
  }
  if (entered && useFact(context, "border", "tips")?.entryExitSystem === true) {
    tips.push({ key: "tips.entry_exit_system" })
  }
  tips.push(...listPlannedAuthorisation(context))
  if (findFact(context, "application")?.value.exceptionalExtension === true) {
    useFact(context, "application", "tips")
    tips.push({ key: "tips.exceptional_extension" })
  }
  if (answer.requirement === "eta" || answer.requirement === "e_visa") {
    tips.push(...listExclusions(context), ...listSites(context, answer.requirement === "eta" ? "eta" : "evisa"))
    tips.push({ key: "tips.same_passport" })
  }
  tips.push(...listFreeTransit(context))
  if (entered) tips.push(...listFormTips(context))
  const page = findPortalFact(situation, "policy")?.origin
  if (page?.url != null) {
    context.citations.cite("tips", page)
    tips.push({ key: "tips.official_page", values: { url: page.url } })
  }
  if (entered) tips.push({ key: "tips.border_questions" })
  tips.push({ key: "tips.confirm", values: { destination: { country: destination } } })
  return sayAll(locale, tips)
}

// Useful for travellers who would need a visa or an authorisation otherwise.
function listFreeTransit(context: FieldContext): readonly Phrase[] {
  const { situation } = context
  const rule = findFreeTransit(situation)
  if (rule === null || rule.hours === null || situation.answer.requirement === "visa_free") return []
  citeRule(context, rule, "tips")
  const key = "tips.free_transit"
  return rule.sourceUrl === null
    ? [{ key, values: { hours: rule.hours } }]
    : [
        { key, values: { hours: rule.hours } },
        { key: "tips.official_page", values: { url: rule.sourceUrl } },
      ]
}

// Only a site that a source confirms is called the only one; any other is named as unconfirmed.
function listSites(context: FieldContext, kind: "eta" | "evisa"): readonly Phrase[] {
  const origin = findPortalFact(context.situation, kind)?.origin
  if (origin?.url == null) return []
  context.citations.cite("tips", origin)
  const key = origin.source === null ? "tips.portal_unconfirmed" : "tips.portal_only"
  return [{ key, values: { url: origin.url } }]
}

function listExclusions(context: FieldContext): readonly Phrase[] {
  const { situation, locale } = context
  const programme = useFact(context, "programme")
  const { excludedAfterStay = [], excludedNationals = [] } = programme ?? {}
  if (excludedAfterStay.length + excludedNationals.length === 0) return []
  useFact(context, "programme", "tips")
  const name = nameProgramme(situation)
  const listNames = (codes: readonly string[]) => locale.list(codes.map(locale.nameCountry))
  const phrases: Phrase[] = excludedAfterStay.map(({ countries, since }) => ({
    key: "tips.excluded_after_stay",
    values: { programme: name, date: { on: since }, countries: listNames(countries) },
  }))
  if (excludedNationals.length > 0) {
    const values = { programme: name, countries: listNames(excludedNationals) }
    phrases.push({ key: "tips.excluded_nationals", values })
  }
  return phrases
}

function listFormTips({ situation, citations }: FieldContext): readonly Phrase[] {
  return listArrivalForms(situation).flatMap(({ value, origin }) => {
    const phrases: Phrase[] = []
    const { url, fee, form, mandatory } = value
    if (form === "none" || form === "none_found") phrases.push({ key: `tips.arrival_form_${form}` })
    if (!mandatory && url !== undefined) {
      phrases.push({ key: "tips.arrival_form_optional", values: { name: value, url } })
    }
    if (fee !== undefined && fee.amount > 0) {
      phrases.push({ key: "tips.arrival_form_fee", values: { name: value, amount: { money: fee } } })
    }
    if (phrases.length > 0) citations.cite("tips", origin)
    return phrases
  })
}

function listPlannedAuthorisation(context: FieldContext): readonly Phrase[] {
  const fact = findFact(context, "plannedAuthorisation")
  const { notBefore, requiredFrom, exempt } = fact?.value ?? {}
  const url = fact?.origin.url
  if (fact === null || url == null || requiredFrom === undefined || exempt === true) return []
  context.citations.cite("tips", fact.origin)
  return [{ key: "tips.etias_planned", values: { date: { on: notBefore! }, required: { on: requiredFrom }, url } }]
}

// A zone's rule binds those whose stay is the zone's: visitors without a visa for its number of days, and holders of its visa.
function listZoneTips(context: FieldContext): readonly Phrase[] {
  const { locale, situation } = context
  const { answer, zone } = situation
  if (zone === null || (answer.requirement !== "visa_required" && answer.days !== zone.rule.allowanceDays)) return []
  const duration = { days: zone.rule.allowanceDays }
  if (zone.rule.kind === "single-permission") {
    if (answer.requirement === "visa_required") return []
    citeRule(context, zone, "tips")
    const countries = locale.list(zone.members.map(({ code }) => locale.nameCountry(code)))
    return [{ key: "tips.shared_permission", values: { countries, duration } }]
  }
  if (zone.id !== "schengen") return []
  citeRule(context, zone, "tips")
  const values = { duration, window: { days: zone.rule.windowDays } }
  return [{ key: "tips.rolling_window", values }, { key: "tips.both_days_count" }]
}

/** Describes the country in the words of the language; time zones keep their international names. */
export function describeCountry(context: FieldContext): Field<"country_info"> {
  const { locale, situation } = context
  const country = useFact(context, "country", "country_info")
  const languages = country?.languages?.map(locale.nameLanguage)
  const capital = country?.capital
  return keepSome({
    currency: country?.currency,
    language: languages === undefined ? undefined : locale.list(languages),
    timezone: country?.timezone,
    capital: capital === undefined ? undefined : locale.nameCity(situation.destination, capital),
  })
}

/**
 * Lists the passports that need a visa to change planes, as far as the lists could be read.
 *
 * If a rule says that nobody needs one inside the transit area, the list is empty. A list that several states share is a minimum, because
 * each may add to it (Visa Code, Art. 3(2)): it is complete only if the destination's own list is recorded too.
 */
export function describeTransit(context: FieldContext): Field<"transit_visa"> {
  const airside = context.situation.transit.filter(({ area }) => area === "airside")
  const rules = airside.filter(({ demand }) => demand === "visa")
  if (rules.length === 0) {
    const open = airside.find(({ demand, passports }) => demand === "no_visa" && passports === null)
    if (open === undefined) return undefined
    citeRule(context, open, "transit_visa")
    const { hours, confidence, sourceUrl } = open
    return {
      required_for: [],
      complete: confidence === "high",
      ...keepKnown({ max_hours: hours ?? undefined, source_url: sourceUrl ?? undefined }),
    }
  }
  for (const rule of rules) citeRule(context, rule, "transit_visa")
  const named = new Set(rules.flatMap(rule => rule.passports ?? []))
  const isWhole = rules.every(rule => rule.isComplete) && rules.some(rule => rule.destinations.length === 1)
  return {
    ...(named.size === 0 ? {} : { required_for: [...named].sort(), complete: isWhole }),
    ...keepKnown({ source_url: rules[0]?.sourceUrl ?? undefined }),
  }
}

/** Vaccinations that have to be shown. */
export function describeVaccinations(context: FieldContext): Field<"vaccinations_required"> {
  const list = listVaccinations(context.situation)
  if (list.length > 0) useFact(context, "yellowFever", "vaccinations_required")
  return sayAll(context.locale, list)
}

/** Health certificates and declarations, and advice. */
export function describeHealth(context: FieldContext): Field<"health_requirements"> {
  const { situation, locale, citations } = context
  const notes = listHealthAdvice(situation)
  const certificate = findFact(context, "yellowFever")?.value.certificate
  const declaration = listArrivalForms(situation).find(({ value }) => value.mandatory && value.health === true)
  if (notes.length === 0 && certificate !== "all_travellers" && declaration === undefined) return undefined
  if (notes.length > 0 || certificate === "all_travellers") useFact(context, "yellowFever", "health_requirements")
  if (declaration !== undefined) citations.cite("health_requirements", declaration.origin)
  const asksDeclaration: readonly Phrase[] = declaration === undefined ? [] : [{ key: "health.declaration" }]
  return {
    covid_test: null,
    // A certificate that only arrivals from certain countries need is not listed here but in `vaccinations_required`.
    vaccination_proof: certificate === "all_travellers" ? true : null,
    health_declaration: declaration === undefined ? null : true,
    quarantine_days: null,
    ebola_screening: null,
    notes: [...asksDeclaration, ...notes].map(locale.say),
  }
}

/** How the destination treats a second nationality. */
export function listDualNationalityWarnings(context: FieldContext): Field<"dual_nationality_warnings"> {
  const country = { country: context.situation.destination }
  return sayAll(
    context.locale,
    useFacts(context, "dualNationality", "dual_nationality_warnings").map(({ value }) => ({
      key: `dual_nationality.${value.rule}`,
      values: { country },
    })),
  )
}

/** Stamps of other countries that can close the border. */
export function listStampWarnings(context: FieldContext): Field<"stamp_warnings"> {
  return sayAll(
    context.locale,
    useFacts(context, "stamps", "stamp_warnings").map(({ value }) => ({
      key: "stamps.may_be_refused",
      values: { country: { country: value.of } },
    })),
  )
}

/** Rules for children. */
export function describeMinorRules(context: FieldContext): Field<"minor_rules"> {
  const rules = useFacts(context, "minors", "minor_rules").map(({ value }) => value.rule)
  if (rules.length === 0) return undefined
  return {
    solo_travel_min_age: null,
    single_parent_letter_required: null,
    notarized_consent_required: null,
    notes: rules.map(rule => context.locale.say({ key: `minors.${rule}` })),
  }
}

/** What has to be declared on entry, and the duty-free amounts. */
export function describeCustoms(context: FieldContext): Field<"customs"> {
  const customs = useFact(context, "customs", "customs")
  return keepSome({
    declare_cash: customs?.declareCash,
    cigarettes: customs?.cigarettes,
    spirits_litres: customs?.spiritsLitres,
  })
}

/** The consequences of an overstay. */
export function describeOverstay(context: FieldContext): Field<"overstay_penalty"> {
  const penalty = useFact(context, "overstay", "overstay_penalty")
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
    details: context.locale.join(sentences.map(context.locale.say)),
  }
}

/** The advice of governments. */
export function citeSafety(context: FieldContext): Field<"safety"> {
  const safety = describeSafety(context.locale, context.situation)
  if (safety === null) return undefined
  for (const fact of context.situation.facts.safety) context.citations.cite("safety", fact.origin)
  return safety
}

/** The visa for those who work for an employer elsewhere; only for passports that can have it. */
export function describeRemoteWork(context: FieldContext): Field<"remote_work_visa"> {
  if (findFact(context, "remoteWork")?.value.available === false) return undefined
  const visa = useFact(context, "remoteWork", "remote_work_visa")
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
    ...keepKnown({ duration_months: visa.months, fee: visa.fee, requirements: sayAll(context.locale, asks) }),
  }
}

// ---- Health and safety

// What do governments and the World Health Organization say about travel to a destination?
//
// Advice is given with its author and day, never merged into one judgement: the level is the U.S. Department of State's, and the British and Irish opinions, which have no levels, are
// given separately.

function describeOpinion(locale: Locale, { value, origin }: Fact<"safety">): SafetyOpinion {
  const key =
    value.level === undefined
      ? (`safety.${value.status ?? "no_warning"}` as const)
      : (`safety.level_${value.level}` as const)
  return {
    advisory: locale.say({ key }),
    source: origin.source?.name ?? value.issuer,
    ...(origin.url === null ? {} : { source_url: origin.url }),
    ...(value.issuedOn === undefined ? {} : { updated_at: value.issuedOn }),
  }
}

/** Describes the advice on a destination, the one with a level first; null where there is none. */
function describeSafety(locale: Locale, { facts }: Case): Safety | null {
  const [first, ...others] = facts.safety.filter(
    fact => fact.value.level !== undefined || fact.value.status !== undefined,
  )
  if (first === undefined) return null
  const { level } = first.value
  return {
    ...(level === undefined ? {} : { level }),
    ...describeOpinion(locale, first),
    ...(others.length === 0 ? {} : { others: others.map(fact => describeOpinion(locale, fact)) }),
  }
}

/** Lists the vaccinations that have to be shown at the border: International Health Regulations (2005), Annex 7. */
function listVaccinations({ facts, answer, passport }: Case): readonly Phrase[] {
  const fact = selectFact(facts, "yellowFever", { requirement: answer.requirement, passport })?.value
  if (fact?.certificate === undefined || fact.certificate === "none") return []
  const key =
    fact.certificate === "all_travellers" ? "vaccination.yellow_fever_all" : "vaccination.yellow_fever_from_risk"
  return [fact.fromMonths === undefined ? { key: `${key}_no_age` } : { key, values: { months: fact.fromMonths } }]
}

/** Lists the health advice for the destination. */
function listHealthAdvice({ facts, answer, passport }: Case): readonly Phrase[] {
  const fact = selectFact(facts, "yellowFever", { requirement: answer.requirement, passport })?.value
  if (fact === undefined) return []
  return [
    ...(fact.risk ? [{ key: "health.yellow_fever_risk" } as const] : []),
    ...(fact.certificate === "none" ? [{ key: "vaccination.none" } as const] : []),
  ]
}
