/**
 * Are the terms of a dataset sound, so that everything read from them has the declared shape?
 *
 * This works like check-header.ts for the header: rows are described by the allowed values of each place, and every index must be within
 * its list.
 */

import { findBorderRuleMistake } from "./border-rules.ts"
import { findConditionMistake, findDocumentMistake } from "./condition-shapes.ts"
import { ALL_STAY_RULE_KINDS } from "./facts.ts"
import type { DatasetHeader } from "./format.ts"
import { PASSPORT_KINDS } from "./passport-kinds.ts"
import { REQUIREMENTS } from "./requirement.ts"
import { count, isCodes, isDate, isDay, isFlag, isText, list, orNull, row, type Test } from "./row-tests.ts"
import { type CheckRow, FIRST_SAID, type TermsSection } from "./terms-section.ts"

/** The longest stay in days, as in answers. */
const isSpan = count(1, 36_500)
const isMaybeSpan = orNull(isSpan)
const isMaybeCodes: Test = value => value === "" || isCodes(value)
const isDocument: Test = value => findDocumentMistake(value) === null
const isCondition: Test = value => findConditionMistake(value) === null
const isBorderRule: Test = value => findBorderRuleMistake(value) === null
const isRank = count(0, REQUIREMENTS.length - 1)
const isScope = row(count(1, 3), orNull(isCodes), isMaybeCodes, orNull(isDay), orNull(isDay))

/** Finds the first mistake in terms with a sound header; null if there is none. Cannot fail on parsed JSON. */
export function findTermsMistake(terms: TermsSection, header: DatasetHeader): string | null {
  if (typeof terms !== "object" || terms === null) return "its terms are not an object"
  const isSourceRow = row(isText, isText, orNull(isText), count(0, 2))
  if (!list(isSourceRow)(terms.sources)) return "the sources of its terms have another shape"
  const sources = header.sources.length + terms.sources.length
  const placeIn = (rows: unknown): Test => (Array.isArray(rows) ? count(0, rows.length - 1) : () => false)
  // Rows that a file may leave out, as older ones do.
  const orAbsent =
    (test: Test): Test =>
    value =>
      value === undefined || list(test)(value)
  const isSource = orNull(count(0, sources - 1))
  const provenance = [isSource, orNull(isText), orNull(isDate)] as const
  const conditions = list(placeIn(terms.conditions))
  const ranks = orNull(list(isRank))
  const scopedEnd = [isCodes, list(isScope), ...provenance] as const
  const ruleEnd = [ranks, orNull(isText), isFlag, ...scopedEnd] as const
  const passports = header.passports.length / 3
  const isSaid = row(isRank, isMaybeSpan)
  const isSaidWhy = row(isRank, isMaybeSpan, isText, isFlag)
  const isCheck = row(
    isCodes,
    isDay,
    list(value => isSaid(value) || isSaidWhy(value)),
    isText,
    count(0, sources - 1),
    orNull(isText),
  )
  const shapes: { readonly [Name in Exclude<keyof TermsSection, "sources">]-?: Test } = {
    retrievedDays: value => list(orNull(isDay))(value) && (value as unknown[]).length === sources,
    sets: list(row(isText, isMaybeCodes)),
    conditions: list(row(isCondition, isSource, orNull(isText))),
    details: list(row(conditions, orNull(isText), orNull(isText), orNull(isDay), orNull(isDay))),
    ended: list(row(isDay, isRank, isMaybeSpan)),
    rules: list(
      row(isCodes, orNull(placeIn(terms.details)), orNull(placeIn(terms.ended)), isCodes, orNull(isDay), orNull(isDay)),
    ),
    policyConditions: list(row(placeIn(terms.conditions), ranks, isCodes, list(isScope))),
    policyNotes: list(row(isCodes, isText)),
    waivers: list(
      row(list(isDocument), isRank, isMaybeSpan, conditions, orNull(isText), isFlag, orNull(isDay), ...scopedEnd),
    ),
    transitWaivers: list(row(placeIn(header.transit), list(isDocument))),
    stays: list(
      row(
        count(0, ALL_STAY_RULE_KINDS.length - 1),
        orNull(isText),
        orNull(isText),
        isMaybeSpan,
        isMaybeSpan,
        isMaybeSpan,
        isMaybeSpan,
        isMaybeSpan,
        ...ruleEnd,
      ),
    ),
    validity: orAbsent(row(placeIn(header.validity), orNull(isCodes), count(0, 43))),
    admissions: orAbsent(row(placeIn(terms.stays), orNull(isCodes), isMaybeSpan, isFlag)),
    borders: orAbsent(row(isBorderRule, ...ruleEnd)),
    kinds: orAbsent(row(list(count(0, PASSPORT_KINDS.length - 1)), isRank, isMaybeSpan, isFlag, isFlag, ...ruleEnd)),
    changes: list(row(isCodes, isDay, isText, orNull(isMaybeCodes), ...provenance)),
    checks: list(value => isCheck(value) && isWhole(value as CheckRow, passports)),
  }
  for (const [name, test] of Object.entries(shapes)) {
    if (!test(terms[name as keyof TermsSection])) return `its ${name} have another shape`
  }
  return null
}

// One character a passport, none of which points past the answers.
function isWhole([, , said, says]: CheckRow, passports: number): boolean {
  if (says.length !== passports) return false
  for (let at = 0; at < says.length; at++) {
    const place = says.charCodeAt(at) - FIRST_SAID
    if (place < -2 || place >= said.length) return false
  }
  return true
}
