/**
 * On what else does an entry rule depend, besides the passport?
 *
 * A rule may hold only with a visa of another state in hand, after a registration, through a sponsor, at some airports; a ban may
 * have exceptions. Such conditions are data of the rule. Each has a kind of a closed list and the parameters of its kind, so that
 * a program can judge it and every language can say it; what no kind covers is `other`, an English sentence. This file says which
 * kinds and words there are and what a parameter may hold; it refuses to know any country.
 */
import { parseCivilDate } from "../civil-date.ts"
import { isRequirement, REQUIREMENTS, type Requirement } from "../requirement/requirement.ts"

/** What a rule asks of a document of another state that a traveller holds. Valid on the day of entry, where nothing else is said. */
export interface DocumentTerms {
  readonly kind: "visa" | "residence_permit"
  /** Who issued it: codes, `@BLOC` (its members) and `@zone` (its members); any one of them will do. */
  readonly issuers: readonly string[]
  /** A visa for several entries. */
  readonly multipleEntry?: true | undefined
  /** A visa that was used at least once to enter its issuer. */
  readonly usedBefore?: true | undefined
  /** A permit without an end: permanent or indefinite residence. */
  readonly permanent?: true | undefined
  /** On paper or a card: an electronic visa is not accepted. */
  readonly physical?: true | undefined
  /** The holder comes from the issuer, after having been admitted there. */
  readonly enteredIssuerFirst?: true | undefined
  /** Classes that are accepted, in the issuer's own words, such as `C` or `B1/B2`; all when absent. */
  readonly types?: readonly string[] | undefined
  /** Classes that are not accepted. */
  readonly typesExcept?: readonly string[] | undefined
  /** Days for which it is still valid on the day of entry, that day not counted. */
  readonly validDaysAfterEntry?: number | undefined
  /** Days for which it is still valid on the day of exit, that day not counted; 0: valid for the whole stay. */
  readonly validDaysAfterExit?: number | undefined
  /** It may have expired, less than so many years before the day of entry. */
  readonly expiredWithinYears?: number | undefined
  /** What no other parameter says, as an English sentence: somebody has to check it. */
  readonly remark?: string | undefined
}

/** An amount of money; the currency by ISO 4217. */
export interface Money {
  readonly amount: number
  readonly currency: string
}

export const BORDERS = ["air", "land", "sea"] as const
export const SPONSORS = [
  "agency",
  "airline",
  "employer",
  "group",
  "hotel",
  "invitation",
  "relative",
  "sponsor",
] as const
export const EXEMPTIONS = [
  "adoptees",
  "athletes",
  "diplomats",
  "dual_nationals",
  "national_interest",
  "permanent_residents",
  "relatives",
  "residents",
  "special_immigrants",
] as const
export const PURPOSES = ["business", "exchange", "family", "medical", "pilgrimage", "tourism", "transit"] as const
export const PROOFS = ["accommodation", "funds", "insurance", "invitation", "return_ticket"] as const
export const PASSPORT_FEATURES = ["biometric", "identity_number", "machine_readable"] as const

/** A condition of a rule, by its kind. */
export type ConditionTerms =
  /** The rule holds only for holders of one of these documents. */
  | { readonly kind: "held_document"; readonly held: readonly DocumentTerms[] }
  /** A registration or authorisation before the journey, by its own name. */
  | {
      readonly kind: "registration"
      readonly name: string
      readonly url?: string | undefined
      /** Hours before the arrival by which it has to be made. */
      readonly hoursBefore?: number | undefined
      readonly fee?: Money | undefined
    }
  /** The way there leads through these states, which have to admit the traveller; `entries`: so many times. */
  | { readonly kind: "gateway_visa"; readonly states: readonly string[]; readonly entries?: number | undefined }
  /** These states control the border, and their own rules of entry apply there. */
  | { readonly kind: "border_control"; readonly states: readonly string[] }
  /** The traveller cannot apply himself. */
  | { readonly kind: "sponsor"; readonly by: readonly (typeof SPONSORS)[number][] }
  /** Another document than the passport is used. */
  | { readonly kind: "special_document"; readonly name: string }
  /** The law asks for it, the border does not check it; all borders when none is named. */
  | { readonly kind: "not_enforced"; readonly borders?: readonly (typeof BORDERS)[number][] | undefined }
  /** Whom a ban does not touch; `issuedBefore`: holders of visas issued before that day. */
  | {
      readonly kind: "exempt"
      readonly who?: readonly (typeof EXEMPTIONS)[number][] | undefined
      readonly issuedBefore?: string | undefined
    }
  /** Classes of visas that are not issued, in the issuer's own words. */
  | { readonly kind: "suspension"; readonly visas: readonly string[] }
  /** A bond that is paid back on leaving in time. */
  | {
      readonly kind: "bond"
      readonly leastAmount: number
      readonly mostAmount?: number | undefined
      readonly currency: string
    }
  /** Only at these places of entry (their own names) or kinds of border. */
  | {
      readonly kind: "entry_points"
      readonly names?: readonly string[] | undefined
      readonly borders?: readonly (typeof BORDERS)[number][] | undefined
    }
  | { readonly kind: "purpose"; readonly purposes: readonly (typeof PURPOSES)[number][] }
  /** Only in groups of at least so many people. */
  | { readonly kind: "group"; readonly least: number }
  /** What has to be shown besides the passport. */
  | { readonly kind: "bring"; readonly proofs: readonly (typeof PROOFS)[number][] }
  | { readonly kind: "passport_kind"; readonly features: readonly (typeof PASSPORT_FEATURES)[number][] }
  /** Only for people of these ages, in whole years, both ends included. */
  | { readonly kind: "age"; readonly least?: number | undefined; readonly most?: number | undefined }
  /** The same entry can also be had in this way. */
  | { readonly kind: "also"; readonly requirement: Requirement }
  /** What no kind covers, as an English sentence. */
  | { readonly kind: "other"; readonly text: string }

