/**
 * The tables of the fields of a decision's answer and of a record, for code that writes or describes them. They are separate from the engine,
 * because code that only decides or assembles does not need them. With them: what a table is made of.
 */
export { CHECK_FIELDS, RECORD_FIELDS, UPGRADE_STUB } from "./record/record-fields.ts"
export * from "./rules/table.ts"
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
