/**
 * Which files does a dataset come from, and what does each look like?
 *
 * One list of every file that `readDataRecords` reads, with its schema and its record, so that checking how files are written, formatting
 * and looking for days of confirmation never differ in what they cover.
 */
import { Schema } from "effect"
import {
  BorderRuleRecord,
  ChangeRecord,
  CorroborationRecord,
  KindRuleRecord,
  StayRuleRecord,
  WaiverRecord,
} from "./condition-records.ts"
import type { DataRecords } from "./read-facts.ts"
import {
  BlocRecord,
  CountryRecord,
  DatasetRecord,
  PassportRecord,
  PolicyRecord,
  SourceRecord,
  TransitRecord,
  ValidityRecord,
  ZoneRecord,
} from "./records.ts"

/** A file below the data folder. */
export interface DataFile {
  readonly name: string
  readonly schema: Schema.Constraint
  readonly record: unknown
}

/** Lists the files of the records; an optional file without rows is left out. */
export function listDataFiles(records: DataRecords): readonly DataFile[] {
  const files: DataFile[] = []
  const add = (name: string, schema: Schema.Constraint, record: unknown) => files.push({ name, schema, record })
  const addOptional = (name: string, schema: Schema.Constraint, rows: readonly unknown[]) => {
    if (rows.length > 0) add(name, schema, rows)
  }
  add("dataset.json", DatasetRecord, records.dataset)
  add("sources.json", Schema.Array(SourceRecord), records.sources)
  add("countries.json", Schema.Array(CountryRecord), records.countries)
  add("passports.json", Schema.Array(PassportRecord), records.passports)
  for (const bloc of records.blocs) add(`blocs/${bloc.id}.json`, BlocRecord, bloc)
  for (const policy of records.policies) add(`policies/${policy.destination}.json`, PolicyRecord, policy)
  for (const zone of records.zones) add(`zones/${zone.id}.json`, ZoneRecord, zone)
  add("passport-validity.json", Schema.Array(ValidityRecord), records.validity)
  add("transit.json", Schema.Array(TransitRecord), records.transit)
  addOptional("waivers.json", Schema.Array(WaiverRecord), records.waivers)
  addOptional("stay-rules.json", Schema.Array(StayRuleRecord), records.stayRules)
  addOptional("border-rules.json", Schema.Array(BorderRuleRecord), records.borderRules)
  addOptional("passport-kinds.json", Schema.Array(KindRuleRecord), records.kindRules)
  addOptional("change-log.json", Schema.Array(ChangeRecord), records.changeLog)
  for (const record of records.corroboration) {
    add(`corroboration/${record.destination}.json`, CorroborationRecord, record)
  }
  return files
}
