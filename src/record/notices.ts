/**
 * How is a notice of a decision written in a language?
 *
 * A notice is a code with parameters. Its sentence is made as in the engine (`trip/reasons.ts`), from the text of the language, with its names of
 * countries, its dates and its words. Names of agreements and remarks of a rule are quoted in English: nobody translates them.
 */

import { isRequirement, type Requirement } from "../codes.ts"
import type { DocumentTerms } from "../rules/provision-kinds.ts"
import type { ProvisionIndex } from "../rules/provisions.ts"
import {
  findEnglishWord,
  joinEnglish,
  listEnglishTexts,
  listPlaceholders,
  nameWord,
  PARTS,
  parseSentence,
  putInside,
  type ReasonCode,
  type Speaker,
  writeSentence,
} from "../trip/reasons.ts"
import { isolate, type Locale, type MessageKey, type Phrase, punctuationOf } from "./localise.ts"
import { MESSAGES } from "./messages.generated.ts"

/** A notice of a decision: a blocker, a condition, or why something is not known. */
export interface Notice {
  readonly code: ReasonCode
  readonly params: Readonly<Record<string, unknown>>
}

/** The messages that notices are made of. */
type NoticeKey = Extract<
  MessageKey,
  `${"border" | "check" | "exempt" | "feature" | "held" | "issue" | "part" | "proof" | "purpose" | "requirement" | "sponsor" | "zone"}.${string}`
>

/**
 * Writes a notice in a language. Cannot fail: returns an empty text for an unknown code or wrong parameters.
 *
 * @example
 * ```ts
 * sayNotice(locale, { code: "expiry_not_given", params: {} }) // => "The passport's expiry date is not given."
 * ```
 */
export function sayNotice(
  locale: Locale<NoticeKey>,
  { code, params }: Notice,
  index: ProvisionIndex | null = null,
): string {
  return writeSentence(parseSentence(locale.read(`issue.${code}`) ?? ""), params, openSpeaker(locale, index))
}

function openSpeaker(locale: Locale<NoticeKey>, index: ProvisionIndex | null): Speaker {
  const { direction, formatValue } = locale
  const quote = (value: unknown) => isolate(direction, String(value))
  const set = (value: Parameters<Locale["formatValue"]>[0]) => isolate(direction, formatValue(value))
  return {
    readPart: name => parseSentence(locale.read(`part.${name}`) ?? ""),
    join: (items, word) => {
      if (locale.language === "en") return joinEnglish(items, word)
      return word === ";" ? items.join(punctuationOf(locale.language).semicolon) : locale.list(items)
    },
    write: (value, kind, params) => {
      switch (kind) {
        case "text":
          return typeof value === "number" ? set(value) : quote(value)
        case "country":
          return quote(locale.nameCountry(String(value)))
        case "date":
          return set({ on: String(value) })
        case "days":
          return set({ days: Number(value) })
        case "months":
          return set({ months: Number(value) })
        case "years":
          return set({ years: Number(value) })
        case "money":
          return set({ money: { amount: Number(value), currency: String(params.currency) } })
        case "state":
          // English has an article, which the name of the zone has not.
          return `${locale.language === "en" && value === "@schengen" ? "the " : ""}${nameStates(locale, [String(value)], index)}`
        case "zone":
          return quote(locale.read(`zone.${params.zone}`) ?? value)
        case "document":
          return sayDocument(locale, readDocument(value), index)
        case "inside":
          return putInside(value)
        case "past":
        case "stay":
          return typeof value === "number" ? set({ days: value }) : namePastWord(locale, value)
        default:
          return quote(findWord(locale, kind, value) ?? findEnglishWord(kind, value) ?? nameWord(value))
      }
    },
  }
}

// An authorisation is named as the requirement for one.
function findWord(locale: Locale<NoticeKey>, kind: string, word: unknown): string | null {
  return locale.read(kind === "held" && word === "eta" ? "requirement.eta" : `${kind}.${word}`)
}

// Parameters name a document by its kind and its issuers.
function readDocument(value: unknown): DocumentTerms {
  if (typeof value !== "string") return value as DocumentTerms
  const [kind = "", ...issuers] = value.split(" ")
  return { kind, issuers } as unknown as DocumentTerms
}

