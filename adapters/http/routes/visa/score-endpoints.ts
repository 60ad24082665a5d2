/** `GET /api/v1/visa/score` and `/score/compare`: how much of the world does a passport open? */
import { describeComparison, describeScore } from "../../../answers/score-answer.ts"
import { describe } from "../../pipeline/describe-row.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { answerBothWays } from "./outcomes.ts"
import { code, passport } from "./visa-parameters.ts"
import { ComparisonAnswer, ScoreAnswer } from "./visa-schemas.ts"

/** Scores change when the dataset or the day does. */
const CACHED = ["cache-control", "public, max-age=300"]

/** A passport's mobility score. */
export const score = endpoint({
  name: "score",
  method: "GET",
  path: "/api/v1/visa/score",
  surface: "visa",
  access: { kind: "public" },
  parameters: { passport },
  keepAs: ({ passport }) => passport,
  answer: ({ passport }, { dataset }) => answerBothWays(describeScore(dataset, passport), CACHED),
})

/** Two passports side by side. */
export const compare = endpoint({
  name: "compare",
  method: "GET",
  path: "/api/v1/visa/score/compare",
  surface: "visa",
  access: { kind: "public" },
  parameters: {
    passport1: code("The country of one passport.", "JPN"),
    passport2: code("The country of the other.", "IND"),
  },
  keepAs: ({ passport1, passport2 }) => passport1 + passport2,
  answer: (passports, { dataset }) => answerBothWays(describeComparison(dataset, passports), CACHED),
})

export const scoreEndpoints = /* @__PURE__ */ (() =>
  [
    describe(score, {
      summary: "Mobility score of a passport",
      description: "The score, its parts, and the rank among all passports.",
      success: ScoreAnswer,
      errors: [404],
    }),
    describe(compare, {
      summary: "Two passports side by side",
      description: "Their scores, the destinations that only one of them opens, and the score of both together.",
      success: ComparisonAnswer,
      errors: [404],
    }),
  ] as const)()
