/**
 * What may a fact of each subject hold?
 *
 * One row a subject, field by field, as full-facts.ts describes it. A fact that passes can be shown in every language; one that
 * does not was written wrongly or with bad intent. Unknown fields are skipped, so that a file may say more than an older release
 * understands.
 */
import { count, isCodes, isDate, isText, list, type Test } from "../dataset/row-tests.ts"
import { DOCUMENTS } from "../record/documents.ts"
import { MINOR_RULES, type Subject } from "../record/full-facts.ts"
import { LANGUAGES } from "../record/languages.ts"

/** More of any currency than a fee, a fine or an insurance has ever been. */
const LARGEST_AMOUNT = 1e12

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An object with these fields, those of the second list where there is something to say. */
const object =
  (required: Readonly<Record<string, Test>>, optional: Readonly<Record<string, Test>> = {}): Test =>
  value =>
    isObject(value) &&
    Object.entries(required).every(([name, test]) => test(value[name])) &&
    Object.entries(optional).every(([name, test]) => value[name] === undefined || test(value[name]))

const isFlag: Test = value => typeof value === "boolean"
const oneOf =
  (...words: readonly unknown[]): Test =>
  value =>
    words.includes(value)

const isCode: Test = value => isCodes(value) && (value as string).length === 3
const isDays = count(0, 36_500)
const isAmount: Test = value => typeof value === "number" && value >= 0 && value <= LARGEST_AMOUNT
const isLitres: Test = value => typeof value === "number" && value > 0 && value <= 1_000
const isMoney = object({
  amount: isAmount,
  currency: value => typeof value === "string" && /^[A-Z]{3}$/.test(value),
})
const names = object({}, Object.fromEntries(LANGUAGES.map(language => [language, isText])))

/**
 * Says whether a text is an address of the web that can be shown as a link.
 *
 * @example
 * ```typescript
 * isWebAddress("https://example.org/visa?lang=en") // => true
 * isWebAddress("javascript:alert(1)") // => false
 * ```
 */
export function isWebAddress(text: unknown): boolean {
  return typeof text === "string" && /^https?:\/\/[^\s<>"\\^`{|}]+$/.test(text)
}

/** The shape of a fact's value, by subject. */
export const FACT_SHAPES: Readonly<Record<Subject, Test>> = {
  country: object({}, { capital: isText, currency: isText, languages: list(isText), timezone: isText }),
  safety: object(
    { issuer: oneOf("usa", "gbr", "irl") },
    {
      level: count(1, 4),
      status: oneOf(
        "no_warning",
        "normal_precautions",
        "high_caution",
        "avoid_nonessential",
        "avoid_nonessential_parts",
        "avoid_all",
        "avoid_all_parts",
      ),
      issuedOn: isDate,
    },
  ),
  yellowFever: object(
    { risk: isFlag },
    { certificate: oneOf("all_travellers", "from_risk_countries", "none"), fromMonths: count(0, 1_200) },
  ),
  portal: object({ kind: oneOf("evisa", "eta", "arrival", "application", "policy") }),
  programme: object(
    { name: isText },
    {
      names,
      excludedAfterStay: list(object({ countries: list(isCode), since: isDate })),
      excludedNationals: list(isCode),
    },
  ),
  arrivalForm: object(
    { name: isText, form: oneOf("online", "paper", "none", "none_found"), mandatory: isFlag },
    {
      names,
      url: isWebAddress,
      earliestDays: isDays,
      fee: isMoney,
      everybody: isFlag,
      health: isFlag,
      exemptPassports: list(isCode),
    },
  ),
  application: object(
    {},
    {
      regime: oneOf("schengen"),
      channel: oneOf("online", "online_and_centre", "online_and_interview"),
      form: isText,
      fingerprints: isFlag,
      earliestMonths: count(0, 1_200),
      latestDays: isDays,
      standardDays: isDays,
      expressDays: isDays,
      rushDays: isDays,
      workingDays: isFlag,
      exceptionalExtension: isFlag,
    },
  ),
  documents: object({ documents: list(oneOf(...DOCUMENTS)) }),
  border: object({ entryExitSystem: isFlag }),
  plannedAuthorisation: object({ system: oneOf("etias"), notBefore: isDate }, { exempt: isFlag }),
  fee: object(
    {},
    {
      singleEntry: isMoney,
      multipleEntry: isMoney,
      children: list(object({ belowYears: count(0, 200), fee: isMoney })),
      biometrics: isMoney,
    },
  ),
  insurance: object({}, { required: isFlag, noneFound: isFlag, minCoverage: isMoney }),
  photo: object(
    {},
    {
      widthMm: count(1, 1_000),
      heightMm: count(1, 1_000),
      background: oneOf("white", "light"),
      glassesAllowed: isFlag,
      headCoveringAllowed: isFlag,
    },
  ),
  extension: object(
    { possible: isFlag },
    { maxDays: isDays, fee: isMoney, where: oneOf("immigration_office", "online") },
  ),
  overstay: object(
    {},
    {
      finePerDay: isMoney,
      fineMax: isMoney,
      bans: list(object({ years: count(0, 200) }, { afterDays: isDays, upTo: isFlag })),
      criminal: isFlag,
    },
  ),
  minors: object({ rule: oneOf(...MINOR_RULES) }),
  customs: object({}, { declareCash: isMoney, cigarettes: count(0, 10_000), spiritsLitres: isLitres }),
  dualNationality: object({ rule: oneOf("own_passport", "not_recognised") }),
  stamps: object({ of: isCode }),
  remoteWork: object(
    {},
    {
      available: isFlag,
      months: count(0, 1_200),
      incomeMonthly: isMoney,
      incomeYearly: isMoney,
      savings: isMoney,
      employerAbroad: isFlag,
      fee: isMoney,
    },
  ),
  issuing: object({ country: isCode }),
}
