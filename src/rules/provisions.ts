/**
 * Which provisions of a dataset hold for a passport at a destination, and on which days?
 *
 * One index for every list of a dataset. The rows of a dataset name their own fields and how the cells of each are stored, so that reading
 * needs none of the declarations of `provision-kinds.ts`; a file whose rows have other fields than declared is refused before. A list is read
 * at its first use, and a row at its own. Everything returned is deeply frozen and shared. Nothing here judges a traveller.
 */
import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { type Requirement, splitCodes, unlocks } from "../codes.ts"
import { copyFrozen, getOrInsert, NOTHING } from "../collections.ts"
import type { Bloc, Scope, Source } from "../dataset/facts.ts"
import type { ConditionTerms, ListFields, ListName, Membership } from "./provision-kinds.ts"

/** Where a rule was read, in an open dataset. */
export interface RuleSource {
  /** The publication, or null. */
  readonly source: Source | null
  /** The page that was read, or null. */
  readonly sourceUrl: string | null
  /** The day on which we last read the rule on its own page (`YYYY-MM-DD`), or null. */
  readonly verifiedOn: string | null
  /** The day on which the compiler that is the source last read the page that it cites (`YYYY-MM-DD`), or null. */
  readonly citedOn: string | null
}

/** The days on which a rule was read: by us on its own page, or by a compiler who cites the page. One of the two is null. */
interface ReadDays {
  readonly verifiedOn: string | null
  readonly citedOn: string | null
}

/** Says whose reading a recorded day was. */
export function readEvidence(source: Source | null, lookedOn: string | null): ReadDays {
  return source?.compiled === true ? { verifiedOn: null, citedOn: lookedOn } : { verifiedOn: lookedOn, citedOn: null }
}

/** A condition of a rule, and where it was read. */
export type RuleCondition = ConditionTerms & Pick<RuleSource, "source" | "sourceUrl">

/** A list as a dataset has it: the names of the fields, some with the form of their cells after a colon; and the rows. */
export interface ListRows {
  readonly fields: string
  readonly rows: readonly (readonly unknown[])[]
}

/**
 * A source: id, name (null in a bundle without texts for people), address, and its kind: 1 a table that was imported whole, 2 a publication that
 * reports what official pages say, 0 every other.
 */
export type SourceRow = readonly [id: string, name: string | null, url: string | null, kind: 0 | 1 | 2]

/** Everything of a dataset but its pairs. */
export interface TermsSection {
  /** Sources behind those of the header, whose places go on from there. */
  readonly sources: readonly SourceRow[]
  /** By index of a source: the day on which it was fetched, or null. */
  readonly retrievedDays: readonly (number | null)[]
  /** By name; a list without rows is absent. */
  readonly lists: Readonly<Partial<Record<ListName, ListRows>>>
}

/** Members of a bloc or zone, as cells have them: codes run together, by the days of their membership (`YYYY-MM-DD`). */
export type MembersCell = readonly (readonly [codes: string, from: string | null, until: string | null])[]

/** For whom a provision holds, as a row has it: codes may be run together. */
interface ScopeCells {
  readonly passports?: string | readonly string[] | null
  readonly except?: string | readonly string[] | null
  readonly from?: string | null
  readonly until?: string | null
}

/** The fields that say for whom and where a provision holds. */
interface ProvisionScope extends ScopeCells {
  readonly destinations: readonly string[]
}

type Terms<K extends ListName> = Omit<ListFields<K>, keyof ProvisionScope | keyof RuleSource | "conditions">

/** What a row says, and where it was read; not for whom and where it holds. */
export type Provision<K extends ListName> = Terms<K> &
  ("source" extends keyof ListFields<K> ? RuleSource : Pick<ListFields<K>, "sourceUrl" & keyof ListFields<K>>) &
  ("conditions" extends keyof ListFields<K>
    ? {
        /** What the rule depends on beside its terms. */
        readonly conditions: readonly RuleCondition[]
      }
    : unknown) &
  (K extends "waivers"
    ? {
        /** The last day on which it is announced to hold (`YYYY-MM-DD`), or null. */
        readonly endsOn: string | null
      }
    : unknown)

/** A destination's rule for holders of a document of another state. */
export type Waiver = Provision<"waivers">

