/**
 * How are claims written in `data/claims/<ISO3>.json`, and what makes one unreadable?
 *
 * A file has the pages that were read, what each page says about which passports, and what dated tables showed. A claim is never edited once
 * it decides something; newer ones are added. The answer of a pair is computed from its claims (answer-claims.ts) and is stored nowhere.
 * Every page, claim and row of a table is one line of its file, so that a diff reads as facts.
 */
import { Schema } from "effect"
import { PAST_WORDS, type PastWord } from "../../src/compiler.ts"
import { isCode, isRequirement, parseCivilDate, REQUIREMENTS, type Requirement } from "../../src/engine.ts"
import type { FileIssue } from "../files/data-error.ts"
import { ConditionRecord, PolicyConditionRecord } from "./file-records.ts"

const Text = Schema.NonEmptyString
const OptionalText = Schema.optionalKey(Text)

/** A page that states rules: who publishes or compiles it, and the days on which somebody read it. */
const PageRecord = Schema.Struct({
  /** An id of sources.json: who says so, or who compiled what the page says. */
  by: Text,
  /** The page, where it is another than the source's own. */
  url: OptionalText,
  /** What the page is, given for the page with a compiler's whole list, which is its first. */
  title: OptionalText,
  /** The day of the compiler's own file. */
  edition: OptionalText,
  /** The destination whose file was read, where one law makes one policy of several. */
  read_in: OptionalText,
  /** The last day that a list covers which was published version by version. */
  until: OptionalText,
  note: OptionalText,
  /** Whose page it is, where a reader has to know: another government's advice settles nothing against a table. */
  publisher: Schema.optionalKey(Schema.Literals(["law", "destination", "own_state", "third_state"])),
  /** True if its list has everybody: whoever it does not name is asked for what it asks of all others (`*`). */
  complete: Schema.optionalKey(Schema.Literal(true)),
  /** Days on which somebody read it; empty if nobody did. */
  read: Schema.optionalKey(Schema.Array(Text)),
})

/** What one page says about some passports. */
const ClaimRecord = Schema.Struct({
  /** The page's name in this file; none where no publication is known, or where a person weighs other claims (`settles`). */
  page: OptionalText,
  /** A requirement and its days (`visa_free 90`); `not_said`: the page was read and says nothing; `changed`: a notice without a value. */
  says: Text,
  /** The first day of the rule, and the first day on which it no longer holds. */
  from: OptionalText,
  until: OptionalText,
  /** Other ways that it names for the same passports. */
  also: Schema.optionalKey(Schema.Array(Schema.Literals(REQUIREMENTS))),
  conditions: Schema.optionalKey(Schema.Array(ConditionRecord)),
  /** The compiler's own word, where it is read in another sense. */
  word: OptionalText,
  /** The version of a list that was published version by version. */
  version: OptionalText,
  /** Why the claim settles nothing: it contradicts itself or another one. */
  doubt: OptionalText,
  /** Why this one stands against another: a person weighed them. */
  settles: OptionalText,
  /** Shown to readers. */
  note: OptionalText,
  /** How the page was read; for reviewers only. */
  reading: OptionalText,
  /** Codes, `@BLOC` and `*` (everybody else), separated by blanks. */
  who: Text,
})

/** A change of the past that the tables alone do not show, or (`shown` false) that they show and that was none. */
const PastChangeRecord = Schema.Struct({
  on: Text,
  from: Text,
  to: Text,
  days_before: Schema.optionalKey(Schema.Int),
  days_after: Schema.optionalKey(Schema.Int),
  after_ban: Schema.optionalKey(Schema.Boolean),
  shown: Schema.optionalKey(Schema.Literal(false)),
  page: OptionalText,
  /** True where the page, an authority's, names the day; no table has to show it. */
  published: Schema.optionalKey(Schema.Boolean),
  who: Text,
})

/**
 * A value that tables have from a day on, in columns: the day of the first table that has it, the value, its passports (`*` for everybody whom
 * the first table does not name elsewhere), and the page of a second source that says so too, where a table changes very much.
 */
const TableRowRecord = Schema.Tuple([Text, Text, Text, OptionalText])

