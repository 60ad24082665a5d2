/**
 * Which provisions of a dataset hold for a passport at a destination, and on which days?
 *
 * One index for every kind. The rows of a dataset name their own fields and how the cells of each are stored, so that reading needs none of
 * the declarations of `provision-kinds.ts`; a file whose rows have other fields than declared is refused before. A kind is read at its first
 * use, and a provision at its own. Everything returned is deeply frozen and shared. Nothing here judges a traveller.
 */
import { formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { splitCodes } from "../codes.ts"
import { copyFrozen } from "../dataset/copy-frozen.ts"
import type { Source } from "../dataset/facts.ts"
import { getOrInsert } from "../get-or-insert.ts"
import type { ConditionTerms } from "./conditions.ts"
import type { ProvisionFields, ProvisionKind } from "./provision-kinds.ts"
import { type Blocs, type ExpandedScope, expandScope, type Scoped, ScopedLists } from "./scoped-lists.ts"

/** Where a rule was read: source index, the page where it is another than the source's own, verified on. */
export type ProvenanceRow = readonly [source: number | null, sourceUrl: string | null, verifiedOn: string | null]

/** Where a rule was read, in an open dataset. */
export interface RuleSource {
  readonly source: Source | null
  /** The page that was read, or null. */
  readonly sourceUrl: string | null
  /** The day on which we last read the rule on its own page (`YYYY-MM-DD`), or null. */
  readonly verifiedOn: string | null
  /** The day on which the compiler that is the source last read the page that it cites (`YYYY-MM-DD`), or null. */
  readonly citedOn: string | null
}

/** The days on which a rule was read: by us on its own page, or by a compiler who cites the page. One of the two is null. */
export interface ReadDays {
  readonly verifiedOn: string | null
  readonly citedOn: string | null
}

/** Says whose reading a recorded day was. */
export function readEvidence(source: Source | null, lookedOn: string | null): ReadDays {
  return source?.compiled === true ? { verifiedOn: null, citedOn: lookedOn } : { verifiedOn: lookedOn, citedOn: null }
}

/** Reads where a rule was read. */
export function readProvenance(sources: readonly Source[], [place, sourceUrl, lookedOn]: ProvenanceRow): RuleSource {
  const source = place === null ? null : (sources[place] ?? null)
  return { source, sourceUrl: sourceUrl ?? source?.url ?? null, ...readEvidence(source, lookedOn) }
}

/** A condition of a rule, and where it was read. */
export type RuleCondition = ConditionTerms & Pick<RuleSource, "source" | "sourceUrl">

/** The provisions of a kind as a dataset has them: the names of the fields, some with the form of their cells after a colon; and the rows. */
export interface ProvisionRows {
  readonly fields: string
  readonly rows: readonly (readonly unknown[])[]
}

/** A bloc, and its members' codes by the days of their membership (`YYYY-MM-DD`). */
export type BlocRow = readonly [
  id: string,
  members: readonly (readonly [codes: string, from: string | null, until: string | null])[],
]

/** A condition, its source, and the page where that is known. */
export type ConditionRow = readonly [terms: ConditionTerms, source: number | null, sourceUrl: string | null]

/** The parts of a dataset's terms that provisions are read from. */
export interface ProvisionSection {
  /** The provisions by their kind; a kind without any is absent. */
  readonly provisions: Readonly<Partial<Record<ProvisionKind, ProvisionRows>>>
  /** The blocs that scopes name. */
  readonly blocs: readonly BlocRow[]
  readonly conditions: readonly ConditionRow[]
}

/** For whom a provision holds, as a row has it: lists of codes may be run together. */
export interface ScopeCells {
  readonly passports?: string | readonly string[] | null
  readonly except?: string | readonly string[] | null
  readonly from?: string | null
  readonly until?: string | null
}

/** The fields that say for whom and where a provision holds. */
export interface ProvisionScope extends ScopeCells {
  readonly destinations: readonly string[]
}

type Terms<K extends ProvisionKind> = Omit<
  ProvisionFields<K>,
  keyof ProvisionScope | keyof RuleSource | "conditions" | (K extends "validity" | "transit" ? "note" : never)
>

/** What a provision says, and where it was read; not for whom and where it holds. */
export type Provision<K extends ProvisionKind> = Terms<K> &
  RuleSource &
  (K extends "waivers"
    ? {
        readonly conditions: readonly RuleCondition[]
        /** The last day on which it is announced to hold (`YYYY-MM-DD`), or null. */
        readonly endsOn: string | null
      }
    : unknown)

/** A destination's rule for holders of a document of another state. */
export type Waiver = Provision<"waivers">

/** How days of stay add up at a destination. */
export type StayRule = Provision<"stayRules">

/** How long a passport must be valid. */
export type ValidityRule = Provision<"validity"> &
  Pick<ProvisionFields<"validity">, "destinations" | "passports" | "except">

/** A country's rules for travellers in transit. */
export type TransitRule = Provision<"transit"> & Pick<ProvisionFields<"transit">, "destinations" | "passports">

/** A provision with its whole scope. */
export interface Listed<K extends ProvisionKind> extends ProvisionScope {
  readonly value: Provision<K>
}

/** Reads codes that are run together, after `@BLOC`s with commas. */
export function readCodes(cell: string): readonly string[] {
  // Frozen, so that a deep copy does not read them again.
  return Object.freeze(cell.split(",").flatMap(part => (part.startsWith("@") ? part : splitCodes(part))))
}

/** A provision whose row is read at its first use. */
interface Unread<K extends ProvisionKind> {
  readonly destinations: readonly string[]
  readonly read: () => Listed<K>
}

/** Lists all provisions of a kind, in the order of the dataset; `conditionAt` reads the condition at a place. */
export function listProvisions<K extends ProvisionKind>(
  section: ProvisionSection | null,
  sources: readonly Source[],
  of: K,
  conditionAt?: (place: number) => RuleCondition,
): readonly Unread<K>[] {
  const { fields = "", rows = [] } = section?.provisions[of] ?? {}
  const forms = fields.split(" ").map(field => field.split(":"))
  return rows.map(row => {
    let listed: Listed<K> | undefined
    const destinations = readCodes(row[forms.findIndex(([name]) => name === "destinations")] as string)
    const read = () => {
      const all: Record<string, unknown> = {}
      forms.forEach(([name, form], at) => {
        const cell = row[at]
        all[name as string] =
          cell === null
            ? null
            : form === "codes"
              ? readCodes(cell as string)
              : form === "places"
                ? (cell as readonly number[]).map(place => conditionAt!(place))
                : cell
      })
      const { destinations: _, passports, except, from, until, source, sourceUrl, verifiedOn, ...terms } = all
      const untilDay = parseCivilDate(until)
      const value = {
        ...terms,
        ...(of === "waivers" ? { endsOn: untilDay === null ? null : formatCivilDate(untilDay - 1) } : {}),
        ...readProvenance(sources, [source, sourceUrl, verifiedOn] as ProvenanceRow),
      }
      return copyFrozen({ value, destinations, passports, except, from, until }) as Listed<K>
    }
    return {
      destinations,
      read: () => {
        listed ??= read()
        return listed
      },
    }
  })
}

const indexes = new WeakMap<object, ProvisionIndex>()

/** The provisions of a dataset; the same object for its views on other days. */
export const readProvisions = ({ terms, sources }: DatasetOfProvisions): ProvisionIndex =>
  getOrInsert(indexes, terms ?? sources, () => new ProvisionIndex(terms, sources))

/** The parts of an open dataset that provisions are read from. */
interface DatasetOfProvisions {
  readonly terms: ProvisionSection | null
  readonly sources: readonly Source[]
}

/** The provisions of a dataset, by kind, destination and passport. */
export class ProvisionIndex {
  readonly #section: ProvisionSection | null
  readonly #sources: readonly Source[]
  readonly #conditions = new Map<number, RuleCondition>()
  readonly #unread = new Map<ProvisionKind, readonly Unread<ProvisionKind>[]>()
  readonly #indexes = new Map<ProvisionKind, ScopedLists<Provision<ProvisionKind>>>()
  #blocs: Blocs | null = null

  constructor(section: ProvisionSection | null, sources: readonly Source[]) {
    this.#section = section
    this.#sources = sources
  }

  /** Lists all provisions of a kind, in the order of the dataset. */
  list<K extends ProvisionKind>(of: K): readonly Listed<K>[] {
    return this.#unreadOf(of).map(({ read }) => read()) as readonly Listed<ProvisionKind>[] as readonly Listed<K>[]
  }

  /**
   * Lists the provisions of a kind that name a passport at a destination on some day: those by its code first, then those by a bloc, then those
   * for everybody, each in the order of the dataset; the same list at every call.
   */
  at<K extends ProvisionKind>(of: K, destination: string, passport: string): readonly Scoped<Provision<K>>[] {
    return this.#index(of).at(destination, passport) as readonly Scoped<unknown>[] as readonly Scoped<Provision<K>>[]
  }

  /** Says whether there is any provision of a kind about a destination. */
  has(of: ProvisionKind, destination: string): boolean {
    return this.#index(of).has(destination)
  }

  /** The condition at a place among all of the dataset. */
  conditionAt(place: number): RuleCondition {
    return getOrInsert(this.#conditions, place, () => {
      const [terms, at, url] = (this.#section as ProvisionSection).conditions[place] as ConditionRow
      const { source, sourceUrl } = readProvenance(this.#sources, [at, url, null])
      return copyFrozen({ ...terms, source, sourceUrl })
    })
  }

  /** Takes a scope apart by its codes, its blocs and their days. */
  expand({ passports, except, from, until }: ScopeCells): readonly ExpandedScope[] {
    this.#blocs ??= readBlocs(this.#section?.blocs ?? [])
    // A list that was read already is a text with commas again.
    const read = (cell: ScopeCells["passports"]) => (cell ? readCodes(`${cell}`) : null)
    return expandScope(this.#blocs, { passports: read(passports), except: read(except), from, until })
  }

  #index(of: ProvisionKind): ScopedLists<Provision<ProvisionKind>> {
    return getOrInsert(this.#indexes, of, () => {
      const lists = new ScopedLists<Provision<ProvisionKind>>()
      for (const { destinations, read } of this.#unreadOf(of)) {
        lists.add(destinations, () => [read().value, this.expand(read())])
      }
      return lists
    })
  }

  #unreadOf(of: ProvisionKind): readonly Unread<ProvisionKind>[] {
    return getOrInsert(this.#unread, of, () =>
      listProvisions(this.#section, this.#sources, of, place => this.conditionAt(place)),
    )
  }
}

const readBlocs = (rows: readonly BlocRow[]): Blocs =>
  new Map(
    rows.map(([id, groups]) => [
      `@${id}`,
      groups.flatMap(([codes, from, until]) => splitCodes(codes).map(code => ({ code, from, until }))),
    ]),
  )