/** How days of stay add up at a destination. */
export type StayRule = Provision<"stayRules">

/** Something that is asked of visitors beside the requirement. */
export type Duty = Provision<"duties">

/** How long a passport must be valid. */
export type ValidityTerms = Provision<"validity">

/** A country's rule for travellers in transit, with its countries and the passports that it names; its terms, without its countries. */
export type TransitRule = Provision<"transit"> & Pick<ListFields<"transit">, "destinations" | "passports">
export type TransitTerms = Omit<TransitRule, "destinations">

/** The contents of one rule of a policy besides its answer. */
export interface RuleDetail {
  readonly conditions: readonly RuleCondition[]
  readonly note: string | null
  readonly sourceUrl: string | null
  readonly fromDay: EpochDay | null
  /** The announced first day no longer in force, or null. */
  readonly untilDay: EpochDay | null
}

/** A rule that decided before, and ended. */
export interface EndedRule {
  /** The last day on which it was in force (`YYYY-MM-DD`). */
  readonly endedOn: string
  readonly requirement: Requirement
  readonly days: number | null
}

/** A statement of a second source; it says the same as the dataset on its day if it has no requirement. */
type Statement = Provision<"checks">

/** A provision with its whole scope. */
export interface Listed<K extends ListName> extends ProvisionScope {
  readonly value: Provision<K>
}

/** Reads codes that are run together, after `@BLOC`s with commas. */
export function readCodes(cell: string): readonly string[] {
  // Frozen, so that a deep copy does not read them again.
  return Object.freeze(cell.split(",").flatMap(part => (part.startsWith("@") ? part : splitCodes(part))))
}

/** Reads the members of a bloc or zone. */
const readMembers = (cell: MembersCell): readonly Membership[] =>
  cell.flatMap(([codes, from, until]) => splitCodes(codes).map(code => ({ code, from, until })))

const indexes = new WeakMap<object, ProvisionIndex>()

/** The provisions of a dataset; the same object for its views on other days. */
export const readProvisions = ({ terms, sources }: DatasetOfProvisions): ProvisionIndex =>
  getOrInsert(indexes, terms, () => new ProvisionIndex(terms, sources))

/** The parts of an open dataset that provisions are read from. */
interface DatasetOfProvisions {
  readonly terms: TermsSection
  readonly sources: readonly Source[]
}

/** A row that is read at its first use. */
interface Row {
  readonly cells: readonly unknown[]
  readonly destinations: readonly string[]
  readonly listed: () => Listed<ListName>
  readonly scopes: () => readonly ExpandedScope[]
}

/** The rows of a list, in the order of the dataset and by destination. */
interface RowsOf {
  readonly names: readonly string[]
  readonly all: readonly Row[]
  readonly at: ReadonlyMap<string, readonly Row[]>
}

/** The scopes of a list at a destination; the provisions of each passport that one names, and of all others (""), and by the places of the scopes that hold. */
interface ScopedLists {
  readonly scopes: readonly (readonly [Row, ExpandedScope])[]
  readonly named: ReadonlySet<string>
  readonly known: Map<string, readonly Scoped<Provision<ListName>>[]>
}

const once = <Value>(make: () => Value): (() => Value) => {
  let value: Value | undefined
  return () => (value ??= make())
}

/** The provisions of a dataset, by kind, destination and passport. */
export class ProvisionIndex {
  readonly #terms: TermsSection
  readonly #sources: readonly Source[]
  readonly #conditions = new Map<number, RuleCondition>()
  readonly #rows = new Map<ListName, RowsOf>()
  /** By the rows about a destination. */
  readonly #lists = new Map<readonly Row[], ScopedLists>()
  readonly #days = new Map<string, readonly EpochDay[]>()
  readonly #blocs: () => Blocs
  readonly #sets: () => ReadonlyMap<string, ReadonlySet<string>>
  readonly #statements = new WeakMap<object, readonly Statement[]>()

