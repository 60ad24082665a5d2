/** What did a pair need on a past day, under the names of the wire? Loaded when a past day is asked for. */
import { type LocalisedFacts, sayNotice, sayPast } from "../../src/full.ts"
import { lookupPast, type PastFound, type PastValue } from "../../src/history.ts"
import { bothWays, describeRecordMeta, found, noRecord, type Outcome, type PairQuestion } from "./visa-answers.ts"
import { historyOf } from "./with-past.ts"

/** A pair on a past day (`YYYY-MM-DD`). The caller checks that its codes are spelled as codes. */
export interface PastQuestion extends PairQuestion {
  readonly on: string
}

const writeValue = ({ requirement, word, days, reason }: PastValue) => ({
  requirement,
  word,
  visa_free_days: days,
  reason,
})

/** A past answer for machines. It was never verified, and says so. */
export function describePast({ passport, destination, on }: PastQuestion, answer: PastFound) {
  const { value, laterCalled, status, firstSeen, lastSeen, or, source } = answer
  return {
    passport,
    destination,
    on,
    status,
    ...writeValue(value),
    later_called: laterCalled,
    first_seen: firstSeen,
    last_seen: lastSeen,
    or: or === null ? null : { ...writeValue(or.value), first_seen: or.firstSeen },
    source: { id: source.id, name: source.name, url: source.url },
    last_verified: null,
  }
}

/** Looks a pair up on a past day. */
export function findPast({ dataset }: LocalisedFacts, { passport, destination, on }: PastQuestion): Outcome<PastFound> {
  const history = historyOf(dataset)
  if (!history.ok) throw new Error(history.error.message)
  const answer = lookupPast(history.value, passport, destination, on)
  return answer.kind === "found" ? found(answer) : noRecord(answer.message)
}

/** The quick check of a past day. */
export function describePastCheck(localised: LocalisedFacts, question: PastQuestion) {
  const past = findPast(localised, question)
  return past.kind === "found"
    ? found(bothWays(describePast(question, past.body), describeRecordMeta(localised)))
    : past
}

/** The same for people, in the language of the facts; null where nothing is recorded. */
export function renderPastCheck(localised: LocalisedFacts, question: PastQuestion): string | null {
  const { locale } = localised
  const past = findPast(localised, question)
  if (past.kind !== "found") return null
  const { value, firstSeen, lastSeen, or, source } = past.body
  const line = (label: string, text: string) => `- ${locale.label(label, text)}`
  const seen = [
    [firstSeen.by, value],
    [lastSeen, value],
    ...(or === null ? [] : [[or.firstSeen.by, or.value]]),
  ] as const
  const days = new Map(seen.map(([on, said]) => [on as string, said as PastValue]))
  return [
    `# ${locale.nameCountry(question.passport)} → ${locale.nameCountry(question.destination)}, ${locale.formatValue({ on: question.on })}`,
    "",
    ...[...days].map(([on, said]) => line(locale.formatValue({ on }), sayPast(locale, said))),
    "",
    sayNotice(locale, {
      code: "imported_past",
      params: { source: source.name, by: firstSeen.by, until: lastSeen },
    }),
    "",
  ].join("\n")
}
