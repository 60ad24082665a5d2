/**
 * What is known of a destination beyond the requirement, and where was each fact read? Which missions has one country in another, and how
 * did the requirement of a pair change?
 *
 * Facts come compiled from `data/` as {@link FullParts} and are opened into tables by destination. A fact can be bound to
 * requirements (insurance only where a visa is required) and to passports (a fee agreed between two countries); the one bound
 * closest wins. What is not known has no fact: nothing here has a default. Missions and history are tables of pairs, read at first use.
 */
import { parseCivilDate } from "../civil-date.ts"
import { REQUIREMENTS, type Requirement, splitCodes } from "../codes.ts"
import { getOrInsert, NOTHING } from "../collections.ts"
import type { Found } from "../dataset/open.ts"
import type { Subject, SubjectFacts } from "./fact-fields.ts"

/** A publication that facts are read from. */
interface FactSource {
  readonly id: string
  readonly name: string
  readonly url: string | null
  /** The day it was read or is dated (`YYYY-MM-DD`), or null. */
  readonly retrievedOn: string | null
  /** The licence for reuse, or null if it is not known. */
  readonly licence?: string | null
  /** The list that it was read from, if its own page was not read. */
  readonly via?: string | null
}

/** Where a fact was read. */
export interface Origin {
  /** Null for general knowledge. */
  readonly source: FactSource | null
  /** The page or article, else the source's own address, or null. */
  readonly url: string | null
  /** The day that the publication describes (`YYYY-MM-DD`), or null. */
  readonly asOf: string | null
  /** The day on which we last read the fact on its own page, or null. */
  readonly verifiedOn: string | null
  /** The day on which the list through which it was read last read its page, or null. */
  readonly citedOn: string | null
}

/** One fact of a subject, with its bounds and its origin. */
export interface Fact<Of extends Subject> {
  readonly origin: Origin
  /** The requirements under which it holds, or null for all. */
  readonly requirements: readonly Requirement[] | null
  /** The passports for which it holds, or null for all. */
  readonly passports: ReadonlySet<string> | null
  readonly value: SubjectFacts[Of]
}

/** All facts of one destination. */
export type DestinationFacts = { readonly [Of in Subject]: readonly Fact<Of>[] }

/** One fact as compiled: origin, destinations run together, requirement ranks, passports run together, value. */
export type FactRow = readonly [
  origin: number,
  destinations: string,
  requirements: readonly number[] | null,
  passports: string | null,
  value: unknown,
]

/** The compiled facts, as a value for a bundle. */
export interface FullParts {
  /** The version and the day of the dataset with which they were compiled. */
  readonly version: string
  readonly asOf: string
  /** Alpha-3 and alpha-2 codes run together, five letters a country. */
  readonly codes: string
  /** The cities that have another name in some language, one a line: alpha-3 code of the country and name, run together. */
  readonly cities?: string
  readonly sources: readonly (readonly [
    id: string,
    name: string,
    url: string | null,
    retrievedOn: string | null,
    licence?: string | null,
    via?: string | null,
  ])[]
  readonly origins: readonly (readonly [
    source: number | null,
    url: string | null,
    asOf: string | null,
    verifiedOn: string | null,
  ])[]
  readonly facts: { readonly [Of in Subject]: readonly FactRow[] }
}

/** The opened facts. */
export interface FullFacts {
  /** The version and the day of the dataset with which they were compiled. */
  readonly version: string
  readonly asOf: string
  /** Like {@link FullParts.cities}. */
  readonly cities: string
  readonly sourceOf: (id: string) => FactSource | undefined
  readonly alpha2Of: (code: string) => string | undefined
  readonly factsOf: (destination: string) => DestinationFacts
  /** Says whether any fact of the destination is bound to this passport. */
  readonly isSingledOut: (destination: string, passport: string) => boolean
}

type OpenFacts = { [Of in Subject]: Fact<Of>[] }