  constructor(terms: TermsSection, sources: readonly Source[]) {
    this.#terms = terms
    this.#sources = sources
    this.#blocs = once(() => new Map(this.list("blocs").map(({ value: { id, members } }) => [`@${id}`, members])))
    this.#sets = once(
      () => new Map(this.list("sets").map(({ value: { selector, codes } }) => [selector, new Set(splitCodes(codes))])),
    )
  }

  /** Lists all rows of a list, in the order of the dataset. */
  list<K extends ListName>(of: K): readonly Listed<K>[] {
    return this.#rowsOf(of).all.map(({ listed }) => listed()) as readonly Listed<ListName>[] as readonly Listed<K>[]
  }

  /**
   * Lists the provisions of a kind that name a passport at a destination on some day: those by its code first, then those by a bloc, then those
   * for everybody, each in the order of the dataset; the same list at every call.
   */
  at<K extends ListName>(of: K, destination: string, passport: string): readonly Scoped<Provision<K>>[] {
    const rows = this.#rowsOf(of).at.get(destination)
    if (rows === undefined) return NOTHING
    const { scopes, named, known } = getOrInsert(this.#lists, rows, () => {
      const expanded = rows.flatMap(row => row.scopes().map(scope => [row, scope] as const))
      const codes = expanded.flatMap(([, { passports, except }]) => passports ?? except)
      return { scopes: expanded, named: new Set(codes), known: new Map() }
    })
    return getOrInsert(known, named.has(passport) ? passport : "", () => {
      const places = [...scopes.keys()].filter(place => namesPassport(scopes[place]![1], passport))
      return getOrInsert(known, `@${places}`, () =>
        Object.freeze(
          places
            .map(place => {
              const [{ listed }, { rank, fromDay, untilDay }] = scopes[place]!
              return { value: listed().value, rank, fromDay, untilDay }
            })
            .sort((a, b) => b.rank - a.rank),
        ),
      )
    }) as readonly Scoped<unknown>[] as readonly Scoped<Provision<K>>[]
  }

  /** Says whether there is any provision of a kind about a destination; or one with a value in a field. */
  has(of: ListName, destination: string, field?: string): boolean {
    const { names, at } = this.#rowsOf(of)
    const rows = at.get(destination) ?? NOTHING
    const place = field === undefined ? -1 : names.indexOf(field)
    return place < 0 ? rows.length > 0 : rows.some(({ cells }) => cells[place] !== null && `${cells[place]}` !== "")
  }

  /** The days on which anything of a list with days begins, ends or happens at a destination, whatever its kind. */
  listDays(destination: string): readonly EpochDay[] {
    return getOrInsert(this.#days, destination, () => {
      const days = (Object.keys(this.#terms.lists) as ListName[]).flatMap(of => {
        const { names, at } = this.#rowsOf(of)
        const on = names.indexOf("on")
        if (on < 0 && !names.includes("from") && !names.includes("until")) return []
        return (at.get(destination) ?? NOTHING).flatMap(({ cells, scopes }) => [
          startOf(cells[on] as string | undefined),
          ...scopes().flatMap(({ fromDay, untilDay }) => [fromDay, untilDay]),
        ])
      })
      return [...new Set(days)].filter(Number.isFinite)
    })
  }

  /** Says whether an issuer is the one that a selector names, or belongs to the bloc or zone that it names. */
  includesIssuer(selector: string, issuer: string): boolean {
    return selector === issuer || (this.#sets().get(selector)?.has(issuer) ?? false)
  }

  /** Lists the codes of a selector. */
  listMembers(selector: string): readonly string[] {
    const members = this.#sets().get(selector)
    return members === undefined ? [selector] : [...members]
  }

  /** Finds the contents of the deciding rule besides its answer, and the rule that ended before it; nulls if there is nothing. */
  findRule(
    destination: string,
    passport: string,
    day: EpochDay,
  ): { detail: RuleDetail | null; ended: EndedRule | null } {
    const rule = this.at("rules", destination, passport).find(holdsOn(day))?.value
    // Those for everybody are about the whole policy.
    const ofRules = this.at("notes", destination, passport).filter(({ rank }) => rank > 1)
    const note = ofRules.find(holdsOn(day))?.value
    const ended = rule?.endedOn == null ? null : rule
    return {
      detail:
        rule === undefined && note === undefined
          ? null
          : {
              conditions: rule?.conditions ?? NOTHING,
              note: note?.note ?? null,
              sourceUrl: note?.sourceUrl ?? null,
              fromDay: parseCivilDate(rule?.begins),
              untilDay: parseCivilDate(rule?.ends),
            },
      ended:
        ended === null
          ? null
          : Object.freeze({
              endedOn: ended.endedOn as string,
              requirement: ended.endedRequirement as Requirement,
              days: ended.endedDays,
            }),
    }
  }

  /** Lists the statements of second sources about a passport at a destination, the latest first. */
  listStatements(destination: string, passport: string): readonly Statement[] {
    const scoped = this.at("checks", destination, passport)
    return getOrInsert(this.#statements, scoped, () => {
      // What a source says of a passport by its code goes before what it says of everybody else.
      const byCheck = new Map<number, Statement>()
      for (const { value } of scoped) if (!byCheck.has(value.check)) byCheck.set(value.check, value)
      return [...byCheck.values()].filter(({ isSilent }) => !isSilent).sort((a, b) => a.check - b.check)
    })
  }

  #conditionAt(place: number): RuleCondition {
    return getOrInsert(this.#conditions, place, () => {
      const { terms, source, sourceUrl } = this.#rowsOf("conditions").all[place]!.listed()
        .value as Provision<"conditions">
      return copyFrozen({ ...terms, source, sourceUrl })
    })
  }

  #rowsOf(of: ListName): RowsOf {
    return getOrInsert(this.#rows, of, () => {
      const { names, rows } = readRows(this.#terms, this.#sources, of, place => this.#conditionAt(place))
      const at = new Map<string, Row[]>()
      const all = rows.map((read): Row => {
        const row = { ...read, scopes: once(() => this.#expand(read.listed())) }
        for (const each of row.destinations) getOrInsert(at, each, () => []).push(row)
        return row
      })
      return { names, all, at }
    })
  }

  // Takes a scope apart by its codes, its blocs and their days.
  #expand({ passports, except, from, until }: ScopeCells): readonly ExpandedScope[] {
    // A list that was read already is a text with commas again.
    const read = (cell: ScopeCells["passports"]) => (cell ? readCodes(`${cell}`) : null)
    return expandScope(this.#blocs(), { passports: read(passports), except: read(except), from, until })
  }
}

