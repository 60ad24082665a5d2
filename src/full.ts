/**
 * The public API of `landfall/full`: the engine with full records, in fifteen languages.
 *
 * Facts, missions, history and each language are modules of their own that are loaded at first use, so that a program loads only the languages that it needs. `landfall` itself has none of
 * this.
 */

import type { Dataset } from "./dataset/open.ts"
import { describe } from "./errors.ts"
import type { PlaceWords } from "./language/find-country.ts"
import { readDatasetFacts } from "./record/facts-section.ts"
import type { LocalisedFacts } from "./record/field-context.ts"
import { openLocalisedFacts } from "./record/full.ts"
import {
  type FullFacts,
  type HistoryIndex,
  type MissionIndex,
  openFullFacts,
  openHistory,
  openMissions,
} from "./record/full-facts.ts"
import { isLanguage, LANGUAGES, type Language } from "./record/languages.ts"
import { LOCALE_MODULES } from "./record/locale-modules.generated.ts"
import { type Locale, openCityNames, openLocale } from "./record/localise.ts"

export {
  completeAnnounced,
  diffPolicies,
  listAnnouncedChanges,
  type PolicyChange,
  type PolicySide,
  type PolicyTerms,
} from "./changes/policy-changes.ts"
export type { PlaceWords } from "./language/find-country.ts"
export {
  type CountryCandidate,
  type CountryFinder,
  explainMatch,
  makeCountryFinder,
} from "./language/find-country.ts"
export { type Case, listDocuments } from "./record/checklist.ts"
export { listTermSentences, sayDispute, writeDescription, writeTerms } from "./record/conditions.ts"
export { readDatasetFacts } from "./record/facts-section.ts"
export type { LocalisedFacts, LocalisedFactsParts } from "./record/field-context.ts"
export {
  CORE_FIELDS,
  FIELD_NAMES,
  type FieldName,
  showChange,
} from "./record/field-rows.ts"
export {
  assembleFullRecord,
  buildCheckRecord,
  type CheckOptions,
  FIELDS_WITHOUT_STUB,
  findCase,
  type GatedRecord,
  gateRecord,
  openLocalisedFacts,
  PLANS,
  type Plan,
} from "./record/full.ts"
export {
  continueHistory,
  type FullFacts,
  findPortal,
  type HistoryChange,
  type HistoryIndex,
  type HistorySource,
  type HistoryStep,
  type ListInstalled,
  listUnrecorded,
  MISSION_KINDS,
  type MissionFact,
  type MissionIndex,
  mergeSteps,
  openFullFacts,
  openHistory,
  openMissions,
  selectFact,
} from "./record/full-facts.ts"
export { directionOf, isLanguage, LANGUAGES, type Language } from "./record/languages.ts"
export type { Catalogue, MessageKey, Template } from "./record/localise.ts"
export { type Locale, openLocale, type PhraseValue } from "./record/localise.ts"
export { listRecordSections, type RecordSection, renderCheckMarkdown, renderMarkdown } from "./record/markdown.ts"
export { type Notice, sayNotice, sayPast } from "./record/notices.ts"
export type {
  CheckRecord,
  ConditionField,
  CoreFields,
  FullRecord,
  HistoryEntry,
  Mission,
  ProFields,
  RecordSource,
  Safety,
  SafetyOpinion,
  StarterFields,
  UpgradePreview,
  UpgradeStub,
  VisaType,
} from "./record/record-fields.ts"
export { completeToDo } from "./record/to-do.ts"
export { scoreTrust } from "./record/trust.ts"

/** Computes a promise once; a failure is not kept, so that a failed download can be retried. */
function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | null = null
  return () => {
    loading ??= load().catch((cause: unknown) => {
      loading = null
      throw cause
    })
    return loading
  }
}

/**
 * Loads the facts; the same object at every call.
 *
 * @example
 * ```ts
 * (await loadFullFacts()) === (await loadFullFacts()) // => true
 * ```
 */
