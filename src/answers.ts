/**
 * The table of a decision's answer, for code that writes or describes it. It is separate from the engine, because code that only decides
 * does not need it.
 */
export type {
  AnswerFields,
  AnswerRow,
  BlockerOnWire,
  ChangeAheadOnWire,
  DecisionOnWire,
  GroupDecisionOnWire,
  Out,
  ToDoOnWire,
} from "./trip/answer-fields.ts"
export { DECISION_ANSWER, DECISION_COST, GROUP_ANSWER } from "./trip/answer-fields.ts"