/** Reads the rows of a list, each at its first use; `conditionAt` reads the condition at a place. */
export function readRows<K extends ListName>(
  terms: TermsSection,
  sources: readonly Source[],
  of: K,
  conditionAt?: (place: number) => RuleCondition,
) {
  const { fields = "", rows = NOTHING } = terms.lists[of] ?? {}
  const forms = fields.split(" ").map(field => field.split(":") as [name: string, form?: string])
  const names = forms.map(([name]) => name)
  const own = names.indexOf("destinations")
  const read = rows.map(cells => {
    const destinations = own < 0 ? NOTHING : readCodes(cells[own] as string)
    return {
      cells,
      destinations,
      listed: once(() => readRow(sources, conditionAt!, of, forms, cells, destinations) as Listed<K>),
    }
  })
  return { names, rows: read }
}

function readRow(
  sources: readonly Source[],
  conditionAt: (place: number) => RuleCondition,
  of: ListName,
  forms: readonly (readonly [name: string, form?: string])[],
  cells: readonly unknown[],
  destinations: readonly string[],
): Listed<ListName> {
  const all: Record<string, unknown> = {}
  forms.forEach(([name, form], at) => {
    const cell = cells[at]
    all[name] =
      cell === null
        ? null
        : form === "codes"
          ? readCodes(cell as string)
          : form === "members"
            ? readMembers(cell as MembersCell)
            : form === "places"
              ? (cell as readonly number[]).map(place => conditionAt(place))
              : cell
  })
  const { destinations: _, passports, except, from, until, source, verifiedOn, ...terms } = all
  const untilDay = parseCivilDate(until)
  const value = {
    ...terms,
    ...(of === "waivers" ? { endsOn: untilDay === null ? null : formatCivilDate(untilDay - 1) } : {}),
    ...("source" in all ? readProvenance(sources, all) : {}),
  }
  return copyFrozen({ value, destinations, passports, except, from, until }) as Listed<ListName>
}

