/**
 * Which fields does a full record have, which plan shows each, to whom does it apply, how is it built and how is it written on a page?
 *
 * There is one row for each field, in the order of the record and of its page. Assembly, the check of plans, the coverage, the page and the
 * wire schema use the rows and know no field by themselves: a field without a row is in no record and is never shown. TypeScript checks the
 * rows against the interfaces of record-fields.ts.
 */
import { needsVisa } from "../dataset/requirement.ts"
import * as application from "./application-fields.ts"
import { type Case, nameProgramme } from "./checklist.ts"
import type { TermFields } from "./conditions.ts"
import * as country from "./country-fields.ts"
import { writeDescription } from "./describe.ts"
import type { FieldContext } from "./field-context.ts"
import type { MessageKey } from "./messages.ts"
import type { PageWriter, SectionLine } from "./page-writer.ts"
import * as page from "./page-writer.ts"
import * as pair from "./pair-fields.ts"
import type { CoreFields, FullRecord, ProFields, StarterFields } from "./record-fields.ts"

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
  /** Whether it is made once for all pairs with an answer and a destination, for each pair, or from the record itself. */
  readonly per: "answer" | "pair" | "record"
  readonly build: (context: FieldContext) => Value | undefined
  /** True for a list that every record has; it is empty if nothing is known or the field does not apply. */
  readonly isAlwaysList?: true
  /** Its label; null if no page shows it. */
  readonly label: MessageKey | null
  readonly sections: readonly PageSection<Value>[]
}

type Rows<Fields, Tier extends PlanTier> = {
  readonly [Name in keyof Fields]-?: FieldRow<Exclude<Fields[Name], undefined>, Tier>
}

/** A row whose page section has its label as heading. */
function row<Value, Tier extends PlanTier>(
  plan: Tier,
  binds: Bound,
  label: MessageKey,
  build: (context: FieldContext) => Value | undefined,
  write: PageSection<Value>["write"],
): FieldRow<Value, Tier> {
  return { plan, binds, per: "answer", build, label, sections: [{ heading: label, write }] }
}

/** The same of a field that says something of the passport and of a visa in it. */
function ofPassport<Value, Tier extends PlanTier>(field: FieldRow<Value, Tier>): FieldRow<Value, Tier> {
  return { ...field, isOfPassport: true }
}

/** A row of the verdict, which the head of the page says. */
function verdict<Value>(build: (context: FieldContext) => Value | undefined): FieldRow<Value, "core"> {
  return { plan: "core", binds: "everybody", per: "answer", build, label: null, sections: [] }
}

/** A row about the rule besides the verdict, also in the head of the page. */
function term<Name extends keyof TermFields>(name: Name): FieldRow<Exclude<TermFields[Name], undefined>, "core"> {
  const build = ({ terms }: FieldContext) => terms?.fields[name] as Exclude<TermFields[Name], undefined> | undefined
  return { plan: "core", binds: "everybody", per: "pair", build, label: null, sections: [] }
}

const FIELD_ROWS: Rows<CoreFields, "core"> & Rows<StarterFields, "starter"> & Rows<ProFields, "pro"> = {
  passport: { ...verdict(({ situation }) => situation.passport), per: "record" },
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
    ...row("core", "everybody", "label.conditions", ({ terms }) => terms?.fields.conditions, page.writeConditions),
    per: "pair",
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

  documents_required: {
    ...ofPassport(row("core", "everybody", "label.documents", application.describeDocuments, page.writeTexts)),
    isAlwaysList: true,
  },
  process: ofPassport(row("core", "everybody", "label.process", application.describeSteps, page.writeSteps)),
  visa_types: ofPassport(row("core", "entrants", "label.visa_types", application.listVisaTypes, page.writeVisaTypes)),
  extension: row("core", "entrants", "label.extension", application.describeExtension, page.writeExtension),
  tips: { ...row("core", "visitors", "label.tips", country.listTips, page.writeTexts), isAlwaysList: true },
  passport_validity_months: ofPassport(
    row("starter", "entrants", "label.passport_validity", application.countValidityMonths, page.writeValidity),
  ),
  visa_fee: ofPassport(row("starter", "entrants", "label.fee", application.describeFee, page.writeFee)),
  processing_days: ofPassport(
    row("starter", "entrants", "label.processing", application.describeProcessing, page.writeProcessing),
  ),
  best_apply_period: ofPassport(
    row("starter", "entrants", "label.apply", application.describeApplyPeriod, page.writeOne),
  ),
  photo_specs: ofPassport(row("starter", "entrants", "label.photo", application.describePhoto, page.writePhoto)),
  insurance_required: row("starter", "entrants", "label.insurance", application.describeInsurance, page.writeInsurance),
  vaccinations_required: row(
    "starter",
    "everybody",
    "label.vaccinations",
    country.describeVaccinations,
    page.writeTexts,
  ),
  health_requirements: row("starter", "everybody", "label.health", country.describeHealth, page.writeNotes),
  safety: row("starter", "everybody", "label.safety", country.citeSafety, page.writeSafety),
  transit_visa: row("starter", "visitors", "label.transit", country.describeTransit, page.writeTransit),
  minor_rules: row("starter", "entrants", "label.minors", country.describeMinorRules, page.writeNotes),
  customs: row("starter", "entrants", "label.customs", country.describeCustoms, page.writeCustoms),
  dual_nationality_warnings: row(
    "starter",
    "visitors",
    "label.dual_nationality",
    country.listDualNationalityWarnings,
    page.writeTexts,
  ),
  stamp_warnings: row("starter", "visitors", "label.stamps", country.listStampWarnings, page.writeTexts),
  overstay_penalty: row("starter", "entrants", "label.overstay", country.describeOverstay, page.writeOverstay),
  entry_by_mode: {
    ...row("starter", "entrants", "label.entry_by_mode", pair.describeModes, page.writeModes),
    per: "pair",
  },
  // The same as `extension`, in numbers: a page says it once.
  extension_rules: {
    plan: "starter",
    binds: "entrants",
    per: "answer",
    build: application.describeExtensionRules,
    label: null,
    sections: [],
  },
  country_info: row("core", "everybody", "label.country", country.describeCountry, page.writeCountry),
  remote_work_visa: row("pro", "entrants", "label.remote_work", country.describeRemoteWork, page.writeRemoteWork),

  embassy: {
    plan: "starter",
    starterPart: ({ visa_application_embassy: mission }) => mission && { visa_application_embassy: mission },
    binds: "abroad",
    per: "pair",
    build: pair.nameEmbassies,
    label: "label.embassy_apply",
    sections: [],
  },
  embassies: {
    plan: "starter",
    starterPart: ({ to_apply: missions }) => missions && { to_apply: missions },
    binds: "abroad",
    per: "pair",
    build: pair.listEmbassies,
    label: null,
    sections: [
      { heading: "label.embassy_apply", write: page.writeMissionsToApply },
      { heading: "label.embassy_there", write: page.writeMissionsThere },
    ],
  },
  reciprocity_history: {
    ...row("pro", "everybody", "label.history", pair.listHistory, page.writeHistory),
    per: "pair",
  },
  sources: {
    ...row("core", "everybody", "label.sources", ({ citations }) => citations.list(), page.writeSources),
    per: "record",
  },
}

function isReviewed({ source }: Case["answer"]): boolean {
  return source !== null && !source.imported
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
