/** What is recorded of a pair, in the reader's language? Facts, history and the language are loaded at the first record, and kept. */
import {
  assembleFullRecord,
  type FullFacts,
  type FullRecord,
  type Language,
  type Locale,
  type MissionFact,
} from "landfall/full"
import { useEffect, useState } from "preact/hooks"
import { pairsDataset } from "../answers.ts"
import { PLACES } from "../places.ts"
import { readToday } from "../today.ts"
import { withFacts } from "./facts.ts"

/** A record that arrived, with its language's own words. */
export interface OpenedRecord {
  /** Null where nothing is recorded. */
  readonly record: FullRecord | null
  readonly locale: Locale
  /** The facts of the two countries. */
  readonly facts: FullFacts
  /** The day that the missions are known of. */
  readonly missionsAsOf: string
  /** The destination's missions by the country that they are in. */
  readonly hosts: ReadonlyMap<string, readonly MissionFact[]>
  /** The missions of the passport's country in the destination. */
  readonly own: readonly MissionFact[]
}

export interface RecordQuestion {
  /** The day of the record; null for today. */
  readonly on: string | null
  readonly language: Language
  readonly passport: string
  readonly destination: string
}

/** The records that were opened last, so that a view that is opened again has its record at once. */
const KEPT = 8
const kept = new Map<string, OpenedRecord>()

const keyOf = ({ on, language, passport, destination }: RecordQuestion): string =>
  `${passport} ${destination} ${pairsDataset().version} ${on ?? readToday()} ${language}`

/** Opens a record and keeps it. Rejects where a part of it cannot be loaded. */
export async function openRecord(question: RecordQuestion): Promise<OpenedRecord> {
  const { on, language, passport, destination } = question
  const { remarkedViewOn } = await import("../remarked-dataset.ts")
  const dataset = remarkedViewOn(on)
  const wanted = { dataset, language, countries: [passport, destination] }
  const opened = await withFacts(wanted, (localised, missions) => ({
    record: assembleFullRecord(localised, passport, destination),
    locale: localised.locale,
    facts: localised.facts,
    missionsAsOf: missions.asOf,
    hosts: new Map(
      PLACES.filter(({ code }) => missions.hasIn(destination, code)).map(({ code }) => [
        code,
        missions.listMissions(destination, code),
      ]),
    ),
    own: missions.listMissions(passport, destination),
  }))
  const [oldest] = kept.keys()
  if (kept.size >= KEPT && oldest !== undefined) kept.delete(oldest)
  kept.set(keyOf(question), opened)
  return opened
}

/** Opens a record while a view is shown: null until it arrives, and `failed` where it cannot be loaded. */
export function useRecord(question: RecordQuestion): OpenedRecord | "failed" | null {
  const asked = keyOf(question)
  const [ended, setEnded] = useState<{ readonly of: string; readonly hasFailed: boolean } | null>(null)
  useEffect(() => {
    if (kept.has(asked)) return
    let isWanted = true
    const end = (hasFailed: boolean) => {
      if (isWanted) setEnded({ of: asked, hasFailed })
    }
    openRecord(question).then(
      () => end(false),
      () => end(true),
    )
    return () => {
      isWanted = false
    }
  }, [asked])
  return kept.get(asked) ?? (ended?.of === asked && ended.hasFailed ? "failed" : null)
}
