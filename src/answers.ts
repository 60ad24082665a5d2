/** The table of a decision's answer, for what writes and describes it; apart from the engine, because who only decides needs none of it. */
export type { AnswerFields, AnswerRow, Out } from "./fields/answer-kinds.ts"
export type {
  BlockerOnWire,
  ChangeAheadOnWire,
  DecisionOnWire,
  GroupDecisionOnWire,
  ToDoOnWire,
} from "./itinerary/answer-fields.ts"
export { DECISION_ANSWER, DECISION_COST, GROUP_ANSWER } from "./itinerary/answer-fields.ts"
