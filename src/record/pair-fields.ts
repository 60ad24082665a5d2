/**
 * What does a record say that depends on both countries, and not on the answer between them?
 *
 * The missions of each in the other, and the changes of the requirement. Both are as old as their tables, and say so.
 */
import type { Case } from "./checklist.ts"
import { selectFact } from "./full-facts.ts"
import type { HistoryChange } from "./history.ts"
import type { Locale } from "./localise.ts"
import type { MissionFact, MissionIndex } from "./missions.ts"
import type { RecordBook } from "./record-book.ts"
import type { Embassy, HistoryEntry, Mission, RecordSource } from "./record-fields.ts"

/** Lists the missions in both directions; undefined where none is recorded, and at home. */
export function listEmbassies(book: RecordBook, situation: Case): Embassy | undefined {
  const { missions, locale } = book
  if (missions === undefined || !hasEmbassies(book, situation)) return undefined
  const { passport, destination } = situation
  const own = missions.listMissions(passport, destination)
  const apply = missions.listMissions(issuerOf(missions, situation), passport)
  const show = (mission: MissionFact) => showMission(locale, mission, missions.asOf)
  return {
    ...(own.length === 0 ? {} : { your_embassy_at_destination: own.map(show) }),
    ...(apply.length === 0 ? {} : { visa_application_embassy: apply.map(show) }),
  }
}

/** Says whether there is any mission to show for a case. */
export function hasEmbassies({ missions }: RecordBook, situation: Case): boolean {
  if (missions === undefined || situation.answer.home) return false
  const { passport, destination } = situation
  return missions.hasIn(passport, destination) || missions.hasIn(issuerOf(missions, situation), passport)
}

// The country whose missions issue the visa: the destination itself, or, for a territory without missions there, its issuer.
function issuerOf(missions: MissionIndex, { answer, passport, destination, facts }: Case): string {
  if (missions.hasIn(destination, passport)) return destination
  return selectFact(facts, "issuing", { requirement: answer.requirement, passport })?.value.country ?? destination
}

function showMission(
  locale: Locale,
  { kind, operator, host, city, website, phone }: MissionFact,
  asOf: string,
): Mission {
  const name = locale.say({ key: `mission.${kind}` })
  return {
    type: kind,
    name,
    operator,
    host,
    ...(city === null ? {} : { city }),
    ...(website === null ? {} : { website }),
    ...(phone === null ? {} : { phone }),
    as_of: asOf,
  }
}

/** Lists the changes of the pair, the oldest first; undefined where none is recorded. */
export function listHistory(book: RecordBook, { passport, destination }: Case): readonly HistoryEntry[] | undefined {
  const changes = book.history?.listChanges(passport, destination) ?? []
  return changes.length === 0 ? undefined : changes.map(change => showChange(book.locale, change))
}

function showChange(locale: Locale, { on, from, to, daysBefore, daysAfter, afterBan }: HistoryChange): HistoryEntry {
  const notes: string[] = []
  if (daysBefore !== null && daysAfter !== null) {
    const values = { before: { days: daysBefore }, after: { days: daysAfter } }
    notes.push(locale.say({ key: "history.days_changed", values }))
  }
  if (afterBan) notes.push(locale.say({ key: "history.after_pandemic_ban" }))
  return { date: on, from, to, ...(notes.length === 0 ? {} : { note: locale.join(notes) }) }
}

/** Lists the sources of the two fields. */
export function citePair(
  { facts, missions, history }: RecordBook,
  shown: { readonly embassy: boolean; readonly history: boolean },
): readonly RecordSource[] {
  const tables = [
    { table: shown.embassy ? missions : undefined, field: "embassy" },
    { table: shown.history ? history : undefined, field: "reciprocity_history" },
  ]
  return tables.flatMap(({ table, field }) => {
    const source = table === undefined ? undefined : facts.sourceOf(table.source)
    if (table === undefined || source === undefined) return []
    return [{ name: source.name, url: source.url, as_of: table.asOf, verified_on: null, fields: [field] }]
  })
}
