/**
 * Which fields does a full record have, which plan shows each, to whom does it apply, how is it built and how is it written on a page?
 *
 * There is one row for each field, in the order of the record and of its page. Assembly, the check of plans, the coverage, the page and the
 * wire schema use the rows and know no field by themselves: a field without a row is in no record and is never shown. TypeScript checks the
 * rows against the interfaces of record-fields.ts.
 */

import { formatCivilDate } from "../civil-date.ts"
import { BORDERS, isAbout, needsVisa } from "../codes.ts"
import { getOrInsert, keepKnown, keepSome } from "../collections.ts"
import { isReviewed } from "../dataset/open.ts"
import type { BorderRule } from "../trip/recorded.ts"
import {
  type Case,
  findDuty,
  findFreeTransit,
  findVaccination,
  listArrivalForms,
  listDocuments,
  listSteps,
  nameProgramme,
} from "./checklist.ts"
import { writeDescription } from "./conditions.ts"
import type { SubjectFacts } from "./fact-fields.ts"
import {
  citeRule,
  type FieldContext,
  type FieldValue,
  findFact,
  sayPhrases,
  useFact,
  useFacts,
  writeMoney,
} from "./field-context.ts"
import {
  type Fact,
  findFee,
  findPortalFact,
  type HistoryChange,
  type HistoryIndex,
  type MissionFact,
  type MissionIndex,
  selectFact,
} from "./full-facts.ts"
import { type Locale, type MessageKey, type Phrase, punctuationOf } from "./localise.ts"
import {
  escapeText,
  linkText,
  listItems,
  listTexts,
  type PageWriter,
  type SectionLine,
  sayValue,
  writeChange,
  writeLink,
  writeMissions,
  writeNotes,
  writeTexts,
} from "./page-writer.ts"
import type {
  CoreFields,
  FullRecord,
  HistoryEntry,
  Mission,
  ProFields,
  Safety,
  SafetyOpinion,
  StarterFields,
  TermFields,
  VisaType,
} from "./record-fields.ts"

// ---- The pair

// Which fields of a record depend on both countries, and not on the answer for the pair?
//
// The missions of each in the other, and the changes of the requirement. Both are as old as their tables, and say so.

// The country whose missions issue the visas of a territory that has none of its own.
function issuerOf({ answer, passport, destination, facts }: Case): string {
  return selectFact(facts, "issuing", { requirement: answer.requirement, passport })?.value.country ?? destination
}

/**
 * Finds the missions of the passport's country in the destination, and in that country those of the destination or of the state that issues its
 * visas; undefined where they are not loaded.
 */
export function findMissions({ missions }: Pick<FieldContext, "missions">, situation: Case) {
  if (missions === undefined || situation.answer.home) return undefined
  const { passport, destination } = situation
  const own = missions.listMissions(destination, passport)
  return {
    there: missions.listMissions(passport, destination),
    toApply: own.length > 0 ? own : missions.listMissions(issuerOf(situation), passport),
  }
}

/** Shows the missions of each country in the other, and cites them for a field; undefined where there is none. */
function useMissions(context: FieldContext, field: "embassy" | "embassies") {
  const { ways } = context
  const there = ways && showMissions(context, ways.there)
  const toApply = ways && showMissions(context, ways.toApply)
  if (there === undefined && toApply === undefined) return undefined
  cite(context, field, context.missions)
  return { there, toApply }
}

function cite(
  { citations, facts }: FieldContext,
  field: "embassy" | "embassies" | "reciprocity_history",
  table: MissionIndex | HistoryIndex | undefined,
): void {
  if (table === undefined) return
  const source = facts.sourceOf(table.source) ?? null
  citations.cite(field, { source, url: source?.url ?? null, asOf: table.asOf, verifiedOn: null, citedOn: null })
}

function showMissions({ locale, shown, facts, missions }: FieldContext, found: readonly MissionFact[]) {
  const [one] = found
  if (one === undefined) return undefined
  return getOrInsert(shown.missions, found, () => {
    const all = found.map(fact => showMission(locale, fact, missions?.asOf ?? ""))
    const capital = facts.factsOf(one.host).country[0]?.value.capital
    // An embassy before a consulate, in whatever city: those of the Netherlands are in The Hague and not in Amsterdam.
    const inCapital = found.findIndex(({ kind, city }) => kind === one.kind && city !== null && city === capital)
    return { all: Object.freeze(all), first: all[Math.max(0, inCapital)] as Mission }
  })
}

function showMission(
  locale: Locale,
  { kind, operator, host, city, website, phone, email }: MissionFact,
  asOf: string,
): Mission {
  const { bracketStart, bracketEnd } = punctuationOf(locale.language)
  return Object.freeze({
    name: `${locale.say({ key: `mission.${kind}` })}${bracketStart}${locale.nameCountry(operator)}${bracketEnd}`,
    kind,
    ...keepKnown({ city: city && locale.nameCity(host, city) }),
    country: locale.nameCountry(host),
    ...keepKnown({ phone, email, website }),
    as_of: asOf,
  })
}

