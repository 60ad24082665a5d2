/**
 * What does a second, newer source say about a destination's passports, in our words?
 *
 * A file of `data/second-source/` condenses one destination of such a source: groups of passports (alpha-2) with their requirement, the
 * page that states it and the day on which the source read it. It is evidence and is kept as it was read. One table translates the source's
 * words. If that table is wrong for a group (an e-visa that only an agent can apply for is `visa_required`), the group itself says how it
 * is read, and why. `unconfirmed` counts as no statement.
 */
import { Schema } from "effect"
import { REQUIREMENTS, type Requirement } from "../../src/engine.ts"
import { ConditionRecord } from "./condition-records.ts"

const Text = Schema.NonEmptyString
const OptionalText = Schema.optionalKey(Text)
const MaybeDays = Schema.NullOr(Schema.Int)

/** The meaning of each word of the source here; null: no statement. */
const MEANINGS = {
  "freedom-of-movement": "visa_free",
  "visa-free": "visa_free",
  eta: "eta",
  "visa-on-arrival": "visa_on_arrival",
  evisa: "e_visa",
  "embassy-visa": "visa_required",
  "travel-permit": "visa_required",
  banned: "no_admission",
  unconfirmed: null,
} as const satisfies Readonly<Record<string, Requirement | null>>

const WORDS = Object.keys(MEANINGS) as readonly (keyof typeof MEANINGS)[]

/** The terms where the group's own words do not say them. */
const Terms = { requirement: Schema.Literals(REQUIREMENTS), days: Schema.optionalKey(Schema.Int) }

export const SecondSourceRecord = Schema.Struct({
  destination: Text,
  /** The destination whose file was read, where a law makes one policy of several. */
  read_in: OptionalText,
  last_updated: Text,
  /** The last passport of the source's list that was read, in its order; a file says it, also where it is read whole. */
  last_row: OptionalText,
  policy_source: Schema.Struct({ name: Text, url: Text, last_verified: Text }),
  groups: Schema.Array(
    Schema.Struct({
      requirement: Schema.Literals(WORDS),
      /** Other ways that it names for the same passports. */
      also: Schema.optionalKey(Schema.Array(Schema.Literals(WORDS))),
      days: MaybeDays,
      /** Alpha-2 codes, separated by blanks. */
      passports: Text,
      from: OptionalText,
      /** First day no longer in force, and what the source says about the time from then on. */
      until: OptionalText,
      afterwards: Schema.optionalKey(Schema.Struct(Terms)),
      /** How the group is read where the table of words is wrong for it. */
      read_as: Schema.optionalKey(Schema.Struct({ ...Terms, reason: Text })),
      /** Why the group settles nothing: the source contradicts itself or another one. */
      unsettled: OptionalText,
      conditions: Schema.optionalKey(Schema.Array(ConditionRecord)),
      note: OptionalText,
      source: OptionalText,
    }),
  ),
  /** Passports for which our own answer stands against this source, and the reason. */
  kept: Schema.optionalKey(Schema.Array(Schema.Struct({ passports: Text, reason: Text }))),
  conditional_waivers: Schema.optionalKey(Schema.Array(Schema.Record(Schema.String, Schema.Unknown))),
  facts: Schema.Record(Schema.String, Schema.Unknown),
  sources: Schema.Array(Text),
  /** Which passports were not read, and why. */
  incomplete: OptionalText,
})

export type SecondSourceRecord = typeof SecondSourceRecord.Type
type Group = SecondSourceRecord["groups"][number]

/** The source's statement about one passport. */
export interface Statement {
  readonly requirement: Requirement
  /** Null where it is not a fixed number, or the source does not say. */
  readonly days: number | null
  /** Everything that it offers the passport: its requirement, and the other ways that it names. */
  readonly ways: readonly Requirement[]
  /** Why the statement settles nothing: what contradicts what; or null. */
  readonly unsettled: string | null
  /** True where the source calls it freedom of movement. */
  readonly movesFreely: boolean
  /** The page that says so. */
  readonly page: string
  /** Its place in the file: `groups[3]`. */
  readonly group: Group
  readonly field: string
}

/** The statements of a file by passport (alpha-3), and the passports of which it says nothing, with the reason. */
export interface SecondSource {
  readonly record: SecondSourceRecord
  readonly statements: ReadonlyMap<string, Statement>
  readonly silent: ReadonlyMap<string, string>
  /** Why our answer stands, by passport. */
  readonly kept: ReadonlyMap<string, string>
}

/** A mistake in a file: its field and the expected value. */
export interface SecondSourceIssue {
  readonly field: string
  readonly message: string
}

/**
 * Reads a file's groups into statements about passports, and reports every mistake.
 *
 * `codes` has the alpha-3 code of each alpha-2 code of a passport. Unknown codes, and passports that are listed twice, are mistakes. The
 * source says nothing about passports that are not listed, and the file must give the reason in `incomplete`. Every file names the last row
 * that was read.
 */
export function readSecondSource(
  record: SecondSourceRecord,
  codes: ReadonlyMap<string, string>,
  report: (issue: SecondSourceIssue) => void,
): SecondSource {
  const statements = new Map<string, Statement>()
  const silent = new Map<string, string>()
  const place = new Map<string, string>()
  const readCodes = (text: string, field: string): string[] =>
    text.split(" ").flatMap(alpha2 => {
      const passport = codes.get(alpha2)
      if (passport === undefined) report({ field, message: `"${alpha2}" is not the alpha-2 code of a passport.` })
      return passport ?? []
    })
  record.groups.forEach((group, at) => {
    const field = `groups[${at}]`
    for (const passport of readCodes(group.passports, `${field}.passports`)) {
      const earlier = place.get(passport)
      if (earlier !== undefined) {
        report({ field: `${field}.passports`, message: `${passport} is already in ${earlier}.` })
        continue
      }
      place.set(passport, field)
      const statement = readGroup(record, group, field)
      if (statement === null) silent.set(passport, group.unsettled ?? "unconfirmed")
      else statements.set(passport, statement)
    }
  })
  for (const passport of codes.values()) {
    if (place.has(passport)) continue
    silent.set(passport, record.incomplete ?? "")
    if (record.incomplete === undefined) {
      report({ field: "groups", message: `${passport} is in no group, and "incomplete" does not say why.` })
    }
  }
  const { last_row: lastRow } = record
  if (lastRow === undefined) {
    report({ field: "last_row", message: "is missing: name the last passport of the source's list that was read." })
  } else {
    const last = codes.get(lastRow)
    if (last === undefined || !place.has(last)) {
      report({ field: "last_row", message: `${JSON.stringify(lastRow)} is in no group.` })
    }
  }
  const kept = new Map<string, string>()
  record.kept?.forEach(({ passports, reason }, at) => {
    for (const passport of readCodes(passports, `kept[${at}].passports`)) kept.set(passport, reason)
  })
  return { record, statements, silent, kept }
}

function readGroup(record: SecondSourceRecord, group: Group, field: string): Statement | null {
  const requirement = group.read_as?.requirement ?? MEANINGS[group.requirement]
  if (requirement === null) return null
  const countsDays = requirement !== "visa_required" && requirement !== "no_admission"
  return {
    requirement,
    days: countsDays ? (group.read_as?.days ?? group.days) : null,
    ways: [requirement, ...(group.also ?? []).flatMap(word => MEANINGS[word] ?? [])],
    unsettled: group.unsettled ?? null,
    movesFreely: group.requirement === "freedom-of-movement",
    page: group.source ?? record.policy_source.url,
    group,
    field,
  }
}
