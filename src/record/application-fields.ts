/**
 * Which documents, steps, kinds of visa, fees, decision times, photo and insurance does a record give?
 *
 * Each function returns its field in its wire form, or undefined if nothing is known. A source is cited for the steps only if it says how
 * to apply; a fee or a number of days in them is cited for itself.
 */
import { findPortalFact, listArrivalForms, listDocuments, listSteps, nameProgramme } from "./checklist.ts"
import type { SubjectFacts } from "./fact-fields.ts"
import {
  citeRule,
  type Field,
  type FieldContext,
  findFact,
  keepKnown,
  keepSome,
  sayAll,
  useFact,
  writeMoney,
} from "./field-context.ts"
import type { Locale, Phrase } from "./localise.ts"
import type { VisaType } from "./record-fields.ts"

/** Lists the documents to bring or hand in; undefined where no document opens the border. */
export function describeDocuments(context: FieldContext): Field<"documents_required"> {
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
  return sayAll(
    context.locale,
    documents.map(({ phrase }) => phrase),
  )
}

/** Lists what to do, in order. */
export function describeSteps(context: FieldContext): Field<"process"> {
  const { situation, citations } = context
  const steps = listSteps(situation)
  const keys = new Set(steps.map(({ key }) => key))
  const application = findFact(context, "application")
  const applies = situation.application?.sponsors === undefined
  const { regime, channel } = application?.value ?? {}
  if (applies && application !== null && (regime ?? channel) !== undefined)
    citations.cite("process", application.origin)
  if (keys.has("process.pay_fee_amount")) useFact(context, "fee", "process")
  for (const kind of ["eta", "evisa", "arrival", "application"] as const) {
    const portal = findPortalFact(situation, kind)
    const url = portal?.origin.url
    if (steps.some(({ values }) => values?.url !== undefined && values.url === url)) {
      citations.cite("process", (portal as NonNullable<typeof portal>).origin)
    }
  }
  for (const { value, origin } of listArrivalForms(situation)) if (value.mandatory) citations.cite("process", origin)
  return sayAll(context.locale, steps)
}

// A source with only a number of days does not say where and how to apply.
/** Names the ways to enter that are more than a stamp. */
export function listVisaTypes(context: FieldContext): Field<"visa_types"> {
  const { situation, locale } = context
  const { answer } = situation
  if (answer.requirement === "visa_free" || answer.requirement === "no_admission") return undefined
  const fee = useFact(context, "fee", "visa_types")
  const cout = writeMoney(locale, fee?.singleEntry ?? fee?.multipleEntry)
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
}

type VisaKind = "eta" | "visa_on_arrival" | "e_visa" | "schengen_c" | "schengen_d" | "visitor"

function sayWindow({ situation, locale }: FieldContext): string | undefined {
  const rule = situation.zone?.rule
  if (rule?.kind !== "rolling") return undefined
  const values = { duration: { days: rule.allowanceDays }, window: { days: rule.windowDays } }
  return locale.say({ key: "visa_types.stay_in_window", values })
}

/** Says whether a stay can be made longer, in the words of the specification's French keys. */
export function describeExtension(context: FieldContext): Field<"extension"> {
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
}

function sayWhere(locale: Locale, { where }: SubjectFacts["extension"]): string | undefined {
  return where === undefined ? undefined : locale.say({ key: `extension.${where}` })
}

/** The same as numbers. */
export function describeExtensionRules(context: FieldContext): Field<"extension_rules"> {
  const rules = useFact(context, "extension")
  if (rules === undefined) return undefined
  return {
    possible: rules.possible,
    ...keepKnown({ max_days: rules.maxDays, fee: rules.fee, where: sayWhere(context.locale, rules) }),
  }
}

/** Whole months for which the passport must stay valid; 0 where validity on the day is enough. */
export function countValidityMonths(context: FieldContext): Field<"passport_validity_months"> {
  const { validity } = context.situation
  if (validity === null || validity.days > 0) return undefined
  citeRule(context, validity, "passport_validity_months")
  return validity.months
}

/** The fee of the destination's government. */
export function describeFee(context: FieldContext): Field<"visa_fee"> {
  const fee = useFact(context, "fee", "visa_fee")
  return keepSome({
    single_entry: fee?.singleEntry,
    multiple_entry: fee?.multipleEntry,
    children: fee?.children?.map(({ belowYears, fee: money }) => ({ below_years: belowYears, ...money })),
    biometrics: fee?.biometrics,
  })
}

/** Days within which an application is decided. */
export function describeProcessing({ citations, ...context }: FieldContext): Field<"processing_days"> {
  const application = findFact(context, "application")
  if (application === null) return undefined
  const { standardDays, expressDays, rushDays, workingDays } = application.value
  const days = keepSome({ standard: standardDays, express: expressDays, rush: rushDays })
  if (days === undefined) return undefined
  citations.cite("processing_days", application.origin)
  return { ...days, unit: workingDays === true ? "working_days" : "days" }
}

/** When to apply. */
export function describeApplyPeriod({ citations, locale, ...context }: FieldContext): Field<"best_apply_period"> {
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
}

/** The requirements of the photo of an application. */
export function describePhoto(context: FieldContext): Field<"photo_specs"> {
  const photo = useFact(context, "photo", "photo_specs")
  if (photo === undefined) return undefined
  return keepSome({
    width_mm: photo.widthMm,
    height_mm: photo.heightMm,
    background: photo.background === undefined ? undefined : context.locale.say({ key: `photo.${photo.background}` }),
    glasses_allowed: photo.glassesAllowed,
    head_covering_allowed: photo.headCoveringAllowed,
  })
}

/** Insurance that the law requires. */
export function describeInsurance(context: FieldContext): Field<"insurance_required"> {
  const insurance = useFact(context, "insurance", "insurance_required")
  if (insurance === undefined) return undefined
  const { minCoverage, required = true, noneFound } = insurance
  if (!required) return noneFound === true ? { required, none_found: true } : { required }
  return { required, ...keepKnown({ min_coverage: minCoverage?.amount, currency: minCoverage?.currency }) }
}