/**
 * A change as a language shows it.
 *
 * @example
 * ```ts
 * const { date } = showChange(locale, { on: "2026-02-17", from: "eta", to: "eta", daysBefore: 30, daysAfter: 90, afterBan: false })
 * date // => "2026-02-17"
 * ```
 */
export function showChange(locale: Locale, change: HistoryChange): HistoryEntry {
  const { on, from, to, daysBefore, daysAfter, afterBan, sources, seenAfter } = change
  const notes: string[] = []
  if (daysBefore !== null && daysAfter !== null) {
    const values = { before: { days: daysBefore }, after: { days: daysAfter } }
    notes.push(locale.say({ key: "history.days_changed", values }))
  }
  if (afterBan) notes.push(locale.say({ key: "history.after_pandemic_ban" }))
  return {
    date: on,
    ...keepKnown({ seen_after: seenAfter }),
    from,
    to,
    ...keepKnown({ note: notes.length === 0 ? null : locale.join(notes), sources }),
  }
}

// ---- Parts of fields

type VisaKind = "eta" | "visa_on_arrival" | "e_visa" | "schengen_c" | "schengen_d" | "visitor"

function sayWindow({ situation, locale }: FieldContext): string | undefined {
  const rule = situation.zone?.rule
  if (rule?.kind !== "rolling") return undefined
  const values = { duration: { days: rule.allowanceDays }, window: { days: rule.windowDays } }
  return locale.say({ key: "visa_types.stay_in_window", values })
}

function sayWhere(locale: Locale, { where }: SubjectFacts["extension"]): string | undefined {
  return where === undefined ? undefined : locale.say({ key: `extension.${where}` })
}

/** Lists advice: what the law of the destination implies first, what is good practice everywhere last. */
function listTips(context: FieldContext): FieldValue<"tips"> {
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
  if (entered && findDuty(situation, "registered") !== undefined) {
    useFact(context, "border", "tips")
    tips.push({ key: "issue.entry_exit_system" })
  }
  tips.push(...listPlannedAuthorisation(context))
  if (findFact(context, "application")?.value.exceptionalExtension === true) {
    useFact(context, "application", "tips")
    tips.push({ key: "tips.exceptional_extension" })
  }
  if (answer.requirement === "eta" || answer.requirement === "e_visa") {
    tips.push(...listExclusions(context), ...listSites(context))
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
  return sayPhrases(locale, tips)
}

// Useful for travellers who would need a visa or an authorisation otherwise.
function listFreeTransit(context: FieldContext): readonly Phrase[] {
  const { situation } = context
  const rule = findFreeTransit(situation)
  if (rule === null || rule.hours === null || situation.answer.requirement === "visa_free") return []
  citeRule(context, rule, "tips")
  const { hours, sourceUrl: url } = rule
  const tip: Phrase = { key: "tips.free_transit", values: { hours } }
  return url === null ? [tip] : [tip, { key: "tips.official_page", values: { url } }]
}

// Only a site that a source confirms is called the only one; any other is named as unconfirmed.
function listSites(context: FieldContext): readonly Phrase[] {
  const origin = findPortalFact(context.situation)?.origin
  if (origin?.url == null) return []
  context.citations.cite("tips", origin)
  const key = origin.source === null ? "tips.portal_unconfirmed" : "tips.portal_only"
  return [{ key, values: { url: origin.url } }]
}

function listBorderRules({ borders, answer }: Case, kind: BorderRule["kind"]): readonly BorderRule[] {
  return borders.filter(rule => rule.kind === kind && isAbout(rule, answer.requirement))
}

function listExclusions(context: FieldContext): readonly Phrase[] {
  const { situation, locale } = context
  const bars = listBorderRules(situation, "bar")
  if (bars.length > 0) useFact(context, "programme", "tips")
  const programme = nameProgramme(situation)
  const listNames = (codes: readonly string[]) => locale.list(codes.map(locale.nameCountry))
  const afterStay = bars.flatMap(({ present, since: on }): Phrase[] => {
    if (present === null || on === null) return []
    return [{ key: "tips.excluded_after_stay", values: { programme, date: { on }, countries: listNames(present) } }]
  })
  const ofNationals = bars.flatMap(({ nationals }): Phrase[] => {
    if (nationals === null) return []
    return [{ key: "tips.excluded_nationals", values: { programme, countries: listNames(nationals) } }]
  })
  return [...afterStay, ...ofNationals]
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
  const duty = findDuty(context.situation, "announced")
  const fact = findFact(context, "plannedAuthorisation")
  const url = fact?.origin.url
  if (duty === undefined || fact === null || url == null) return []
  context.citations.cite("tips", fact.origin)
  const required = { on: formatCivilDate(duty.fromDay) }
  return [{ key: "tips.etias_planned", values: { date: { on: fact.value.notBefore }, required, url } }]
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
    ...keepKnown({ source_url: origin.url, updated_at: value.issuedOn }),
  }
}