/**
 * Opens compiled facts; those of a destination are assembled on first use. Cannot fail for facts that this version compiled.
 *
 * @example
 * ```ts
 * openFullFacts(factParts).alpha2Of("JPN") // => "JP"
 * ```
 */
export function openFullFacts(parts: FullParts): FullFacts {
  const subjects = Object.keys(parts.facts) as readonly Subject[]
  const emptyFacts = () => Object.fromEntries(subjects.map(subject => [subject, []])) as unknown as OpenFacts
  const nothing: DestinationFacts = Object.freeze(emptyFacts())
  const alpha2 = new Map<string, string>()
  for (let at = 0; at < parts.codes.length; at += 5) {
    alpha2.set(parts.codes.slice(at, at + 3), parts.codes.slice(at + 3, at + 5))
  }
  const sources = new Map(
    parts.sources.map(([id, name, url, retrievedOn, licence = null, via = null]) => [
      id,
      Object.freeze({ id, name, url, retrievedOn, licence, via }),
    ]),
  )
  const places = [...sources.values()]
  const rowsOf = new Map<string, { readonly subject: Subject; readonly row: FactRow }[]>()
  for (const subject of subjects) {
    for (const row of parts.facts[subject]) {
      for (const destination of splitCodes(row[1])) {
        getOrInsert(rowsOf, destination, () => []).push({ subject, row })
      }
    }
  }
  const openOrigin = (place: number): Origin => {
    const [source, url, asOf, lookedOn] = parts.origins[place] as FullParts["origins"][number]
    const found = source === null ? null : (places[source] ?? null)
    const readDays =
      found?.via == null ? { verifiedOn: lookedOn, citedOn: null } : { verifiedOn: null, citedOn: lookedOn }
    return Object.freeze({ source: found, url: url ?? found?.url ?? null, asOf, ...readDays })
  }
  const openFact = ([origin, , ranks, passports, value]: FactRow): Fact<Subject> =>
    Object.freeze({
      origin: openOrigin(origin),
      requirements: ranks === null ? null : ranks.map(rank => REQUIREMENTS[rank] as Requirement),
      passports: passports === null ? null : new Set(splitCodes(passports)),
      value: Object.freeze(value) as SubjectFacts[Subject],
    })
  const opened = new Map<string, { readonly facts: DestinationFacts; readonly singledOut: ReadonlySet<string> }>()
  // Only destinations that have facts are kept, so that questions about others cannot fill the memory.
  const openDestination = (destination: string) => {
    const rows = rowsOf.get(destination)
    return rows === undefined ? null : getOrInsert(opened, destination, () => openRows(rows))
  }
  function openRows(rows: readonly { readonly subject: Subject; readonly row: FactRow }[]) {
    const facts = emptyFacts()
    const singledOut = new Set<string>()
    for (const { subject, row } of rows) {
      const fact = openFact(row)
      ;(facts[subject] as Fact<Subject>[]).push(fact)
      for (const passport of fact.passports ?? []) singledOut.add(passport)
    }
    return { facts: Object.freeze(facts), singledOut }
  }
  return Object.freeze({
    version: parts.version,
    asOf: parts.asOf,
    cities: parts.cities ?? "",
    sourceOf: (id: string) => sources.get(id),
    alpha2Of: (code: string) => alpha2.get(code),
    factsOf: (destination: string) => openDestination(destination)?.facts ?? nothing,
    isSingledOut: (destination: string, passport: string) =>
      openDestination(destination)?.singledOut.has(passport) ?? false,
  })
}

/** The traveller for whom a fact is selected. */
interface Asked {
  readonly requirement: Requirement
  readonly passport: string
}

/**
 * Selects the facts of a subject that hold for a requirement and a passport, those bound to passports first.
 *
 * @example
 * ```ts
 * const situation = findCase(localised, "IND", "DEU")
 * situation && selectFacts(situation.facts, "fee", { requirement: "visa_required", passport: "IND" }).length // => 1
 * ```
 */
