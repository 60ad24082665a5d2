/**
 * How has the answer of a pair changed, and how will it?
 *
 * Four records are combined: dated tables, whose day is that of the first table with a change, and lists of authorities, which have a day;
 * the changes of installed datasets; the dataset's own dated rules, past and future; and an official log of changes. A step in two of them
 * is listed once. Unrecorded changes are missing: a short list does not prove that nothing changed.
 */
import {
  type Dataset,
  describePair,
  type Found,
  judgeSeverity,
  listScheduledChanges,
  type Requirement,
  type ScheduledChange,
} from "../../src/engine.ts"
import {
  type HistoryChange,
  type HistorySource,
  type HistoryStep,
  type ListInstalled,
  type LocalisedFacts,
  listUnrecorded,
  mergeSteps,
} from "../../src/full.ts"
import type { PairQuestion } from "./visa-answers.ts"

export interface Terms {
  readonly requirement: Requirement
  readonly visa_free_days: number | null
}

/** One change of a pair, under the names of the wire. */
export interface ChangeRecord {
  readonly passport: string
  readonly destination: string
  /**
   * `seen` in a table, `published` by the authority, `installed` with a dataset, by a `dated_rule`, or `logged` by an official log;
   * `compared` where two answers differ.
   */
  readonly kind: "seen" | "published" | "installed" | "dated_rule" | "logged" | "compared"
  /** The first day of the new answer (`YYYY-MM-DD`), as far as it is known; null where two answers were compared. */
  readonly on: string | null
  /** For a change that a table shows: the last table that still showed another answer, and the first that shows this one. */
  readonly first_seen?: { readonly after: string; readonly by: string }
  /** Null if there was no record, or if a log describes it in words. */
  readonly previous: Terms | null
  readonly current: Terms | null
  /** True where a ban of the pandemic lay between. */
  readonly after_ban?: boolean
  /** In the log's own words. */
  readonly note?: string
  readonly severity: "minor" | "major"
  readonly sources: readonly HistorySource[]
}

/** The known changes, and the day until which they are past. */
export interface ChangeHistory {
  readonly localised: LocalisedFacts
  /** The last day of the past (`YYYY-MM-DD`). */
  readonly untilOn: string
  readonly listInstalled: ListInstalled
  /** {@link groupScheduled} of the dataset. */
  readonly scheduled: ReadonlyMap<string, readonly ScheduledChange[]>
}

/** An answer, as far as two are compared. */
export type Compared = Pick<Found, "requirement" | "days" | "uncertain"> & Partial<Found>

const toTerms = (found: Compared | null): Terms | null =>
  found === null ? null : { requirement: found.requirement, visa_free_days: found.days }

function sourcesOf(found: Compared | null): readonly HistorySource[] {
  const source = found?.source ?? null
  return source === null ? [] : [{ name: source.name, url: source.url }]
}

/** Before every day that is recorded. */
const FIRST_DAY = "1900-01-01"

/** Every change of a dataset's dated rules, by pair, the oldest first. */
export function groupScheduled(dataset: Dataset): ReadonlyMap<string, readonly ScheduledChange[]> {
  const fields = ["record", "requirement", "days", "uncertain"] as const
  return Map.groupBy(
    listScheduledChanges(dataset, FIRST_DAY, { fields }),
    ({ passport, destination }) => passport + destination,
  )
}

interface Step extends HistoryStep {
  readonly shown: ChangeRecord
}

