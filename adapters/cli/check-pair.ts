/**
 * What does `landfall check` print for a pair, and what do `check` and `find` answer before the command line is loaded?
 *
 * These are plain functions without Effect, because `direct.ts` answers with them before anything else of the command line is loaded.
 */
import type { ConditionField, Language } from "../../src/full.ts"
import {
  type Dataset,
  describePair,
  type Evidence,
  embeddedDataset,
  type Found,
  type LookupOptions,
  needsVisa,
  type PairDescription,
} from "../../src/index.ts"
import { nameInEnglish } from "../answers/english-names.ts"
import { findCode, openFinder, tableOfCountries } from "./find-code.ts"
import { paintWords, type Screen, table, wrapText, writeBlocks } from "./print.ts"

/** A pair, and how to answer. */
export interface Asked {
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
  const { loadLocale, writeTerms, ...full } = await import("../../src/full.ts")
  const locale = await loadLocale(language ?? "en")
  return { terms: writeTerms({ dataset, locale }, pair), locale, full }
}

/** The record of a pair that machines read. */
export async function writeCheck(dataset: Dataset, pair: PairDescription, { language }: Asked) {
  const { terms } = await writePair(dataset, pair, language)
  return { passport: pair.passport, destination: pair.destination, on: pair.on, ...describeLookup(pair), ...terms }
}

/** The lines of a pair that people read. */
export async function layOutCheck(
  dataset: Dataset,
  pair: PairDescription,
  { language, nowMs }: Asked,
  screen: Screen,
): Promise<string> {
  const wrap = (text: string) => wrapText(text, screen.columns, "  ")
  const warning = warnOfAge(dataset, nowMs)
  if (language !== null) return wrap([await describeIn(dataset, pair, language), ...warning].join("\n"))
  const conditions = hasSentences(pair) ? ((await writePair(dataset, pair, null)).terms.conditions ?? []) : []
  const lines = [sayPair(pair, screen), ...listTerms(pair, conditions), disclaim(pair.answer), ...warning]
  return wrap(lines.join("\n"))
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
function sayPair({ passport, destination, on, answer, evidence, sourceUrl }: PairDescription, screen: Screen): string {
  const stay = answer.days === null ? "" : `, up to ${answer.days} days`
  const pair = `${nameInEnglish(passport)} (${passport}) → ${nameInEnglish(destination)} (${destination})`
  const requirement = paintWords(screen, answer.requirement)
  const lines = [`${pair} on ${on}: ${requirement}${answer.home ? " (home)" : stay}`]
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

function disclaim(answer: Found): string {
  return `dataset: ${answer.datasetVersion}. Data, not legal advice.`
}

/** A call of the command line that is answered before its parser is loaded. */
export interface Call {
  readonly words: readonly string[]
  readonly on: string | undefined
  readonly json: boolean
}

const writeJson = (value: unknown): string => JSON.stringify(value, null, 2)

/** The answer of `landfall check`; null where the whole command line has to answer. */
export async function check({ words, on, json }: Call, screen: Screen): Promise<string | null> {
  const [from, to] = words
  if (from === undefined || to === undefined || words.length > 2) return null
  const dataset = embeddedDataset()
  const passport = await findCode(dataset, from, "passport")
  const destination = await findCode(dataset, to, "destination")
  if (!passport.ok || !destination.ok) return null
  const countries = { passport: passport.code, destination: destination.code }
  const asked = { ...countries, options: { on }, language: null, nowMs: Date.now() }
  const pair = findPair(dataset, asked)
  if (pair.kind !== "found") return null
  return json ? writeJson(await writeCheck(dataset, pair, asked)) : layOutCheck(dataset, pair, asked, screen)
}

/** The answer of `landfall find`; null where the whole command line has to answer. */
export async function find({ words, on, json }: Call, screen: Screen): Promise<string | null> {
  const [text] = words
  if (text === undefined || words.length > 1 || on !== undefined) return null
  const { search } = await openFinder()
  const countries = search(text)
  if (countries.length === 0) return null
  return json ? writeJson({ countries }) : writeBlocks(screen, [table(...tableOfCountries(countries))])
}
