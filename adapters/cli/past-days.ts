/** How do commands answer for days before the dataset's first? From its history, which is loaded only then. */
import { Effect } from "effect"
import type { History, PastFound, PastPeriod, PastValue } from "../../src/history.ts"
import { type Dataset, datasetOn, parseCivilDate } from "../../src/index.ts"
import type { PastQuestion } from "../answers/past-pair.ts"
import { openDatasetFile, orUsage } from "./command-outcome.ts"
import { CommandFailed, failed } from "./failure.ts"
import type { Words } from "./language.ts"
import { points } from "./print.ts"

const loadHistoryEntry = Effect.promise(() => import("../../src/history.ts"))

export const openHistoryOf = (dataset: Dataset): Effect.Effect<History, CommandFailed> =>
  Effect.gen(function* () {
    const { historyOf } = yield* Effect.promise(() => import("../answers/with-past.ts"))
    const history = historyOf(dataset)
    if (!history.ok) return yield* failed(history.error.message)
    return history.value
  })

/** Opens a dataset as of a day; for a day before its first, the view of its history. */
export const openDatasetOnAnyDay = (file: string | undefined, on: string | undefined) =>
  Effect.gen(function* () {
    const dataset = yield* openDatasetFile(file)
    if (on === undefined) return dataset
    const day = parseCivilDate(on)
    if (day === null || day >= dataset.sinceDay) return yield* orUsage(datasetOn(dataset, on))
    const { pastDataset } = yield* loadHistoryEntry
    return yield* orUsage(pastDataset(yield* openHistoryOf(dataset), dataset, on))
  })

/** Answers for a pair on a past day; without a record the command ends with 1. */
export const answerPast = (dataset: Dataset, question: PastQuestion, words: Words) =>
  Effect.gen(function* () {
    const { passport, destination, on } = question
    const history = yield* openHistoryOf(dataset)
    const { lookupPast } = yield* loadHistoryEntry
    const answer = lookupPast(history, passport, destination, on)
    if (answer.kind !== "found") {
      const message = `${passport} to ${destination}: ${answer.message}`
      return yield* new CommandFailed({ message, code: "no_record", given: { passport, destination } })
    }
    const { describePast } = yield* Effect.promise(() => import("../answers/past-pair.ts"))
    return { json: describePast(question, answer), text: [points(sayPast(question, answer, words))] }
  })

/** Names a past requirement; some words of tables are not requirements of today. */
export function sayValue({ word, requirement, days }: PastValue, words: Words): string {
  if (word === "covid_ban") return `${words.requirement("no_admission")} (ban of the pandemic)`
  if (word === "e_visa_or_eta") return `${words.requirement("e_visa")} or ${words.requirement("eta")}`
  if (requirement === null) return "Hayya entry permit"
  return `${words.requirement(requirement)}${days === null ? "" : `, up to ${days} days`}`
}

function sayPast({ passport, destination, on }: PastQuestion, answer: PastFound, words: Words): string {
  const { value, or, source, status } = answer
  const pair = `${words.country(passport)} (${passport}) → ${words.country(destination)} (${destination})`
  const said = or === null ? sayValue(value, words) : `${sayValue(value, words)}; or ${sayValue(or.value, words)}`
  return [
    `${pair} on ${on}: ${said}`,
    ...(or === null
      ? [sayWhen(answer)]
      : [
          `last seen on ${answer.lastSeen}: ${sayValue(value, words)}`,
          `first seen on ${or.firstSeen.by}: ${sayValue(or.value, words)}. The days between are not recorded.`,
        ]),
    ...(answer.laterCalled === null ? [] : [`later called: ${words.requirement(answer.laterCalled)}`]),
    `source: ${source.name}, ${status === "published" ? "published by the authority" : "imported"}, not verified for this pair`,
    "Data, not legal advice.",
  ].join("\n")
}

/** Says since when and until when a value was there. */
export function sayWhen({ firstSeen, lastSeen, status }: PastPeriod): string {
  const { after, by } = firstSeen
  const verb = status === "published" ? "published" : "seen"
  if (after === null) return `${verb}: ${by} (the first list) to ${lastSeen}`
  return status === "published"
    ? `published: ${by} to ${lastSeen}`
    : `first seen: between ${after} and ${by}; last seen on ${lastSeen}`
}
