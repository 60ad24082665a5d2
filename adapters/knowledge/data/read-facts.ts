/**
 * What do the files in `data/` say, in the engine's names?
 *
 * Reads every file that a dataset is compiled from, reports every mistake with its file and field, and translates snake_case into
 * the engine's records. The engine checks whether the facts make sense.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Option, Result, Schema } from "effect"
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
  type PolicyCondition,
  type Rule,
  type StayRuleFacts,
  type Terms,
  type TransitFacts,
  type ValidityFacts,
  type WaiverFacts,
  type ZoneFacts,
} from "../../../src/compiler.ts"
import { type Dataset, openParts } from "../../../src/engine.ts"
import { DataError, type FileIssue } from "../../platform/files/data-error.ts"
import { readRecordFile, readRecordFolder } from "../../platform/files/record-files.ts"
import {
  BorderRuleRecord,
  ChangeRecord,
  CorroborationRecord,
  camelKeys,
  KindRuleRecord,
  RULE_END,
  type RuleEnd,
  StayRuleRecord,
  toConditions,
  toDocuments,
  WaiverRecord,
} from "./condition-records.ts"
import {
  BlocRecord,
  CountryRecord,
  DatasetRecord,
  PassportRecord,
  PolicyRecord,
  type RuleRecord,
  SourceRecord,
  type TermsRecord,
  TransitRecord,
  ValidityRecord,
  ZoneRecord,
} from "./records.ts"

/** Every record of `data/`, as written. */
export interface DataRecords {
  readonly dataset: typeof DatasetRecord.Type
  readonly sources: readonly SourceRecord[]
  readonly countries: readonly CountryRecord[]
  readonly passports: readonly (typeof PassportRecord.Type)[]
  readonly blocs: readonly BlocRecord[]
  readonly policies: readonly PolicyRecord[]
  readonly zones: readonly ZoneRecord[]
  readonly validity: readonly ValidityRecord[]
  readonly transit: readonly TransitRecord[]
  readonly waivers: readonly WaiverRecord[]
  readonly stayRules: readonly StayRuleRecord[]
  readonly borderRules: readonly BorderRuleRecord[]
  readonly kindRules: readonly KindRuleRecord[]
  readonly changeLog: readonly ChangeRecord[]
  readonly corroboration: readonly CorroborationRecord[]
}

/** Reads all files of a data folder, or fails with every mistake in them. */
export function readDataRecords(folder: string): Result.Result<DataRecords, DataError> {
  const issues: FileIssue[] = []
  const report = (issue: FileIssue) => issues.push(issue)
  const readList = <A>(name: string, schema: Schema.ConstraintDecoder<A>) =>
    Option.getOrElse(readRecordFile(join(folder, name), schema, report), () => null)
  const readFolder = <A>(name: string, schema: Schema.ConstraintDecoder<A>, idOf: (record: A) => string) =>
    readRecordFolder(join(folder, name), schema, idOf, report)
  const readRows = <A>(name: string, schema: Schema.ConstraintDecoder<A>) =>
    existsSync(join(folder, name)) ? (readList(name, Schema.Array(schema)) ?? []) : []
  const read = {
    dataset: readList("dataset.json", DatasetRecord),
    sources: readList("sources.json", Schema.Array(SourceRecord)),
    countries: readList("countries.json", Schema.Array(CountryRecord)),
    passports: readList("passports.json", Schema.Array(PassportRecord)),
    blocs: readFolder("blocs", BlocRecord, bloc => bloc.id),
    policies: readFolder("policies", PolicyRecord, policy => policy.destination),
    zones: readFolder("zones", ZoneRecord, zone => zone.id),
    validity: readList("passport-validity.json", Schema.Array(ValidityRecord)) ?? [],
    transit: readList("transit.json", Schema.Array(TransitRecord)) ?? [],
    waivers: readRows("waivers.json", WaiverRecord),
    stayRules: readRows("stay-rules.json", StayRuleRecord),
    borderRules: readRows("border-rules.json", BorderRuleRecord),
    kindRules: readRows("passport-kinds.json", KindRuleRecord),
    changeLog: readRows("change-log.json", ChangeRecord),
    corroboration: readFolder("corroboration", CorroborationRecord, record => record.destination),
  }
  const { dataset, sources, countries, passports } = read
  if (issues.length > 0 || dataset === null || sources === null || countries === null || passports === null) {
    return Result.fail(DataError.of(issues))
  }
  return Result.succeed({ ...read, dataset, sources, countries, passports })
}

/** The records with what was imported alone: no reviewed rule. */
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

function toZone(record: ZoneRecord): ZoneFacts {
  return {
    id: record.id,
    name: record.name,
    instrument: record.instrument,
    kind: record.rule.kind,
    allowanceDays: record.rule.allowance_days,
    windowDays: record.rule.window_days ?? null,
    members: record.members.map(({ code, from, until }) => ({ code, from, until })),
    ...toProvenance(record),
  }
}

function toValidity(record: ValidityRecord): ValidityFacts {
  return {
    anchor: record.anchor,
    months: record.months,
    days: record.days,
    issuedWithinYears: record.issued_within_years ?? null,
    confidence: record.confidence,
    destinations: record.destinations,
    passports: record.passports,
    ...toProvenance(record),
  }
}

