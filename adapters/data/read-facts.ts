/**
 * What do the files in `data/` say, in the engine's names?
 *
 * Reads every file that a dataset is compiled from, reports every mistake with its file and field, and translates snake_case
 * into the engine's records. The judgement whether the facts make sense is the engine's.
 */
import { join } from "node:path"
import { Option, Result, Schema } from "effect"
import type {
  Bloc,
  Facts,
  FactsError,
  Policy,
  Rule,
  Terms,
  TransitFacts,
  ValidityFacts,
  ZoneFacts,
} from "../../src/compiler.ts"
import { type FileIssue, RecordFilesError, readRecordFile, readRecordFolder } from "./record-files.ts"
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
}

/** Reads all files of a data folder, or fails with every mistake in them. */
export function readDataRecords(folder: string): Result.Result<DataRecords, RecordFilesError> {
  const issues: FileIssue[] = []
  const report = (issue: FileIssue) => issues.push(issue)
  const readList = <A>(name: string, schema: Schema.ConstraintDecoder<A>) =>
    Option.getOrElse(readRecordFile(join(folder, name), schema, report), () => null)
  const readFolder = <A>(name: string, schema: Schema.ConstraintDecoder<A>, idOf: (record: A) => string) =>
    readRecordFolder(join(folder, name), schema, idOf, report)
  const dataset = readList("dataset.json", DatasetRecord)
  const sources = readList("sources.json", Schema.Array(SourceRecord))
  const countries = readList("countries.json", Schema.Array(CountryRecord))
  const passports = readList("passports.json", Schema.Array(PassportRecord))
  const blocs = readFolder("blocs", BlocRecord, bloc => bloc.id)
  const policies = readFolder("policies", PolicyRecord, policy => policy.destination)
  const zones = readFolder("zones", ZoneRecord, zone => zone.id)
  const validity = readList("passport-validity.json", Schema.Array(ValidityRecord)) ?? []
  const transit = readList("transit.json", Schema.Array(TransitRecord)) ?? []
  if (issues.length > 0 || dataset === null || sources === null || countries === null || passports === null) {
    return Result.fail(RecordFilesError.of(issues))
  }
  return Result.succeed({ dataset, sources, countries, passports, blocs, policies, zones, validity, transit })
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
    sources: records.sources.map(({ id, name, url, imported = false, retrieved_on }) => ({
      id,
      name,
      url,
      imported,
      snapshotOn: imported ? retrieved_on : null,
    })),
    blocs: records.blocs.map(toBloc),
    policies: records.policies.map(toPolicy),
    zones: records.zones.map(toZone),
    validity: records.validity.map(toValidity),
    transit: records.transit.map(toTransit),
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
    ...toProvenance(record),
  }
}

function toTransit(record: TransitRecord): TransitFacts {
  return {
    area: record.area,
    demand: record.demand,
    hours: record.hours ?? null,
    condition: record.condition ?? null,
    isComplete: record.complete ?? true,
    confidence: record.confidence,
    passports: record.passports ?? null,
    destinations: record.destinations,
    ...toProvenance(record),
  }
}

function toProvenance(record: ZoneRecord | ValidityRecord | TransitRecord) {
  return { source: record.source, sourceUrl: record.source_url, verifiedOn: record.verified_on }
}

/** Translates one bloc. */
export function toBloc(record: BlocRecord): Bloc {
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
    verifiedOn: record.verified_on,
  }
}

/** Turns the engine's refusal into one that names the files. */
export function nameFiles(folder: string, error: FactsError): RecordFilesError {
  return RecordFilesError.of(
    error.issues.map(({ record, field, message }) => ({ file: join(folder, `${record}.json`), field, message })),
  )
}
