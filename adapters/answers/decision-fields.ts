/** How does a decision read with the names of the wire? What a traveller did not give, and what is not there to be said, is left out. */
import type { ChangeAhead, Decision, GroupDecision, Step } from "../../src/engine.ts"
import { toSnakeCase, toWire } from "./wire-names.ts"

type Known = Extract<Step["requirement"], { readonly status: "known" }>
type Answer = Known["answer"]

// An imported table is no page on which somebody has looked this pair up, so it is not named as one.
function describeOrigin(answer: Answer) {
  const source = answer.source === null || answer.source.imported ? null : answer.source
  return { source_url: source === null ? null : source.url, last_verified: source === null ? null : answer.verifiedOn }
}

// A held document that changes what is asked, and the rule that names it; null for a document of the destination itself.
function describeBecause({ held, residence }: Decision, because: NonNullable<Known["because"]>) {
  return because.map(({ document, waiver }) => {
    const used = document === null ? null : held[document]?.document
    return {
      document,
      kind: used?.kind ?? "residence_permit",
      issuer: used?.issuer ?? residence,
      rule:
        waiver === null
          ? null
          : {
              requirement: waiver.requirement,
              days: waiver.days,
              conditions: waiver.conditions.map(({ source: _, ...condition }) => toWire(condition)),
              note: waiver.note,
              source_url: waiver.sourceUrl,
              last_verified: waiver.verifiedOn,
            },
    }
  })
}

function describeRequirement(decision: Decision, requirement: Step["requirement"]) {
  if (requirement.status === "unknown") return requirement
  const { answer, because, ...finding } = requirement
  return {
    ...finding,
    ...describeOrigin(answer),
    ...(because === undefined ? {} : { because: describeBecause(decision, because) }),
  }
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
    requirement: describeRequirement(decision, requirement),
    ...(toWire(findings) as object),
    ...(countedStay === null ? {} : { counted_stay: toWire(countedStay) }),
    ...(zoneStay === null ? {} : { zone_stay: toWire(zoneStay) }),
  }
}

function describeAnswer(answer: Answer | null) {
  return answer === null ? null : { requirement: answer.requirement, days: answer.days, ...describeOrigin(answer) }
}

function describeChange({ before, after, ...change }: ChangeAhead) {
  return { ...change, before: describeAnswer(before), after: describeAnswer(after) }
}

const nameField = <Gap extends { readonly field: string }>(gap: Gap) => ({ ...gap, field: toSnakeCase(gap.field) })

/** What was decided on one traveller. */
export function describeOne(decision: Decision) {
  const [first, ...others] = decision.passports
  const { held, changes } = decision
  return {
    verdict: decision.verdict,
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
    ...(held.length === 0
      ? {}
      : { held: held.map(({ document, steps }) => ({ ...(toWire(document) as object), steps })) }),
    ...(changes.length === 0 ? {} : { changes: changes.map(describeChange) }),
    residence: decision.residence,
    purpose: decision.purpose,
  }
}

/** What was decided on several travellers: each by himself, and what blocks, has to be obtained or is unknown for whom. */
export function describeTogether(decision: GroupDecision) {
  return {
    verdict: decision.verdict,
    travellers: decision.travellers.map(describeOne),
    blockers: toWire(decision.blockers),
    conditions: decision.conditions,
    unknowns: decision.unknowns.map(nameField),
  }
}