/** Describes the advice on a destination, the one with a level first; null where there is none. */
function describeSafety(locale: Locale, { facts }: Case): Safety | null {
  const [first, ...others] = facts.safety.filter(
    fact => fact.value.level !== undefined || fact.value.status !== undefined,
  )
  if (first === undefined) return null
  const { level } = first.value
  const said = others.map(fact => describeOpinion(locale, fact))
  return {
    ...keepKnown({ level }),
    ...describeOpinion(locale, first),
    ...keepKnown({ others: said.length === 0 ? null : said }),
  }
}

// ---- Rows

/** The lowest plan that shows a field. */
export type PlanTier = "core" | "starter" | "pro"

/**
 * To whom a field applies: everybody; people abroad; visitors, who are neither at home nor free to move; entrants, the visitors who are
 * admitted at all, because others have no use for information about an entry.
 */
type Bound = "everybody" | "abroad" | "visitors" | "entrants"

/** One section of a page, for one field. */
interface PageSection<Value> {
  readonly heading: MessageKey
  readonly write: (page: PageWriter, value: Value) => readonly SectionLine[]
}

/** One field of the record. */
export interface FieldRow<Value, Tier extends PlanTier = PlanTier> {
  readonly plan: Tier
  /** What starter shows of a field of which only pro shows all; undefined if nothing. */
  readonly starterPart?: (value: Value) => Value | undefined
  readonly binds: Bound
  /** True for fields about the passport and a visa in it: they do not concern travellers with a special document instead. */
  readonly isOfPassport?: true
  /** Whether it is made once for all pairs with an answer and a destination, or for each pair. */
  readonly per: "answer" | "pair"
  /** Returns the field in its wire form, or undefined if nothing is known. */
  readonly build: (context: FieldContext) => Value | undefined
  /** True for a list that every record has; it is empty if nothing is known or the field does not apply. */
  readonly isAlwaysList?: true
  /** Its label; null if no page shows it. */
  readonly label: MessageKey | null
  /** Writes its section, whose heading is the label. */
  readonly write?: PageSection<Value>["write"]
  /** Its sections, where it has several. */
  readonly sections?: readonly PageSection<Value>[]
}

type Rows<Fields, Tier extends PlanTier> = {
  readonly [Name in keyof Fields]-?: FieldRow<Exclude<Fields[Name], undefined>, Tier>
}

/** The first columns of a row with a section under its label. */
const row = <Tier extends PlanTier>(plan: Tier, binds: Bound, label: MessageKey) =>
  ({ plan, binds, per: "answer", label }) as const

/** A row of the verdict, which the head of the page says. */
function verdict<Value>(build: (context: FieldContext) => Value | undefined): FieldRow<Value, "core"> {
  return { plan: "core", binds: "everybody", per: "answer", build, label: null }
}

/** A row about the rule besides the verdict, also in the head of the page. */
function term<Name extends keyof TermFields>(name: Name): FieldRow<Exclude<TermFields[Name], undefined>, "core"> {
  const build = ({ terms }: FieldContext) => terms?.fields[name] as Exclude<TermFields[Name], undefined> | undefined
  return { plan: "core", binds: "everybody", per: "pair", build, label: null }
}