export const loadFullFacts: () => Promise<FullFacts> = /* @__PURE__ */ loadOnce(async () =>
  openFullFacts((await import("./record/facts.generated.ts")).factParts),
)

/**
 * Loads the diplomatic missions (the largest part); the same object at every call.
 *
 * @example
 * ```ts
 * typeof (await loadMissions()).listMissions // => "function"
 * ```
 */
export const loadMissions: () => Promise<MissionIndex> = /* @__PURE__ */ loadOnce(async () =>
  openMissions((await import("./record/missions.generated.ts")).missionParts),
)

/**
 * Loads the changes of requirements; the same object at every call.
 *
 * @example
 * ```ts
 * (await loadHistory()).listChanges("FRA", "CHN").at(-1)?.on // => "2024-12-04"
 * ```
 */
export const loadHistory: () => Promise<HistoryIndex> = /* @__PURE__ */ loadOnce(async () =>
  openHistory((await import("./record/history.generated.ts")).historyParts),
)

/**
 * Loads the words of the package; they are in no other module.
 *
 * @example
 * ```ts
 * Object.keys(await loadPlaceWords()) // => ["names", "peoples", "places", "airports"]
 * ```
 */
export const loadPlaceWords = async (): Promise<PlaceWords> =>
  (await import("./language/place-words.generated.ts")).placeWords

const locales = /* @__PURE__ */ new Map<Language, () => Promise<Locale>>()

/**
 * Loads a language; the same object at every call. Rejects with a `RangeError` for an unknown language, and where the runtime
 * cannot load the module.
 *
 * @example
 * ```ts
 * (await loadLocale("ja")).nameCountry("JPN") // => "日本"
 * ```
 */
export async function loadLocale(language: Language): Promise<Locale> {
  if (!isLanguage(language)) throw new RangeError(`${describe(language)} is not one of ${LANGUAGES.join(", ")}.`)
  let load = locales.get(language)
  if (load === undefined) {
    load = loadOnce(async () => {
      const [facts, [{ catalogue }, { cities }]] = await Promise.all([loadFullFacts(), LOCALE_MODULES[language]()])
      return openLocale(language, catalogue, facts.alpha2Of, openCityNames(facts.cities, cities))
    })
    locales.set(language, load)
  }
  return load()
}

/** What to load besides the facts and the language. */
interface LocalisedFactsOptions {
  /** True by default. */
  readonly missions?: boolean
  /** True by default. */
  readonly history?: boolean
}

/**
 * Loads everything that records of one language over a dataset need.
 *
 * Assembling is synchronous from then on. A service keeps one value a language, and makes new ones when it opens another dataset; the modules are loaded once. Records over a dataset file
 * with its own facts use those; others use the facts of this package. Rejects as {@link loadLocale} does, and with a `RangeError` for facts that are malformed.
 *
 * @example
 * ```ts
 * const localised = await loadLocalisedFacts(embeddedDataset(), "ja")
 * assembleFullRecord(localised, "FRA", "JPN")?.requirement // => "visa_free"
 * ```
 */
export async function loadLocalisedFacts(
  dataset: Dataset,
  language: Language,
  options: LocalisedFactsOptions = {},
): Promise<LocalisedFacts> {
  const own = readDatasetFacts(dataset)
  if (!own.ok) throw new RangeError(own.error.message)
  const [locale, { facts, missions, history }] = await Promise.all([
    loadLocale(language),
    own.value ?? loadOwnFacts(options),
  ])
  return openLocalisedFacts({
    dataset,
    facts,
    locale,
    missions: options.missions === false ? undefined : missions,
    history: options.history === false ? undefined : history,
  })
}

/** The facts that come with this package. */
async function loadOwnFacts(options: LocalisedFactsOptions) {
  const [facts, missions, history] = await Promise.all([
    loadFullFacts(),
    options.missions === false ? undefined : loadMissions(),
    options.history === false ? undefined : loadHistory(),
  ])
  return { facts, missions, history }
}

export { listDocumentClasses } from "./trip/documents.ts"
