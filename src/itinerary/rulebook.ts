/**
 * What does a dataset say that a decision can hand out as it is?
 *
 * Most findings of a decision depend on the answer of a pair or on the destination alone. They are made once per dataset and
 * shared, frozen; a decision over twelve stops then builds little more than its own numbers. A dataset for another day is another
 * dataset.
 */
import { type Answer, type Dataset, type Found, followedSlot } from "../dataset/open.ts"
import { readTerms as readIndex, type TermsIndex } from "../dataset/rule-terms.ts"
import type { ValidityRule, Zone, ZoneMember } from "../dataset/travel-rules.ts"
import { EFFORT_OF_REQUIREMENT, type Entry, entryTable } from "../requirement/entry.ts"
import { needsVisa, type Requirement } from "../requirement/requirement.ts"
import {
  EXPIRY_NOT_GIVEN,
  type Finding,
  ISSUE_DATE_NOT_GIVEN,
  type Known,
  known,
  NO_VALIDITY_RULE,
  STAY_MOVES_FREELY,
  STAY_NOT_RECORDED,
  STAY_REFUSED,
  STAY_SET_BY_PERMIT,
  type Unknown,
  unknown,
  VALIDITY_FOR_VISITORS,
  ZONE_NO_FIXED_STAY,
  ZONE_OTHER_STAYS,
  ZONE_OWN_STAY,
} from "./findings.ts"
import type { ValidityTerms } from "./passport-validity.ts"
import type { DayCounting } from "./route-input.ts"
import type { TableStay } from "./table-stays.ts"
import { findTransit, NOTHING_OF_TRANSIT, type TransitFindings } from "./transit.ts"
import { findMemberships } from "./zones.ts"

/** What is needed to enter, with the whole answer that says how we know. */
export type RequirementFinding = (Known<Requirement> & { readonly answer: Found }) | Unknown

/** What an answer means for a stop. */
export interface EntryTerms {
  readonly requirement: RequirementFinding
  /** Days, or `unlimited` at home. */
  readonly maxStay: Finding<number | "unlimited">
  readonly maxDays: number | null
  readonly isHome: boolean
  /** True at home and under freedom of movement: rules for visitors do not bind. */
  readonly movesFreely: boolean
  /** Whether its days count in a zone: certainly for a fixed number of days without a visa, which is what the rules of zones are about. */
  readonly counting: DayCounting
  readonly isUncertain: boolean
  /** True where the days of an e-visa or a visa on arrival rest on an imported table alone, and so are no maximum. */
  readonly isTableStay: boolean
  /** The smaller, the better the passport: first what is asked, then how long the stay is. */
  readonly effort: number
}

/** A destination's place in a zone. */
export interface ZonePlace {
  readonly zone: Zone
  /** The zone's place among the dataset's. */
  readonly index: number
  readonly memberships: readonly ZoneMember[]
  /** Codes of the zone's own states. */
  readonly nationals: ReadonlySet<string>
  readonly noFixedStay: ZoneGap
  readonly otherStays: ZoneGap
  readonly ownStay: ZoneGap
}

interface ZoneName {
  readonly zone: string
  /** Days that the zone allows. */
  readonly allowanceDays: number
}

/** What is not known of the days in a zone. */
export type ZoneGap = Unknown & ZoneName

/** Days used in a zone at the end of a stop. */
export type ZoneFinding = Finding<number> & ZoneName

/** Whether a passport is valid for long enough, with the rule that was asked; the rule is null where none is recorded. */
export type ValidityFinding = Finding<"met" | "not_met"> & { readonly rule: ValidityTerms | null }

/** What can be said of a validity rule. */
export interface ValidityFindings {
  readonly rule: ValidityTerms
  readonly met: ValidityFinding
  readonly notMet: ValidityFinding
  readonly expiryNotGiven: ValidityFinding
  readonly issueDateNotGiven: ValidityFinding
  readonly forVisitors: ValidityFinding
}

/** A dataset's shared findings. Lists are not frozen, because V8 reads frozen lists slowly; nobody writes to them. */
export interface Rulebook {
  /** By the place of an entry. */
  readonly terms: readonly EntryTerms[]
  /** By destination index. */
  readonly zonePlaces: readonly (ZonePlace | null)[]
  readonly validity: readonly (ValidityFindings | null)[]
  readonly transit: readonly TransitFindings[]
  /** What rules depend on; null where the dataset has none of it. */
  readonly index: TermsIndex | null
  /** By destination index, 1 where a stay rule or an agreement is recorded. */
  readonly hasStayRules: Uint8Array
  /** Finds the slot of the country that an answer's destination follows. */
  readonly followed: (answer: Found) => number
  /** By pair, what was found out of stays that may rest on a table; filled as decisions are made. */
  readonly tableStays: Map<number, TableStay>
}