export function selectFacts<Of extends Subject>(
  facts: DestinationFacts,
  subject: Of,
  { requirement, passport }: Asked,
): readonly Fact<Of>[] {
  const held = (facts[subject] as readonly Fact<Of>[]).filter(
    fact =>
      (fact.requirements === null || fact.requirements.includes(requirement)) &&
      (fact.passports === null || fact.passports.has(passport)),
  )
  if (held.length < 2) return held
  return [...held.filter(fact => fact.passports !== null), ...held.filter(fact => fact.passports === null)]
}

/**
 * Selects the closest fact of a subject, or null where nothing is known.
 *
 * @example
 * ```ts
 * const situation = findCase(localised, "IND", "DEU")
 * situation && selectFact(situation.facts, "fee", { requirement: "visa_required", passport: "IND" })?.value.singleEntry?.amount // => 90
 * ```
 */
export function selectFact<Of extends Subject>(facts: DestinationFacts, subject: Of, asked: Asked): Fact<Of> | null {
  return selectFacts(facts, subject, asked)[0] ?? null
}

/** Who applies for what, and the facts of the destination. */
interface Applicant {
  readonly facts: DestinationFacts
  readonly passport: string
  readonly answer: Pick<Found, "requirement">
}

/** What facts of the destination are selected by. */
export const asked = ({ answer, passport }: Omit<Applicant, "facts">) => ({ requirement: answer.requirement, passport })

/** The duty to fill in a form; null where nobody has to. */
export const dutyOfForm = ({ mandatory, form }: SubjectFacts["arrivalForm"]) =>
  mandatory ? (form === "paper" ? "paper" : "form") : null

/** The closest fact of a subject for an application; undefined where nothing is known. */
export const factOf = <Of extends Subject>(situation: Applicant, subject: Of): SubjectFacts[Of] | undefined =>
  selectFact(situation.facts, subject, asked(situation))?.value

/** The fee of one application, or of several entries where only that is known. */
export function findFee(situation: Applicant) {
  const fee = factOf(situation, "fee")
  return fee?.singleEntry ?? fee?.multipleEntry
}

type PortalKind = SubjectFacts["portal"]["kind"]

const PORTALS: Readonly<Partial<Record<Requirement, PortalKind>>> = {
  eta: "eta",
  e_visa: "evisa",
  visa_on_arrival: "arrival",
  visa_required: "application",
}

/** An official site of a kind, by default the one to apply at, and whether a source confirms it; null where none is known. */
export function findPortalFact(
  situation: Applicant,
  kind: PortalKind | undefined = PORTALS[situation.answer.requirement],
): Fact<"portal"> | null {
  return selectFacts(situation.facts, "portal", asked(situation)).find(({ value }) => value.kind === kind) ?? null
}

/**
 * Finds the official site of a kind, by default the one to apply at, or null where none is confirmed by a source.
 *
 * @example
 * ```ts
 * const situation = findCase(localised, "IND", "KEN")
 * situation && findPortal(situation, "eta") // => "https://etakenya.go.ke/"
 * ```
 */
export function findPortal(situation: Applicant, kind?: PortalKind): string | null {
  const fact = findPortalFact(situation, kind)
  return fact?.origin.source == null ? null : fact.origin.url
}

// ---- Missions

// Which embassies and consulates does one country have in another?
//
// Missions are packed as one text a field, in the order of operator, host, kind and city, and read at first use of a pair. They are as old
// as the table says: nothing later is known.

/** The kinds of mission, in the order in which they are listed. */
export const MISSION_KINDS = [
  "embassy",
  "high_commission",
  "apostolic_nunciature",
  "representative_office",
  "interests_section",
  "liaison_office",
  "consulate_general",
  "consulate",
  "consular_office",
  "honorary_consulate",
] as const

/** One of {@link MISSION_KINDS}. */
export type MissionKind = (typeof MISSION_KINDS)[number]

/** One mission as known. */
export interface MissionFact {
  readonly kind: MissionKind
  readonly operator: string
  readonly host: string
  readonly city: string | null
  readonly website: string | null
  readonly phone: string | null
  readonly email: string | null
}

