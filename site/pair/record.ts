/**
 * What is recorded of a pair, in the reader's language?
 *
 * The one place where the page asks `landfall/full`: facts, missions, history and the language are loaded at the first record, and kept.
 */
import type { Dataset } from "landfall"
import {
  assembleFullRecord,
  type FullRecord,
  type Language,
  type Locale,
  loadLocalisedFacts,
  loadMissions,
  type MissionFact,
  type MissionIndex,
} from "landfall/full"
import { useEffect, useState } from "preact/hooks"

/** A record that arrived, with its language's own words. */
export interface OpenedRecord {
  /** Null where nothing is recorded. */
  readonly record: FullRecord | null
  readonly locale: Locale
  readonly missions: MissionIndex
}

/** What is asked for. */
export interface RecordQuestion {
  readonly dataset: Dataset
  readonly language: Language
  readonly passport: string
  readonly destination: string
}

async function openRecord({ dataset, language, passport, destination }: RecordQuestion): Promise<OpenedRecord> {
  const [localised, missions] = await Promise.all([loadLocalisedFacts(dataset, language), loadMissions()])
  return { record: assembleFullRecord(localised, passport, destination), locale: localised.locale, missions }
}

/** Opens a record while a view is shown: null until it arrives, and `failed` where it cannot be loaded. */
export function useRecord({
  dataset,
  language,
  passport,
  destination,
}: RecordQuestion): OpenedRecord | "failed" | null {
  const [opened, setOpened] = useState<{ readonly of: string; readonly result: OpenedRecord | "failed" } | null>(null)
  const asked = `${passport} ${destination} ${dataset.asOf} ${language}`
  useEffect(() => {
    let isWanted = true
    const arrive = (result: OpenedRecord | "failed") => {
      if (isWanted) setOpened({ of: `${passport} ${destination} ${dataset.asOf} ${language}`, result })
    }
    openRecord({ dataset, language, passport, destination }).then(arrive, () => arrive("failed"))
    return () => {
      isWanted = false
    }
  }, [dataset, language, passport, destination])
  return opened?.of === asked ? opened.result : null
}

/** Gives every country in which another one has missions, with them. */
export function listHosts(
  missions: MissionIndex,
  operator: string,
  codes: readonly string[],
): ReadonlyMap<string, readonly MissionFact[]> {
  const hosts = codes.filter(host => missions.hasIn(operator, host))
  return new Map(hosts.map(host => [host, missions.listMissions(operator, host)]))
}
