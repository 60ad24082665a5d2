/**
 * What do the files in `data/` say, in the engine's names?
 *
 * Reads every file that a dataset is compiled from, reports every mistake with its file and field, and translates snake_case into
 * the engine's records. The engine checks whether the facts make sense.
 */
import { join } from "node:path"
import { Result } from "effect"
import {
  type Bloc,
  type BorderRuleFacts,
  type ChangeFact,
  type CheckFacts,
  type CorroborationFacts,
  compileFacts,
  type Facts,
  type FactsError,
  type KindRuleFacts,
  type Policy,
  type Rule,
  type StayRuleFacts,
  type Terms,
  type TransitFacts,
  type ValidityFacts,
  type WaiverFacts,
  type ZoneFacts,
} from "../../src/compiler.ts"
import { type Dataset, openParts } from "../../src/engine.ts"
import { DataError, type FileIssue } from "../files/data-error.ts"
import {
  type BorderRuleRecord,
  type ChangeRecord,
  type CorroborationRecord,
  camelKeys,
  type KindRuleRecord,
  RULE_END,
  type StayRuleRecord,
  type WaiverRecord,
} from "./condition-records.ts"
import { type DataRecords, readDataFiles } from "./data-files.ts"
import type {
  BlocRecord,
  PolicyRecord,
  TermsRecord,
  TransitRecord,
  ValidityRecord,
  ZoneRecord,
} from "./file-records.ts"

/** Reads all files of a data folder, or fails with every mistake in them. */
export function readDataRecords(folder: string): Result.Result<DataRecords, DataError> {
  const issues: FileIssue[] = []
  const records = readDataFiles(folder, issue => issues.push(issue))
  return issues.length > 0 ? Result.fail(DataError.of(issues)) : Result.succeed(records)
}

/** The records without reviewed rules, with only what was imported. */
export const withoutReviewed = (records: DataRecords): DataRecords => ({
  ...records,
  policies: records.policies.map(({ reviewed: _, ...rest }) => rest),
})

/** The records as a dataset; null where they do not compile. */
export function openRecords(records: DataRecords): Dataset | null {
  const compiled = compileFacts(toFacts(records))
  const opened = compiled.ok ? openParts(compiled.value) : compiled
  return opened.ok ? opened.value : null
}

/** Translates the records into facts for the engine. */
export function toFacts(records: DataRecords): Facts {
  return {
    version: records.dataset.version,
    asOf: records.dataset.as_of,
    since: records.dataset.since,
    destinations: records.countries.map(country => ({
      code: country.code,
      region: country.subregion,
      gdpUsd: country.gdp_usd ?? null,
    })),
    passports: records.passports.map(passport => passport.code),
    sources: records.sources.map(({ id, name, url, imported = false, compiled = false, via, retrieved_on }) => ({
      id,
      name,
      url,
      imported,
      compiled: compiled || via !== undefined,
      snapshotOn: imported ? retrieved_on : null,
      retrievedOn: retrieved_on,
    })),
    blocs: records.blocs.map(toBloc),
    policies: records.policies.map(toPolicy),
    zones: records.zones.map(toZone),
    validity: records.validity.map(toValidity),
    transit: records.transit.map(toTransit),
    waivers: records.waivers.map(toWaiver),
    stayRules: records.stayRules.map(toStayRule),
    borderRules: records.borderRules.map(toBorderRule),
    kindRules: records.kindRules.map(toKindRule),
    changeLog: records.changeLog.map(toChange),
    corroboration: records.corroboration.map(toCorroboration),
  }
}

/** Renames a record's keys to the engine's names; `empty` has the values for missing keys. */
const rename = <Fact>(record: object, empty: Partial<Fact> = {}): Fact =>
  ({ ...empty, ...(camelKeys(record) as object) }) as Fact

const toZone = ({ rule, members, note: _, ...record }: ZoneRecord): ZoneFacts => ({
  ...rename<ZoneFacts>(record),
  kind: rule.kind,
  allowanceDays: rule.allowance_days,
  windowDays: rule.window_days ?? null,
  members: members.map(({ code, from, until }) => ({ code, from, until })),
})

const toValidity = ({ note: _, ...record }: ValidityRecord) =>
  rename<ValidityFacts>(record, { issuedWithinYears: null, expiredWithinYears: null })

const toTransit = ({ complete, note: _, ...record }: TransitRecord): TransitFacts => ({
  ...rename<TransitFacts>(record, { hours: null, condition: null, passports: null }),
  isComplete: complete ?? true,
})

/** The last fields of a rule, where it leaves them out. */
const NO_END = { from: null, until: null, note: null } as const

const toWaiver = (record: WaiverRecord) => rename<WaiverFacts>(record, { days: null, ...NO_END })

const toStayRule = (record: StayRuleRecord) => rename<StayRuleFacts>(record, { days: null, ...NO_END })

const toKindRule = (record: KindRuleRecord) => rename<KindRuleFacts>(record, { days: null, ...NO_END })

function toBorderRule(record: BorderRuleRecord): BorderRuleFacts {
  const isEnd = (name: string) => name === "requirements" || Object.hasOwn(RULE_END, name)
  const { end = [], own = [] } = Object.groupBy(Object.entries(record), ([name]) => (isEnd(name) ? "end" : "own"))
  return { ...rename<BorderRuleFacts>(Object.fromEntries(end), NO_END), terms: rename(Object.fromEntries(own)) }
}

const toChange = (record: ChangeRecord) => rename<ChangeFact>(record)

const toCorroboration = ({ destination, checks }: CorroborationRecord): CorroborationFacts => ({
  destination,
  checks: checks.map(({ says, ...check }) => ({
    ...rename<CheckFacts>(check),
    says: says.map(said => rename<CheckFacts["says"][number]>(said, { days: null })),
  })),
})

function toBloc(record: BlocRecord): Bloc {
  return {
    id: record.id,
    freedomOfMovement: record.freedom_of_movement,
    members: record.members.map(({ code, from, until }) => ({ code, from: from ?? null, until: until ?? null })),
  }
}

export const toPolicy = ({ default: defaults, rules, reviewed = [], ...record }: PolicyRecord): Policy => ({
  ...rename<Policy>(record, { follows: null, note: null }),
  defaults: defaults.map(toTerms),
  rules: rules.map(rule => toTerms(rule) as Rule),
  reviewed: reviewed.map(rule => toTerms(rule) as Rule),
})

// The engine checks whether the words are requirements and bases, and reports every mistake in one way.
const toTerms = (record: TermsRecord) =>
  rename<Terms>(record, {
    days: null,
    from: null,
    until: null,
    basis: null,
    bloc: null,
    sourceUrl: null,
    note: null,
  })

/** Turns the engine's refusal into one that names the files. */
export function nameFiles(folder: string, error: FactsError): DataError {
  return DataError.of(
    error.issues.map(({ record, field, message }) => ({ file: join(folder, `${record}.json`), field, message })),
  )
}
