/**
 * How is a whole decision written as JSON, a hundred thousand times a second?
 *
 * The text is that of `JSON.stringify(describeDecision(…))`, to the character, put together from pieces. What the engine shares between decisions,
 * frozen (what a pair asks, a rule of validity, a gap's reason), is written once and kept; only numbers, dates and the messages of blockers are new. A decision, step or
 * entry with a field that is not known here is written by the standard's function instead: slower, never wrong.
 */
import type { Dataset, Decision, Finding, Step, TransitStep } from "../../src/index.ts"
import { describeDecision, describeRequirement } from "./decision.ts"
import { describeMeta } from "./meta.ts"
import { toSnakeCase, toWire } from "./wire-names.ts"

/** Writes a decision as the body of its answer: `{"data": …, "meta": …}`. */
export function writeDecision(dataset: Dataset, decision: Decision): string {
  const data = writePieces(decision) ?? JSON.stringify(describeDecision(dataset, decision).data)
  return `{"data":${data},"meta":{"pairs_charged":${decision.pairsCharged},${writeMeta(dataset)}}`
}

// The number of fields of everything that is written field by field: with one more, somebody has to say here where it belongs.
const FIELDS = {
  decision: 12,
  step: 11,
  transit: 3,
  gap: 4,
  condition: 4,
  blocker: 4,
  zoneBlocker: 5,
  days: 3,
  zoneDays: 5,
} as const

const countFields = (value: object): number => Object.keys(value).length

/** Writes the `data` of a decision from pieces; null where something in it has a field that is not known here. */
export function writePieces(decision: Decision): string | null {
  const { verdict, passports, residence, purpose } = decision
  const [first] = passports
  if (first === undefined || countFields(decision) !== FIELDS.decision) return null
  const steps = writeAll(decision.steps, writeStep)
  const transit = writeAll(decision.transit, writeTransit)
  const blockers = writeAll(decision.blockers, writeBlocker)
  const conditions = writeAll(decision.conditions, writeCondition)
  const unknowns = writeAll(decision.unknowns, writeGap)
  if (steps === null || transit === null || blockers === null || conditions === null || unknowns === null) return null
  const others = passports.length === 1 ? "" : `"passports":${JSON.stringify(toWire(passports))},`
  return (
    `{"verdict":"${verdict}","passport":"${first.passport}","passport_expiry":${writeText(first.passportExpiry)},${others}` +
    `"steps":${steps},"transit":${transit},"blockers":${blockers},"conditions":${conditions},"unknowns":${unknowns},` +
    `"residence":${JSON.stringify(residence)},"purpose":${JSON.stringify(purpose)}}`
  )
}

function writeAll<Entry>(entries: readonly Entry[], write: (entry: Entry) => string | null): string | null {
  let text = ""
  for (let at = 0; at < entries.length; at++) {
    const written = write(entries[at] as Entry)
    if (written === null) return null
    text += at === 0 ? written : `,${written}`
  }
  return `[${text}]`
}

function writeStep(step: Step): string | null {
  if (countFields(step) !== FIELDS.step) return null
  const { index, destination, from, to, days, passport, zoneStay } = step
  return (
    `{"index":${index},"destination":"${destination}","from":"${from}","to":"${to}","days":${days},"passport":"${passport}",` +
    `"requirement":${writeRequirement(step.requirement)},"max_stay":${writePiece(step.maxStay)},` +
    `"days_accumulated":${writePiece(step.daysAccumulated)},"passport_validity":${writePiece(step.passportValidity)}` +
    (zoneStay === null ? "}" : `,"zone_stay":${writePiece(zoneStay)}}`)
  )
}

function writeTransit(transit: TransitStep): string | null {
  if (countFields(transit) !== FIELDS.transit) return null
  return `{"country":"${transit.country}","rule":${writePiece(transit.rule)},"permitted":${writePiece(transit.permitted)}}`
}

function writeGap(gap: Decision["unknowns"][number]): string | null {
  if (countFields(gap) !== FIELDS.gap) return null
  const { field, step, reason, granularity } = gap
  return `{"field":${writeOften(toSnakeCase(field))},"step":${step},"reason":${writeOften(reason)},"granularity":"${granularity}"}`
}

function writeCondition(condition: Decision["conditions"][number]): string | null {
  if (countFields(condition) !== FIELDS.condition) return null
  const { code, step, message, granularity } = condition
  return `{"code":"${code}","step":${step},"message":${writeOften(message)},"granularity":"${granularity}"}`
}

function writeBlocker(blocker: Decision["blockers"][number]): string | null {
  const count = countFields(blocker)
  const { code, step, message, granularity, zone } = blocker
  if (count !== (zone === undefined ? FIELDS.blocker : FIELDS.zoneBlocker)) return null
  const place = zone === undefined ? "" : `,"zone":${JSON.stringify(zone)}`
  return `{"code":"${code}","step":${step},"message":${JSON.stringify(message)},"granularity":"${granularity}"${place}}`
}

const requirements = new WeakMap<object, string>()

function writeRequirement(requirement: Step["requirement"]): string {
  const known = requirements.get(requirement)
  if (known !== undefined) return known
  const text = JSON.stringify(describeRequirement(requirement))
  if (Object.isFrozen(requirement)) requirements.set(requirement, text)
  return text
}

const pieces = new WeakMap<object, string>()

function writePiece(finding: Finding<unknown>): string {
  if (!Object.isFrozen(finding)) return writeNumber(finding) ?? JSON.stringify(toWire(finding))
  const known = pieces.get(finding)
  if (known !== undefined) return known
  const text = JSON.stringify(toWire(finding))
  pieces.set(finding, text)
  return text
}

// A count of days is new in each decision.
function writeNumber(
  finding: Finding<unknown> & { readonly zone?: unknown; readonly allowanceDays?: unknown },
): string | null {
  if (finding.status !== "known" || typeof finding.value !== "number") return null
  const { granularity, value, zone, allowanceDays } = finding
  const count = countFields(finding)
  if (count === FIELDS.days) return `{"granularity":"${granularity}","status":"known","value":${value}}`
  if (count !== FIELDS.zoneDays || typeof zone !== "string" || typeof allowanceDays !== "number") return null
  return `{"granularity":"${granularity}","status":"known","value":${value},"zone":${writeOften(zone)},"allowance_days":${allowanceDays}}`
}

const metas = new WeakMap<Dataset, string>()

// What stands behind the number of pairs, with the brace that closes it.
function writeMeta(dataset: Dataset): string {
  const known = metas.get(dataset)
  if (known !== undefined) return known
  const text = JSON.stringify(describeMeta(dataset)).slice(1)
  metas.set(dataset, text)
  return text
}

const texts = new Map<string, string>()
/** The engine's sentences are some dozens; what is not one of them is written anew each time. */
const MOST_TEXTS = 1_000

function writeOften(text: string): string {
  const known = texts.get(text)
  if (known !== undefined) return known
  const written = JSON.stringify(text)
  if (texts.size < MOST_TEXTS) texts.set(text, written)
  return written
}

function writeText(text: string | null): string {
  return text === null ? "null" : `"${text}"`
}