/** Missions as compiled. */
export interface MissionParts {
  /** The day that the table describes. */
  readonly asOf: string
  readonly source: string
  /** Operator and host of each pair that has missions, six letters a pair, in alphabetical order. */
  readonly pairs: string
  /** For each pair, the number of its missions: one digit of base 36. */
  readonly counts: string
  /** One digit a mission, the place among {@link MISSION_KINDS}. */
  readonly kinds: string
  /** One line a mission. */
  readonly cities: string
  readonly websites: string
  readonly phones: string
  readonly emails?: string
}

/** The opened missions. */
export interface MissionIndex {
  readonly asOf: string
  /** Id of the source record. */
  readonly source: string
  /** Lists the missions of a country in another, embassies first. */
  readonly listMissions: (operator: string, host: string) => readonly MissionFact[]
  /** Says whether a country has a mission in another. */
  readonly hasIn: (operator: string, host: string) => boolean
}

/**
 * Opens compiled missions; they are read one by one at first use.
 *
 * @example
 * ```ts
 * openMissions(missionParts).listMissions("JPN", "FRA").length > 0 // => true
 * ```
 */
export function openMissions(parts: MissionParts): MissionIndex {
  // By pair: the index of its first mission and, in the lowest six bits, their number.
  const places = new Map<string, number>()
  for (let pair = 0, at = 0; pair < parts.counts.length; pair++) {
    const count = Number.parseInt(parts.counts[pair] as string, 36)
    places.set(parts.pairs.slice(pair * 6, pair * 6 + 6), at * 64 + count)
    at += count
  }
  let lines: { readonly [Field in "cities" | "websites" | "phones" | "emails"]: readonly string[] } | null = null
  const known = new Map<string, readonly MissionFact[]>()

  function listMissions(operator: string, host: string): readonly MissionFact[] {
    const key = operator + host
    const found = known.get(key)
    if (found !== undefined) return found
    const place = places.get(key)
    if (place === undefined) return NOTHING
    const first = Math.floor(place / 64)
    lines ??= {
      cities: parts.cities.split("\n"),
      websites: parts.websites.split("\n"),
      phones: parts.phones.split("\n"),
      emails: parts.emails?.split("\n") ?? [],
    }
    const missions: MissionFact[] = []
    for (let i = first; i < first + (place % 64); i++) {
      missions.push(
        Object.freeze({
          kind: MISSION_KINDS[Number(parts.kinds[i])] as MissionKind,
          operator,
          host,
          city: lines.cities[i] || null,
          website: lines.websites[i] || null,
          phone: lines.phones[i] || null,
          email: lines.emails[i] || null,
        }),
      )
    }
    known.set(key, Object.freeze(missions))
    return missions
  }
  return Object.freeze({
    asOf: parts.asOf,
    source: parts.source,
    listMissions,
    hasIn: (operator: string, host: string) => places.has(operator + host),
  })
}

// ---- History

// How did the requirement of a pair change, as far as dated tables show?
//
// The day of a change is the day of the first table that shows it, not the day of a law. Where an authority published its lists, the day of
// a change is theirs, and the tables are not used. The bans of the pandemic are left out: a difference between before and after a ban is one
// change, marked as such.

/** One change of a pair. */
export interface HistoryChange {
  /** The day of the first table that shows it, or on which the installed rule began (`YYYY-MM-DD`). */
  readonly on: string
  /** The day of the last table before it, which still showed another answer; absent where no table is known before. */
  readonly seenAfter?: string
  readonly from: Requirement
  readonly to: Requirement
  /** Visa-free days before and after, where only they changed. */
  readonly daysBefore: number | null
  readonly daysAfter: number | null
  /** True where a ban of the pandemic lay between. */
  readonly afterBan: boolean
  /** The sources of the new rule; absent for a table's, whose source is the history's own. */
  readonly sources?: readonly HistorySource[]
  /** True where the authority published the change on this day. */
  readonly isPublished?: true
}

/** A publication for the rule after a change. */
export interface HistorySource {
  readonly name: string
  readonly url: string | null
}