export const ClaimsRecord = Schema.Struct({
  destination: Text,
  /** The destination whose answers apply here too, where nothing is claimed. */
  follows: OptionalText,
  note: OptionalText,
  pages: Schema.Record(Schema.String, PageRecord),
  /** For everybody who is asked for something, whichever claim decides. */
  conditions: Schema.optionalKey(Schema.Array(PolicyConditionRecord)),
  claims: Schema.Array(ClaimRecord),
  changes: Schema.optionalKey(Schema.Array(PastChangeRecord)),
  /** Appended by an import, never edited. */
  tables: Schema.Array(TableRowRecord),
})

/**
 * Claims that were added by a form, each in a file of its own, so that two never collide. They are read as if they stood at the end of the
 * destination's file.
 */
export const AdditionRecord = Schema.Struct({
  /** The name of the file: `KEN-2026-11-10-BRA-3f9a2c`. */
  id: Text,
  destination: Text,
  pages: Schema.Record(Schema.String, PageRecord),
  claims: Schema.Array(ClaimRecord),
})

/** An agreement between two sides, in both directions unless it is `one_way`. */
export const TreatyRecord = Schema.Struct({
  id: Text,
  name: Text,
  /** Two texts of codes and `@BLOC`, separated by blanks; twice the same for an agreement among members. */
  sides: Schema.Array(Text),
  /** Members of a bloc that do not take part. */
  except: OptionalText,
  one_way: Schema.optionalKey(Schema.Literal(true)),
  says: Text,
  /** The hardest requirement that it permits: a waiver of visas does not forbid an electronic authorisation. */
  permits: Schema.optionalKey(Schema.Literals(REQUIREMENTS)),
  /** Its days count in any as many days as these. */
  window_days: Schema.optionalKey(Schema.Int),
  /** The kinds of passport that the page names; none if it names no kinds. */
  passports: Schema.optionalKey(Schema.Array(Schema.Literals(["ordinary", "diplomatic", "service"]))),
  /** The first day on which it applies; none if the page does not name it. */
  from: OptionalText,
  until: OptionalText,
  source: Text,
  /** The page where it was read, and the day of reading. */
  source_url: Text,
  read_on: Text,
  note: OptionalText,
})

/** The dated tables that were read, in the order of their days. */
export const TablesRecord = Schema.Struct({
  /** The ids in sources.json of all tables together, of the last one with its days, and of the changes between them. */
  source: Text,
  latest: Text,
  history: Text,
  verified_on: Schema.NullOr(Text),
  tables: Schema.Array(
    Schema.Struct({
      on: Text,
      /** The version of the source that holds the table. */
      commit: OptionalText,
      /** True for a table with the same pairs as the one before: it proves nothing. */
      copy: Schema.optionalKey(Schema.Boolean),
    }),
  ),
})

export type Claim = typeof ClaimRecord.Type
export type AdditionRecord = typeof AdditionRecord.Type
export type TreatyRecord = typeof TreatyRecord.Type
export type TableRow = typeof TableRowRecord.Type
export type ClaimsRecord = typeof ClaimsRecord.Type
export type TablesRecord = typeof TablesRecord.Type

/** The days of the tables, without copies. */
export const listTableDays = ({ tables }: TablesRecord): readonly string[] =>
  tables.filter(({ copy }) => copy !== true).map(({ on }) => on)

/** The id in sources.json of what a table said first that is newer than the copy from which all pairs were taken. */
export const nameTableSource = (latest: string, on: string): string => `${latest}-${on}`

/** A value and its days of stay. */
export interface Said<Word extends string = string> {
  readonly word: Word
  readonly days: number | null
}

/** Takes `visa_free 90` apart. */
export function readSays(says: string): Said {
  const [word = "", days] = says.split(" ")
  return { word, days: days === undefined ? null : Number(days) }
}

/** Puts a value and its days together. */
export const writeSays = ({ word, days }: Said): string => (days === null ? word : `${word} ${days}`)

/** A claim with a requirement, which may decide. */
export const readRequirement = ({ says }: Pick<Claim, "says">): Said<Requirement> | null => {
  const { word, days } = readSays(says)
  return isRequirement(word) ? { word, days } : null
}

