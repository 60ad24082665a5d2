/** How is a whole decision described and written, from its table, with the information about the data? */
import { DECISION_ANSWER, DECISION_COST, GROUP_ANSWER } from "../../../src/answers.ts"
import type { Dataset, Decision, GroupDecision } from "../../../src/engine.ts"
import type { Language } from "../../../src/full.ts"
import { DEFAULT_LANGUAGE } from "./languages.ts"
import { describeMeta } from "./meta.ts"
import { describeAs, writerOf } from "./write-answer.ts"

/** The decision on one traveller, or on several. */
export type Judgement = Decision | GroupDecision

const writeOne = writerOf(DECISION_ANSWER)
const writeGroup = writerOf(GROUP_ANSWER)
const writeCost = writerOf(DECISION_COST)

/** Writes a decision as the body of its answer: `{"data": …, "meta": …}`. */
export function writeDecision(dataset: Dataset, decision: Judgement, lang: Language = DEFAULT_LANGUAGE): string {
  return `{${writeDecisionFields(dataset, decision, lang)}`
}

/** Writes the same without its opening brace, for callers that put their own fields in front. */
export function writeDecisionFields(dataset: Dataset, decision: Judgement, lang: Language = DEFAULT_LANGUAGE): string {
  const data = "travellers" in decision ? writeGroup(decision) : writeOne(decision)
  return `"data":${data},"meta":${writeCost(decision).slice(0, -1)},${writeMeta(dataset, lang)}}`
}

/** A decision with the field names of the wire. */
export function describeDecision(dataset: Dataset, decision: Judgement) {
  const data = "travellers" in decision ? describeAs(GROUP_ANSWER, decision) : describeAs(DECISION_ANSWER, decision)
  return { data, meta: { ...describeAs(DECISION_COST, decision), ...describeMeta(dataset) } }
}

const metas = new WeakMap<Dataset, Map<Language, string>>()

// The text after the number of pairs, with the closing brace.
function writeMeta(dataset: Dataset, lang: Language): string {
  let texts = metas.get(dataset)
  if (texts === undefined) {
    texts = new Map()
    metas.set(dataset, texts)
  }
  let text = texts.get(lang)
  if (text === undefined) {
    text = JSON.stringify(describeMeta(dataset, lang)).slice(1)
    texts.set(lang, text)
  }
  return text
}
