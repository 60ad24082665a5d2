/**
 * A verdict as every view shows it: a mark and a word for the outcome, how the deciding rule is known and since when, and the reason.
 *
 * Outcomes differ by silhouette and word, not only by colour; the one dashed edge is that of what is not known.
 */

import {
  type Decision,
  describePair,
  type Evidence,
  type Gap,
  type HeldDocument,
  LONGEST_AGE_DAYS,
  type Outcome,
  type Remedy,
  type Step,
  type ToDo,
} from "landfall"
import { sayNotice } from "landfall/full"
import { readToday } from "../answers.ts"
import type { PageKey } from "../build/page-messages.ts"
import { nameAnswer, type Values, type Words } from "../language/words.ts"
import { usePage } from "../page-context.ts"
import { LinkedText } from "../pair/linked-text.tsx"
import { wholeViewOn } from "../whole-dataset.ts"
import { listDeciding, type Verdict } from "./judge-visit.ts"
import { nameCategory } from "./looks.ts"

/* How is a verdict said: the engine's outcome in a word, then what has to be obtained, what stops the traveller, or what is not known. */

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

/* How does the page name the fields of a decision, its remedies and the documents that a traveller holds? */

const FIELDS: Readonly<Record<string, PageKey>> = {
  requirement: "label.requirement",
  maxStay: "label.stay",
  countedStay: "label.stay",
  zoneStay: "trip.zone_days",
  passportValidity: "label.passport_validity",
  passport: "word.passport",
  passportExpiry: "trip.expiry",
  passportIssued: "trip.issued",
  passportKind: "passport.kind",
  residence: "trip.residence",
  purpose: "trip.purpose",
  held: "trip.held",
  earlierStays: "trip.earlier_stays",
  stops: "trip.stops",
  transit: "label.transit",
}

/** Names the field of a gap: in words, never by its path. */
export function nameField(words: Words, { field }: Gap): string {
  const names = field.replace(/\[\d+\]/g, "").split(".")
  return words.say(FIELDS[names.at(-1) ?? ""] ?? FIELDS[names[0] ?? ""] ?? "label.requirement")
}

/** Says why something is not known, with the requirements that sources name in the reader's words. */
export function sayGap(words: Words, gap: Gap): string {
  const { code, params } = gap as { readonly code: Gap["code"]; readonly params: Readonly<Record<string, unknown>> }
  if (typeof params.says !== "string") return sayNotice(words.locale, gap)
  const says = params.says.replace(/[a-z]+(?:_[a-z]+)*/g, word => {
    const key = `requirement.${word}`
    return words.has(key) ? words.say(key) : word
  })
  return sayNotice(words.locale, { code, params: { ...params, says } })
}

interface GapsProps {
  readonly gaps: readonly Gap[]
  /** Names a stop; absent where there is one. */
  readonly stopName?: (step: number) => string
}

/** What is not known, each with what it is about. */
export function Gaps({ gaps, stopName }: GapsProps) {
  const { words } = usePage()
  if (gaps.length === 0) return null
  return (
    <ul class="gaps">
      {gaps.map((gap, at) => (
        <li key={at}>
          {stopName !== undefined && gap.step !== null && <span class="where">{stopName(gap.step)}</span>}
          <span class="note">{nameField(words, gap)}</span> <LinkedText text={sayGap(words, gap)} />
        </li>
      ))}
    </ul>
  )
}

/** Says what would help. */
export function sayRemedy(words: Words, remedy: Remedy): string {
  return words.say(`remedy.${remedy.action}`, valuesOfRemedy(words, remedy))
}

function valuesOfRemedy(words: Words, remedy: Remedy): Values {
  switch (remedy.action) {
    case "leave_by":
    case "enter_from":
      return { value: { on: remedy.value } }
    case "shorten":
    case "extend":
      return { value: { days: remedy.value } }
    case "use_passport":
    case "avoid_transit":
      return { value: { country: remedy.value } }
    case "renew_before":
      return { value: { on: remedy.value }, passport: { country: remedy.passport } }
    case "obtain":
      return { value: nameDocument(words, remedy.value) }
  }
}

/** Names a kind of document that a traveller holds. */
export const nameHeldKind = (words: Words, kind: HeldDocument["kind"]): string =>
  words.say(kind === "eta" ? "requirement.eta" : `held.${kind}`)

function nameDocument(words: Words, { kind, issuer, type }: Pick<HeldDocument, "kind" | "issuer" | "type">) {
  const about = type === undefined ? words.country(issuer) : words.locale.list([words.country(issuer), type])
  return `${nameHeldKind(words, kind)} (${about})`
}

/** Names the documents that ease the requirement of a stop. */
export function listBecause(words: Words, decision: Decision | null, { requirement }: Step): readonly string[] {
  if (decision === null || requirement.status === "unknown") return []
  return (requirement.because ?? []).map(({ document }) => {
    const used = document === null ? undefined : decision.held[document]?.document
    return nameDocument(words, used ?? { kind: "residence_permit", issuer: decision.residence ?? "" })
  })
}

const MARKS: Readonly<Record<Outcome, readonly [outline: string, sign: string]>> = {
  clear: ["M12 1a11 11 0 1 0 0 22a11 11 0 1 0 0-22z", "M7 12.5l3.5 3.5L17 9"],
  obtain: ["M4 2h16a2 2 0 0 1 2 2v16a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2z", "M12 6v8m-4-3.5l4 4l4-4M7 18h10"],
  blocked: ["M7.5 1h9L23 7.5v9L16.5 23h-9L1 16.5v-9z", "M6.5 12h11"],
  unknown: ["M12 1.5L22.5 12L12 22.5L1.5 12z", "M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M12 16.5v.5"],
}

/** The mark of an outcome, with its word. */
export function OutcomeWord({ verdict }: { readonly verdict: Pick<Verdict, "outcome"> }) {
  const { words } = usePage()
  const [outline, sign] = MARKS[verdict.outcome]
  return (
    <strong class={`word ${verdict.outcome}`} data-outcome={verdict.outcome}>
      <svg class="outcome-mark" width="20" height="20" viewBox="0 0 24 24" aria-hidden="true">
        <path class="shape" d={outline} />
        <path class="sign" d={sign} />
      </svg>{" "}
      {sayOutcome(words, verdict)}
    </strong>
  )
}

const STEPS = { read: 3, cited: 2, table: 1 } as const

/** How the deciding rule is known, and the day on which it was last read. */
export function EvidenceMark({ evidence }: { readonly evidence: Evidence | null }) {
  const { words } = usePage()
  const level = evidence === null ? 0 : STEPS[evidence.level]
  return (
    <span class="evidence-mark">
      <svg class="ladder" width="38" height="11" viewBox="0 0 38 11" aria-hidden="true">
        {[1, 2, 3].map(step => (
          <circle key={step} class={step <= level ? "reached" : undefined} cx={step * 13 - 7} cy="5.5" r="4.5" />
        ))}
      </svg>{" "}
      {sayEvidence(words, evidence)}
    </span>
  )
}

/** Says how old the deciding rule is, where that is too old to be relied on. */
export function OldEvidence({ evidence }: { readonly evidence: Evidence | null }) {
  const { words } = usePage()
  const ageDays = findOldAge(evidence, readToday())
  return ageDays === null ? null : <p class="warning">{words.say("answer.old", { days: { days: ageDays } })}</p>
}