/** Names the states of some selectors. */
function nameStates(locale: Locale<NoticeKey>, selectors: readonly string[], index: ProvisionIndex | null): string {
  const names = selectors.flatMap(selector =>
    selector === "@schengen"
      ? [locale.say({ key: "zone.schengen" })]
      : (index?.listMembers(selector) ?? [selector]).map(code => locale.nameCountry(code)),
  )
  return locale.list(names)
}

/** Names a kind of document, in brackets its issuers, then what else is asked of it. */
export function sayDocument(locale: Locale<NoticeKey>, terms: DocumentTerms, index: ProvisionIndex | null): string {
  const { bracketStart, bracketEnd, semicolon } = punctuationOf(locale.language)
  const inner = [nameStates(locale, terms.issuers, index), ...listTerms(locale, terms)]
  return `${findWord(locale, "held", terms.kind) ?? terms.kind}${bracketStart}${inner.join(semicolon)}${bracketEnd}`
}

function listTerms(locale: Locale<NoticeKey>, terms: DocumentTerms): string[] {
  const { validDaysAfterEntry: afterEntry, validDaysAfterExit: afterExit, expiredWithinYears } = terms
  const listed: string[] = []
  const add = (key: NoticeKey, values?: Phrase["values"]) =>
    listed.push(locale.say(values === undefined ? { key } : { key, values }))
  if (terms.multipleEntry) add("held.multiple_entry")
  if (terms.usedBefore) add("held.used_before")
  if (terms.permanent) add("held.permanent")
  if (terms.physical) add("held.physical")
  if (terms.enteredIssuerFirst) add("held.entered_issuer_first")
  if (terms.types !== undefined) add("held.types", { names: locale.list(terms.types) })
  if (terms.typesExcept !== undefined) add("held.types_except", { names: locale.list(terms.typesExcept) })
  if (afterEntry !== undefined) add("held.valid_after_entry", { duration: { days: afterEntry } })
  if (afterExit === 0) add("held.valid_stay")
  else if (afterExit !== undefined) add("held.valid_after_exit", { duration: { days: afterExit } })
  if (expiredWithinYears !== undefined) add("held.expired_within", { duration: { years: expiredWithinYears } })
  if (terms.remark !== undefined) listed.push(isolate(locale.direction, terms.remark))
  return listed
}

/**
 * Writes the requirement of a past table in a language, with the days of a visa-free stay.
 *
 * @example
 * ```ts
 * sayPast(localised.locale, { word: "visa_free", days: 15 }) // => "Visa-free, 15 days"
 * sayPast(localised.locale, { word: "covid_ban", days: null }) // => "No admission"
 * ```
 */
export function sayPast(
  locale: Locale<`requirement.${Requirement}`>,
  { word, days }: { readonly word: string; readonly days: number | null },
): string {
  const said = namePastWord(locale, word)
  return days === null ? said : locale.list([said, locale.formatValue({ days })])
}

// Words that tables of the past used for more than one requirement of today, or for none.
function namePastWord(locale: Locale<`requirement.${Requirement}`>, word: unknown): string {
  const names: Readonly<Record<string, readonly Requirement[]>> = {
    covid_ban: ["no_admission"],
    e_visa_or_eta: ["e_visa", "eta"],
  }
  const requirements = typeof word === "string" && isRequirement(word) ? [word] : (names[String(word)] ?? [])
  const said = requirements.map(requirement => locale.say({ key: `requirement.${requirement}` }))
  return said.length > 0 ? locale.list(said) : isolate(locale.direction, typeof word === "string" ? word : "–")
}

/**
 * Lists every message with its placeholders.
 *
 * @example
 * ```ts
 * listMessages()["issue.passport_expired"] // => ["arrival", "expiry", "passport"]
 * ```
 */
export function listMessages(): Readonly<Record<string, readonly string[]>> {
  const sentences = Object.entries(listEnglishTexts()).map(([key, text]) => [key, listPlaceholders(text, PARTS) ?? []])
  return { ...MESSAGES, ...Object.fromEntries(sentences) }
}
