/** `POST /api/v1/visa/decision`: does anything that is known block this itinerary? */
import { costOfRequest, type Dataset, type ReadRequest, type RequestCost } from "../../../../src/engine.ts"
import type { FullFacts } from "../../../../src/full.ts"
import { DEFAULT_LANGUAGE } from "../../../answers/answer-languages.ts"
import { found } from "../../../answers/answer-outcome.ts"
import {
  DECISION_EXAMPLE,
  DECISION_VIEWS,
  type DecisionRefusal,
  type DecisionView,
  helpRefusal,
  judgeInPieces,
  readItineraryText,
} from "../../../answers/decision.ts"
import { datasetFor } from "../../../answers/past-view.ts"
import { writeDecision } from "../../../answers/write-decision.ts"
import { workInPieces } from "../../../time/work-in-pieces.ts"
import { describe } from "../../pipeline/describe-row.ts"
import { endpoint, type MeteredAnswer } from "../../pipeline/endpoint.ts"
import { after, answerJson, NOT_STORED } from "../../pipeline/http-answer.ts"
import { choice, optional } from "../../pipeline/parameters.ts"
import { CompactDecision, DecisionAnswer, DecisionRefused, DecisionRequest } from "./decision-schemas.ts"
import { answerWritten } from "./outcomes.ts"

interface Question {
  readonly request: ReadRequest
  readonly cost: RequestCost
  readonly view: DecisionView
}

const view = optional(
  choice(DECISION_VIEWS, {
    description: "`compact`: each fact once, and nothing that is null or empty. `full` by default.",
  }),
)

/** A whole itinerary. */
export const decision = endpoint({
  name: "decision",
  method: "POST",
  path: "/api/v1/visa/decision",
  surface: "visa",
  access: { kind: "key" },
  parameters: { view },
  takesBody: true,
  // For the names and pages of tasks.
  language: () => DEFAULT_LANGUAGE,
  read: ({ body, query }, { dataset }) => {
    const read = readItineraryText(body, dataset)
    const { view = "full" } = query
    return read.ok
      ? { ok: true, question: { request: read.request, cost: costOfRequest(dataset, read.request), view } }
      : { ok: false, answer: answerRefusal(read.refusal) }
  },
  // At least one request has to be left, so that a spent quota is noticed before anything is judged.
  cost: ({ cost: { pairsCharged, passports, destinations } }: Question) => ({
    charge: Math.max(1, pairsCharged),
    passport: passports,
    destinations,
  }),
  answer: (question, context) =>
    after(datasetFor(context.dataset, question.request), known =>
      after(findWriter(question.view), write => {
        const pieces = answerInPieces(known, question, { facts: context.localised?.facts ?? null, write })
        return workInPieces(pieces, () => context.giveWay())
      }),
    ),
})

// Loaded when a request is refused: the edge loads as little as possible before its first request.
const answerRefusal = (refusal: DecisionRefusal) =>
  import("../../../answers/code-help.ts").then(({ helpWithIssue }) =>
    answerJson(400, helpRefusal(refusal, helpWithIssue), NOT_STORED),
  )

type Writer = typeof writeDecision

// Loaded when it is asked for, for the same reason.
const findWriter = (view: DecisionView): Writer | Promise<Writer> =>
  view === "full" ? writeDecision : import("../../../answers/compact-decision.ts").then(part => part.writeCompact)

function* answerInPieces(
  dataset: Dataset,
  { request, cost }: Question,
  { facts, write }: { readonly facts: FullFacts | null; readonly write: Writer },
): Generator<void, MeteredAnswer, void> {
  const judged = yield* judgeInPieces(dataset, request, facts)
  yield
  const outcome = judged.kind === "found" ? found(write(dataset, judged.body)) : judged
  yield
  return { ...answerWritten(outcome, NOT_STORED), charge: cost.pairsCharged }
}

export const decisionEndpoints = /* @__PURE__ */ (() =>
  [
    describe(decision, {
      summary: "Does anything block this itinerary?",
      description:
        "The `outcome`, what has to be obtained or done (`to_do`), the findings for each stop, and every blocker. Past days are judged by dated tables. Costs one request for each distinct country, stops and transit together (`meta.pairs_charged`).",
      payload: DecisionRequest,
      example: DECISION_EXAMPLE,
      success: [DecisionAnswer, CompactDecision],
      errors: [DecisionRefused, 404],
    }),
  ] as const)()
