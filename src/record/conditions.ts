/**
 * What are a rule's conditions, waivers and certainty, in a reader's language?
 *
 * These are the additional fields of every answer about a pair, with their wire names. Conditions are those of the rule and of its policy,
 * waivers for holders of documents, and notes, which are in English. The other fields are a later change in an official log, the day on
 * which a rule ends or ended, days that come from a general table, and the statement of a second source. A field without a value is absent.
 */
import { parseCivilDate } from "../civil-date.ts"
import type { Dataset, Found } from "../dataset/open.ts"
import type { Requirement } from "../dataset/requirement.ts"
import { readTerms, type TermsIndex } from "../dataset/rule-terms.ts"
import { getOrInsert } from "../get-or-insert.ts"
import { type Corroboration, describeFound, type PairDescription } from "../requirement/describe-pair.ts"
import type { LookupOptions } from "../requirement/lookup.ts"
import type { ConditionTerms, DocumentTerms } from "../rules/conditions.ts"
import type { RuleCondition, StayRule, Waiver } from "../rules/provisions.ts"
import { type ApplicationTerms, readApplication } from "./application-terms.ts"
import { type EvidenceFields, writeEvidence } from "./evidence-fields.ts"
import { isolate, type Locale, type Phrase } from "./localise.ts"
import type { MessageKey } from "./messages.ts"
import { type Punctuation, punctuationOf } from "./punctuation.ts"
import { sayAnswer, sayCounting } from "./stay-counting.ts"

/** A condition of a rule, or a waiver of it. */
export interface ConditionField {
  /** A kind of `docs/data.md`, `counted` (over which period days add up), `waiver` or `note`. */
  readonly kind: string
  /** In the record's language; a note and a condition of kind `other` are in English. */
  readonly text: string
  readonly source_url: string | null
}

/** The statement of a second source, and the day on which it read its page. */
export interface SecondSource {
  readonly source: string
  readonly source_url: string | null
  readonly checked_on: string
}

/** The additive fields of every answer about a pair. */
export interface TermFields extends EvidenceFields {
  readonly conditions?: readonly ConditionField[]
  /** An official log names a change of the entry rules that is newer than this one. */
  readonly changed_since?: { readonly on: string; readonly source_url: string | null }
  /** The days come from the imported table alone, and are not a maximum stay. */
  readonly stay_basis?: "table"
  /** The last day on which the rule is announced to hold. */
  readonly ends_on?: string
  /** An earlier rule ended on `ended_on`, its last day, and nothing newer is recorded. */
  readonly after_expiry?: true
  readonly ended_on?: string
  /** A second source that says the same. */
  readonly corroborated?: SecondSource
  /**
   * A second source that says something else; `because` says, in English, why our answer stands or what contradicts what; `open` if nothing
   * decides.
   */
  readonly disputed?: SecondSource & {
    readonly requirement: Requirement
    readonly visa_free_days: number | null
    readonly because?: string
    readonly open?: true
  }
}

/** The fields about the rule of a pair. */
export interface PairTerms {
  readonly fields: TermFields
  /** The page that was read for the rule, if it is not its source's own. */
  readonly sourceUrl?: string
  readonly application: ApplicationTerms
  /** The condition that names the borders at which one may enter, and how it is said. */
  readonly borders?: { readonly condition: RuleCondition; readonly text: string }
}

/** What is needed to write the fields of a pair. */
export interface TermsContext {
  readonly dataset: Dataset
  readonly locale: Locale
}

/**
 * Writes the fields of a description that is at hand. Cannot fail; the fields are shared and frozen.
 *
 * @example
 * ```ts
 * const pair = describePair(embeddedDataset(), "FRA", "JPN")
 * pair.kind === "found" && writeTerms({ dataset: embeddedDataset(), locale }, pair).evidence?.level // => "table"
 * ```
 */