/** The page of a claim, where one is known. */
export const pageOf = ({ pages }: Pick<ClaimsRecord, "pages">, { page = "" }: Pick<Claim, "page">) => pages[page]

/** The compilers of whole lists. */
const listWhole = ({ pages }: ClaimsRecord): ReadonlySet<string> =>
  new Set(Object.values(pages).flatMap(({ by, title }) => (title === undefined ? [] : by)))

/** The selectors of `who`. */
export const selectorsOf = ({ who }: { readonly who: string }): readonly string[] => who.split(" ")

/**
 * The claims with every code where `*` stands for everybody whom no other text of the list names: in what the compilers of a whole list say, and
 * in what the first table says. Nowhere else is it read so: other claims of `*` are about everybody whom nothing else names.
 */
export function spellClaims(record: ClaimsRecord, passports: readonly string[]): ClaimsRecord {
  const whole = listWhole(record)
  const isWhole = (claim: Claim) => whole.has(pageOf(record, claim)?.by ?? "")
  const isFirst = ([on]: TableRow) => on === record.tables[0]?.[0]
  const spellIn = (lists: readonly string[]) => {
    const named = new Set([record.destination, ...lists.flatMap(who => who.split(" "))])
    return (who: string) => (who === "*" ? passports.filter(code => !named.has(code)).join(" ") : who)
  }
  const spellClaimed = spellIn(record.claims.filter(isWhole).map(({ who }) => who))
  const spellSeen = spellIn(record.tables.filter(isFirst).map(([, , who]) => who))
  return {
    ...record,
    claims: record.claims.map(claim => (isWhole(claim) ? { ...claim, who: spellClaimed(claim.who) } : claim)),
    tables: record.tables.map(row => (isFirst(row) ? (row.with(2, spellSeen(row[2])) as unknown as TableRow) : row)),
  }
}

/** Tables use these words for one permission, so a difference between tables is not a change. */
export const isWay = (word: string): boolean => word === "visa_on_arrival" || word === "e_visa" || word === "eta"

/** The day of the last table before claims were introduced: what has no day of its own was there by then. */
export const INTRODUCED_ON = "2026-02-17"

/** How many passports of a destination one table may change without a second source, since claims were introduced. */
const MOST_CHANGES = 20

/** What a table changes more than it should alone. */
interface Unconfirmed {
  /** The day of the table, and its first such row. */
  readonly on: string
  readonly row: number
  /** `changes for 21 passports, more than 20 in one table`, or `lifts the ban of AFG`. */
  readonly what: string
}

/** Lists what tables change very much, or which bans they lift, where no row names the page of a second source. */
export function listUnconfirmed({ tables }: Pick<ClaimsRecord, "tables">): readonly Unconfirmed[] {
  const saying = new Map<string, string>()
  const changes = new Map<string, { readonly row: number; readonly codes: string[]; readonly lifted: string[] }>()
  tables.forEach(([on, says, who, confirmed], row) => {
    for (const code of who.split(" ")) {
      const before = saying.get(code)
      saying.set(code, says)
      if (before === undefined || confirmed !== undefined || on <= INTRODUCED_ON) continue
      const known = changes.get(on) ?? { row, codes: [], lifted: [] }
      changes.set(on, known)
      known.codes.push(code)
      if (before === "no_admission" && says !== "not_said") known.lifted.push(code)
    }
  })
  return [...changes].flatMap(([on, { row, codes, lifted }]): readonly Unconfirmed[] => {
    if (codes.length > MOST_CHANGES) {
      return [{ on, row, what: `changes for ${codes.length} passports, more than ${MOST_CHANGES} in one table` }]
    }
    return lifted.length === 0 ? [] : [{ on, row, what: `lifts the ban of ${lifted.join(" ")}` }]
  })
}

/** What claims may name. */
interface ClaimContext {
  readonly asOf: string
  readonly sources: ReadonlySet<string>
  readonly passports: ReadonlySet<string>
  readonly destinations: ReadonlySet<string>
  readonly blocs: ReadonlySet<string>
  readonly tableDays: ReadonlySet<string>
}

type Report = (issue: Omit<FileIssue, "file">) => void

