/**
 * `landfall check FRA JPN`: what is known of one pair. `landfall find guinea`: the codes of countries, by their names.
 *
 * These are the most frequent questions: all that only some of their answers need is loaded when it is needed.
 */
import type { ConditionField, Language } from "../../src/full.ts"
import {
  type Dataset,
  describePair,
  type Evidence,
  type LookupOptions,
  needsVisa,
  type PairDescription,
} from "../../src/index.ts"
import { nameInEnglish } from "../answers/english-names.ts"
import { findSampleDay } from "../time/utc-calendar.ts"
import { argument } from "./command.ts"
import { failed } from "./failure.ts"
import { openFinder } from "./find-code.ts"
import { country, day, loadFull, makeQuestion, openDatasetWhole, orRecord, readLanguage } from "./inputs.ts"
import { points } from "./print.ts"

export const check = makeQuestion("check", {
  examples: {
    [`landfall check FRA JPN --on ${findSampleDay(Date.now())}`]: "A French passport to Japan on a day",
    "landfall check FRA CHN --on 2023-06-01": "What tables showed on a past day",
    "landfall check french japan": "The same by words, in any of fifteen languages",
    "landfall check IND DEU --lang hi": "The answer in Hindi",
    "landfall check FRA JPN --json": "For programs",
  },
  takes: { passport: country("FRA"), destination: country("JPN"), on: day },
  opens: openDatasetWhole,
  async run({ passport, destination, on, lang, dataset, words, json }) {
    const language = lang === undefined ? null : await readLanguage(lang)
    const asked = { passport, destination, options: { on }, language, nowMs: Date.now() }
    const looked = findPair(dataset, asked)
    if (looked.kind === "no_record" && looked.reason === "before_dataset" && on !== undefined) {
      const { answerPast } = await import("./question-commands.ts")
      return answerPast(dataset, { passport, destination, on }, words)
    }
    const pair = orRecord(looked, { passport, destination })
    // One of the two is made, because its words take longer to load than the answer to find.
    if (json) return { json: await writeCheck(dataset, pair, asked), text: [] }
    return { json: null, text: [points(await layOutCheck(dataset, pair, asked))] }
  },
})

export const find = makeQuestion("find", {
  examples: {
    "landfall find guinea": "Every country with that word in its name",
    "landfall find dominican --json": "The people of two countries, for programs",
    "landfall find guinea --lang ja": "The names in Japanese",
  },
  takes: { text: argument("The name of a country or of its people, a part of a name, or a code") },
  async run({ text, lang, dataset, words }) {
    const { search } = await openFinder(dataset)
    const found = search(text)
    if (found.length === 0) {
      const message = `no country is called ${JSON.stringify(text.slice(0, 100))}`
      throw failed(message, { code: "not_found", field: "text", given: text })
    }
    const countries = lang === undefined ? found : found.map(one => ({ ...one, name: words.country(one.code) }))
    const isByPlace = countries.some(({ via }) => via !== undefined)
    return { json: { countries }, columns: { countries: isByPlace ? "code name via" : "code name" } }
  },
})

/** A pair, and how to answer. */
interface Asked {
  readonly passport: string
  readonly destination: string
  readonly options: LookupOptions
  /** Null for English names and the engine's own words. */
  readonly language: Language | null
  /** Epoch milliseconds: how old the dataset is depends on today. */
  readonly nowMs: number
}

/** After how many days a dataset is called old. */
const OLD_DATASET_DAYS = 90

// Conditions, waivers and notes are sentences of a catalogue, which is not loaded for a pair without any.
const hasSentences = ({ conditions, waivers, notes }: PairDescription): boolean =>
  conditions.length + waivers.length + notes.length > 0

/** Loads the words for a pair's conditions, only for pairs that have some. */
async function writePair(dataset: Dataset, pair: PairDescription, language: Language | null) {
  const { loadLocale, writeTerms, ...full } = await loadFull()
  const locale = await loadLocale(language ?? "en")
  return { terms: writeTerms({ dataset, locale }, pair), locale, full }
}

/** The record of a pair that machines read. */
async function writeCheck(dataset: Dataset, pair: PairDescription, { language }: Asked) {
  const { terms } = await writePair(dataset, pair, language)
  return { passport: pair.passport, destination: pair.destination, on: pair.on, ...describeLookup(pair), ...terms }
}

/** The lines of a pair that people read. */
export async function layOutCheck(
  dataset: Dataset,
  pair: PairDescription,
  { language, nowMs }: Asked,
): Promise<string> {
  const warning = warnOfAge(dataset, nowMs)
  if (language !== null) return [await describeIn(dataset, pair, language), ...warning].join("\n")
  const conditions = hasSentences(pair) ? ((await writePair(dataset, pair, null)).terms.conditions ?? []) : []
  const disclaimer = `dataset: ${pair.answer.datasetVersion}. Data, not legal advice.`
  return [sayPair(pair), ...listTerms(pair, conditions), disclaimer, ...warning].join("\n")
}

