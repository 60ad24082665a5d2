/**
 * How is a whole decision written as JSON, a hundred thousand times a second?
 *
 * The text is that of `JSON.stringify(describeDecision(…))`, to the character, put together from pieces. What the engine shares
 * between decisions, frozen (what a pair asks, a rule of validity or of stay, a waiver, the reason for a gap), is written once
 * and kept; numbers, dates and the messages of blockers are new each time. Codes and dates were checked before and need no
 * escaping; words do.
 */
import type { Dataset, Decision, Finding, GroupDecision, Step, TransitStep } from "../../../src/engine.ts"
import type { Language } from "../../../src/full.ts"
import {
  type Because,
  describeChange,
  describeDocument,
  describeHeldUse,
  describeRequirement,
  describeStayRule,
  describeWaiver,
} from "./decision-fields.ts"
import { DEFAULT_LANGUAGE } from "./languages.ts"
import { describeMeta } from "./meta.ts"
import { toSnakeCase, toWire } from "./wire-names.ts"

/** Writes a decision as the body of its answer: `{"data": …, "meta": …}`. */
export function writeDecision(
  dataset: Dataset,
  decision: Decision | GroupDecision,
  lang: Language = DEFAULT_LANGUAGE,
): string {
  return `{${writeDecisionFields(dataset, decision, lang)}`
}

/** Writes the same without its opening brace, for callers that put their own fields in front. */
export function writeDecisionFields(
  dataset: Dataset,
  decision: Decision | GroupDecision,
  lang: Language = DEFAULT_LANGUAGE,
): string {
  return `"data":${writeDecisionData(decision)},"meta":{"pairs_charged":${decision.pairsCharged},${writeMeta(dataset, lang)}}`
}

/** Writes the `data` of a decision on one traveller, or on several. */
export function writeDecisionData(decision: Decision | GroupDecision): string {
  if (!("travellers" in decision)) return writeOne(decision)
  const { travellers, blockers, conditions, unknowns } = decision
  return (
    `{${writeStart(decision)},"travellers":${writeAll(travellers, writeOne)},"blockers":${writeAll(blockers, writeBlocker)},` +
    `"conditions":${writeAll(conditions, writeCondition)},"unknowns":${writeAll(unknowns, writeGap)}}`
  )
}

function writeOne(decision: Decision): string {
  const { passports, steps, transit, blockers, conditions, unknowns, held, changes } = decision
  const { passport, passportExpiry } = passports[0] as Decision["passports"][number]
  let text = `{${writeStart(decision)},"passport":"${passport}","passport_expiry":${writeCode(passportExpiry)}`
  if (passports.length > 1) text += `,"passports":${JSON.stringify(toWire(passports))}`
  text += ',"steps":['
  for (let at = 0; at < steps.length; at++) text += (at === 0 ? "" : ",") + writeStep(decision, steps[at] as Step)
  text += `],"transit":${writeAll(transit, writeTransit)},"blockers":${writeAll(blockers, writeBlocker)}`
  text += `,"conditions":${writeAll(conditions, writeCondition)},"unknowns":${writeAll(unknowns, writeGap)}`
  if (held.length > 0) text += `,"held":${JSON.stringify(held.map(describeHeldUse))}`
  if (changes.length > 0) text += `,"changes":${JSON.stringify(changes.map(describeChange))}`
  return `${text},"residence":${writeCode(decision.residence)},"purpose":${JSON.stringify(decision.purpose)}}`
}

// What is read first: what it comes to, and what has to be done.
function writeStart({ outcome, verdict, toDo }: Pick<Decision, "outcome" | "verdict" | "toDo">): string {
  const toBeDone = toDo.length === 0 ? "[]" : JSON.stringify(toWire(toDo))
  return `"outcome":"${outcome}","verdict":"${verdict}","to_do":${toBeDone}`
}

function writeAll<Entry>(entries: readonly Entry[], write: (entry: Entry) => string): string {
  if (entries.length === 0) return "[]"
  let text = `[${write(entries[0] as Entry)}`
  for (let at = 1; at < entries.length; at++) text += `,${write(entries[at] as Entry)}`
  return `${text}]`
}

function writeStep(decision: Decision, step: Step): string {
  const { index, destination, from, to, days, passport, requirement, zoneStay, countedStay } = step
  return (
    `{"index":${index},"destination":"${destination}","from":"${from}","to":"${to}","days":${days},"passport":"${passport}",` +
    `"requirement":${writeRequirement(decision, requirement)},"max_stay":${writeFinding(step.maxStay)},` +
    `"days_accumulated":${writeFinding(step.daysAccumulated)},"passport_validity":${writeShared(step.passportValidity)}` +
    (countedStay === null ? "" : `,"counted_stay":${writeCountedStay(countedStay)}`) +
    (zoneStay === null ? "}" : `,"zone_stay":${writeZoneStay(zoneStay)}}`)
  )
}

const requirements = new WeakMap<object, string>()

function writeRequirement(decision: Decision, requirement: Step["requirement"]): string {
  if (requirement.status === "known" && requirement.because !== undefined) {
    const because = writeAll(requirement.because, each => writeBecause(decision, each))
    return `${JSON.stringify(describeRequirement(requirement)).slice(0, -1)},"because":${because}}`
  }
  let text = requirements.get(requirement)
  if (text === undefined) {
    text = JSON.stringify(describeRequirement(requirement))
    if (Object.isFrozen(requirement)) requirements.set(requirement, text)
  }
  return text
}

