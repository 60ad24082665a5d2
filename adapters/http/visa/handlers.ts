/** Joins the visa service's endpoints to their answers. */
import { Clock, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { Language } from "../../../src/full.ts"
import type { Dataset } from "../../../src/index.ts"
import type { Caller } from "../../accounts/account.ts"
import type { Charge } from "../../metering/ledger.ts"
import { wantsMarkdown } from "../accept.ts"
import { refuseLanguage, senderOf, Visitor } from "../access.ts"
import { type Answer, isSuccess, toResponse } from "../answer.ts"
import { landfallApi } from "../api.ts"
import { Backend, type BackendShape } from "../backend.ts"
import { answerRefusal, answerReserved } from "../metered.ts"
import { type BulkQuestion, weighBulk } from "./bulk.ts"
import { answerChanges } from "./changes.ts"
import { answerCheck } from "./check.ts"
import { readDecision } from "./decision.ts"
import { answerGroup, type GroupQuestion } from "./group.ts"
import { DEFAULT_LANGUAGE } from "./languages.ts"
import { answerRecent, streamLive } from "./live.ts"
import type { PairQuestion } from "./pair.ts"
import { answerComparison, answerScore } from "./score.ts"
import { answerStats } from "./stats.ts"
import { answerVisa } from "./visa.ts"

type Request = HttpServerRequest.HttpServerRequest

/** An answer that may say what it came to, where that is less than what was reserved. */
type MeteredAnswer = Answer & { readonly charge?: number }

interface InLanguage {
  readonly lang?: Language | undefined
}

/** Each endpoint that takes a key, from a decoded request to its answer. */
const makeAnswers = (backend: BackendShape) => {
  const { activity, keyless, library, meter, plans, site, today } = backend

  /** Charges a caller with a key, or counts a keyless visitor, and answers. */
  const answerCharged = Effect.fnUntraced(function* (request: Request, charge: Charge, answer: () => MeteredAnswer) {
    const { caller } = yield* Visitor
    if (caller === null) return keyless.refuse(senderOf(request), yield* Clock.currentTimeMillis) ?? answer()
    const held = yield* Effect.orDie(meter.reserveLoaded(caller, charge))
    const nowMs = yield* Clock.currentTimeMillis
    return held.ok ? answerReserved(held, caller, nowMs, answer) : answerRefusal(held, caller, nowMs)
  })

  /** Charges for one pair, and tells whoever listens. */
  const answerPair = Effect.fnUntraced(function* (request: Request, pair: PairQuestion, answer: () => Answer) {
    const { passport, destination } = pair
    const answered = yield* answerCharged(request, { charge: 1, passport, destinations: destination }, answer)
    if (isSuccess(answered)) activity.record(passport, destination, yield* Clock.currentTimeMillis)
    return answered
  })

  const openBook = (language: Language) =>
    Effect.flatMap(Clock.currentTimeMillis, nowMs => library.load(today(nowMs), language))

  /** Opens the book of a language for a caller whose plan has it. */
  const inLanguage = Effect.fnUntraced(function* (
    { lang = DEFAULT_LANGUAGE }: InLanguage,
    answer: (
      book: Effect.Success<ReturnType<typeof openBook>>,
      caller: Caller,
    ) => Effect.Effect<Answer, never, Visitor>,
  ) {
    const { caller } = yield* Visitor
    if (caller === null) return yield* Effect.die("the endpoint lets visitors without a key in")
    return refuseLanguage(lang, backend, caller) ?? (yield* answer(yield* openBook(lang), caller))
  })

  return {
    check: (request: Request, pair: PairQuestion) =>
      Effect.flatMap(openBook(DEFAULT_LANGUAGE), book =>
        answerPair(request, pair, () => answerCheck(book, pair, site)),
      ),

    visa: (request: Request, pair: PairQuestion & InLanguage) =>
      inLanguage(pair, (book, { plan }) =>
        answerPair(request, pair, () => answerVisa(book, pair, { plan: plan.id, site })),
      ),

    bulk: (request: Request, question: BulkQuestion & InLanguage) =>
      inLanguage(question, (book, { plan }) => {
        const { atLeast, destinations, answer } = weighBulk(book, question, { plan: plan.id, site }, plans)
        return answerCharged(request, { charge: atLeast, passport: question.passport, destinations }, answer)
      }),

    group: (request: Request, question: GroupQuestion) =>
      Effect.flatMap(Clock.currentTimeMillis, nowMs =>
        answerCharged(request, { charge: 1 }, () => answerGroup(today(nowMs), question)),
      ),

    decision: Effect.fnUntraced(function* (request: Request) {
      const text = yield* Effect.orDie(request.text)
      const read = readDecision(today(yield* Clock.currentTimeMillis), text)
      if (!read.ok) return read.answer
      // A request at least has to be left, so that a spent quota is noticed before the records are looked for.
      const charge = { charge: Math.max(1, read.charge), ...read.questions }
      return yield* answerCharged(request, charge, () => ({ ...read.answer(), charge: read.charge }))
    }),
  }
}

const visaHandlers = HttpApiBuilder.group(
  landfallApi,
  "visa",
  Effect.fnUntraced(function* (handlers) {
    const answers = makeAnswers(yield* Backend)
    const pairOf = <Query>(request: Request, query: Query) => ({
      ...query,
      wantsMarkdown: wantsMarkdown(request.headers.accept),
    })
    return handlers
      .handle("visa", ({ query, request }) => Effect.map(answers.visa(request, pairOf(request, query)), toResponse))
      .handle("check", ({ query, request }) => Effect.map(answers.check(request, pairOf(request, query)), toResponse))
      .handle("bulk", ({ query, request }) => Effect.map(answers.bulk(request, query), toResponse))
      .handle("group", ({ query, request }) => Effect.map(answers.group(request, query), toResponse))
      .handleRaw("decision", ({ request }) => Effect.map(answers.decision(request), toResponse))
  }),
)

const visaPublicHandlers = HttpApiBuilder.group(
  landfallApi,
  "visaPublic",
  Effect.fnUntraced(function* (handlers) {
    const backend = yield* Backend
    /** Answers from the dataset as it is today. */
    const answerToday = (answer: (dataset: Dataset) => Answer) =>
      Effect.map(Clock.currentTimeMillis, nowMs => toResponse(answer(backend.today(nowMs))))
    return handlers
      .handle("stats", () => answerToday(answerStats))
      .handle("changes", () => Effect.sync(() => toResponse(answerChanges(backend.site))))
      .handle("score", ({ query }) => answerToday(dataset => answerScore(dataset, query.passport)))
      .handle("compare", ({ query }) => answerToday(dataset => answerComparison(dataset, query)))
      .handle("live", () => Effect.sync(() => streamLive(backend)))
      .handle("liveRecent", () => Effect.sync(() => toResponse(answerRecent(backend.activity))))
  }),
)

/** The handlers of both groups. */
export const visaLayer = Layer.mergeAll(visaHandlers, visaPublicHandlers)
