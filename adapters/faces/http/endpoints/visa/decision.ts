/** `POST /api/v1/visa/decision`: does anything that is known block this itinerary? */
import { HttpApiEndpoint } from "effect/http-api"
import { type JudgedItinerary, judgeText } from "../../../../knowledge/answers/decision.ts"
import { found } from "../../../../knowledge/answers/outcome.ts"
import { writeDecision } from "../../../../knowledge/answers/write-decision.ts"
import { answerJson, NOT_STORED } from "../../pipeline/answer.ts"
import { describe, NotFound } from "../../pipeline/describe.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { DecisionAnswer, DecisionRefused, DecisionRequest } from "./decision-schemas.ts"
import { answerWritten } from "./outcomes.ts"

type Judged = Extract<JudgedItinerary, { ok: true }>

/** A whole itinerary. */
export const decision = endpoint({
  name: "decision",
  method: "POST",
  path: "/api/v1/visa/decision",
  surface: "visa",
  access: { kind: "key" },
  parameters: {},
  takesBody: true,
  read: ({ body }, { dataset }) => {
    const judged = judgeText(dataset, body)
    return judged.ok
      ? { ok: true, question: judged }
      : { ok: false, answer: answerJson(400, judged.refusal, NOT_STORED) }
  },
  // At least one request has to be left, so that a spent quota is noticed before the records are looked up.
  cost: ({ charge, questions }: Judged) => ({ charge: Math.max(1, charge), ...questions }),
  answer: ({ judged, charge }, { dataset }) => {
    const outcome = judged.kind === "found" ? found(writeDecision(dataset, judged.body)) : judged
    return { ...answerWritten(outcome, NOT_STORED), charge }
  },
})

export const decisionEndpoints = /* @__PURE__ */ (() =>
  [
    describe(decision, {
      summary: "Does anything block this itinerary?",
      description:
        "Every step with what is known and what is not, and every blocker. Costs one request for each distinct country, stops and transit together (`meta.pairs_charged`).",
      declare: errors =>
        HttpApiEndpoint.post(decision.name, decision.path, {
          payload: DecisionRequest,
          success: DecisionAnswer,
          error: [...errors, DecisionRefused, NotFound],
        }),
    }),
  ] as const)()