function readProvenance(
  sources: readonly Source[],
  { source: place, sourceUrl, verifiedOn = null }: Readonly<Record<string, unknown>>,
): RuleSource {
  const source = sources[place as number] ?? null
  const page = (sourceUrl as string | null) ?? source?.url ?? null
  return { source, sourceUrl: page, ...readEvidence(source, verifiedOn as string | null) }
}

// ---- Lists by scope

// For which passports does a scope hold, and on which days?

/** Some passports, and some days on which something holds for them. */
export interface ExpandedScope {
  /** How specific it is: 3 for codes, 2 for a member of a bloc, 1 for everybody. */
  readonly rank: 1 | 2 | 3
  /** The bloc that names them, as `@BLOC`; null for codes and for everybody. */
  readonly via: string | null
  /** Null for everybody but `except`. */
  readonly passports: readonly string[] | null
  readonly except: readonly string[]
  /** The first day; infinitely early where none is recorded. */
  readonly fromDay: EpochDay
  /** First day no longer in force; infinitely late where none is recorded. */
  readonly untilDay: EpochDay
}

const startOf = (date: string | null | undefined): EpochDay => parseCivilDate(date) ?? Number.NEGATIVE_INFINITY
const endOf = (date: string | null | undefined): EpochDay => parseCivilDate(date) ?? Number.POSITIVE_INFINITY

/** The members of each bloc, by its selector (`@BLOC`). */
export type Blocs = ReadonlyMap<string, readonly Membership[]>

/** The blocs of facts by their selectors. */
export const blocsOf = (blocs: readonly Bloc[]): Blocs => new Map(blocs.map(({ id, members }) => [`@${id}`, members]))

/**
 * Takes a scope apart into its codes and the members of its blocs, by the days of their membership. In `except` a bloc means its
 * members on any day.
 */
export function expandScope(blocs: Blocs, scope: Scope): readonly ExpandedScope[] {
  const span = { fromDay: startOf(scope.from), untilDay: endOf(scope.until) }
  const except = (scope.except ?? []).flatMap(each => blocs.get(each)?.map(({ code }) => code) ?? [each])
  if (scope.passports == null) return [{ rank: 1, via: null, passports: null, except, ...span }]
  const own = scope.passports.filter(each => !blocs.has(each) && !except.includes(each))
  const scopes: ExpandedScope[] = [{ rank: 3, via: null, passports: own, except: [], ...span }]
  for (const via of scope.passports) {
    for (const { code, from, until } of blocs.get(via) ?? []) {
      const [fromDay, untilDay] = [Math.max(span.fromDay, startOf(from)), Math.min(span.untilDay, endOf(until))]
      if (fromDay < untilDay && !except.includes(code)) {
        scopes.push({ rank: 2, via, passports: [code], except: [], fromDay, untilDay })
      }
    }
  }
  return scopes
}

/** Says whether an expanded scope covers a passport. */
export function namesPassport({ passports, except }: ExpandedScope, passport: string): boolean {
  return passports === null ? !except.includes(passport) : passports.includes(passport)
}

/** Something that holds for a passport on some days. */
export interface Scoped<Value> {
  readonly value: Value
  /** 3 where the passport is named by its code, 2 by a bloc, 1 with everybody. */
  readonly rank: number
  readonly fromDay: EpochDay
  /** First day no longer in force. */
  readonly untilDay: EpochDay
}

/** Says whether something holds on a day. */
export const holdsOn =
  (day: EpochDay) =>
  ({ fromDay, untilDay }: Scoped<unknown>) =>
    fromDay <= day && day < untilDay

// ---- Features of passports

/**
 * Says whether an entry without a visa depends on a feature that a passport is not known to have. A rule for passports with a feature exempts only
 * those, and a document opens the entry to the holders of the others too.
 */
export function dependsOnFeature(
  requirement: Requirement,
  conditions: readonly RuleCondition[],
  has: readonly string[] = NOTHING,
): boolean {
  return unlocks(requirement) && conditions.some(each => isFeatureOpen(each, has))
}

/** Says whether a condition asks for a feature that a passport is not known to have. */
export const isFeatureOpen = (condition: RuleCondition, has: readonly string[]) =>
  condition.kind === "passport_kind" && !condition.features.every(each => has.includes(each))
