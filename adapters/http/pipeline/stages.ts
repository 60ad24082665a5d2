/**
 * The stages that need only the row: its parameters, the body, the language, the question, and the answer. The service and the edge both
 * use them; other stages decide who may call and what it costs.
 */

import type { Dataset } from "../../../src/engine.ts"
import type { Language, LocalisedFacts } from "../../../src/full.ts"
import type { Endpoint, MeteredAnswer } from "./endpoint.ts"
import { readPathValues } from "./endpoint-table.ts"
import type { Exchange } from "./exchange.ts"
import { isSuccess } from "./http-answer.ts"
import { KeptAnswers } from "./kept-answers.ts"
import { Later, mapLater, NO_ROOM, Refused, type StageOutcome, waitFor, waitForBody, waitForRoom } from "./later.ts"
import type { LongWork } from "./long-work.ts"
import { readParameters } from "./parameters.ts"
import { MAXIMUM_BODY_BYTES, type Stage } from "./pipeline.ts"
import type { Problem } from "./surface.ts"

/** The row of a request that has reached its stages. */
export function rowOf({ endpoint }: Exchange): Endpoint {
  if (endpoint === undefined) throw new Error("a stage ran before the row was found")
  return endpoint
}

/** Decodes the parameters, or names every mistake. */
export const decodeParameters: Stage = exchange => {
  const { known, rawQuery, request } = exchange
  const segments = known?.segments ?? null
  // Parameters of the path are not read from the query.
  const raw = segments === null ? rawQuery : { ...rawQuery, ...readPathValues(segments, request.path) }
  const read = readParameters(rowOf(exchange).parameters, raw)
  if (!read.ok) return new Refused({ kind: "bad_request", issues: read.issues })
  exchange.query = read.values
  return undefined
}

const NO_ROOM_FOR_BODY: Problem = {
  kind: "unavailable",
  message: "Too many bodies are under way. Send fewer at a time.",
  retryAfterSeconds: 1,
}

/** Waits for the body, if the row takes one. */
export const readBody: Stage = exchange => {
  if (rowOf(exchange).takesBody !== true) return undefined
  return waitForBody(body => {
    if (body === NO_ROOM) return new Refused(NO_ROOM_FOR_BODY)
    if (!body.isWhole) return new Refused({ kind: "too_large", maximumBytes: MAXIMUM_BODY_BYTES })
    exchange.body = body.text
    return undefined
  })
}

/** The source of a language's messages. */
export interface LocalisedFactsSource {
  /** The messages that are loaded already. */
  readonly peek: (dataset: Dataset, language: Language) => LocalisedFacts | undefined
  readonly load: (dataset: Dataset, language: Language) => Promise<LocalisedFacts>
}

/** Loads the language of the question; waits if it is used for the first time. */
export function openLanguage(localisedFacts: LocalisedFactsSource): Stage {
  return exchange => {
    const language = rowOf(exchange).language?.(exchange.query)
    if (language === undefined) return undefined
    const localised = localisedFacts.peek(exchange.dataset, language)
    if (localised === undefined) {
      return waitFor(localisedFacts.load(exchange.dataset, language), loaded => {
        exchange.localised = loaded
        return undefined
      })
    }
    exchange.localised = localised
    return undefined
  }
}

export const readQuestion: Stage = exchange => {
  const row = rowOf(exchange)
  if (row.read === undefined) {
    exchange.question = exchange.query
    return undefined
  }
  const read = row.read({ query: exchange.query, body: exchange.body }, exchange)
  if (!read.ok) return read.answer
  exchange.question = read.question
  return undefined
}

/** Answers a question by its row. */
export type Answerer = (exchange: Exchange) => MeteredAnswer | Later

/** What is kept, and what waits. */
export interface AnswererOptions {
  /** Whether answers are kept for repeated questions; true by default. */
  readonly keepsAnswers?: boolean
  /** The turns of questions that take long; without them all are answered at once. */
  readonly longWork?: LongWork
}

/** Answers by the row, or with the kept answer to the same question. */
export function makeAnswerer({ keepsAnswers = true, longWork }: AnswererOptions = {}): Answerer {
  const kept = new KeptAnswers()

  return exchange => {
    const row = rowOf(exchange)
    const name = keepsAnswers ? row.keepAs?.(exchange.question, exchange) : undefined
    if (name === undefined) {
      const answer = () => row.answer(exchange.question, exchange)
      if (longWork && row.takesLong?.(exchange.question)) return longWork.answer(exchange, answer)
      return row.isLarge === true ? waitForRoom(exchange, answer) : answer()
    }
    const known = kept.find(row, exchange.dataset, name)
    if (known !== undefined) return known
    const keep = (answer: StageOutcome) =>
      answer !== undefined && "body" in answer && typeof answer.body === "string" && isSuccess(answer)
        ? kept.keep(row, exchange.dataset, name, { ...answer, body: answer.body })
        : answer
    const answer = row.answer(exchange.question, exchange)
    return (answer instanceof Later ? mapLater(answer, keep) : keep(answer)) as MeteredAnswer | Later
  }
}