export function writeTerms({ dataset, locale }: TermsContext, pair: PairDescription): TermFields {
  const writer = openWriter(dataset, locale)
  const conditions = [
    ...pair.conditions.map(condition => writer.write(condition)),
    ...(pair.stayRule === null ? [] : writer.writeCounting(pair.stayRule, pair.answer)),
    ...pair.waivers.map(waiver => writer.write(waiver)),
    ...pair.notes.map(note => ({ kind: "note", text: isolate(locale.direction, note), source_url: pair.sourceUrl })),
  ]
  const { changedSince, afterExpiry, corroboration } = pair
  const second = corroboration && {
    source: corroboration.source.name,
    source_url: corroboration.sourceUrl,
    checked_on: corroboration.checkedOn,
  }
  return {
    ...(conditions.length === 0 ? undefined : { conditions }),
    ...(changedSince === null
      ? undefined
      : { changed_since: { on: changedSince.on, source_url: changedSince.sourceUrl } }),
    ...(pair.stayBasis === null ? undefined : { stay_basis: pair.stayBasis }),
    ...(pair.endsOn === null ? undefined : { ends_on: pair.endsOn }),
    ...(afterExpiry === null ? undefined : { after_expiry: true, ended_on: afterExpiry.endedOn }),
    ...(second !== null && corroboration?.agrees ? { corroborated: second } : undefined),
    ...(second !== null && corroboration?.agrees === false
      ? { disputed: { ...second, ...writeDispute(corroboration) } }
      : undefined),
    ...writeEvidence(pair),
  }
}

function writeDispute({ requirement, days, reason, isOpen }: Corroboration) {
  return {
    requirement,
    visa_free_days: days,
    ...(reason === null ? undefined : { because: reason }),
    ...(isOpen ? { open: true as const } : undefined),
  }
}

/**
 * Describes a pair whose answer was found, for the day that was asked, and writes its fields. Cannot fail.
 */
export function describeTerms(
  localised: TermsContext,
  {
    passport,
    destination,
    answer,
  }: { readonly passport: string; readonly destination: string; readonly answer: Found },
  options: LookupOptions | undefined,
): PairTerms {
  const day = parseCivilDate(options?.on) ?? localised.dataset.asOfDay
  const pair = describeFound(localised.dataset, passport, destination, answer, day)
  const isReviewed = answer.source !== null && !answer.source.imported
  const borders = pair.conditions.find(one => one.kind === "entry_points" && one.borders !== undefined)
  const page = isReviewed && pair.sourceUrl !== answer.source.url ? pair.sourceUrl : null
  return {
    ...(page === null ? undefined : { sourceUrl: page }),
    fields: writeTerms(localised, pair),
    application: readApplication(localised.locale, pair.conditions),
    ...(borders === undefined
      ? undefined
      : {
          borders: {
            condition: borders,
            text: openWriter(localised.dataset, localised.locale).write(borders).text,
          },
        }),
  }
}

interface Writer {
  readonly write: (subject: RuleCondition | Waiver) => ConditionField
  /** How the days of the answer add up: one field, or none. */
  readonly writeCounting: (rule: StayRule, answer: Found) => readonly ConditionField[]
}

// By language, then by dataset terms: texts that are written once are shared by every pair.
const writers = new WeakMap<Locale, WeakMap<TermsIndex, Writer>>()

function openWriter(dataset: Dataset, locale: Locale): Writer {
  const index = readTerms(dataset)
  // Without terms there is no condition to write.
  if (index === null) return { write: () => ({ kind: "other", text: "", source_url: null }), writeCounting: () => [] }
  const byTerms = getOrInsert(writers, locale, () => new WeakMap())
  return getOrInsert(byTerms, index, () => {
    const speaker = new ConditionSpeaker(locale, index)
    const written = new WeakMap<object, ConditionField>()
    return {
      write: subject => {
        const field = getOrInsert(written, subject, () => {
          const [kind, text] =
            "kind" in subject ? [subject.kind, speaker.sayCondition(subject)] : ["waiver", speaker.sayWaiver(subject)]
          return Object.freeze({ kind, text, source_url: subject.sourceUrl })
        })
        return field
      },
      writeCounting: (rule, answer) => {
        const counting = sayCounting(rule, answer)
        if (counting === null) return []
        return [Object.freeze({ kind: "counted", text: locale.say(counting), source_url: rule.sourceUrl })]
      },
    }
  })
}

/** The messages that sentences about conditions and waivers are made of. */
export type ConditionKey =
  | Extract<
      MessageKey,
      `${"border" | "conditions" | "exempt" | "feature" | "held" | "proof" | "purpose" | "requirement" | "sponsor"}.${string}`
    >
  | "label.fee"
  | "rule.ends_on"
  | "zone.schengen"

