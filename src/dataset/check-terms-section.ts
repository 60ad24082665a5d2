/**
 * Are the terms of a dataset sound, so that everything read from them has the declared shape?
 *
 * This works like check-header.ts for the header: rows are described by the allowed values of each place, and every index must be within
 * its list.
 */

import { condition, isSound } from "../rules/conditions.ts"
import { listFields, PROVISION_KINDS, type ProvisionKind, writeFields } from "../rules/provision-kinds.ts"
import { type ProvisionRows, readCodes } from "../rules/provisions.ts"
import { selectors } from "../rules/table.ts"
import type { DatasetHeader } from "./format.ts"
import { REQUIREMENTS } from "./requirement.ts"
import { count, isCodes, isDate, isDay, isFlag, isText, list, orNull, row, type Test } from "./row-tests.ts"
import { type CheckRow, FIRST_SAID, type TermsSection } from "./terms-section.ts"

/** The longest stay in days, as in answers. */
const isSpan = count(1, 36_500)
const isMaybeSpan = orNull(isSpan)
const isMaybeCodes: Test = value => value === "" || isCodes(value)
const isEmpty = list(() => false)
const isObject: Test = value => typeof value === "object" && value !== null
const isRank = count(0, REQUIREMENTS.length - 1)
const isSelectors = orNull(value => typeof value === "string" && isSound(selectors("passports"), readCodes(value)))

/** Finds the first mistake in terms with a sound header; null if there is none. Cannot fail on parsed JSON. */
export function findTermsMistake(terms: TermsSection, header: DatasetHeader): string | null {
  if (typeof terms !== "object" || terms === null) return "its terms are not an object"
  const isSourceRow = row(isText, isText, orNull(isText), count(0, 2))
  if (!list(isSourceRow)(terms.sources)) return "the sources of its terms have another shape"
  const sources = header.sources.length + terms.sources.length
  const placeIn = (rows: unknown): Test => (Array.isArray(rows) ? count(0, rows.length - 1) : () => false)
  const isSource = orNull(count(0, sources - 1))
  const provenance = [isSource, orNull(isText), orNull(isDate)] as const
  const conditions = list(placeIn(terms.conditions))
  const ranks = orNull(list(isRank))
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
    conditions: list(row(value => isSound(condition, value), isSource, orNull(isText))),
    details: list(row(conditions, orNull(isText), orNull(isText), orNull(isDay), orNull(isDay))),
    ended: list(row(isDay, isRank, isMaybeSpan)),
    rules: list(
      row(isCodes, orNull(placeIn(terms.details)), orNull(placeIn(terms.ended)), isCodes, orNull(isDay), orNull(isDay)),
    ),
    policyConditions: list(
      row(placeIn(terms.conditions), ranks, isCodes, isSelectors, isSelectors, orNull(isDate), orNull(isDate)),
    ),
    policyNotes: list(row(isCodes, isText)),
    blocs: list(row(isText, list(row(isCodes, orNull(isDate), orNull(isDate))))),
    provisions: value => typeof value === "object" && value !== null && Object.values(value).every(isObject),
    changes: list(row(isCodes, isDay, isText, orNull(isMaybeCodes), ...provenance)),
    checks: list(value => isCheck(value) && isWhole(value as CheckRow, passports)),
  }
  for (const [name, test] of Object.entries(shapes)) {
    if (!test(terms[name as keyof TermsSection])) return `its ${name} have another shape`
  }
  for (const [name, rows] of Object.entries(terms.provisions)) {
    if (!areSound(name, rows, terms.conditions.length, sources)) return `its ${name} have another shape`
  }
  return null
}

// Each cell is checked as the facts are: what it holds in the form of the facts.
function areSound(name: string, given: ProvisionRows, conditions: number, sources: number): boolean {
  const known = (PROVISION_KINDS as readonly string[]).includes(name)
  if (!known || given.fields !== writeFields(name as ProvisionKind)) return false
  const isPlaces = list(count(0, conditions - 1))
  const isSource = orNull(count(0, sources - 1))
  const tests = listFields(name as ProvisionKind).map(([, { is, absent, isRequired }]): Test => {
    const isCell: Test =
      is.form === "source"
        ? isSource
        : is.form === "places"
          ? isPlaces
          : cell => isSound(is, is.form !== undefined && typeof cell === "string" ? readCodes(cell) : cell)
    return cell => (!isRequired && (cell === absent || (isEmpty(absent) && isEmpty(cell)))) || isCell(cell)
  })
  return list(row(...tests))(given.rows)
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