const FIELD_ROWS: Rows<CoreFields, "core"> & Rows<StarterFields, "starter"> & Rows<ProFields, "pro"> = {
  passport: { ...verdict(({ situation }) => situation.passport), per: "pair" },
  destination: verdict(({ situation }) => situation.destination),
  requirement: verdict(({ situation }) => situation.answer.requirement),
  visa_free_days: verdict(({ situation }) => situation.answer.days),
  visa_required: verdict(({ situation }) => needsVisa(situation.answer.requirement)),
  home: verdict(({ situation }) => (situation.answer.home ? true : undefined)),
  requirement_status: verdict(({ situation }) => (situation.answer.uncertain ? "uncertain" : undefined)),
  last_verified_at: verdict(({ situation: { answer } }) =>
    isReviewed(answer) && answer.verifiedOn !== null ? `${answer.verifiedOn}T00:00:00Z` : null,
  ),
  verified: verdict(({ situation: { answer } }) => isReviewed(answer) && answer.verifiedOn !== null),
  description: verdict(({ locale, situation }) =>
    writeDescription(locale, situation.answer, situation.destination, nameProgramme(situation)),
  ),

  source_url: {
    ...verdict(
      ({ situation: { answer }, terms }) =>
        terms?.sourceUrl ?? (isReviewed(answer) ? (answer.source?.url ?? null) : null),
    ),
    per: "pair",
  },
  conditions: {
    ...row("core", "everybody", "label.conditions"),
    per: "pair",
    build: ({ terms }) => terms?.fields.conditions,
    write: (_, conditions) => listTexts(conditions.map(({ text }) => text)),
  },
  evidence: term("evidence"),
  age_days: term("age_days"),
  stale: term("stale"),
  changed_since: term("changed_since"),
  stay_basis: term("stay_basis"),
  ends_on: term("ends_on"),
  after_expiry: term("after_expiry"),
  ended_on: term("ended_on"),
  corroborated: term("corroborated"),
  disputed: term("disputed"),

  /** Lists the documents to bring or hand in; undefined where no document opens the border. */
  documents_required: {
    ...row("core", "everybody", "label.documents"),
    isOfPassport: true,
    isAlwaysList: true,
    build(context) {
      const { situation } = context
      const documents = listDocuments(situation)
      const slugs = new Set(documents.map(({ slug }) => slug))
      if (documents.length > 0) useFact(context, "documents", "documents_required")
      if (slugs.has("passport") && !situation.movesFreely) citeRule(context, situation.validity, "documents_required")
      if (documents.some(({ phrase }) => phrase.key === "documents.photo_size")) {
        useFact(context, "photo", "documents_required")
      }
      if (slugs.has("insurance")) useFact(context, "insurance", "documents_required")
      if (slugs.has("yellow_fever_certificate")) useFact(context, "yellowFever", "documents_required")
      return sayPhrases(
        context.locale,
        documents.map(({ phrase }) => phrase),
      )
    },
    write: writeTexts,
  },
  /** Lists what to do, in order. */
  process: {
    ...row("core", "everybody", "label.process"),
    isOfPassport: true,
    build(context) {
      const { situation, citations } = context
      const steps = listSteps(situation)
      const keys = new Set(steps.map(({ key }) => key))
      const application = findFact(context, "application")
      const applies = situation.application?.sponsors === undefined
      // A source with only a number of days does not say where and how to apply; such a number is cited for itself.
      const { regime, channel } = application?.value ?? {}
      if (applies && application !== null && (regime ?? channel) !== undefined)
        citations.cite("process", application.origin)
      if (keys.has("process.pay_fee_amount")) useFact(context, "fee", "process")
      for (const kind of ["eta", "evisa", "arrival", "application"] as const) {
        const portal = findPortalFact(situation, kind)?.origin
        if (portal?.url != null && steps.some(({ values }) => values?.url === portal.url))
          citations.cite("process", portal)
      }
      for (const { value, origin } of listArrivalForms(situation))
        if (value.mandatory) citations.cite("process", origin)
      return sayPhrases(context.locale, steps)
    },
    write: (_, steps) => steps.map((step, at) => `${at + 1}. ${linkText(step)}`),
  },
  /** Names the ways to enter that are more than a stamp. */
  visa_types: {
    ...row("core", "entrants", "label.visa_types"),
    isOfPassport: true,
    build(context) {
      const { situation, locale } = context
      const { answer } = situation
      if (answer.requirement === "visa_free" || answer.requirement === "no_admission") return undefined
      useFact(context, "fee", "visa_types")
      const cout = writeMoney(locale, findFee(situation))
      const describe = (kind: VisaKind, duree?: string, price?: string, values?: Phrase["values"]): VisaType => ({
        nom: locale.say(values === undefined ? { key: `visa_types.${kind}` } : { key: `visa_types.${kind}`, values }),
        // Published clients read a text in every type.
        cout: price ?? locale.say({ key: "visa_types.cost_unknown" }),
        ...keepKnown({ duree }),
        description: locale.say({ key: `visa_types.${kind}_about` }),
      })
      if (answer.requirement !== "visa_required") {
        const duree =
          answer.days === null
            ? undefined
            : locale.say({ key: "visa_types.stay_up_to", values: { duration: { days: answer.days } } })
        if (answer.requirement === "eta") {
          useFact(context, "programme", "visa_types")
          return [describe("eta", duree, cout, { programme: nameProgramme(situation) })]
        }
        return [describe(answer.requirement, duree, cout)]
      }
      if (findFact(context, "application")?.value.regime === "schengen") {
        useFact(context, "application", "visa_types")
        return [describe("schengen_c", sayWindow(context), cout), describe("schengen_d")]
      }
      return cout === undefined ? undefined : [describe("visitor", undefined, cout)]
    },
    write: (page, types) =>
      types.flatMap(({ nom, cout, duree, description }) => {
        const fee = cout === undefined ? undefined : page.locale.label(page.word("label.fee"), page.name(cout))
        const details = [description, duree, fee].filter(detail => detail !== undefined)
        return [`- **${escapeText(nom)}**`, ...details.map(detail => `  - ${escapeText(detail)}`)]
      }),
  },
  /** Says whether a stay can be made longer, in the words of the specification's French keys. */
  extension: {
    ...row("core", "entrants", "label.extension"),
    build(context) {
      const rules = useFact(context, "extension", "extension", "extension_rules")
      if (rules === undefined) return undefined
      const { locale } = context
      return {
        possible: rules.possible,
        ...keepKnown({
          cout: writeMoney(locale, rules.fee),
          duree: rules.maxDays === undefined ? undefined : locale.formatValue({ days: rules.maxDays }),
          lieu: sayWhere(locale, rules),
        }),
      }
    },
    write: (page, { possible, cout, duree, lieu }) =>
      listItems(page, [
        ["label.possible", possible],
        ["label.fee", cout && page.name(cout)],
        ["label.duration", duree],
        ["label.where", lieu],
      ]),
  },
  tips: {
    ...row("core", "visitors", "label.tips"),
    isAlwaysList: true,
    build: listTips,
    write: writeTexts,
  },
  /** Whole months for which the passport must stay valid; 0 where validity on the day is enough. */
  passport_validity_months: {
    ...row("starter", "entrants", "label.passport_validity"),
    isOfPassport: true,
    build(context) {
      const { validity } = context.situation
      if (validity === null || validity.days > 0) return undefined
      citeRule(context, validity, "passport_validity_months")
      return validity.months
    },
    write: ({ locale }, months) => (months === 0 ? [] : listTexts([locale.formatValue({ months })])),
  },
  /** The fee of the destination's government. */
  visa_fee: {
    ...row("starter", "entrants", "label.fee"),
    isOfPassport: true,
    build(context) {
      const fee = useFact(context, "fee", "visa_fee")
      return keepSome({
        single_entry: fee?.singleEntry,
        multiple_entry: fee?.multipleEntry,
        children: fee?.children?.map(({ belowYears, fee: money }) => ({ below_years: belowYears, ...money })),
        biometrics: fee?.biometrics,
      })
    },
    write(page, fee) {
      const { single_entry: single, multiple_entry: multiple, children = [], biometrics } = fee
      return [
        ...listItems(page, [
          ["label.single_entry", single],
          ["label.multiple_entry", multiple],
        ]),
        ...children.map(({ below_years: years, ...money }) => ({
          label: page.locale.say({ key: "fee.children_below", values: { years } }),
          text: sayValue(page, money) ?? "",
        })),
        ...listItems(page, [["label.biometrics_fee", biometrics]]),
      ]
    },
  },
  /** Days within which an application is decided. */
  processing_days: {
    ...row("starter", "entrants", "label.processing"),
    isOfPassport: true,
    build({ citations, ...context }) {
      const application = findFact(context, "application")
      if (application === null) return undefined
      const { standardDays, expressDays, rushDays, workingDays } = application.value
      const days = keepSome({ standard: standardDays, express: expressDays, rush: rushDays })
      if (days === undefined) return undefined
      citations.cite("processing_days", application.origin)
      return { ...days, unit: workingDays === true ? "working_days" : "days" }
    },
    write(page, { standard, express, rush, unit }) {
      const span = (held: number | undefined) =>
        held === undefined
          ? undefined
          : page.locale.formatValue(unit === "working_days" ? { workingDays: held } : { days: held })
      return listItems(page, [
        ["label.standard", span(standard)],
        ["label.express", span(express)],
        ["label.rush", span(rush)],
      ])
    },
  },
  /** When to apply. */
  best_apply_period: {
    ...row("starter", "entrants", "label.apply"),
    isOfPassport: true,
    build({ citations, locale, ...context }) {
      const application = findFact(context, "application")
      if (application === null) return undefined
      const { earliestMonths, latestDays, workingDays } = application.value
      const sentences: Phrase[] = []
      if (earliestMonths !== undefined) sentences.push({ key: "apply.earliest", values: { months: earliestMonths } })
      if (latestDays !== undefined) {
        const key = workingDays === true ? "apply.latest_working" : "apply.latest"
        sentences.push({ key, values: { days: latestDays } })
      }
      if (sentences.length === 0) return undefined
      citations.cite("best_apply_period", application.origin)
      return locale.join(sentences.map(locale.say))
    },
    write: (_, text) => listTexts([text]),
  },
  /** The requirements of the photo of an application. */
  photo_specs: {
    ...row("starter", "entrants", "label.photo"),
    isOfPassport: true,
    build(context) {
      const photo = useFact(context, "photo", "photo_specs")
      if (photo === undefined) return undefined
      return keepSome({
        width_mm: photo.widthMm,
        height_mm: photo.heightMm,
        background:
          photo.background === undefined ? undefined : context.locale.say({ key: `photo.${photo.background}` }),
        glasses_allowed: photo.glassesAllowed,
        head_covering_allowed: photo.headCoveringAllowed,
      })
    },
    write(page, photo) {
      const { width_mm: width, height_mm: height } = photo
      const millimetres = new Intl.NumberFormat(page.locale.language, { style: "unit", unit: "millimeter" })
      const isSized = width !== undefined && height !== undefined
      return [
        ...(isSized ? listTexts([`${page.locale.formatValue(width)} × ${millimetres.format(height)}`]) : []),
        ...listItems(page, [
          ["label.background", photo.background],
          ["label.glasses", photo.glasses_allowed],
          ["label.head_covering", photo.head_covering_allowed],
        ]),
      ]
    },
  },
  /** Insurance that the law requires. */
  insurance_required: {
    ...row("starter", "entrants", "label.insurance"),
    build(context) {
      const required = findDuty(context.situation, "insurance") !== undefined
      // A dataset of before its duties were recorded asks for nothing, which is not what a source says that asks for it.
      if (!required && findFact(context, "insurance")?.value.required !== false) return undefined
      const { minCoverage, noneFound } = useFact(context, "insurance", "insurance_required") ?? {}
      if (!required) return noneFound === true ? { required, none_found: true } : { required }
      return { required, ...keepKnown({ min_coverage: minCoverage?.amount, currency: minCoverage?.currency }) }
    },
    write(page, insurance) {
      const { required, none_found: isNoneFound, min_coverage: amount, currency } = insurance
      if (isNoneFound === true) return listTexts([page.locale.say({ key: "insurance.none_found" })])
      const cover = amount === undefined || currency === undefined ? undefined : { amount, currency }
      return listTexts([sayValue(page, cover ?? required) ?? ""])
    },
  },
  /** Vaccinations that have to be shown at the border: International Health Regulations (2005), Annex 7. */
  vaccinations_required: {
    ...row("starter", "everybody", "label.vaccinations"),
    build(context) {
      const duty = findVaccination(context.situation)
      if (duty === undefined) return undefined
      useFact(context, "yellowFever", "vaccinations_required")
      const { countries, months } = duty
      const key = `vaccination.yellow_fever_${countries === null ? "all" : "from_risk"}` as const
      return [context.locale.say(months === null ? { key: `${key}_no_age` } : { key, values: { months } })]
    },
    write: writeTexts,
  },
  /** Health certificates and declarations, and advice. */
  health_requirements: {
    ...row("starter", "everybody", "label.health"),
    build(context) {
      const { situation, locale, citations } = context
      const yellowFever = findFact(context, "yellowFever")?.value
      const isForAll = findVaccination(situation)?.countries === null
      const declaration = listArrivalForms(situation).find(({ value }) => value.mandatory && value.health === true)
      const notes: MessageKey[] = []
      if (yellowFever?.risk) notes.push("health.yellow_fever_risk")
      if (yellowFever?.certificate === "none") notes.push("vaccination.none")
      if (notes.length > 0 || isForAll) useFact(context, "yellowFever", "health_requirements")
      else if (declaration === undefined) return undefined
      if (declaration !== undefined) {
        citations.cite("health_requirements", declaration.origin)
        notes.unshift("health.declaration")
      }
      return {
        covid_test: null,
        // A certificate that only arrivals from certain countries need is not listed here but in `vaccinations_required`.
        vaccination_proof: isForAll ? true : null,
        health_declaration: declaration === undefined ? null : true,
        quarantine_days: null,
        ebola_screening: null,
        notes: notes.map(key => locale.say({ key })),
      }
    },
    write: writeNotes,
  },
  /** The advice of governments. */
  safety: {
    ...row("starter", "everybody", "label.safety"),
    build(context) {
      const safety = describeSafety(context.locale, context.situation)
      if (safety === null) return undefined
      for (const fact of context.situation.facts.safety) context.citations.cite("safety", fact.origin)
      return safety
    },
    write(page, safety) {
      const { locale, marks } = page
      const write = ({ advisory, source, source_url: url, updated_at: on }: SafetyOpinion, level?: number) => {
        const number = level === undefined ? "" : locale.label(page.name(`${page.value(level)}/${page.value(4)}`), "")
        const date = on === undefined ? "" : `${marks.comma}${page.value({ on })}`
        return `- ${number}${escapeText(advisory)}${page.bracket(`${writeLink(page.name(source), url)}${date}`)}`
      }
      return [write(safety, safety.level), ...(safety.others ?? []).map(opinion => write(opinion))]
    },
  },
  /**
   * Lists the passports that need a visa to change planes, as far as the lists could be read.
   *
   * If a rule says that nobody needs one inside the transit area, the list is empty. A list that several states share is a minimum, because
   * each may add to it (Visa Code, Art. 3(2)): it is complete only if the destination's own list is recorded too.
   */
  transit_visa: {
    ...row("starter", "visitors", "label.transit"),
    build(context) {
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
          ...keepKnown({ max_hours: hours, source_url: sourceUrl }),
        }
      }
      for (const rule of rules) citeRule(context, rule, "transit_visa")
      const named = new Set(rules.flatMap(rule => rule.passports ?? []))
      const isWhole = rules.every(rule => rule.isComplete) && rules.some(rule => rule.destinations.length === 1)
      return {
        ...(named.size === 0 ? {} : { required_for: [...named].sort(), complete: isWhole }),
        ...keepKnown({ source_url: rules[0]?.sourceUrl }),
      }
    },
    write(page, transit) {
      const { locale } = page
      if (transit.required_for?.length === 0) {
        const hours = transit.max_hours === undefined ? undefined : locale.formatValue(transit.max_hours)
        const free = listTexts([locale.say({ key: "transit.airside_free" })])
        return [...free, ...listItems(page, [["label.transit_hours", hours]])]
      }
      const named = transit.required_for
        ?.map(locale.nameCountry)
        .sort((one, other) => one.localeCompare(other, locale.language))
      const label = transit.complete === false ? "label.transit_required_for_some" : "label.transit_required_for"
      return listItems(page, [
        [label, named && locale.list(named)],
        ["label.transit_hubs", transit.hubs && locale.list(transit.hubs.map(page.name))],
      ])
    },
  },
  /** Rules for children. */
  minor_rules: {
    ...row("starter", "entrants", "label.minors"),
    build(context) {
      const rules = useFacts(context, "minors", "minor_rules").map(({ value }) => value.rule)
      if (rules.length === 0) return undefined
      return {
        solo_travel_min_age: null,
        single_parent_letter_required: null,
        notarized_consent_required: null,
        notes: rules.map(rule => context.locale.say({ key: `minors.${rule}` })),
      }
    },
    write: writeNotes,
  },
  /** What has to be declared on entry, and the duty-free amounts. */
  customs: {
    ...row("starter", "entrants", "label.customs"),
    build(context) {
      const customs = useFact(context, "customs", "customs")
      return keepSome({
        declare_cash: customs?.declareCash,
        cigarettes: customs?.cigarettes,
        spirits_litres: customs?.spiritsLitres,
      })
    },
    write(page, { declare_cash: cash, cigarettes, spirits_litres: litres }) {
      const volume = new Intl.NumberFormat(page.locale.language, { style: "unit", unit: "liter" })
      return listItems(page, [
        ["label.declare_cash", cash],
        ["label.cigarettes", cigarettes === undefined ? undefined : page.locale.formatValue(cigarettes)],
        ["label.spirits", litres === undefined ? undefined : volume.format(litres)],
      ])
    },
  },
  /** Whether citizens of the destination may enter on another passport, as a decision judges it. */
  dual_nationality_warnings: {
    ...row("starter", "abroad", "label.dual_nationality"),
    build(context) {
      const { situation, locale } = context
      const isRefused = situation.answer.requirement === "no_admission"
      const rules = listBorderRules(situation, "own_passport").filter(({ isSettled }) => isSettled || !isRefused)
      const phrases = rules.map((rule): Phrase => {
        citeRule(context, rule, "dual_nationality_warnings")
        const key = rule.isSettled ? "own_passport" : "not_recognised"
        return { key: `dual_nationality.${key}`, values: { country: { country: rule.citizensOf! } } }
      })
      return sayPhrases(locale, phrases)
    },
    write: writeTexts,
  },
  /** Stamps of other countries that can close the border. */
  stamp_warnings: {
    ...row("starter", "visitors", "label.stamps"),
    build: context =>
      sayPhrases(
        context.locale,
        useFacts(context, "stamps", "stamp_warnings").map(({ value }) => ({
          key: "stamps.may_be_refused",
          values: { country: { country: value.of } },
        })),
      ),
    write: writeTexts,
  },
  /** The consequences of an overstay. */
  overstay_penalty: {
    ...row("starter", "entrants", "label.overstay"),
    build(context) {
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
    },
    write: (_, { details }) => (details === "" ? [] : listTexts([details])),
  },
  /** Says at which borders the rule lets one enter, under each of them; absent where the rule names places only, or none. */
  entry_by_mode: {
    ...row("starter", "entrants", "label.entry_by_mode"),
    per: "pair",
    build(context) {
      const borders = context.terms?.borders
      if (borders == null) return undefined
      citeRule(context, { ...borders.condition, verifiedOn: null, citedOn: null }, "entry_by_mode")
      return Object.fromEntries(BORDERS.map(border => [border, borders.text]))
    },
    write: (page, { air, land, sea }) =>
      listItems(page, [
        ["label.air", air],
        ["label.land", land],
        ["label.sea", sea],
      ]),
  },
  // The same as `extension`, in numbers: a page says it once.
  extension_rules: {
    plan: "starter",
    binds: "entrants",
    per: "answer",
    build(context) {
      const rules = useFact(context, "extension")
      if (rules === undefined) return undefined
      return {
        possible: rules.possible,
        ...keepKnown({ max_days: rules.maxDays, fee: rules.fee, where: sayWhere(context.locale, rules) }),
      }
    },
    label: null,
  },
  /** Describes the country in the words of the language; time zones keep their international names. */
  country_info: {
    ...row("core", "everybody", "label.country"),
    build(context) {
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
    },
    write(page, country) {
      const { capital, currency, language, timezone } = country
      return listItems(page, [
        ["label.capital", capital && page.name(capital)],
        ["label.currency", currency && `${page.locale.nameCurrency(currency)}${page.bracket(page.name(currency))}`],
        ["label.language", language],
        ["label.timezone", timezone && page.name(timezone)],
      ])
    },
  },
  /** The visa for those who work for an employer elsewhere; only for passports that can have it. */
  remote_work_visa: {
    ...row("pro", "entrants", "label.remote_work"),
    build(context) {
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
        ...keepKnown({ duration_months: visa.months, fee: visa.fee, requirements: sayPhrases(context.locale, asks) }),
      }
    },
    write(page, visa) {
      const { duration_months: months, fee, requirements } = visa
      return [
        ...listItems(page, [
          ["label.duration", months === undefined ? undefined : page.locale.formatValue({ months })],
          ["label.fee", fee],
        ]),
        ...listTexts(requirements),
      ]
    },
  },

  embassy: {
    plan: "starter",
    starterPart: ({ visa_application_embassy: mission }) => mission && { visa_application_embassy: mission },
    binds: "abroad",
    per: "pair",
    build(context) {
      const ways = useMissions(context, "embassy")
      return keepSome({
        your_embassy_at_destination: ways?.there?.first,
        visa_application_embassy: ways?.toApply?.first,
      })
    },
    label: "label.embassy_apply",
  },
  embassies: {
    plan: "starter",
    starterPart: ({ to_apply: missions }) => missions && { to_apply: missions },
    binds: "abroad",
    per: "pair",
    build(context) {
      const ways = useMissions(context, "embassies")
      return keepSome({ at_destination: ways?.there?.all, to_apply: ways?.toApply?.all })
    },
    label: null,
    sections: [
      // Where to apply, in the traveller's own country, and who helps at the destination.
      { heading: "label.embassy_apply", write: (page, { to_apply: missions }) => writeMissions(page, missions) },
      { heading: "label.embassy_there", write: (page, { at_destination: missions }) => writeMissions(page, missions) },
    ],
  },
  /** Lists the changes of the pair, the oldest first; undefined where none is recorded. */
  reciprocity_history: {
    ...row("pro", "everybody", "label.history"),
    per: "pair",
    build(context) {
      const { situation, history, locale, shown } = context
      if (history === undefined) return undefined
      const changes = history.listChanges(situation.passport, situation.destination)
      if (changes.length === 0) return undefined
      if (changes.some(({ sources }) => sources === undefined)) cite(context, "reciprocity_history", history)
      return getOrInsert(shown.changes, changes, () => Object.freeze(changes.map(change => showChange(locale, change))))
    },
    write(page, history) {
      const lines = history.map(entry => writeChange(page, entry))
      const areOfTables = history.some(({ sources }) => sources === undefined)
      return areOfTables ? [...lines, "", `*${page.word("history.dates_seen")}*`] : lines
    },
  },
  sources: {
    ...row("core", "everybody", "label.sources"),
    per: "pair",
    build({ citations }) {
      const sources = citations.list()
      return sources.length === 0 ? undefined : sources
    },
    write(page, sources) {
      const { word, name: set, marks } = page
      const dates = new Map<string, string>()
      for (const { name, url, as_of: on, recorded_in: list } of sources) {
        const through = list === undefined ? "" : `${marks.comma}${word("label.recorded_in", { name: list })}`
        const line = `${writeLink(set(name), url)}${through}`
        const known = dates.get(line) ?? ""
        dates.set(line, on !== null && on > known ? on : known)
      }
      return [...dates].map(
        ([line, on]) => `- ${line}${on === "" ? "" : `${marks.comma}${word("label.as_of", { date: { on } })}`}`,
      )
    },
  },
}

