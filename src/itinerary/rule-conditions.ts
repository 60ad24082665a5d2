/**
 * What do the rules of an entry require besides the requirement?
 *
 * Every condition of the rule, of the policy and of the used waiver is reported, as in `describePair`. Some are judged if the traveller
 * gave enough information: the purpose, the mode of entry, and a suspension of visas, which blocks unless an exemption may apply. A
 * traveller who enters on a document of the destination has the required document, so conditions of obtaining it are left out.
 *
 * A suspension of visas does not concern lawful permanent residents, nor holders of a visa that was issued before it (Proclamation 10949 of
 * 4 June 2025, Sections 3 and 4; Proclamation of 16 December 2025, Sections 5 and 6).
 */
import type { ConditionKind } from "../dataset/conditions.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import type { RuleCondition, Waiver } from "../dataset/rule-terms.ts"
import { getOrInsert } from "../get-or-insert.ts"
import { type Asked, listPairConditions, listPolicyConditions } from "../requirement/describe-pair.ts"
import { entersByRight } from "./border-rules.ts"
import { sayCondition } from "./condition-due.ts"
import { block, type DecisionState, noteCondition, type StopState } from "./decision-state.ts"
import { type EntryTerms, isInHand } from "./entry-terms.ts"
import { findPair, isOffered, listConditionsOf } from "./pair-findings.ts"
import type { AskedCondition, PairConditions, PairFindings } from "./pair-table.ts"
import { isKindMet, listLacking } from "./passport-features.ts"
import type { ReasonParams } from "./reasons.ts"
import type { ReadItinerary } from "./request-fields.ts"
import type { Rules } from "./rules.ts"
import type { DocumentState } from "./traveller-state.ts"
import { opensGateway } from "./ways.ts"

/** Conditions of obtaining a document, or of an entry without it, which do not concern its holders. */
const OF_OBTAINING: ReadonlySet<ConditionKind> = /* @__PURE__ */ new Set<ConditionKind>([
  "held_document",
  "sponsor",
  "exempt",
  "suspension",
  "bond",
  "also",
  "asked_at",
  "passport_kind",
])

/** The purposes of visitors' and students' visas. Another text may mean a visa of another class. */
const KNOWN_PURPOSES: readonly string[] = [
  "business",
  "exchange",
  "family",
  "medical",
  "pilgrimage",
  "tourism",
  "transit",
]

/** Reports the conditions of a stop, whose entry is already chosen, and the blockers among them. */
export function judgeConditions(state: DecisionState, index: number): void {
  const conditions = listConditions(state, state.stops[index]!)
  for (let at = 0; at < conditions.length; at++) {
    const { condition, said } = conditions[at]!
    if (!isSettled(state, index, condition, conditions)) state.conditions.push({ said, step: index })
  }
}

const NO_CONDITIONS: PairConditions = { onAnswer: NOTHING, inHand: NOTHING }

/** Lists the conditions of an entry at a stop, or at a place that is treated like one. Its passport and terms must be set. */
export function listConditions(state: DecisionState, stop: StopState): readonly AskedCondition[] {
  const { rules, dataset } = state
  const { requirement, held } = stop.terms!
  if (rules.index === null || requirement.status === "unknown" || stop.firstDay < dataset.sinceDay) return NOTHING
  const pair = findPair(state, stop.passport!, stop)
  const conditions = pair.conditions ?? findConditions(state, stop, pair)
  if (held === null) {
    // Lists what must be checked of a passport of another kind, unless its holder enters on a document of the destination.
    return pair.toCheck === null ? conditions.onAnswer : [say(stop.destination, pair.toCheck), ...conditions.onAnswer]
  }
  const waiver = requirement.because?.[0]?.waiver ?? null
  if (waiver === null) return conditions.inHand
  pair.ofWaivers ??= new Map()
  return getOrInsert(pair.ofWaivers, waiver, () => findOfWaiver(state.rules, stop, waiver))
}