/** Says conditions and waivers in one language. */
export class ConditionSpeaker {
  readonly #locale: Locale<ConditionKey>
  /** Null where no selector but that of Schengen has to be known. */
  readonly #index: TermsIndex | null
  readonly #marks: Punctuation

  constructor(locale: Locale<ConditionKey>, index: TermsIndex | null) {
    this.#locale = locale
    this.#index = index
    this.#marks = punctuationOf(locale.language)
  }

  sayWaiver({ requirement, days, held, conditions, endsOn, note }: Waiver): string {
    const answer = sayAnswer(this.#locale, this.#marks, requirement, days)
    return this.#joinFragments([
      this.#say("conditions.waiver", { answer, documents: this.#nameDocuments(held) }),
      ...conditions.map(condition => this.sayCondition(condition)),
      ...(endsOn === null ? [] : [this.#say("rule.ends_on", { date: { on: endsOn } })]),
      ...(note === null ? [] : [this.#foreign(note)]),
    ])
  }

  sayCondition(condition: ConditionTerms): string {
    switch (condition.kind) {
      case "held_document":
        return this.#say("conditions.held_document", { documents: this.#nameDocuments(condition.held) })
      case "registration":
        return this.#joinFragments([
          this.#say("conditions.registration", { name: condition.name }),
          ...(condition.hoursBefore === undefined
            ? []
            : [this.#say("conditions.registration_hours", { hours: condition.hoursBefore })]),
          ...(condition.fee === undefined ? [] : [this.#label("label.fee", this.#money(condition.fee))]),
          ...(condition.url === undefined ? [] : [this.#foreign(condition.url)]),
        ])
      case "gateway_visa":
        return this.#joinFragments([
          this.#say("conditions.gateway", { countries: this.#nameStates(condition.states) }),
          condition.entries === undefined
            ? this.#say("conditions.gateway_visa")
            : this.#say("conditions.gateway_entries", { entries: condition.entries }),
        ])
      case "border_control":
        return this.#say("conditions.border_control", { countries: this.#nameStates(condition.states) })
      case "sponsor":
        return this.#say("conditions.sponsor", { names: this.#list(condition.by, word => `sponsor.${word}`) })
      case "special_document":
        return this.#say("conditions.special_document", { name: condition.name })
      case "not_enforced":
        return condition.borders === undefined
          ? this.#say("conditions.not_enforced")
          : this.#say("conditions.not_enforced_at", {
              names: this.#list(condition.borders, word => `border.${word}`),
            })
      case "exempt": {
        const who = (condition.who ?? []).map(word => this.#say(`exempt.${word}`))
        if (condition.issuedBefore !== undefined) {
          who.push(this.#say("exempt.issued_before", { date: { on: condition.issuedBefore } }))
        }
        return this.#say("conditions.exempt", { names: this.#locale.list(who) })
      }
      case "suspension":
        return this.#say("conditions.suspension", { names: this.#locale.list(condition.visas) })
      case "bond": {
        const { leastAmount, mostAmount, currency } = condition
        const least = this.#money({ amount: leastAmount, currency })
        const most = mostAmount === undefined ? null : this.#money({ amount: mostAmount, currency })
        return this.#say("conditions.bond", {
          amount: most === null ? least : this.#say("conditions.range", { least, most }),
        })
      }
      case "entry_points": {
        const borders = (condition.borders ?? []).map(word => this.#say(`border.${word}`))
        return this.#say("conditions.entry_points", {
          names: this.#locale.list([...(condition.names ?? []).map(name => this.#foreign(name)), ...borders]),
        })
      }
      case "asked_at":
        return this.#say("conditions.asked_at", {
          names: this.#list(condition.borders, word => `border.${word}`),
          name: this.#say(`requirement.${condition.elsewhere}`),
        })
      case "purpose":
        return this.#say("conditions.purpose", { names: this.#list(condition.purposes, word => `purpose.${word}`) })
      case "group":
        return this.#say("conditions.group", { people: condition.least })
      case "bring":
        return this.#say("conditions.bring", { names: this.#list(condition.proofs, word => `proof.${word}`) })
      case "passport_kind":
        return this.#say("conditions.passport_kind", {
          names: this.#list(condition.features, word => `feature.${word}`),
        })
      case "age":
        return this.#joinFragments([
          ...(condition.least === undefined ? [] : [this.#say("conditions.age_from", { years: condition.least })]),
          ...(condition.most === undefined ? [] : [this.#say("conditions.age_to", { years: condition.most })]),
        ])
      case "also":
        return this.#joinFragments([
          this.#say("conditions.also", { name: this.#say(`requirement.${condition.requirement}`) }),
          ...(condition.remark === undefined ? [] : [this.#foreign(condition.remark)]),
        ])
      case "other":
        return this.#foreign(condition.text)
    }
  }

