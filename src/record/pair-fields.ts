/**
 * Which fields of a record depend on both countries, and not on the answer for the pair?
 *
 * The missions of each in the other, and the changes of the requirement. Both are as old as their tables, and say so.
 */

import { getOrInsert } from "../collections.ts"
import { BORDERS } from "../rules/condition-words.ts"
import type { Case } from "./checklist.ts"
import { citeRule, type Field, type FieldContext, type MissionsBothWays, type ShownMissions } from "./field-context.ts"
import { selectFact } from "./full-facts.ts"
import type { HistoryChange, HistoryIndex } from "./history.ts"
import { type Locale, punctuationOf } from "./localise.ts"
import type { MissionFact, MissionIndex } from "./missions.ts"
import type { HistoryEntry, Mission } from "./record-fields.ts"

/** Says at which borders the rule lets one enter, under each of them; absent where the rule names places only, or none. */
export function describeModes(context: FieldContext): Field<"entry_by_mode"> {
  const borders = context.terms?.borders
  if (borders === undefined) return undefined
  citeRule(context, { ...borders.condition, verifiedOn: null, citedOn: null }, "entry_by_mode")
  return Object.fromEntries(BORDERS.map(border => [border, borders.text]))
}

/** Says whether there is any mission to show for a case. */
export function hasEmbassies({ missions }: Pick<FieldContext, "missions">, situation: Case): boolean {
  if (missions === undefined || situation.answer.home) return false
  const { passport, destination } = situation
  return (
    missions.hasIn(passport, destination) ||
    missions.hasIn(destination, passport) ||
    missions.hasIn(issuerOf(situation), passport)
  )
}

// The country whose missions issue the visas of a territory that has none of its own.
function issuerOf({ answer, passport, destination, facts }: Case): string {
  return selectFact(facts, "issuing", { requirement: answer.requirement, passport })?.value.country ?? destination
}

/** Finds the missions of each country in the other; undefined where they are not loaded. */
export function findMissions(
  { missions }: Pick<FieldContext, "missions">,
  situation: Case,
): MissionsBothWays | undefined {
  if (missions === undefined || situation.answer.home) return undefined
  const { passport, destination } = situation
  const own = missions.listMissions(destination, passport)
  return {
    there: missions.listMissions(passport, destination),
    toApply: own.length > 0 ? own : missions.listMissions(issuerOf(situation), passport),
  }
}

/** The mission to contact in each direction: of the first kind the one in the capital, or else the first. */
export function nameEmbassies(context: FieldContext): Field<"embassy"> {
  const { there, toApply } = showBothWays(context)
  if (there === undefined && toApply === undefined) return undefined
  cite(context, "embassy", context.missions)
  return {
    ...(there === undefined ? undefined : { your_embassy_at_destination: there.first }),
    ...(toApply === undefined ? undefined : { visa_application_embassy: toApply.first }),
  }
}

/** All known missions in both directions. */
export function listEmbassies(context: FieldContext): Field<"embassies"> {
  const { there, toApply } = showBothWays(context)
  if (there === undefined && toApply === undefined) return undefined
  cite(context, "embassies", context.missions)
  return {
    ...(there === undefined ? undefined : { at_destination: there.all }),
    ...(toApply === undefined ? undefined : { to_apply: toApply.all }),
  }
}

function showBothWays(context: FieldContext) {
  const { ways } = context
  return {
    there: ways === undefined ? undefined : showMissions(context, ways.there),
    toApply: ways === undefined ? undefined : showMissions(context, ways.toApply),
  }
}

function cite(
  { citations, sourceOf, shown }: FieldContext,
  field: "embassy" | "embassies" | "reciprocity_history",
  table: MissionIndex | HistoryIndex | undefined,
): void {
  if (table === undefined) return
  const origin = getOrInsert(shown.origins, table, () => {
    const source = sourceOf(table.source) ?? null
    return { source, url: source?.url ?? null, asOf: table.asOf, verifiedOn: null, citedOn: null }
  })
  citations.cite(field, origin)
}

function showMissions(
  { locale, shown, capitalOf, missions }: FieldContext,
  facts: readonly MissionFact[],
): ShownMissions | undefined {
  const [one] = facts
  if (one === undefined) return undefined
  const known = shown.missions.get(facts)
  if (known !== undefined) return known
  const all = facts.map(fact => showMission(locale, fact, missions?.asOf ?? ""))
  const capital = capitalOf(one.host)
  // An embassy before a consulate, in whatever city: those of the Netherlands are in The Hague and not in Amsterdam.
  const inCapital = facts.findIndex(({ kind, city }) => kind === one.kind && city !== null && city === capital)
  const made = { all: Object.freeze(all), first: all[Math.max(0, inCapital)] as Mission }
  shown.missions.set(facts, made)
  return made
}

function showMission(
  locale: Locale,
  { kind, operator, host, city, website, phone, email }: MissionFact,
  asOf: string,
): Mission {
  const { bracketStart, bracketEnd } = punctuationOf(locale.language)
  return Object.freeze({
    name: `${locale.say({ key: `mission.${kind}` })}${bracketStart}${locale.nameCountry(operator)}${bracketEnd}`,
    kind,
    ...(city === null ? {} : { city: locale.nameCity(host, city) }),
    country: locale.nameCountry(host),
    ...(phone === null ? {} : { phone }),
    ...(email === null ? {} : { email }),
    ...(website === null ? {} : { website }),
    as_of: asOf,
  })
}

/** Lists the changes of the pair, the oldest first; undefined where none is recorded. */
export function listHistory(context: FieldContext): Field<"reciprocity_history"> {
  const { situation, history, locale, shown } = context
  if (history === undefined) return undefined
  const changes = history.listChanges(situation.passport, situation.destination)
  if (changes.length === 0) return undefined
  if (changes.some(({ sources }) => sources === undefined)) cite(context, "reciprocity_history", history)
  const known = shown.changes.get(changes)
  if (known !== undefined) return known
  const made = Object.freeze(changes.map(change => showChange(locale, change)))
  shown.changes.set(changes, made)
  return made
}

/**
 * A change as a language shows it.
 *
 * @example
 * ```ts
 * const { date } = showChange(locale, { on: "2026-02-17", from: "eta", to: "eta", daysBefore: 30, daysAfter: 90, afterBan: false })
 * date // => "2026-02-17"
 * ```
 */
export function showChange(locale: Locale, change: HistoryChange): HistoryEntry {
  const { on, from, to, daysBefore, daysAfter, afterBan, sources, seenAfter } = change
  const notes: string[] = []
  if (daysBefore !== null && daysAfter !== null) {
    const values = { before: { days: daysBefore }, after: { days: daysAfter } }
    notes.push(locale.say({ key: "history.days_changed", values }))
  }
  if (afterBan) notes.push(locale.say({ key: "history.after_pandemic_ban" }))
  return {
    date: on,
    ...(seenAfter === undefined ? {} : { seen_after: seenAfter }),
    from,
    to,
    ...(notes.length === 0 ? {} : { note: locale.join(notes) }),
    ...(sources === undefined ? {} : { sources }),
  }
}