/** Changes of a destination at one day: place of the day, ranks before and after, days before and after, ban, passports run together. */
export type HistoryRow = readonly [
  day: number,
  from: number,
  to: number,
  daysBefore: number | null,
  daysAfter: number | null,
  afterBan: 0 | 1,
  passports: string,
]

/** Changes that an authority published. */
export interface PublishedChanges extends HistorySource {
  /** The passports of whole lists, run together: tables are not used for them. */
  readonly passports: string
  readonly changes: readonly HistoryRow[]
}

/** The history as compiled. */
export interface HistoryParts {
  /** Id of the source record. */
  readonly source: string
  /** The day of the last table. */
  readonly asOf: string
  readonly days: readonly string[]
  /** The days of all tables, the oldest first, without copies of the table before; absent from older files. */
  readonly tables?: readonly string[] | undefined
  /** By destination, in the order of days. */
  readonly changes: { readonly [destination: string]: readonly HistoryRow[] }
  /** Changes that authorities published themselves, likewise, by source. Absent from older files. */
  readonly published?: { readonly [destination: string]: readonly PublishedChanges[] } | undefined
}

/** The opened history. */
export interface HistoryIndex {
  readonly source: string
  readonly asOf: string
  /** Lists the changes of a pair, the oldest first. */
  readonly listChanges: (passport: string, destination: string) => readonly HistoryChange[]
}

const compareDays = (a: { readonly on: string }, b: { readonly on: string }) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0)

/**
 * Opens the compiled history; a destination is read at first use.
 *
 * @example
 * ```ts
 * openHistory(historyParts).listChanges("FRA", "CHN").at(-1)?.on // => "2024-12-04"
 * ```
 */
export function openHistory(parts: HistoryParts): HistoryIndex {
  const opened = new Map<string, ReadonlyMap<string, readonly HistoryChange[]>>()
  function openDestination(destination: string): ReadonlyMap<string, readonly HistoryChange[]> {
    const byPassport = new Map<string, HistoryChange[]>()
    const list = <Rows>(of: { readonly [destination: string]: Rows } = {}) =>
      Object.hasOwn(of, destination) ? of[destination] : undefined
    const named = new Set<string>()
    for (const { name, url, passports, changes } of list(parts.published) ?? []) {
      const told = { sources: [{ name, url }], isPublished: true } as const
      addChanges(byPassport, changes, () => told)
      for (const passport of splitCodes(passports)) named.add(passport)
    }
    const seen = (on: string) => {
      const seenAfter = parts.tables?.[parts.tables.indexOf(on) - 1]
      return seenAfter === undefined ? {} : { seenAfter }
    }
    addChanges(byPassport, list(parts.changes) ?? [], seen, passport => !named.has(passport))
    for (const changes of byPassport.values()) changes.sort(compareDays)
    return byPassport
  }
  function addChanges(
    byPassport: Map<string, HistoryChange[]>,
    rows: readonly HistoryRow[],
    describe: (on: string) => Pick<HistoryChange, "seenAfter" | "sources" | "isPublished">,
    isWanted: (passport: string) => boolean = () => true,
  ): void {
    for (const [day, from, to, daysBefore, daysAfter, afterBan, passports] of rows) {
      const on = parts.days[day] as string
      const change = Object.freeze({
        on,
        ...describe(on),
        from: REQUIREMENTS[from] as Requirement,
        to: REQUIREMENTS[to] as Requirement,
        daysBefore,
        daysAfter,
        afterBan: afterBan === 1,
      })
      for (const passport of splitCodes(passports)) {
        if (isWanted(passport)) getOrInsert(byPassport, passport, () => []).push(change)
      }
    }
  }
  return Object.freeze({
    source: parts.source,
    asOf: parts.asOf,
    listChanges: (passport: string, destination: string) => {
      let changes = opened.get(destination)
      if (changes === undefined) {
        changes = openDestination(destination)
        // Only destinations that exist are kept, so that questions about others cannot fill the memory.
        if (changes.size > 0) opened.set(destination, changes)
      }
      return changes.get(passport) ?? NOTHING
    },
  })
}