  #say(key: ConditionKey, values?: Phrase["values"]): string {
    return this.#locale.say(values === undefined ? { key } : { key, values })
  }

  #label(key: ConditionKey, text: string): string {
    return this.#locale.label(this.#say(key), text)
  }

  #money(money: { readonly amount: number; readonly currency: string }): string {
    return isolate(this.#locale.direction, this.#locale.formatValue({ money }))
  }

  // A name, an address or an English sentence, isolated from the direction of the page.
  #foreign(text: string): string {
    return isolate(this.#locale.direction, text)
  }

  #list<Word>(words: readonly Word[], keyOf: (word: Word) => ConditionKey): string {
    return this.#locale.list(words.map(word => this.#say(keyOf(word))))
  }

  #nameStates(selectors: readonly string[]): string {
    const names = selectors.flatMap(selector =>
      selector === "@schengen"
        ? [this.#say("zone.schengen")]
        : (this.#index?.listMembers(selector) ?? [selector]).map(code => this.#locale.nameCountry(code)),
    )
    return this.#locale.list(names)
  }

  #nameDocuments(documents: readonly DocumentTerms[]): string {
    return documents.map(document => this.#nameDocument(document)).join(this.#marks.semicolon)
  }

  // A kind of document, in brackets its issuers, then what else is asked of it.
  #nameDocument(terms: DocumentTerms): string {
    const { bracketStart, bracketEnd, semicolon } = this.#marks
    const inner = [this.#nameStates(terms.issuers), ...this.#listTerms(terms)]
    return `${this.#say(`held.${terms.kind}`)}${bracketStart}${inner.join(semicolon)}${bracketEnd}`
  }

  #listTerms(terms: DocumentTerms): string[] {
    const { validDaysAfterEntry: afterEntry, validDaysAfterExit: afterExit, expiredWithinYears } = terms
    const listed: string[] = []
    if (terms.multipleEntry) listed.push(this.#say("held.multiple_entry"))
    if (terms.usedBefore) listed.push(this.#say("held.used_before"))
    if (terms.permanent) listed.push(this.#say("held.permanent"))
    if (terms.physical) listed.push(this.#say("held.physical"))
    if (terms.enteredIssuerFirst) listed.push(this.#say("held.entered_issuer_first"))
    if (terms.types !== undefined) listed.push(this.#say("held.types", { names: this.#locale.list(terms.types) }))
    if (terms.typesExcept !== undefined) {
      listed.push(this.#say("held.types_except", { names: this.#locale.list(terms.typesExcept) }))
    }
    if (afterEntry !== undefined) listed.push(this.#say("held.valid_after_entry", { duration: { days: afterEntry } }))
    if (afterExit === 0) listed.push(this.#say("held.valid_stay"))
    else if (afterExit !== undefined) listed.push(this.#say("held.valid_after_exit", { duration: { days: afterExit } }))
    if (expiredWithinYears !== undefined) {
      listed.push(this.#say("held.expired_within", { duration: { years: expiredWithinYears } }))
    }
    if (terms.remark !== undefined) listed.push(this.#foreign(terms.remark))
    return listed
  }

  // A single fragment stays as it is. Of several, each gets the language's full stop, except an address, where it would become part of the
  // address.
  #joinFragments(fragments: readonly string[]): string {
    if (fragments.length === 1) return fragments[0] as string
    return this.#locale.join(
      fragments.map(fragment =>
        /[.。।]$/.test(fragment) || /https?:\S/.test(fragment.split(/\s/).at(-1) ?? "")
          ? fragment
          : `${fragment}${this.#marks.stop}`,
      ),
    )
  }
}
