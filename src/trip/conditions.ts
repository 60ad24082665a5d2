/**
 * Which conditions of a rule concern a traveller who enters in a certain way, and what do his documents settle?
 *
 * What the documents and the way settle is found here, for a decision and for `lookupHeld`; what the traveller says of the purpose, the border
 * and the passport, by the decision (entry.ts). A traveller who enters on a document of the destination has the required document, so
 * conditions of obtaining it are left out. A suspension of visas does not concern lawful permanent residents, nor holders of a
 * visa that was issued before it (Proclamation 10949 of 4 June 2025, Sections 3 and 4; Proclamation of 16 December 2025, Sections 5 and 6).
 */
import type { Requirement } from "../dataset/requirement.ts"
import type { TermsIndex } from "../dataset/rule-terms.ts"
import { type Asked, listPolicyConditions } from "../requirement/describe-pair.ts"
import type { ConditionKind } from "../rules/condition-words.ts"
import type { RuleCondition } from "../rules/provisions.ts"
import type { Held } from "./documents.ts"
import { type Holding, judgeExemption, opensWay, type Visit } from "./documents.ts"
import { CHECK_COST, TO_DO_COST } from "./issues.ts"

/** Conditions of obtaining a document, or of an entry without it, which do not concern its holders. */
const OF_OBTAINING: readonly ConditionKind[] = [
  "held_document",
  "sponsor",
  "exempt",
  "suspension",
  "bond",
  "also",
  "asked_at",
  "passport_kind",
]

/** Says whether a condition of a rule also concerns the holder of the document that the rule asks for. */
export const concernsHolder = ({ kind }: RuleCondition): boolean => !OF_OBTAINING.includes(kind)

/** Says whether a condition only asks for purposes of which tourism is one: who names no purpose is taken for a tourist. */
export const isForTourists = (condition: RuleCondition): boolean =>
  condition.kind === "purpose" && condition.purposes.includes("tourism")

/** Lists the conditions of an entry by a waiver. The borders of a requirement are not those of a waiver, and a document opens the entry to holders of any passport. */
export function listOfWaiver(
  index: TermsIndex,
  asked: Asked,
  { conditions, requirement }: { readonly conditions: readonly RuleCondition[]; readonly requirement: Requirement },
): readonly RuleCondition[] {
  const ofPolicy = listPolicyConditions(index, asked, requirement)
  return [...conditions, ...ofPolicy.filter(({ kind }) => kind !== "asked_at" && kind !== "passport_kind")]
}

/** On what terms a traveller enters a place, and with which documents. */
interface Entrant {
  readonly index: TermsIndex
  readonly documents: readonly Held[]
  readonly visit: Visit
  /** The document of the way, and its requirement, beside that of the answer. */
  readonly held: Holding | null
  readonly needed: Requirement
  readonly usual: Requirement
}

/** `met`: it is settled. `open`: it has to be obtained or checked. `blocks`: it cannot be met. */
type Standing = "met" | "open" | "blocks"

/** Judges a condition of an entry by the documents and the way alone; `others` are all conditions of the entry. */
export function judgeByWay(
  condition: RuleCondition,
  others: readonly RuleCondition[],
  { index, documents, visit, held, needed, usual }: Entrant,
): Standing {
  let isMet = false
  // The borders of an easier entry or of an electronic visa are not those of another visa or of a permit.
  if (condition.kind === "entry_points") isMet = entersElectronically(held, usual) === false
  // Who needs a visa for another reason, such as a bar, needs no passport with a feature; who has an authorisation like ESTA, has such a passport
  // (8 U.S.C. 1187(a)(3)).
  else if (condition.kind === "passport_kind")
    isMet =
      (usual !== needed && needed === "visa_required") ||
      (!condition.features.includes("identity_number") && documents.some(each => each.class?.isBiometric))
  else if (condition.kind === "gateway_visa") isMet = documents.some(each => opensWay(index, visit, [condition], each))
  else if (condition.kind === "suspension" && !mayBeExempt(documents, visit, others)) return "blocks"
  return isMet ? "met" : "open"
}

/** Says whether a stop is entered on the electronic visa of its rule, or on nothing in hand; null if that is not known. */
export function entersElectronically(held: Holding | null, usual: Requirement): boolean | null {
  if (held === null || held.waiver !== null) return true
  const { read, isElectronic } = held.document
  return read.kind === "visa" && usual === "e_visa" ? isElectronic : false
}

// Says whether a document may exempt a traveller from a suspension. A visa that had expired before it exempts nobody.
function mayBeExempt(documents: readonly Held[], visit: Visit, others: readonly RuleCondition[]): boolean {
  const exempt = others.find(each => each.kind === "exempt")
  if (exempt?.kind !== "exempt") return false
  const { issuedBefore } = exempt
  return documents.some(document => {
    const { kind, validUntil } = document.read
    if (document.column !== visit.column || kind === "eta" || judgeExemption(exempt, document) === null) return false
    return kind !== "visa" || validUntil === null || validUntil >= issuedBefore!
  })
}

const TO_CHECK: readonly ConditionKind[] = [
  "suspension",
  "entry_points",
  "purpose",
  "group",
  "passport_kind",
  "age",
  "other",
]
const DECIDES_NOTHING: readonly ConditionKind[] = ["border_control", "not_enforced", "exempt", "asked_at", "also"]

/** Returns what an open condition costs in the choice among ways. It is the cost of its issue, whose sentence is not needed for it. */
export function costOfCondition({ kind }: Pick<RuleCondition, "kind">): number {
  if (TO_CHECK.includes(kind)) return CHECK_COST
  return DECIDES_NOTHING.includes(kind) ? 0 : TO_DO_COST
}