function findConditions(state: DecisionState, stop: StopState, pair: PairFindings): PairConditions {
  const asked =
    state.rules.hasConditions[stop.column] === 1 ? listPairConditions(state.rules.index!, askAt(stop)) : NOTHING
  if (asked.length === 0) pair.conditions = NO_CONDITIONS
  else {
    const onAnswer = sayAll(stop, asked)
    pair.conditions = { onAnswer, inHand: onAnswer.filter(({ condition }) => !OF_OBTAINING.has(condition.kind)) }
  }
  return pair.conditions
}

function findOfWaiver(rules: Rules, stop: StopState, waiver: Waiver): readonly AskedCondition[] {
  const ofPolicy =
    rules.hasConditions[stop.column] === 1
      ? listPolicyConditions(rules.index!, askAt(stop), waiver.requirement)
      : NOTHING
  // The borders of a requirement are not those of a waiver, and a document opens the entry to holders of any passport.
  const ofEntry = ofPolicy.filter(({ kind }) => kind !== "asked_at" && kind !== "passport_kind")
  return sayAll(stop, [...waiver.conditions, ...ofEntry])
}

type Known = Extract<EntryTerms["requirement"], { readonly status: "known" }>

function askAt({ terms, passport, destination, firstDay: day }: StopState): Asked {
  const { answer } = terms!.requirement as Known
  return { passport: passport!.ruledAs, destination, answer, day, as: terms! }
}

// Says whether the traveller's information settles a condition, so that it is not reported; adds a blocker if it blocks.
function isSettled(
  state: DecisionState,
  index: number,
  condition: RuleCondition,
  others: readonly AskedCondition[],
): boolean {
  const stop = state.stops[index]!
  const { destination } = stop
  switch (condition.kind) {
    case "purpose": {
      const purpose = readPurpose(state.read)
      if (!purpose) break
      state.isPurposeJudged = true
      if ((condition.purposes as readonly string[]).includes(purpose)) return true
      block(state, index, "purpose_not_covered", { destination, purpose, purposes: condition.purposes })
      break
    }
    case "entry_points": {
      const { by } = stop
      const electronic = isElectronic(stop.terms!)
      // The borders of an easier entry or of an electronic visa are not those of another visa or of a permit.
      if (electronic === false) return true
      if (by === null || electronic === null || condition.borders === undefined) break
      if (!condition.borders.includes(by)) {
        const { borders, names = [] } = condition
        block(state, index, "entry_point_closed", { destination, by, borders, names })
      } else if (condition.names === undefined) return true
      break
    }
    case "asked_at": {
      // It is applied if the border is known; who enters by right needs nothing.
      const { answer } = stop.terms!.requirement as Known
      return (
        stop.by !== null ||
        entersByRight(state, stop, findPair(state, stop.passport!, stop).borders, answer.requirement)
      )
    }
    case "passport_kind": {
      const { features } = stop.passport!
      if (isKindMet(condition, features)) return true
      const { requirement } = stop.terms!
      if (requirement.status === "unknown") break
      const asked = requirement.answer.requirement
      const lacking = listLacking([condition], features)
      if (asked === requirement.value) break
      // Who needs a visa for another reason, such as a bar, needs no such passport.
      if (lacking.length === 0) return requirement.value === "visa_required"
      noteCondition(state, index, "visa_instead", { destination, asked, because: "passport", features: lacking })
      return true
    }
    case "gateway_visa":
      return state.documents.some(each => opensGateway(state.rules.index!, stop, each, condition))
    case "not_enforced": {
      return stop.by !== null && condition.borders?.includes(stop.by) === false
    }
    case "suspension": {
      if (mayBeExempt(state, stop, others)) break
      const { passport } = stop.passport!.held
      block(state, index, "visa_suspended", { destination, passport, visas: condition.visas })
      break
    }
  }
  return false
}

/**
 * Says whether a document opens the way to any stop, for any of the passports. It does so by itself: whether another one opens the way too,
 * and on which of them the traveller enters, is no matter.
 */
export function opensAnyGateway(state: DecisionState, document: DocumentState): boolean {
  const { dataset, rules, stops, passports } = state
  return stops.some(
    stop =>
      stop.firstDay >= dataset.sinceDay &&
      passports.some(
        passport =>
          isOffered(stop, passport) &&
          listConditionsOf(state, passport, stop, findPair(state, passport, stop)).some(
            each => each.kind === "gateway_visa" && opensGateway(rules.index!, stop, document, each),
          ),
      ),
  )
}