/** For a destination without a rule of passport validity. */
export const NOTHING_OF_VALIDITY: ValidityFinding = unknown("destination", NO_VALIDITY_RULE, { rule: null })

const UNLIMITED = known("pair", "unlimited" as const)

const rulebooks = new WeakMap<Dataset, Rulebook>()

/** Gives a dataset's rulebook, the same at every call. */
export function rulebookOf(dataset: Dataset): Rulebook {
  const kept = rulebooks.get(dataset)
  if (kept !== undefined) return kept
  const { destinations } = dataset
  const validityOf = new Map(
    dataset.validityRules.flatMap(rule => {
      const findings = findValidity(rule)
      return rule.destinations.map(code => [code, findings] as const)
    }),
  )
  const transitOf = findTransit(dataset.transitRules)
  const index = readIndex(dataset)
  const rulebook = {
    terms: entryTable(dataset).entries.map(readTerms),
    zonePlaces: destinations.map(code => findZonePlace(dataset.zones, code)),
    validity: destinations.map(code => validityOf.get(code) ?? null),
    transit: destinations.map(code => transitOf.get(code) ?? NOTHING_OF_TRANSIT),
    index,
    hasStayRules: Uint8Array.from(destinations, code => (index?.hasStayRules(code) ? 1 : 0)),
    followed: (answer: Found) => followedSlot(dataset, answer),
    tableStays: new Map(),
  }
  rulebooks.set(dataset, rulebook)
  return rulebook
}

function readTerms(entry: Entry): EntryTerms {
  const { answer, isHome, movesFreely, effort } = entry
  if (answer.kind !== "found") return explainAbsence(answer)
  const { requirement, days, uncertain, source } = answer
  const needsPermit = requirement === "e_visa" || requirement === "visa_on_arrival"
  return {
    requirement: known("pair", requirement, { answer }),
    maxStay: isHome
      ? UNLIMITED
      : days === null
        ? unknown("pair", explainStay(answer, movesFreely))
        : known("pair", days),
    maxDays: isHome ? null : days,
    isHome,
    movesFreely,
    counting: movesFreely ? "none" : days !== null && !needsVisa(requirement) ? "certain" : "possible",
    isUncertain: uncertain,
    isTableStay: days !== null && needsPermit && source?.imported === true,
    effort,
  }
}

/** Makes the terms of a stop that there is no answer for. */
export function explainAbsence({ message }: Exclude<Answer, Found>): EntryTerms {
  const gap = unknown("pair", message)
  return { ...NO_TERMS, requirement: gap, maxStay: gap }
}

const NO_TERMS = {
  maxDays: null,
  isHome: false,
  movesFreely: false,
  counting: "possible",
  isUncertain: false,
  isTableStay: false,
  effort: 6 * EFFORT_OF_REQUIREMENT,
} as const

function explainStay({ requirement }: Found, movesFreely: boolean): string {
  if (movesFreely) return STAY_MOVES_FREELY
  if (requirement === "visa_free") return STAY_NOT_RECORDED
  return requirement === "no_admission" ? STAY_REFUSED : STAY_SET_BY_PERMIT
}

function findZonePlace(zones: readonly Zone[], code: string): ZonePlace | null {
  for (let index = 0; index < zones.length; index++) {
    const zone = zones[index] as Zone
    const memberships = findMemberships(zone, code)
    if (memberships.length === 0) continue
    const gap = (reason: string) => unknown("pair", reason, { zone: zone.id, allowanceDays: zone.rule.allowanceDays })
    return {
      zone,
      index,
      memberships,
      nationals: new Set(zone.members.map(member => member.code)),
      noFixedStay: gap(ZONE_NO_FIXED_STAY),
      otherStays: gap(ZONE_OTHER_STAYS),
      ownStay: gap(ZONE_OWN_STAY),
    }
  }
  return null
}

function findValidity({ destinations, ...rule }: ValidityRule): ValidityFindings {
  const say = (value: "met" | "not_met") => known("destination", value, { rule })
  const gap = (reason: string) => unknown("destination", reason, { rule })
  return {
    rule,
    met: say("met"),
    notMet: say("not_met"),
    expiryNotGiven: gap(EXPIRY_NOT_GIVEN),
    issueDateNotGiven: gap(ISSUE_DATE_NOT_GIVEN),
    forVisitors: gap(VALIDITY_FOR_VISITORS),
  }
}
