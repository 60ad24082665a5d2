/**
 * How is a notice of a decision written in a language?
 *
 * A notice is a code with parameters; the engine writes its English sentence, and this file a sentence in any language. Names of agreements and remarks of a rule are not translated:
 * notices with them keep the engine's English sentence.
 */

import { isRequirement, type Requirement } from "../dataset/requirement.ts"
import type { ReasonCode, ReasonParams } from "../itinerary/reasons.ts"
import type { ValidityRule } from "../rules/provisions.ts"
import { sayConditionOf } from "./condition-params.ts"
import type { ConditionKey } from "./conditions.ts"
import { isolate, type Locale, type Phrase, type PhraseValue } from "./localise.ts"
import { MESSAGES, type MessageKey } from "./messages.ts"

/** A notice of a decision: a blocker, a condition, or why something is not known. */
export interface Notice {
  readonly code: ReasonCode
  readonly params: ReasonParams
}

/** The message of a code, in a language that has one for it. */
type CodeKey = Extract<MessageKey, `${"blocker" | "condition" | "reason"}.${ReasonCode}`>

/** The messages that notices are made of. */
export type NoticeKey =
  | CodeKey
  | ConditionKey
  | ValidityKey
  | "blocker.held_document"
  | "reason.before_dataset"
  | "reason.seen_between"
  | "rule.after_expiry"
  | "rule.changed_since"

/** The messages about a rule of passport validity. */
type ValidityKey =
  | `documents.passport_after_${Exclude<ValidityRule["anchor"], "permitted_stay">}`
  | `documents.passport_days_after_${ValidityRule["anchor"]}`
  | "tips.passport_issued_within"

/** Blockers with the sentence of a condition. */
const KINDS: Readonly<Partial<Record<ReasonCode, string>>> = {
  visa_suspended: "suspension",
  purpose_not_covered: "purpose",
  entry_point_closed: "entry_points",
  check_exemption: "exempt",
}

/**
 * Writes a notice in a language; null if the language has no sentence for it, so that its English one is used.
 *
 * @example
 * ```ts
 * sayNotice(locale, { code: "expiry_not_given", params: {} }) // => "The passport's day of expiry is not given."
 * ```
 */
export function sayNotice(locale: Locale<NoticeKey>, { code, params }: Notice): string | null {
  const { destination } = params
  switch (code) {
    case "eta":
    case "visa_on_arrival":
    case "e_visa":
    case "visa_required":
      return locale.label(locale.nameCountry(destination as string), locale.say({ key: `requirement.${code}` }))
    // Only the rule itself has its documents in full.
    case "held_document":
      return null
    case "stay_exceeded":
      return sayIn(locale, "held" in params ? "blocker.held_document" : "blocker.stay_exceeded", params)
    case "before_history":
    case "after_history":
      return locale.say({ key: "reason.before_dataset" })
    case "answer_ended":
      return sayIn(locale, "rule.after_expiry", params)
    case "answer_changed_since":
      return sayIn(locale, "rule.changed_since", params)
    case "rule_seen_between":
    case "stay_seen_between":
      return sayPastGap(locale, "reason.seen_between", params)
    case "imported_past":
    case "past_word":
      return sayPastGap(locale, `reason.${code}`, params)
    case "passport_validity_short": {
      const rule = sayValidity(locale, params)
      if (params.expiry === null) return null
      return sayIn(locale, "blocker.passport_validity_short", params, { rule })
    }
  }
  const condition = sayConditionOf(locale, KINDS[code] ?? code, params)
  if (condition !== null) return condition
  const key = [`blocker.${code}`, `condition.${code}`, `reason.${code}`].find(isCodeKey)
  return key === undefined ? null : sayIn(locale, key, params)
}

/** Whether there is such a message; the text ends with a code. */
const isCodeKey = (key: string): key is CodeKey => Object.hasOwn(MESSAGES, key)

function sayIn(locale: Locale<NoticeKey>, key: NoticeKey, params: ReasonParams, more: Phrase["values"] = {}): string {
  const values: Record<string, PhraseValue> = { ...more }
  const { destination, passport, expiry, days, allowed, says } = params
  const on = params.by ?? params.arrival ?? params.exit ?? params.on
  if (typeof destination === "string") values.destination = { country: destination }
  if (typeof passport === "string") values.passport = { country: passport }
  if (typeof expiry === "string") values.expiry = { on: expiry }
  if (typeof on === "string") values.date = { on }
  if (typeof days === "number") values.used = { days }
  if (typeof allowed === "number") values.allowed = { days: allowed }
  // Sources are quoted in English.
  if (typeof says === "string") values.says = isolate(locale.direction, says)
  return locale.say({ key, values })
}

function sayPastGap(locale: Locale<NoticeKey>, key: NoticeKey, params: ReasonParams): string {
  const { earlier, later, word, source } = params
  const values: Record<string, PhraseValue> = {}
  for (const [name, value] of Object.entries({ earlier, later, word })) {
    values[name] = typeof value === "number" ? { days: value } : namePastWord(locale, value)
  }
  for (const name of ["after", "by", "until"]) {
    const on = params[name]
    if (typeof on === "string") values[name] = { on }
  }
  if (typeof source === "string") values.source = isolate(locale.direction, source)
  return locale.say({ key, values })
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
function namePastWord(locale: Locale<`requirement.${Requirement}`>, word: ReasonParams[string] | undefined): string {
  const names: Readonly<Record<string, readonly Requirement[]>> = {
    covid_ban: ["no_admission"],
    e_visa_or_eta: ["e_visa", "eta"],
  }
  const requirements = typeof word === "string" && isRequirement(word) ? [word] : (names[String(word)] ?? [])
  const said = requirements.map(requirement => locale.say({ key: `requirement.${requirement}` }))
  return said.length > 0 ? locale.list(said) : isolate(locale.direction, typeof word === "string" ? word : "–")
}

// A destination's requirement for a passport's dates.
function sayValidity(locale: Locale<ValidityKey>, { years, anchor, months, days }: ReasonParams): string {
  if (typeof years === "number") return locale.say({ key: "tips.passport_issued_within", values: { years } })
  const after = anchor as ValidityRule["anchor"]
  return days === 0 && after !== "permitted_stay"
    ? locale.say({ key: `documents.passport_after_${after}`, values: { months: months as number } })
    : locale.say({ key: `documents.passport_days_after_${after}`, values: { days: days as number } })
}