/** The checks that claims and treaties share; what is left out is right. */
function makeChecks({ sources, blocs }: ClaimContext, report: Report) {
  const expect = (isRight: boolean, field: string, message: string) => {
    if (!isRight) report({ field, message })
  }
  return {
    expect,
    isBloc: (selector: string) => selector.startsWith("@") && blocs.has(selector.slice(1)),
    expectDay: (field: string, on: string | undefined) =>
      expect(on === undefined || parseCivilDate(on) !== null, field, `"${on}" is not a calendar date YYYY-MM-DD.`),
    expectAddress: (field: string, url = "https://-") =>
      expect(/^https?:\/\/\S+$/.test(url), field, `"${url}" is not an address that begins with http:// or https://.`),
    expectPublisher: (field: string, by: string) =>
      expect(
        sources.has(by),
        field,
        `"${by}" is an unknown publisher: add it to sources.json, or name one of its ids.`,
      ),
  }
}

const hasWholeDays = (says: string) => /^\w+( [1-9]\d{0,3})?$/.test(says)

const CLAIMED = [...REQUIREMENTS, "not_said", "changed"]

/** Finds what the schema leaves open: unknown publishers, codes and words, impossible days, and a page that nobody can have read. */
export function checkClaims(record: ClaimsRecord, context: ClaimContext, report: Report): void {
  const { asOf, passports, tableDays } = context
  const { expect, isBloc, expectDay, expectAddress, expectPublisher } = makeChecks(context, report)
  const expectWho = (at: string, who: string) => {
    for (const selector of who.split(" ")) {
      const message = `"${selector}" is not a passport of passports.json, a @bloc of blocs/ or *.`
      expect(selector === "*" || passports.has(selector) || isBloc(selector), `${at}.who`, message)
    }
  }
  const expectSays = (at: string, says: string, words: readonly string[]) => {
    const { word, days } = readSays(says)
    const message = words.includes(word)
      ? `"${says}" has no whole number of days from 1 to 3650.`
      : `"${word}" is not known; expected ${words.join(", ")}, with days such as "visa_free 90".`
    expect(words.includes(word) && hasWholeDays(says) && (days ?? 1) <= 3650, `${at}.says`, message)
  }
  for (const [id, { by, url, edition, until, read, complete }] of Object.entries(record.pages)) {
    const at = `pages.${id}`
    const isForAll = record.claims.some(claim => claim.page === id && selectorsOf(claim).includes("*"))
    const rest = 'the list is complete, and no claim says what it asks of all others: add one with "who": "*".'
    expect(complete === undefined || isForAll, `${at}.complete`, rest)
    expectPublisher(`${at}.by`, by)
    expectAddress(`${at}.url`, url)
    const missing = "is missing: list the days on which somebody read the page, or [] if nobody did."
    expect(read !== undefined, `${at}.read`, missing)
    expectDay(`${at}.until`, until)
    const days = (read ?? []).map((on, row) => [`${at}.read[${row}]`, on] as const)
    for (const [field, on] of edition === undefined ? days : [[`${at}.edition`, edition] as const, ...days]) {
      expectDay(field, on)
      const later = `${on} is after the dataset's day, ${asOf}: a page cannot have been read then.`
      expect(on <= asOf, field, later)
    }
  }
  for (const by of listWhole(record)) {
    const said = new Set(record.claims.flatMap(claim => (pageOf(record, claim)?.by === by ? selectorsOf(claim) : [])))
    const left = [...passports].filter(passport => passport !== record.destination && !said.has(passport))
    const message = `${left.join(", ")}: no claim of ${by} names them, though its list is whole; add them to one, which may say not_said.`
    expect(left.length === 0, "claims", message)
  }
  const expectPage = (at: string, page = "") => {
    const message = `"${page}" is not one of the pages of this file: add a line to "pages".`
    expect(page === "" || record.pages[page] !== undefined, `${at}.page`, message)
  }
  const named = new Map<string, string>()
  record.claims.forEach((claim, row) => {
    const at = `claims[${row}]`
    const { page, says, who, from, until } = claim
    // Lists that authorities published version by version are history, whatever else a destination's claims say.
    const isOfVersions = pageOf(record, claim)?.until !== undefined
    expectPage(at, page)
    expectSays(at, says, isOfVersions ? [...CLAIMED, ...PAST_WORDS] : CLAIMED)
    expectWho(at, who)
    expectDay(`${at}.from`, from)
    expectDay(`${at}.until`, until)
    const by = pageOf(record, claim)?.by
    // A compiler says one thing about a passport; what follows on an end begins on that day.
    if (by === undefined || says === "changed" || isOfVersions) return
    for (const code of selectorsOf(claim)) {
      const key = `${by} ${code} ${from ?? ""} ${until ?? ""}`
      expect(!named.has(key), `${at}.who`, `${code} is already in ${named.get(key)}.`)
      named.set(key, at)
    }
  })
  record.changes?.forEach(({ on, from, to, page, published, shown, who }, row) => {
    const at = `changes[${row}]`
    expectDay(`${at}.on`, on)
    expectSays(at, from, REQUIREMENTS)
    expectSays(at, to, REQUIREMENTS)
    expectPage(at, page)
    expectWho(at, who)
    if (page !== undefined) return
    expect(published !== true, at, "a published change needs a page of its own.")
    const isOfWays = from !== to && isWay(from) && isWay(to) && shown !== false
    const message = `from ${from} to ${to} needs a page of its own: tables use these words for one permission.`
    expect(!isOfWays, at, message)
  })
  record.tables.forEach(([on, says, who], row) => {
    const at = `tables[${row}]`
    expect(tableDays.has(on), at, `"${on}" is not the day of a table of tables.json.`)
    expectSays(at, says, [...PAST_WORDS, "not_said"])
    const stranger = selectorsOf({ who }).find(code => !isCode(code))
    expect(stranger === undefined, at, `"${stranger}" is not a code.`)
  })
  for (const { on, row, what } of listUnconfirmed(record)) {
    const message = `the table of ${on} ${what}: look this up in a second source, and add its page at the end of each row of this table.`
    report({ field: `tables[${row}]`, message })
  }
}

