/** How is a verdict said: the engine's outcome in a word, then what has to be obtained, what stops the traveller, or what is not known. */
import { type Decision, describePair, type Evidence, LONGEST_AGE_DAYS, type ToDo } from "landfall"
import { sayNotice } from "landfall/full"
import { nameAnswer } from "../language/name-answer.ts"
import type { Words } from "../language/words.ts"
import { listBecause, sayGap } from "../trip/sentences.ts"
import { wholeViewOn } from "../whole-dataset.ts"
import { listDeciding, type Verdict } from "./judge-visit.ts"
import { nameCategory } from "./looks.ts"

/** The word of an outcome. */
export const sayOutcome = (words: Words, { outcome }: Pick<Verdict, "outcome">): string =>
  words.say(`outcome.${outcome}`)

/** Names a thing to obtain or to do: "E-visa", or the sentence of its condition. */
export function nameToDo(words: Words, { conditions }: Decision, { code, step, message }: ToDo): string {
  const key = `requirement.${code}`
  if (words.has(key)) return words.say(key)
  const condition = conditions.find(each => each.code === code && each.step === step)
  return condition === undefined ? message : sayNotice(words.locale, condition)
}

/** Names what has to be obtained before the journey, each once, as parts of one sentence. */
const nameObtained = (words: Words, decision: Decision): readonly string[] => [
  ...new Set(
    decision.toDo
      .filter(({ due }) => due === "before_departure")
      .map(each => nameToDo(words, decision, each).replace(/[.。।]$/u, "")),
  ),
]

/** Says what decides the outcome of a journey; empty where it is clear. */
export function sayDeciding(words: Words, decision: Decision): string {
  const { outcome, blockers, conditions } = decision
  switch (outcome) {
    case "blocked":
      return blockers.map(each => sayNotice(words.locale, each)).join(" ")
    case "obtain":
      return words.locale.list(nameObtained(words, decision))
    case "unknown": {
      const gaps = listDeciding(decision).map(gap => sayGap(words, gap))
      return [...new Set(gaps.length > 0 ? gaps : conditions.map(each => sayNotice(words.locale, each)))].join(" ")
    }
    case "clear":
      return ""
  }
}

/** Says what the outcome of a visit is made of. */
export function sayReason(words: Words, verdict: Verdict): string {
  const { outcome, look, decision, stayDays } = verdict
  if (decision === null) return words.say("category.unknown_why")
  const stay = stayDays === null ? [] : [words.days(stayDays)]
  switch (outcome) {
    case "obtain": {
      const more = look === "transit" || look === "ended" ? [nameCategory(words, look)] : stay
      return words.locale.list([...nameObtained(words, decision), ...more])
    }
    case "clear":
      return words.locale.list([nameCategory(words, look), ...(look === "home" ? [] : stay)])
    default:
      return sayDeciding(words, decision)
  }
}

/** Says a verdict in one line: "Clear: No visa, 90 days", with the documents and the passport that it rests on. */
export function sayVerdict(words: Words, verdict: Verdict): string {
  const said = words.locale.label(sayOutcome(words, verdict), sayReason(words, verdict))
  const step = verdict.decision?.steps[0]
  if (step === undefined || verdict.look === "home") return said
  const because = listBecause(words, verdict.decision, step)
  const passports = verdict.decision?.passports ?? []
  const used = [...because, ...(passports.length > 1 ? [words.country(step.passport)] : [])]
  return used.length === 0
    ? said
    : words.locale.list([said, words.locale.label(words.say("map.use"), words.locale.list(used))])
}

/** Says how an answer changes: what was announced, or until when a rule was, which nobody has renewed. */
export function sayChange(words: Words, { on, after, passport, destination }: Decision["changes"][number]): string {
  const pair = describePair(wholeViewOn(on), passport ?? "", destination)
  if (pair.kind !== "found" || pair.afterExpiry === null)
    return words.locale.label(words.say("pair.announced", { date: { on } }), nameAnswer(words, after))
  return words.say("rule.ends_on", { date: { on: pair.afterExpiry.endedOn } })
}

const READINGS = { read: "label.verified_on", cited: "label.cited_on", table: "label.copied_on" } as const

/** Says who read the page of a rule and when; or that it was not checked individually, where no day is known. */
export function sayEvidence(words: Words, evidence: Evidence | null): string {
  if (evidence === null || evidence.on === null) return words.say("label.not_verified")
  return words.say(READINGS[evidence.level], { date: { on: evidence.on } })
}

/** Returns the age in days, by the reader's own clock, of a rule that was last read too long ago to be relied on; null for any other. */
export function findOldAge(evidence: Evidence | null, today: string): number | null {
  if (evidence === null || evidence.on === null) return null
  const ageDays = Math.round((Date.parse(today) - Date.parse(evidence.on)) / 86_400_000)
  return ageDays > LONGEST_AGE_DAYS[evidence.level] ? ageDays : null
}
