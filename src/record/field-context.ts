/**
 * From what is a field of a record made, and how does it cite its sources?
 *
 * A field's function takes a context and returns the field in its wire form, or undefined if nothing is known. Facts are cited as they are
 * used, so a source is named only for what it says.
 */

import { keepKnown } from "../collections.ts"
import type { Dataset } from "../dataset/open.ts"
import type { RuleSource } from "../rules/provisions.ts"
import type { Money } from "../rules/table.ts"
import type { Case } from "./checklist.ts"
import type { PairTerms } from "./conditions.ts"
import type { Subject, SubjectFacts } from "./fact-fields.ts"
import {
  asked,
  type Fact,
  type FullFacts,
  type HistoryChange,
  type HistoryIndex,
  type MissionFact,
  type MissionIndex,
  type Origin,
  selectFact,
  selectFacts,
} from "./full-facts.ts"
import type { Locale, Phrase } from "./localise.ts"
import type { FullRecord, HistoryEntry, Mission, RecordSource, UpgradePreview } from "./record-fields.ts"

/** The parts from which records of one language over one dataset are made. */
export interface LocalisedFactsParts {
  readonly dataset: Dataset
  readonly facts: FullFacts
  readonly locale: Locale
  /** Absent if the caller did not load the missions. */
  readonly missions?: MissionIndex | undefined
  readonly history?: HistoryIndex | undefined
}

/** A field with its name; undefined where nothing is known. */
export type NamedField = readonly [name: keyof FullRecord, value: unknown] | undefined

/** The fields that all pairs with the same answer and destination share in their records, at the places of their rows. */
export interface SharedFields {
  readonly entries: readonly NamedField[]
  readonly fields: Partial<FullRecord>
  /** What a preview promises of them. */
  readonly counts: Omit<UpgradePreview, "embassy_info" | "reciprocity_history" | "upgrade_url">
  readonly sources: readonly RecordSource[]
}

/** Records of one language over one dataset. */
export interface LocalisedFacts extends LocalisedFactsParts {
  /** Missions and changes as the language shows them, kept from one record to the next. */
  readonly shown: {
    readonly missions: WeakMap<readonly MissionFact[], ShownMissions>
    readonly changes: WeakMap<readonly HistoryChange[], readonly HistoryEntry[]>
  }
  /** Returns the fields that a case shares with others of its answer and destination, computed at most once. */
  readonly remember: (situation: Case, compute: (situation: Case) => SharedFields) => SharedFields
}

/** The input of a field. */
export interface FieldContext extends LocalisedFacts {
  readonly situation: Case
  readonly citations: Citations
  /** The conditions of the rule, and the page that was read; absent for fields that all pairs of an answer share. */
  readonly terms?: PairTerms
  /** The missions of each country in the other, likewise. */
  readonly ways?: { readonly there: readonly MissionFact[]; readonly toApply: readonly MissionFact[] } | undefined
}

/** Missions as a language shows them: all in their order, and the one to name first. */
export interface ShownMissions {
  readonly all: readonly Mission[]
  readonly first: Mission
}

/** The result of a field's function. */
export type FieldValue<Name extends keyof FullRecord> = FullRecord[Name] | undefined

/** Finds the closest fact of a subject without citing it; null where nothing is known. */
export function findFact<Of extends Subject>(context: Pick<FieldContext, "situation">, subject: Of): Fact<Of> | null {
  return selectFact(context.situation.facts, subject, asked(context.situation))
}

/** Finds the closest fact of a subject and cites it for fields. */
export function useFact<Of extends Subject>(
  context: FieldContext,
  subject: Of,
  ...fields: (keyof FullRecord)[]
): SubjectFacts[Of] | undefined {
  const fact = findFact(context, subject)
  if (fact === null) return undefined
  for (const field of fields) context.citations.cite(field, fact.origin)
  return fact.value
}

/** Finds all facts of a subject that hold and cites them for a field. */
export function useFacts<Of extends Subject>(
  context: FieldContext,
  subject: Of,
  field: keyof FullRecord,
): readonly Fact<Of>[] {
  const facts = selectFacts(context.situation.facts, subject, asked(context.situation))
  for (const fact of facts) context.citations.cite(field, fact.origin)
  return facts
}

/** Cites a rule of the dataset. */
export function citeRule({ citations, facts }: FieldContext, rule: RuleSource | null, field: keyof FullRecord): void {
  if (rule === null || rule.source === null) return
  const known = facts.sourceOf(rule.source.id)
  const { retrievedOn = null, licence = null, via = null, name = rule.source.name } = known ?? {}
  // A page opens the rules without the names of their sources.
  const source = { ...rule.source, name, retrievedOn, licence, via }
  citations.cite(field, {
    source,
    url: rule.sourceUrl,
    asOf: retrievedOn,
    verifiedOn: rule.verifiedOn,
    citedOn: rule.citedOn,
  })
}

/** Writes sentences; undefined where there is none. */
export function sayPhrases(locale: Locale, phrases: readonly Phrase[]): readonly string[] | undefined {
  return phrases.length === 0 ? undefined : phrases.map(locale.say)
}

/** Writes an amount; undefined where there is none. */
export function writeMoney(locale: Locale, value: Money | undefined): string | undefined {
  return value === undefined ? undefined : locale.formatValue({ money: value })
}

// ---- Citations

// Which publications does a record rest on, and which of its fields on each?
//
// A fact from general knowledge has no source and is not listed, so that its field is named under no publication.

/** Collects sources while a record is assembled. */
export interface Citations {
  readonly cite: (field: string, origin: Origin) => void
  readonly list: () => readonly RecordSource[]
}

/** Begins a list of sources, behind those of the fields that are made already. */
export function openCitations(before: readonly RecordSource[] = []): Citations {
  const bySource = new Map<string, { readonly source: Omit<RecordSource, "fields">; readonly fields: Set<string> }>()
  return {
    cite: (field, { source, url, asOf, verifiedOn, citedOn }) => {
      if (source === null) return
      const { licence, via } = source
      const key = `${source.id} ${url} ${asOf} ${verifiedOn} ${citedOn}`
      const known = bySource.get(key)
      if (known !== undefined) {
        known.fields.add(field)
        return
      }
      const cited = {
        name: source.name,
        url,
        as_of: asOf,
        verified_on: verifiedOn,
        ...keepKnown({ cited_on: citedOn, licence, recorded_in: via }),
      }
      bySource.set(key, { source: cited, fields: new Set([field]) })
    },
    list: () => [
      ...before,
      ...[...bySource.values()].map(({ source, fields }) => Object.freeze({ ...source, fields: [...fields] })),
    ],
  }
}