/** One of the kinds of conditions. */
export type ConditionKind = ConditionTerms["kind"]

// What a value has to be: null where it is, else what is expected, as the end of a sentence.
type Expectation = (value: unknown) => string | null

const text: Expectation = value =>
  typeof value === "string" && value.trim() !== "" && value.length <= 500 ? null : "a text of at most 500 characters"
const flag: Expectation = value => (value === true ? null : "true, or left out")
const date: Expectation = value => (parseCivilDate(value) !== null ? null : "a calendar date YYYY-MM-DD")
const requirement: Expectation = value => (isRequirement(value) ? null : `one of ${REQUIREMENTS.join(", ")}`)
const url: Expectation = value =>
  typeof value === "string" && /^https?:\/\/[^\s]+$/.test(value) && value.length <= 500 ? null : "an http(s) address"
const currency: Expectation = value =>
  typeof value === "string" && /^[A-Z]{3}$/.test(value) ? null : "a currency code such as USD"
const amount: Expectation = value =>
  typeof value === "number" && value >= 0 && value <= 1e9 ? null : "an amount of at most a thousand million"
const count =
  (least: number, most: number): Expectation =>
  value =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most
      ? null
      : `a whole number from ${least} to ${most}`

/** The most entries of a list of a condition. */
const MAX_ENTRIES = 300

function listOf(expectation: Expectation, what: string): Expectation {
  return value => {
    if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ENTRIES) return `a list of ${what}`
    const isSound = value.findIndex(entry => expectation(entry) !== null) < 0 && new Set(value).size === value.length
    return isSound ? null : `a list of ${what}, each once`
  }
}

const words = (known: readonly string[]) =>
  listOf(value => (known.includes(value as string) ? null : ""), known.join(", "))
const texts = listOf(text, "texts")
/** Codes, blocs and zones; whether they exist is checked where they are known. */
const selectors = listOf(
  value => (typeof value === "string" && /^([A-Z]{3}|@[A-Za-z0-9_-]+)$/.test(value) ? null : ""),
  "codes, @BLOCs and @zones",
)
const money: Expectation = value =>
  findShapeMistake(value, { needs: { amount, currency }, may: {} }) === null ? null : "an amount and a currency"

interface Shape {
  readonly needs: Readonly<Record<string, Expectation>>
  readonly may: Readonly<Record<string, Expectation>>
}

const DOCUMENT: Shape = {
  needs: {
    kind: value => (value === "visa" || value === "residence_permit" ? null : "visa or residence_permit"),
    issuers: selectors,
  },
  may: {
    multipleEntry: flag,
    usedBefore: flag,
    permanent: flag,
    physical: flag,
    enteredIssuerFirst: flag,
    types: texts,
    typesExcept: texts,
    validDaysAfterEntry: count(1, 3650),
    validDaysAfterExit: count(0, 3650),
    expiredWithinYears: count(1, 50),
    remark: text,
  },
}

const documents: Expectation = value => {
  if (!Array.isArray(value) || value.length === 0 || value.length > 50) return "a list of documents"
  for (let at = 0; at < value.length; at++) {
    const mistake = findDocumentMistake(value[at])
    if (mistake !== null)
      return `a list of documents; [${at}]${mistake.field === "" ? "" : `.${mistake.field}`}: ${mistake.message}`
  }
  return null
}

const borders = words(BORDERS)

