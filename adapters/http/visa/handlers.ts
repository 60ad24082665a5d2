/** Joins the visa service's endpoints to their answers. */
import { Clock, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { Dataset } from "../../../src/index.ts"
import type { Charge } from "../../metering/ledger.ts"
import { wantsMarkdown } from "../accept.ts"
import { senderOf, Visitor } from "../access.ts"
import { type Answer, isSuccess, toResponse } from "../answer.ts"
import { landfallApi } from "../api.ts"
import { Backend, type BackendShape } from "../backend.ts"
import { answerRefusal, answerReserved } from "../metered.ts"
import { answerChanges } from "./changes.ts"
import { answerCheck, type PairQuestion } from "./check.ts"
import { readDecision } from "./decision.ts"
import { answerGroup } from "./group.ts"
import { answerRecent, streamLive } from "./live.ts"
import { answerComparison, answerScore } from "./score.ts"
import { answerStats } from "./stats.ts"

/** Answers a question that costs, for a caller with a key or for a keyless visitor. */
const answerCharged = Effect.fnUntraced(function* (
  { meter, keyless }: BackendShape,
  request: HttpServerRequest.HttpServerRequest,
  charge: Charge,
  answer: (nowMs: number) => Answer & { readonly charge?: number },
) {
  const { caller } = yield* Visitor
  if (caller === null) {
    const nowMs = yield* Clock.currentTimeMillis
    return keyless.refuse(senderOf(request), nowMs) ?? answer(nowMs)
  }
  const held = yield* Effect.orDie(meter.reserveLoaded(caller, charge))
  const nowMs = yield* Clock.currentTimeMillis
  return held.ok ? answerReserved(held, caller, nowMs, () => answer(nowMs)) : answerRefusal(held, caller, nowMs)
})

const visaHandlers = HttpApiBuilder.group(
  landfallApi,
  "visa",
  Effect.fnUntraced(function* (handlers) {
    const backend = yield* Backend
    return handlers
      .handle("check", ({ query, request }) => {
        const { passport, destination } = query
        const question: PairQuestion = { ...query, wantsMarkdown: wantsMarkdown(request.headers.accept) }
        return Effect.map(
          answerCharged(backend, request, { charge: 1, passport, destinations: destination }, nowMs => {
            const answer = answerCheck(backend.today(nowMs), question)
            if (isSuccess(answer)) backend.activity.record(passport, destination, nowMs)
            return answer
          }),
          toResponse,
        )
      })
      .handleRaw("decision", ({ request }) =>
        Effect.gen(function* () {
          const text = yield* Effect.orDie(request.text)
          const read = readDecision(backend.today(yield* Clock.currentTimeMillis), text)
          if (!read.ok) return toResponse(read.answer)
          return toResponse(
            yield* answerCharged(backend, request, { charge: read.charge, ...read.questions }, read.answer),
          )
        }),
      )
      .handle("group", ({ query, request }) =>
        Effect.map(
          answerCharged(backend, request, { charge: 1 }, nowMs => answerGroup(backend.today(nowMs), query)),
          toResponse,
        ),
      )
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