// ---- History of an installation

// How does the history of a pair continue after the last dated table?
//
// With the changes by installed datasets and their dated rules since. The two overlap: a table may show a step that an installation also
// made. Such a step is listed once, as in the table. Two reports within a year of each other are the same step, unless it was undone and
// redone in between.

/** One step of a pair; the fields by which two reports of it are compared. */
export interface HistoryStep {
  /** `YYYY-MM-DD`. */
  readonly on: string
  /** Null where there was no record. */
  readonly from: Requirement | null
  /** Null where there is no record any more. */
  readonly to: Requirement | null
  readonly daysBefore: number | null
  readonly daysAfter: number | null
}

/** Lists the changes of a pair by installations, the oldest first; the same list until something is installed. */
export type ListInstalled = (passport: string, destination: string) => readonly HistoryChange[]

/** How far apart two reports of one step may be. */
const SAME_STEP_DAYS = 366

const dayOf = (on: string): number => parseCivilDate(on) ?? 0

const isSameStep = (a: HistoryStep, b: HistoryStep): boolean =>
  a.from === b.from &&
  a.to === b.to &&
  (a.from !== a.to || (a.daysBefore === b.daysBefore && a.daysAfter === b.daysAfter)) &&
  Math.abs(dayOf(a.on) - dayOf(b.on)) <= SAME_STEP_DAYS

/**
 * Leaves out of installed changes those that tables show too. Both lists are the oldest first, and stay so.
 *
 * @example
 * ```ts
 * listUnrecorded([], []) // => []
 * listUnrecorded([], [{ on: "2026-02-17", from: "eta", to: "visa_free", daysBefore: null, daysAfter: null }]).length // => 1
 * ```
 */
export function listUnrecorded<Step extends HistoryStep>(
  recorded: readonly HistoryStep[],
  installed: readonly Step[],
): readonly Step[] {
  const free = new Set(recorded)
  let lastKept = ""
  return installed.filter(step => {
    // A step that was taken back in between and taken again is another one.
    const same = [...free].find(known => known.on >= lastKept && isSameStep(known, step))
    if (same !== undefined) {
      free.delete(same)
      return false
    }
    lastKept = step.on
    return true
  })
}

/**
 * Puts two lists of steps together, in the order of their days.
 *
 * @example
 * ```ts
 * const merged = mergeSteps([{ on: "2026-02-17", from: "eta", to: "visa_free", daysBefore: null, daysAfter: null }], [
 *   { on: "2026-01-01", from: "visa_required", to: "eta", daysBefore: null, daysAfter: null },
 * ])
 * merged.map(({ on }) => on) // => ["2026-01-01", "2026-02-17"]
 * ```
 */
export function mergeSteps<A extends HistoryStep, B extends HistoryStep>(
  recorded: readonly A[],
  installed: readonly B[],
): readonly (A | B)[] {
  return [...recorded, ...installed].sort(compareDays)
}

/**
 * The history of tables with the changes by installations since, up to a day. A pair's list is made on first use.
 *
 * @example
 * ```ts
 * const history = continueHistory(await loadHistory(), () => [], "2026-11-21")
 * history.listChanges("FRA", "CHN").at(-1)?.on // => "2024-12-04"
 * ```
 */
export function continueHistory(history: HistoryIndex, listInstalled: ListInstalled, untilOn: string): HistoryIndex {
  const known = new WeakMap<readonly HistoryChange[], readonly HistoryChange[]>()
  return Object.freeze({
    ...history,
    listChanges: (passport: string, destination: string) => {
      const installed = listInstalled(passport, destination)
      const recorded = history.listChanges(passport, destination)
      if (installed.length === 0) return recorded
      return getOrInsert(known, installed, () => {
        const past = installed.filter(({ on }) => on <= untilOn)
        return Object.freeze(mergeSteps(recorded, listUnrecorded(recorded, past)))
      })
    },
  })
}
