/** How is a whole decision described and written, from its table, with the information about the data? */
import {
  DECISION_ANSWER,
  DECISION_COST,
  type DecisionOnWire,
  GROUP_ANSWER,
  type GroupDecisionOnWire,
} from "../../src/answers.ts"
import type { Dataset, Decision, GroupDecision } from "../../src/engine.ts"
import type { Language } from "../../src/full.ts"
import { DEFAULT_LANGUAGE } from "./answer-languages.ts"
import { describeMeta } from "./visa-answers.ts"
import { listWireNames, WHOLE, writerOf } from "./write-answer.ts"

/** The decision on one traveller, or on several. */
export type Judgement = Decision | GroupDecision

/** The body of the answer, as it is read again. */
interface DecisionBody {
  readonly data: DecisionOnWire | GroupDecisionOnWire
  readonly meta: NonNullable<(typeof DECISION_COST)["onWire"]> & ReturnType<typeof describeMeta>
}

const writeOne = writerOf(DECISION_ANSWER, WHOLE)
const writeGroup = writerOf(GROUP_ANSWER, WHOLE)
const [COST] = listWireNames(DECISION_COST)

/** The meta of a decision: its cost, and that of every answer. */
export const writeDecisionMeta = ({ pairsCharged }: Judgement, meta: object): string =>
  `{"${COST}":${pairsCharged},${JSON.stringify(meta).slice(1)}`

/** Writes a decision as the body of its answer: `{"data": …, "meta": …}`. */
export function writeDecision(dataset: Dataset, decision: Judgement, lang: Language = DEFAULT_LANGUAGE): string {
  return `{${writeDecisionFields(dataset, decision, lang)}`
}

/** Writes the same without its opening brace, for callers that put their own fields in front. */
export function writeDecisionFields(dataset: Dataset, decision: Judgement, lang: Language = DEFAULT_LANGUAGE): string {
  const write = "travellers" in decision ? writeGroup : writeOne
  const data = write(decision as never, { whole: decision, idOf: () => "" })
  return `"data":${data},"meta":${writeDecisionMeta(decision, describeMeta(dataset, lang))}}`
}

/** A decision with the field names of the wire, read from its text. */
export const describeDecision = (dataset: Dataset, decision: Judgement): DecisionBody =>
  JSON.parse(writeDecision(dataset, decision))