const waivers = new WeakMap<object, string>()

function writeBecause(decision: Decision, because: Because): string {
  const { waiver } = because
  const rule = waiver === null ? "null" : writeWaiver(waiver)
  return `${JSON.stringify(describeDocument(decision, because)).slice(0, -1)},"rule":${rule}}`
}

function writeWaiver(waiver: NonNullable<Because["waiver"]>): string {
  let text = waivers.get(waiver)
  if (text === undefined) {
    text = JSON.stringify(describeWaiver(waiver))
    if (Object.isFrozen(waiver)) waivers.set(waiver, text)
  }
  return text
}

// A finding without further fields.
function writeFinding(finding: Finding<number | "unlimited">): string {
  const { granularity } = finding
  if (finding.status === "unknown")
    return `{"granularity":"${granularity}","status":"unknown","reason":${writeOften(finding.reason)},${writeCoded(finding)}}`
  const { value } = finding
  return `{"granularity":"${granularity}","status":"known","value":${typeof value === "number" ? value : '"unlimited"'}}`
}

function writeCountedStay(counted: NonNullable<Step["countedStay"]>): string {
  const { granularity, value, allowanceDays, counting, rule } = counted
  return (
    `{"granularity":"${granularity}","status":"known","value":${value},"allowance_days":${allowanceDays},` +
    `"counting":"${counting}","rule":${rule === null ? "null" : writeStayRule(rule)}}`
  )
}

const stayRules = new WeakMap<object, string>()

function writeStayRule(rule: Parameters<typeof describeStayRule>[0]): string {
  let text = stayRules.get(rule)
  if (text === undefined) {
    text = JSON.stringify(describeStayRule(rule))
    if (Object.isFrozen(rule)) stayRules.set(rule, text)
  }
  return text
}

function writeZoneStay(zoneStay: NonNullable<Step["zoneStay"]>): string {
  if (zoneStay.status === "unknown") return writeShared(zoneStay)
  const { granularity, value, zone, allowanceDays } = zoneStay
  return `{"granularity":"${granularity}","status":"known","value":${value},"zone":${writeOften(zone)},"allowance_days":${allowanceDays}}`
}

function writeTransit({ country, rule, permitted, because }: TransitStep): string {
  const places = because.length === 0 ? "" : `,"because":[${because.join()}]`
  return `{"country":"${country}","rule":${writeShared(rule)},"permitted":${writeShared(permitted)}${places}}`
}

/** A notice of one traveller, or of one among several. */
type Of<Notice> = Notice & { readonly traveller?: number }

const writeTraveller = (traveller: number | undefined) => (traveller === undefined ? "" : `"traveller":${traveller},`)

function writeGap(gap: Of<Decision["unknowns"][number]>): string {
  const { traveller, field, step, reason, granularity } = gap
  return `{${writeTraveller(traveller)}"field":${writeOften(toSnakeCase(field))},"step":${step},"reason":${writeOften(reason)},"granularity":"${granularity}",${writeCoded(gap)}}`
}

function writeCondition(condition: Of<Decision["conditions"][number]>): string {
  const { traveller, code, step, message, granularity, params } = condition
  return `{${writeTraveller(traveller)}"code":"${code}","step":${step},"message":${writeOften(message)},"granularity":"${granularity}","params":${writeParams(params)}}`
}

function writeBlocker(blocker: Of<Decision["blockers"][number]>): string {
  const { traveller, code, step, message, granularity, zone, basis, params, remedies } = blocker
  let text = `{${writeTraveller(traveller)}"code":"${code}","step":${step},"message":${JSON.stringify(message)},"granularity":"${granularity}"`
  if (zone !== undefined) text += `,"zone":${writeOften(zone)}`
  if (basis !== undefined) text += `,"basis":"${basis}"`
  text += `,"params":${JSON.stringify(params)}`
  if (remedies !== undefined) text += `,"remedies":${JSON.stringify(toWire(remedies))}`
  return `${text}}`
}

// Most reasons have no parameters, all of them the same ones.
const writeCoded = ({ code, params }: { readonly code: string; readonly params: object }) =>
  `"code":"${code}","params":${writeParams(params)}`

const params = new WeakMap<object, string>()

function writeParams(given: object): string {
  let text = params.get(given)
  if (text === undefined) {
    text = JSON.stringify(given)
    if (Object.isFrozen(given)) params.set(given, text)
  }
  return text
}

const pieces = new WeakMap<object, string>()

// Only frozen values are sure not to change.
function writeShared(value: object): string {
  let text = pieces.get(value)
  if (text === undefined) {
    text = JSON.stringify(toWire(value))
    if (Object.isFrozen(value)) pieces.set(value, text)
  }
  return text
}

const metas = new WeakMap<Dataset, Map<Language, string>>()

// What follows the number of pairs, with the closing brace.
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

const texts = new Map<string, string>()
/** The engine has some dozens of sentences; other texts, which come from requests, are written each time. */
const MOST_TEXTS = 1_000

function writeOften(text: string): string {
  const known = texts.get(text)
  if (known !== undefined) return known
  const written = JSON.stringify(text)
  if (texts.size < MOST_TEXTS) texts.set(text, written)
  return written
}

function writeCode(code: string | null): string {
  return code === null ? "null" : `"${code}"`
}