/** Looks a pair up and describes it. */
export const findPair = (dataset: Dataset, { passport, destination, options }: Asked) =>
  describePair(dataset, passport, destination, options)

async function describeIn(dataset: Dataset, pair: PairDescription, language: Language): Promise<string> {
  const { terms, locale, full } = await writePair(dataset, pair, language)
  const { answer, passport, destination, on } = pair
  const dispute = full.sayDispute(locale, terms)
  return [
    `${locale.nameCountry(passport)} (${passport}) → ${locale.nameCountry(destination)} (${destination}), ${locale.formatValue({ on })}`,
    full.writeDescription(locale, answer, destination),
    ...(terms.conditions ?? []).map(({ text }) => text),
    ...full.listTermSentences(locale, terms),
    ...(dispute === null ? [] : [dispute]),
    locale.label(locale.say({ key: "label.sources" }), answer.source?.name ?? "–"),
    `${locale.say({ key: "label.disclaimer" })} (${answer.datasetVersion})`,
  ].join("\n")
}

function describeLookup({ answer, sourceUrl }: PairDescription) {
  const { source } = answer
  return {
    requirement: answer.requirement,
    visa_free_days: answer.days,
    visa_required: needsVisa(answer.requirement),
    ...(answer.home ? { home: true } : {}),
    ...(answer.uncertain ? { requirement_status: "uncertain" } : {}),
    basis: answer.basis,
    bloc: answer.bloc,
    follows: answer.follows,
    source: source === null ? null : { id: source.id, name: source.name, url: sourceUrl ?? source.url },
    last_verified: answer.verifiedOn,
    dataset_version: answer.datasetVersion,
  }
}

function sayEvidence(evidence: Evidence | null): string {
  const [day, tableDay] = evidence?.on == null ? ["", ""] : [` on ${evidence.on}`, `a table of ${evidence.on}, `]
  if (evidence?.level === "read") return `read on the official page${day}`
  if (evidence?.level === "cited") return day === "" ? "which names no day" : `which read the official page${day}`
  return `${tableDay}never verified for this pair`
}

/** Writes an answer as lines for a terminal. */
function sayPair({ passport, destination, on, answer, evidence, sourceUrl }: PairDescription): string {
  const stay = answer.days === null ? "" : `, up to ${answer.days} days`
  const pair = `${nameInEnglish(passport)} (${passport}) → ${nameInEnglish(destination)} (${destination})`
  const lines = [`${pair} on ${on}: ${answer.requirement}${answer.home ? " (home)" : stay}`]
  if (answer.uncertain)
    lines.push(`uncertain: it rests on the ${answer.bloc ?? "bloc"} treaty, which one of the two has left`)
  else if (answer.bloc !== null) lines.push(`basis: freedom of movement (${answer.bloc})`)
  if (answer.follows !== null) lines.push(`basis: the policy of ${answer.follows} holds here too`)
  lines.push(`source: ${answer.source === null ? "none recorded" : answer.source.name}, ${sayEvidence(evidence)}`)
  if (sourceUrl !== null && sourceUrl !== answer.source?.url) lines.push(`page: ${sourceUrl}`)
  return lines.join("\n")
}

function listTerms(pair: PairDescription, conditions: readonly ConditionField[]): string[] {
  const { stayBasis, endsOn, afterExpiry, changedSince, corroboration, ageDays, stale } = pair
  const lines = conditions.map(({ kind, text }) => `${kind}: ${text}`)
  if (stayBasis !== null) lines.push("stay: the days come from the imported table alone; check the permitted stay")
  if (endsOn !== null) lines.push(`ends: announced until ${endsOn}`)
  if (afterExpiry !== null) {
    const stay = afterExpiry.days === null ? "" : `, up to ${afterExpiry.days} days`
    lines.push(
      `after expiry: ${afterExpiry.requirement}${stay} was announced until ${afterExpiry.endedOn}; nothing newer is recorded`,
    )
  }
  if (changedSince !== null)
    lines.push(`changed since: ${changedSince.on}, ${changedSince.change} (${changedSince.sourceUrl})`)
  if (corroboration !== null) {
    const { agrees, isOpen, reason, requirement, days, source, checkedOn } = corroboration
    const says = agrees ? "says the same" : `says ${requirement}${days === null ? "" : `, up to ${days} days`}`
    lines.push(`${isOpen ? "disputed" : "second source"}: ${source.name} ${says}, checked on ${checkedOn}`)
    if (reason !== null) lines.push(`${isOpen ? "nothing decides" : "our answer stands"}: ${reason}`)
  }
  if (stale === "unchecked") lines.push(`stale: nobody has looked for ${ageDays} days; check it before you travel`)
  return lines
}

function warnOfAge({ asOf, version }: Dataset, nowMs: number): readonly string[] {
  const days = Math.floor((nowMs - Date.parse(asOf)) / 86_400_000)
  if (days <= OLD_DATASET_DAYS) return []
  return [`warning: dataset ${version} is ${days} days old. \`landfall dataset fetch\` brings a newer one.`]
}