function toTransit(record: TransitRecord): TransitFacts {
  return {
    area: record.area,
    demand: record.demand,
    hours: record.hours ?? null,
    condition: record.condition ?? null,
    ...(record.waived_for === undefined ? undefined : { waivedFor: toDocuments(record.waived_for) }),
    isComplete: record.complete ?? true,
    confidence: record.confidence,
    passports: record.passports ?? null,
    destinations: record.destinations,
    ...toProvenance(record),
  }
}

function toWaiver(record: WaiverRecord): WaiverFacts {
  return {
    held: toDocuments(record.held),
    requirement: record.requirement as WaiverFacts["requirement"],
    days: record.days ?? null,
    conditions: record.conditions === undefined ? undefined : toConditions(record.conditions),
    ...toRuleEnd(record),
  }
}

function toStayRule(record: StayRuleRecord): StayRuleFacts {
  return {
    kind: record.kind as StayRuleFacts["kind"],
    zone: record.zone ?? null,
    agreement: record.agreement ?? null,
    days: record.days ?? null,
    months: record.months ?? null,
    windowDays: record.window_days ?? null,
    visitDays: record.visit_days ?? null,
    daysOutside: record.days_outside ?? null,
    neighbours: record.neighbours ?? null,
    readmissionDays: record.readmission_days ?? null,
    firstDayCounted: record.first_day_counted ?? true,
    requirements: record.requirements as StayRuleFacts["requirements"],
    ...toRuleEnd(record),
  }
}

function toBorderRule(record: BorderRuleRecord): BorderRuleFacts {
  const own = Object.entries(record).filter(([name]) => name !== "requirements" && !Object.hasOwn(RULE_END, name))
  return {
    terms: camelKeys(Object.fromEntries(own)) as BorderRuleFacts["terms"],
    requirements: record.requirements as BorderRuleFacts["requirements"],
    ...toRuleEnd(record),
  }
}

function toKindRule({ kinds, requirement, days, basis, residents, ...record }: KindRuleRecord): KindRuleFacts {
  return {
    kinds: kinds as KindRuleFacts["kinds"],
    requirement: requirement as KindRuleFacts["requirement"],
    days: days ?? null,
    basis: basis as KindRuleFacts["basis"],
    residents,
    requirements: record.requirements as KindRuleFacts["requirements"],
    ...toRuleEnd(record),
  }
}

function toChange({ destination, on, change, passports, ...record }: ChangeRecord): ChangeFact {
  return { destination, on, change, passports, ...toProvenance(record) }
}

function toCorroboration({ destination, checks }: CorroborationRecord): CorroborationFacts {
  return {
    destination,
    checks: checks.map(({ source, source_url, checked_on, says, silent, reasons }) => ({
      source,
      sourceUrl: source_url,
      checkedOn: checked_on,
      says: says.map(({ requirement, days = null, passports }) => ({
        requirement,
        days,
        passports,
      })) as CheckFacts["says"],
      silent,
      reasons,
    })),
  }
}

/** What every rule has beside its own terms. */
function toRuleEnd(record: RuleEnd) {
  const { passports, except, from = null, until = null, note = null, confidence, destinations } = record
  return { passports, except, from, until, note, confidence, destinations, ...toProvenance(record) }
}

function toProvenance(record: Pick<ZoneRecord, "source" | "source_url" | "verified_on">) {
  return { source: record.source, sourceUrl: record.source_url, verifiedOn: record.verified_on }
}

/** Translates one bloc. */
function toBloc(record: BlocRecord): Bloc {
  return {
    id: record.id,
    freedomOfMovement: record.freedom_of_movement,
    members: record.members.map(({ code, from, until }) => ({ code, from: from ?? null, until: until ?? null })),
  }
}

/** Translates one policy. */
export function toPolicy(record: PolicyRecord): Policy {
  return {
    destination: record.destination,
    follows: record.follows ?? null,
    defaults: record.default.map(toTerms),
    rules: record.rules.map(toRule),
    reviewed: (record.reviewed ?? []).map(toRule),
    conditions: record.conditions === undefined ? undefined : toConditions<PolicyCondition>(record.conditions),
    note: record.note ?? null,
  }
}

function toRule(record: RuleRecord): Rule {
  return { ...toTerms(record), passports: record.passports }
}

// Whether the words are requirements and bases is checked by the engine, which names every mistake in one way.
function toTerms(record: TermsRecord): Terms {
  return {
    requirement: record.requirement as Terms["requirement"],
    days: record.days ?? null,
    from: record.from ?? null,
    until: record.until ?? null,
    basis: (record.basis ?? null) as Terms["basis"],
    bloc: record.bloc ?? null,
    source: record.source,
    sourceUrl: record.source_url ?? null,
    verifiedOn: record.verified_on,
    conditions: record.conditions === undefined ? undefined : toConditions(record.conditions),
    note: record.note ?? null,
  }
}

/** Turns the engine's refusal into one that names the files. */
export function nameFiles(folder: string, error: FactsError): DataError {
  return DataError.of(
    error.issues.map(({ record, field, message }) => ({ file: join(folder, `${record}.json`), field, message })),
  )
}