// Says whether a stop is entered on the electronic visa of its rule, or on nothing in hand; null if that is not known.
function isElectronic({ held, requirement }: EntryTerms): boolean | null {
  if (held === null || requirement.status === "unknown" || requirement.because?.[0]?.waiver !== null) return true
  const { kind, electronic } = held.document.read
  return kind === "visa" && requirement.answer.requirement === "e_visa" ? electronic : false
}

// Returns the purpose if it is one of the words of rules, "" if none is given, and null for any other text.
function readPurpose({ purpose }: ReadItinerary): string | null {
  const word = purpose === null ? "" : purpose.trim().toLowerCase()
  return word === "" || KNOWN_PURPOSES.includes(word) ? word : null
}

/** Says whether rules for visitors decide an entry, and may not cover the purpose, such as work. */
export function leavesPurposeOpen({ read, stops }: DecisionState): boolean {
  const isVisit = ({ terms }: StopState) => !terms!.isHome && !terms!.movesFreely && !isInHand(terms!)
  return readPurpose(read) === null && stops.some(isVisit)
}

// Says whether a traveller may be exempt from a suspension: nothing in the request rules it out.
function mayBeExempt(state: DecisionState, { column }: StopState, others: readonly AskedCondition[]): boolean {
  if (readPurpose(state.read) === null) return true
  const exempt = others.find(({ condition }) => condition.kind === "exempt")?.condition
  if (exempt?.kind !== "exempt") return false
  return state.documents.some(({ column: issuer, read: { kind, permanent } }) => {
    if (issuer !== column) return false
    if (kind === "visa") return exempt.issuedBefore !== undefined
    return permanent !== false && exempt.who?.includes("permanent_residents") === true
  })
}

// By condition, then by destination, so that their texts are made once.
const askedOf = new WeakMap<RuleCondition, Map<string, AskedCondition>>()

function say(destination: string, condition: RuleCondition): AskedCondition {
  return getOrInsert(
    getOrInsert(askedOf, condition, () => new Map<string, AskedCondition>()),
    destination,
    () => {
      const params: ReasonParams = Object.freeze({ destination, ...describeCondition(condition) })
      return { condition, said: sayCondition(condition.kind, params) }
    },
  )
}

function sayAll({ destination }: StopState, conditions: readonly RuleCondition[]): readonly AskedCondition[] {
  return conditions.map(each => say(destination, each))
}

/** The parameters of a condition, by the names of its sentence. */
function describeCondition(condition: RuleCondition): ReasonParams {
  switch (condition.kind) {
    case "held_document":
      return { documents: condition.held.map(({ kind, issuers }) => `${kind} ${issuers.join(" ")}`) }
    case "registration": {
      const { name, url = null, hoursBefore: hours = null, fee } = condition
      return { name, url, hours, amount: fee?.amount ?? null, currency: fee?.currency ?? null }
    }
    case "gateway_visa":
      return { states: condition.states, entries: condition.entries ?? null }
    case "border_control":
      return { states: condition.states }
    case "sponsor":
      return { by: condition.by }
    case "special_document":
      return { name: condition.name }
    case "not_enforced":
      return { borders: condition.borders ?? [] }
    case "exempt":
      return { who: condition.who ?? [], before: condition.issuedBefore ?? null }
    case "suspension":
      return { visas: condition.visas }
    case "bond": {
      const { leastAmount: least, mostAmount: most = null, currency } = condition
      return { least, most, currency }
    }
    case "entry_points":
      return { names: condition.names ?? [], borders: condition.borders ?? [] }
    case "asked_at":
      return { borders: condition.borders, elsewhere: condition.elsewhere }
    case "purpose":
      return { purposes: condition.purposes }
    case "group":
      return { least: condition.least }
    case "bring":
      return { proofs: condition.proofs }
    case "passport_kind":
      return { features: condition.features }
    case "age":
      return { least: condition.least ?? null, most: condition.most ?? null }
    case "also":
      return { requirement: condition.requirement, remark: condition.remark ?? null }
    case "other":
      return { text: condition.text }
  }
}