/** Lists the changes of a pair that are past and those that are announced, each the oldest first. */
export function listPairChanges(
  { localised, untilOn, listInstalled, scheduled }: ChangeHistory,
  { passport, destination }: PairQuestion,
): { readonly past: readonly ChangeRecord[]; readonly announced: readonly ChangeRecord[] } {
  const ofRules = (scheduled.get(passport + destination) ?? []).map(readScheduled)
  const tableSource = localised.facts.sourceOf(localised.history?.source ?? "")
  const ofTable = tableSource === undefined ? [] : [{ name: tableSource.name, url: tableSource.url }]
  const seen = (localised.history?.listChanges(passport, destination) ?? []).map(change =>
    readHistory({ passport, destination }, change, kindOf(change), ofTable),
  )
  const installed = listInstalled(passport, destination)
    .filter(({ on }) => on <= untilOn)
    .map(change => readHistory({ passport, destination }, change, "installed", []))
  const recorded = mergeSteps(seen, listUnrecorded(seen, installed))
  const rules = ofRules.filter(({ on }) => on <= untilOn)
  const past = mergeSteps(recorded, listUnrecorded(recorded, rules)).map(({ shown }) => shown)
  const logged = readLogged(localised.dataset, { passport, destination }, untilOn)
  return {
    past: logged === null ? past : [...past, logged].sort((a, b) => ((a.on ?? "") < (b.on ?? "") ? -1 : 1)),
    announced: ofRules.filter(({ on }) => on > untilOn).map(({ shown }) => shown),
  }
}

function kindOf({ isPublished, sources }: HistoryChange): "seen" | "published" | "installed" {
  if (isPublished) return "published"
  return sources === undefined ? "seen" : "installed"
}

/** A change as a step, which is compared with those of other records. */
const toStep = (shown: ChangeRecord & { readonly on: string }): Step => ({
  on: shown.on,
  from: shown.previous?.requirement ?? null,
  to: shown.current?.requirement ?? null,
  daysBefore: shown.previous?.visa_free_days ?? null,
  daysAfter: shown.current?.visa_free_days ?? null,
  shown,
})

function readScheduled({ passport, destination, previous, current, severity, effectiveFrom }: ScheduledChange): Step {
  return toStep({
    passport,
    destination,
    kind: "dated_rule",
    on: effectiveFrom,
    previous: toTerms(previous),
    current: toTerms(current),
    severity,
    sources: sourcesOf(current ?? previous),
  })
}

function readHistory(
  pair: PairQuestion,
  { on, from, to, daysBefore, daysAfter, afterBan, sources, seenAfter }: HistoryChange,
  kind: "seen" | "published" | "installed",
  ofTable: readonly HistorySource[],
): Step {
  const isMajor = from !== to || (daysBefore !== null && daysAfter !== null && daysAfter < daysBefore)
  return toStep({
    ...pair,
    kind,
    on,
    ...(seenAfter === undefined ? {} : { first_seen: { after: seenAfter, by: on } }),
    previous: { requirement: from, visa_free_days: daysBefore },
    current: { requirement: to, visa_free_days: daysAfter },
    ...(afterBan ? { after_ban: true } : {}),
    severity: isMajor ? "major" : "minor",
    sources: sources ?? ofTable,
  })
}

function readLogged(dataset: Dataset, pair: PairQuestion, untilOn: string): ChangeRecord | null {
  const described = describePair(dataset, pair.passport, pair.destination, { on: untilOn })
  if (described.kind !== "found" || described.changedSince === null) return null
  const { on, change, source, sourceUrl } = described.changedSince
  return {
    ...pair,
    kind: "logged",
    on,
    previous: null,
    current: null,
    ...(change === null ? {} : { note: change }),
    severity: "major",
    sources: source === null ? [] : [{ name: source.name, url: sourceUrl ?? source.url }],
  }
}

/** Compares the earlier and the current answer of a pair; null if requirement, days and doubt are the same. */
export function compareFound(
  pair: PairQuestion,
  previous: Compared | null,
  current: Compared | null,
): ChangeRecord | null {
  const isSame =
    previous?.requirement === current?.requirement &&
    previous?.days === current?.days &&
    previous?.uncertain === current?.uncertain
  if (isSame) return null
  return {
    ...pair,
    kind: "compared",
    on: null,
    previous: toTerms(previous),
    current: toTerms(current),
    severity: judgeSeverity(previous as Found | null, current as Found | null),
    sources: sourcesOf(current ?? previous),
  }
}