/** Finds what the schema of treaties leaves open: a missing side, unknown codes, words and publishers, and impossible days. */
export function checkTreaties(treaties: readonly TreatyRecord[], context: ClaimContext, report: Report): void {
  const { passports, destinations } = context
  const { expect, isBloc, expectDay, expectAddress, expectPublisher } = makeChecks(context, report)
  const ids = new Set<string>()
  treaties.forEach(({ id, sides, except, says, from, until, source, source_url: url, read_on: readOn }, row) => {
    const at = `[${row}]`
    expect(!ids.has(id), `${at}.id`, `"${id}" is given twice.`)
    ids.add(id)
    const count = sides.length === 1 ? "one side" : `${sides.length} sides`
    const message = `${id} has ${count}: a treaty has two, and the same one twice if it is among members.`
    expect(sides.length === 2, `${at}.sides`, message)
    for (const selector of [...sides, except ?? ""].flatMap(side => (side === "" ? [] : side.split(" ")))) {
      const unknown = `"${selector}" is not a code of countries.json or a @bloc of blocs/.`
      expect(isBloc(selector) || passports.has(selector) || destinations.has(selector), `${at}.sides`, unknown)
    }
    const expected = `"${says}" is not a requirement with its days, such as "visa_free 90".`
    expect(readRequirement({ says }) !== null && hasWholeDays(says), `${at}.says`, expected)
    for (const [field, on] of Object.entries({ from, until, read_on: readOn })) expectDay(`${at}.${field}`, on)
    expectAddress(`${at}.source_url`, url)
    expectPublisher(`${at}.source`, source)
  })
}

/** The values of each passport in the order of the tables. A table that leaves a pair out says null. */
export function listTableValues({ tables }: ClaimsRecord): ReadonlyMap<string, readonly TableValue[]> {
  const values = new Map<string, TableValue[]>()
  for (const [on, says, who] of tables) {
    const { word, days } = readSays(says)
    const value = { on, word: word === "not_said" ? null : (word as PastWord), days }
    for (const code of who.split(" ")) values.set(code, [...(values.get(code) ?? []), value])
  }
  return values
}

/** What a table said first on a day. */
export interface TableValue {
  readonly on: string
  readonly word: PastWord | null
  readonly days: number | null
}