/** A field of the record. */
export type FieldName = keyof FullRecord

/** Every row with its field, in order; the values of different fields are distinguished by their names only. */
export const ROWS = Object.entries(FIELD_ROWS) as unknown as readonly (readonly [FieldName, FieldRow<unknown>])[]

/** The fields that say something of the passport and of a visa in it. */
export const PASSPORT_FIELDS: ReadonlySet<string> = new Set(
  ROWS.filter(([, { isOfPassport }]) => isOfPassport === true).map(([name]) => name),
)

const BY_NAME = new Map(ROWS)

/** Finds the row of a field; undefined for a name that is not a field's. */
export function findRow(name: string): FieldRow<unknown> | undefined {
  return BY_NAME.get(name as FieldName)
}

/** Every field, in the order of the record. */
export const FIELD_NAMES: readonly FieldName[] = ROWS.map(([name]) => name)

function listNames(tier: PlanTier): readonly FieldName[] {
  return ROWS.filter(([, { plan }]) => plan === tier).map(([name]) => name)
}

/** The fields that every plan shows, in the order of the record. */
export const CORE_FIELDS = listNames("core") as readonly (keyof CoreFields)[]
/** The fields that `starter` adds, of some of them a part. */
export const STARTER_FIELDS = listNames("starter") as readonly (keyof StarterFields)[]
/** The fields that `pro` adds. */
export const PRO_FIELDS = listNames("pro") as readonly (keyof ProFields)[]

/** Says whether a field concerns a traveller. */
export function bindsTraveller(bound: Bound, { answer, movesFreely }: Case): boolean {
  switch (bound) {
    case "everybody":
      return true
    case "abroad":
      return !answer.home
    case "visitors":
      return !movesFreely
    case "entrants":
      return !movesFreely && answer.requirement !== "no_admission"
  }
}
