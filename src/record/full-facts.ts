/**
 * What is known of a destination beyond the requirement, and where was each fact read?
 *
 * Facts come compiled from `data/` as {@link FullParts} and are opened into tables by destination. A fact can be bound to
 * requirements (insurance only where a visa is required) and to passports (a fee agreed between two countries); the one bound
 * closest wins. What is not known has no fact: nothing here has a default.
 */
import { REQUIREMENTS, type Requirement, splitCodes } from "../codes.ts"
import { getOrInsert } from "../collections.ts"
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
