/** How is a decision written with the names of the wire? Fields that the traveller did not give, or that have no value, are left out. */
import type { ChangeAhead, Decision, Found, GroupDecision, Step } from "../../../src/engine.ts"
import { toSnakeCase, toWire } from "./wire-names.ts"

type KnownRequirement = Extract<Step["requirement"], { readonly status: "known" }>
/** A document that changes what is asked. */
export type Because = NonNullable<KnownRequirement["because"]>[number]

// Nobody has looked up this pair in an imported table, so the table is not named as the page of the rule.
function describeOrigin(answer: Found) {
  const source = answer.source === null || answer.source.imported ? null : answer.source
  return { source_url: source === null ? null : source.url, last_verified: source === null ? null : answer.verifiedOn }
}

// With the rule that names it; null for a document of the destination itself. */
function describeBecause(decision: Decision, because: Because) {
  const { waiver } = because
  return { ...describeDocument(decision, because), rule: waiver === null ? null : describeWaiver(waiver) }
}

/** The held document, or the residence, that changes what is asked. */
export function describeDocument({ held, residence }: Decision, { document }: Because) {
  const used = document === null ? null : held[document]?.document
  return { document, kind: used?.kind ?? "residence_permit", issuer: used?.issuer ?? residence }
}

/** The rule of a waiver. */
export function describeWaiver({
  requirement,
  days,
  conditions,
  note,
  sourceUrl,
  verifiedOn,
}: NonNullable<Because["waiver"]>) {
  return {
    requirement,
    days,
    conditions: conditions.map(({ source: _, ...condition }) => toWire(condition)),
    note,
    source_url: sourceUrl,
    last_verified: verifiedOn,
  }
}

/** What is needed to enter, with the page where somebody has looked it up; `because` is written separately. */
export function describeRequirement(requirement: Step["requirement"]) {
  if (requirement.status === "unknown") return requirement
  const { answer, because: _, ...finding } = requirement
  return { ...finding, ...describeOrigin(answer) }
}

function describeReasons(decision: Decision, requirement: Step["requirement"]) {
  if (requirement.status === "unknown" || requirement.because === undefined) return {}
  return { because: requirement.because.map(each => describeBecause(decision, each)) }
}

function describeCountedStay({ rule, ...counted }: NonNullable<Step["countedStay"]>) {
  return { ...(toWire(counted) as object), rule: rule === null ? null : describeStayRule(rule) }
}

/** A rule of how days add up; its source is named by its page, as everywhere. */
export function describeStayRule({ source: _, ...rule }: NonNullable<NonNullable<Step["countedStay"]>["rule"]>) {
  return toWire(rule)
}

function describeStep(decision: Decision, { requirement, zoneStay, countedStay, ...step }: Step) {
  const { index, destination, from, to, days, passport, ...findings } = step
  return {
    index,
    destination,
    from,
    to,
    days,
    passport,
    requirement: { ...describeRequirement(requirement), ...describeReasons(decision, requirement) },
    ...(toWire(findings) as object),
    ...(countedStay === null ? {} : { counted_stay: describeCountedStay(countedStay) }),
    ...(zoneStay === null ? {} : { zone_stay: toWire(zoneStay) }),
  }
}

function describeFound(answer: Found | null) {
  return answer === null ? null : { requirement: answer.requirement, days: answer.days, ...describeOrigin(answer) }
}

/** A scheduled change. */
export function describeChange({ before, after, ...change }: ChangeAhead) {
  return { ...change, before: describeFound(before), after: describeFound(after) }
}

/** A held document as it was given, with the stops that are entered with it. */
export function describeHeldUse({ document, steps }: Decision["held"][number]) {
  return { ...(toWire(document) as object), steps }
}

const nameField = <Gap extends { readonly field: string }>(gap: Gap) => ({ ...gap, field: toSnakeCase(gap.field) })

/** What was decided on one traveller. */
export function describeOne(decision: Decision) {
  const [first, ...others] = decision.passports
  const { held, changes } = decision
  return {
    outcome: decision.outcome,
    verdict: decision.verdict,
    to_do: toWire(decision.toDo),
    passport: first?.passport,
    passport_expiry: first?.passportExpiry ?? null,
    ...(others.length === 0 ? {} : { passports: toWire(decision.passports) }),
    steps: decision.steps.map(step => describeStep(decision, step)),
    transit: decision.transit.map(({ because, ...step }) => ({
      ...(toWire(step) as object),
      ...(because.length === 0 ? {} : { because }),
    })),
    blockers: toWire(decision.blockers),
    conditions: decision.conditions,
    unknowns: decision.unknowns.map(nameField),
    ...(held.length === 0 ? {} : { held: held.map(describeHeldUse) }),
    ...(changes.length === 0 ? {} : { changes: changes.map(describeChange) }),
    residence: decision.residence,
    purpose: decision.purpose,
  }
}

/** What was decided on several travellers: on each of them, and what blocks, has to be obtained or is unknown for whom. */
export function describeTogether(decision: GroupDecision) {
  return {
    outcome: decision.outcome,
    verdict: decision.verdict,
    to_do: toWire(decision.toDo),
    travellers: decision.travellers.map(describeOne),
    blockers: toWire(decision.blockers),
    conditions: decision.conditions,
    unknowns: decision.unknowns.map(nameField),
  }
}
