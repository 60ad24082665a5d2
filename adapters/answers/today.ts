/**
 * Which rules hold today?
 *
 * Rules begin and end on days, so a new view of the dataset is made whenever the UTC day changes: a dated rule takes effect at
 * midnight without a new dataset and without a restart. A newly installed dataset replaces the one before at once.
 */
import { type Dataset, datasetOn } from "../../src/engine.ts"
import {
  continueHistory,
  type Language,
  type ListInstalled,
  type Locale,
  type LocalisedFacts,
  type LocalisedFactsParts,
  loadFullFacts,
  loadHistory,
  loadLocale,
  loadMissions,
  openLocalisedFacts,
  readDatasetFacts,
} from "../../src/full.ts"
import { utcDayAt, utcDayPeriod } from "../time/utc-calendar.ts"

/** The view of a dataset for the UTC day of an instant (epoch milliseconds). */
export type TodayView = (nowMs: number) => Dataset

/** Makes the view that follows the days. For a day before the dataset's first, its own day is used. */
export function makeTodayView(read: () => Dataset): TodayView {
  let day = utcDayPeriod(0)
  let dataset: Dataset | undefined
  let view = read()
  return nowMs => {
    const present = read()
    if (present !== dataset || nowMs < day.startsAt || nowMs >= day.endsAt) {
      day = utcDayPeriod(utcDayAt(nowMs))
      dataset = present
      const result = datasetOn(dataset, day.name)
      view = result.ok ? result.value : dataset
    }
    return view
  }
}

// Where are the localised facts that records are assembled from?
// One value a language and dataset, opened at its first use. A dataset with facts of its own uses these, any other those of the
// program. They are loaded once, as languages are, so that after a change of day or dataset the facts are there at once.

type Told = Required<Pick<LocalisedFactsParts, "facts" | "missions" | "history">>

/** The facts of every language that was asked for. */
export class LocalisedFactsCache {
  readonly #listInstalled: ListInstalled | undefined
  readonly #locales = new Map<Language, Locale>()
  readonly #localised = new WeakMap<Dataset, Map<Language, LocalisedFacts>>()
  /** The program's own facts; null until they are loaded. */
  #own: Told | null = null

  /** `listInstalled`: what installed datasets have changed, for the history that records show; nothing where it is left out. */
  constructor(listInstalled?: ListInstalled) {
    this.#listInstalled = listInstalled
  }

  /** Returns localised facts without waiting; undefined if they are not loaded: use {@link load}. */
  peek(dataset: Dataset, language: Language): LocalisedFacts | undefined {
    const known = this.#localised.get(dataset)?.get(language)
    if (known !== undefined) return known
    const locale = this.#locales.get(language)
    return locale === undefined ? undefined : this.#open(dataset, locale)
  }

  /** Returns localised facts, and loads their language first if necessary. Rejects if a language cannot be loaded. */
  async load(dataset: Dataset, language: Language): Promise<LocalisedFacts> {
    const known = this.peek(dataset, language)
    if (known !== undefined) return known
    const [locale, facts, missions, history] = await Promise.all([
      loadLocale(language),
      loadFullFacts(),
      loadMissions(),
      loadHistory(),
    ])
    this.#own = { facts, missions, history }
    this.#locales.set(language, locale)
    return this.#open(dataset, locale)
  }

  #open(dataset: Dataset, locale: Locale): LocalisedFacts {
    const { facts, missions, history } = this.#factsOf(dataset)
    const listInstalled = this.#listInstalled
    const continued =
      listInstalled === undefined || history === undefined
        ? history
        : continueHistory(history, listInstalled, dataset.asOf)
    const localised = openLocalisedFacts({ dataset, facts, locale, missions, history: continued })
    const localisedFacts = this.#localised.get(dataset) ?? new Map<Language, LocalisedFacts>()
    this.#localised.set(dataset, localisedFacts.set(locale.language, localised))
    return localised
  }

  #factsOf(dataset: Dataset): Told {
    const read = readDatasetFacts(dataset)
    if (!read.ok) throw new Error(read.error.message)
    const told = read.value ?? this.#own
    if (told === null) throw new Error("localised facts were opened before they were loaded")
    return told
  }
}
