/** How is a whole decision described and written, from its table, with the information about the data? */
import { DECISION_ANSWER, DECISION_COST, GROUP_ANSWER } from "../../src/answers.ts"
import type { Dataset, Decision, GroupDecision } from "../../src/engine.ts"
import type { Language } from "../../src/full.ts"
import { DEFAULT_LANGUAGE } from "./answer-languages.ts"
import { describeMeta } from "./answer-outcome.ts"
import { type AnswerOutput, AnswerText } from "./answer-output.ts"
import { describeAs, listWireNames, writerOf } from "./write-answer.ts"

/** The decision on one traveller, or on several. */
export type Judgement = Decision | GroupDecision

/** Makes the writer of decisions, without the opening brace of their answers, into outputs whose pieces a function makes. */
export function makeDecisionWriter<Piece>(makePiece: (text: string) => Piece) {
  const writeOne = writerOf(DECISION_ANSWER, makePiece)
  const writeGroup = writerOf(GROUP_ANSWER, makePiece)
  const data = makePiece('"data":')
  const meta = makePiece(`,"meta":{"${listWireNames(DECISION_COST)[0]}":`)
  const metas = new WeakMap<Dataset, Map<Language, Piece>>()
  const writeMeta = (dataset: Dataset, lang: Language): Piece => {
    let pieces = metas.get(dataset)
    if (pieces === undefined) {
      pieces = new Map()
      metas.set(dataset, pieces)
    }
    let piece = pieces.get(lang)
    if (piece === undefined) {
      piece = makePiece(`,${JSON.stringify(describeMeta(dataset, lang)).slice(1)}}`)
      pieces.set(lang, piece)
    }
    return piece
  }
  return (out: AnswerOutput<Piece>, dataset: Dataset, decision: Judgement, lang: Language = DEFAULT_LANGUAGE): void => {
    out.add(data)
    if ("travellers" in decision) writeGroup(out, decision)
    else writeOne(out, decision)
    out.add(meta)
    out.addNumber(decision.pairsCharged)
    out.add(writeMeta(dataset, lang))
  }
}

const addText = makeDecisionWriter(text => text)

/** Writes a decision as the body of its answer: `{"data": …, "meta": …}`. */
export function writeDecision(dataset: Dataset, decision: Judgement, lang: Language = DEFAULT_LANGUAGE): string {
  return `{${writeDecisionFields(dataset, decision, lang)}`
}

/** Writes the same without its opening brace, for callers that put their own fields in front. */
export function writeDecisionFields(dataset: Dataset, decision: Judgement, lang: Language = DEFAULT_LANGUAGE): string {
  const out = new AnswerText()
  addText(out, dataset, decision, lang)
  return out.text
}

/** A decision with the field names of the wire. */
export function describeDecision(dataset: Dataset, decision: Judgement) {
  const data = "travellers" in decision ? describeAs(GROUP_ANSWER, decision) : describeAs(DECISION_ANSWER, decision)
  return { data, meta: { ...describeAs(DECISION_COST, decision), ...describeMeta(dataset) } }
}