/** The parameters of each kind. */
const SHAPES: { readonly [Kind in ConditionKind]: Shape } = {
  held_document: { needs: { held: documents }, may: {} },
  registration: { needs: { name: text }, may: { url, hoursBefore: count(1, 8784), fee: money } },
  gateway_visa: { needs: { states: selectors }, may: { entries: count(1, 10) } },
  border_control: { needs: { states: selectors }, may: {} },
  sponsor: { needs: { by: words(SPONSORS) }, may: {} },
  special_document: { needs: { name: text }, may: {} },
  not_enforced: { needs: {}, may: { borders } },
  exempt: { needs: {}, may: { who: words(EXEMPTIONS), issuedBefore: date } },
  suspension: { needs: { visas: texts }, may: {} },
  bond: { needs: { leastAmount: amount, currency }, may: { mostAmount: amount } },
  entry_points: { needs: {}, may: { names: texts, borders } },
  purpose: { needs: { purposes: words(PURPOSES) }, may: {} },
  group: { needs: { least: count(2, 1000) }, may: {} },
  bring: { needs: { proofs: words(PROOFS) }, may: {} },
  passport_kind: { needs: { features: words(PASSPORT_FEATURES) }, may: {} },
  age: { needs: {}, may: { least: count(0, 120), most: count(0, 120) } },
  also: { needs: { requirement }, may: {} },
  other: { needs: { text }, may: {} },
}

/** The kinds of conditions. */
export const CONDITION_KINDS = Object.freeze(Object.keys(SHAPES)) as readonly ConditionKind[]

/** Kinds of which none of the parameters has to be there, but one of them. */
const NEED_ONE: readonly ConditionKind[] = ["exempt", "entry_points", "age"]

/** What is wrong with a condition or a document: its field, and what is expected of it. */
export interface ShapeMistake {
  /** The field inside; empty for the whole. */
  readonly field: string
  readonly message: string
}

function findShapeMistake(
  value: unknown,
  { needs, may }: Shape,
  passedOver: readonly string[] = [],
): ShapeMistake | null {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { field: "", message: "An object is expected." }
  const fields = value as Readonly<Record<string, unknown>>
  for (const [field, expectation] of Object.entries(needs)) {
    if (fields[field] === undefined) return { field, message: "It is missing." }
    const expected = expectation(fields[field])
    if (expected !== null) return { field, message: `It is not ${expected}.` }
  }
  for (const [field, given] of Object.entries(fields)) {
    if (given === undefined || needs[field] !== undefined || passedOver.includes(field)) continue
    const expectation = Object.hasOwn(may, field) ? may[field] : undefined
    if (expectation === undefined) return { field, message: "It is none of the parameters." }
    const expected = expectation(given)
    if (expected !== null) return { field, message: `It is not ${expected}.` }
  }
  return null
}

/** Finds what is wrong with the terms of a held document; null where nothing is. */
export function findDocumentMistake(value: unknown): ShapeMistake | null {
  const mistake = findShapeMistake(value, DOCUMENT)
  if (mistake !== null) return mistake
  const { kind, permanent, multipleEntry, usedBefore, validDaysAfterEntry, validDaysAfterExit, expiredWithinYears } =
    value as DocumentTerms
  if (kind === "visa" && permanent) return { field: "permanent", message: "A visa is never permanent." }
  if (kind === "residence_permit" && (multipleEntry || usedBefore)) {
    return { field: multipleEntry ? "multipleEntry" : "usedBefore", message: "This is asked of a visa only." }
  }
  if (expiredWithinYears !== undefined && (validDaysAfterEntry ?? validDaysAfterExit) !== undefined) {
    return { field: "expiredWithinYears", message: "It cannot have expired and still be valid." }
  }
  return null
}

/** Finds what is wrong with a condition, `passedOver` fields aside; null where nothing is. */
export function findConditionMistake(value: unknown, passedOver: readonly string[] = []): ShapeMistake | null {
  const kind = typeof value === "object" && value !== null ? (value as { readonly kind?: unknown }).kind : undefined
  if (typeof kind !== "string" || !Object.hasOwn(SHAPES, kind)) {
    return { field: "kind", message: `It is none of ${CONDITION_KINDS.join(", ")}.` }
  }
  const shape = SHAPES[kind as ConditionKind]
  const mistake = findShapeMistake(value, shape, ["kind", ...passedOver])
  if (mistake !== null) return mistake
  const fields = value as Readonly<Record<string, unknown>>
  if (NEED_ONE.includes(kind as ConditionKind) && Object.keys(shape.may).every(field => fields[field] === undefined)) {
    return { field: "", message: `It says nothing: one of ${Object.keys(shape.may).join(", ")} is expected.` }
  }
  const [least, most] = [fields.least ?? fields.leastAmount, fields.most ?? fields.mostAmount] as (number | undefined)[]
  if (least !== undefined && most !== undefined && most < least) {
    return { field: fields.most === undefined ? "mostAmount" : "most", message: `It is less than ${least}.` }
  }
  return null
}
