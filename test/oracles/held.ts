/**
 * With what can a stop be entered: a passport alone, or with one of the documents that the traveller holds? By hand, from
 * docs/decisions/held-documents.md and the wording of the specification; imports nothing of what it judges.
 */
import {
  type OracleDocument,
  type OracleDocumentTerms,
  type OracleItinerary,
  type OracleStay,
  type OracleWaiver,
  REQUIREMENTS,
  type Terms,
  type World,
  zoneOf,
} from "./journeys.ts"
import { dayOf } from "./stay-days.ts"

/** A document with its place; the residence is one without. */
export interface Carried {
  readonly place: number | null
  readonly document: OracleDocument
}

/** One way of entering at a stop. */
export interface Entering {
  /** Place of the passport. */
  readonly passport: number
  readonly terms: Terms | null
  /** What is asked of who holds no document. */
  readonly without: Terms | null
  readonly carried: Carried | null
  /** Whether the document is the very one that is asked for, and needs no other. */
  readonly isInHand: boolean
  /** Whether it was issued by the destination, by the country that it follows, or in its zone: its bounds are the stay's. */
  readonly isOwn: boolean
  /** Whether it makes its holder no visitor. */
  readonly isPermit: boolean
  /** Whether its days certainly count in the zone. */
  readonly isShortVisaOfZone: boolean
  readonly boundDays: number | null
  readonly until: string | null
  readonly ease: readonly [asked: number, stay: number]
  /** Waivers that would be easier still, if somebody checked: one entry each. */
  readonly toCheck: number
}

// A residence is taken for a permit where no permit of that country is held.
export const carriedBy = ({ held = [], residence }: OracleItinerary): readonly Carried[] => [
  ...held.map((document, place) => ({ place, document })),
  ...(residence == null || held.some(({ kind, issuer }) => kind === "residence_permit" && issuer === residence)
    ? []
    : [{ place: null, document: { kind: "residence_permit" as const, issuer: residence } }]),
]

export const isLongStay = ({ kind, type }: OracleDocument) => kind === "residence_permit" || type === "D"

// What nobody says of a visa is not guessed.
const isShortStay = (document: OracleDocument) =>
  !isLongStay(document) && (document.type === "C" || document.durationOfStayDays !== undefined)

const isValidOn = ({ validFrom, validUntil }: OracleDocument, date: string) =>
  (validFrom === undefined || validFrom <= date) && (validUntil === undefined || date <= validUntil)

// Yes, no, or null where the traveller did not say.
function meets(terms: OracleDocumentTerms, document: OracleDocument, stay: OracleStay): boolean | null {
  const answers: (boolean | null)[] = [isValidOn(document, stay.from)]
  if (terms.multipleEntry)
    answers.push(document.entries === undefined ? null : document.entries === "multiple" || document.entries > 1)
  if (terms.usedBefore) answers.push(document.used ?? null)
  if (terms.validDaysAfterExit !== undefined) {
    answers.push(
      document.validUntil === undefined
        ? null
        : dayOf(document.validUntil) - dayOf(stay.to) >= terms.validDaysAfterExit,
    )
  }
  return answers.includes(false) ? false : answers.includes(null) ? null : true
}

const easeOfWaiver = ({ requirement, days }: Pick<OracleWaiver, "requirement" | "days">): readonly [number, number] => [
  REQUIREMENTS.indexOf(requirement),
  9_999 - (days ?? 0),
]

/** The waivers that ease an answer, the easiest first and then the longest. */
function easing(world: World, destination: string, terms: Terms, follows: boolean): OracleWaiver[] {
  const rank = (requirement: string) => REQUIREMENTS.indexOf(requirement)
  const of = (code: string | undefined) =>
    (world.waivers ?? []).filter(waiver => code !== undefined && waiver.destinations.includes(code))
  // What the states of the country's zone grant one another does not reach a territory outside of it.
  const zone = zoneOf(world, world.follows[destination] ?? destination)
  const isReached = zone === undefined || zoneOf(world, destination) === zone
  const inherited = (follows ? of(world.follows[destination]) : []).map(waiver => ({
    ...waiver,
    held: waiver.held.map(each => ({
      ...each,
      issuers: each.issuers.filter(issuer => isReached || zoneOf(world, issuer) !== zone),
    })),
  }))
  return [...of(destination), ...inherited]
    .filter(
      waiver =>
        rank(waiver.requirement) < rank(terms.requirement) ||
        (waiver.requirement === terms.requirement &&
          waiver.days !== null &&
          terms.days !== null &&
          waiver.days > terms.days),
    )
    .sort((a, b) => rank(a.requirement) - rank(b.requirement) || (b.days ?? 0) - (a.days ?? 0))
}

const lastsUpTo = (days: number, { from, to }: OracleStay) => dayOf(to) - dayOf(from) + 1 <= days

const names = (terms: OracleDocumentTerms, { kind, issuer }: OracleDocument) =>
  terms.kind === kind && terms.issuers.includes(issuer)

// A visa or permit of a country holds in the territories that follow it, where both are in one zone or in none.
const isIssuedFor = (world: World, { issuer }: OracleDocument, destination: string, follows: boolean) =>
  issuer === destination ||
  (follows && issuer === world.follows[destination] && zoneOf(world, destination) === zoneOf(world, issuer))

const canUseDocuments = (terms: Terms | null): terms is Terms =>
  terms !== null && !terms.free && terms.requirement !== "no_admission"

/** Lists the ways of entering a stop with one passport; the one without a document comes first. */
export function listEnterings(
  world: World,
  documents: readonly Carried[],
  passport: number,
  stop: OracleStay,
  terms: Terms | null,
  easeOf: (terms: Terms | null) => readonly [number, number],
  follows: boolean,
): Entering[] {
  const plain: Entering = {
    passport,
    terms,
    without: terms,
    carried: null,
    isInHand: false,
    isOwn: false,
    isPermit: false,
    isShortVisaOfZone: false,
    boundDays: null,
    until: null,
    ease: easeOf(terms),
    toCheck: 0,
  }
  if (!canUseDocuments(terms)) return [plain]
  const ways: Entering[] = [plain]
  const zone = zoneOf(world, stop.destination)
  const isRolling = zone?.rule.kind === "rolling"
  for (const carried of documents) {
    const { document } = carried
    const isOwn = isIssuedFor(world, document, stop.destination, follows)
    if (carried.place === null || !isOwn || !isValidOn(document, stop.from)) continue
    const isPermit = isLongStay(document)
    const needsNone =
      terms.requirement === "visa_free" && terms.days !== null && terms.days >= (zone?.rule.allowanceDays ?? 0)
    if (isRolling && !isPermit && needsNone) continue
    const boundDays = document.durationOfStayDays ?? null
    ways.push({
      ...plain,
      carried,
      isInHand: true,
      isOwn: true,
      isPermit,
      isShortVisaOfZone: isRolling && isShortStay(document),
      boundDays,
      until: isPermit || isRolling ? (document.validUntil ?? null) : null,
      ease: [0, 9_999 - (boundDays ?? 0)],
    })
  }
  const unsure: (readonly [number, number])[] = []
  for (const waiver of easing(world, stop.destination, terms, follows)) {
    for (const carried of documents) {
      const { document } = carried
      // Waivers are about documents of other states.
      if (isIssuedFor(world, document, stop.destination, follows)) continue
      const judged = waiver.held.filter(each => names(each, document)).map(each => meets(each, document, stop))
      if (judged.includes(true)) {
        const isOwn = zone !== undefined && zoneOf(world, document.issuer) === zone
        ways.push({
          ...plain,
          terms: { requirement: waiver.requirement, days: waiver.days, homeThere: false, free: false },
          carried,
          isOwn,
          boundDays: isOwn && !isLongStay(document) ? (document.durationOfStayDays ?? null) : null,
          until: isOwn ? (document.validUntil ?? null) : null,
          ease: easeOfWaiver(waiver),
        })
      } else if (judged.includes(null) && (waiver.days === null || lastsUpTo(waiver.days, stop)))
        unsure.push(easeOfWaiver(waiver))
    }
  }
  const isEasier = (a: readonly [number, number], b: readonly [number, number]) =>
    a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])
  return ways.map(way => ({ ...way, toCheck: unsure.filter(each => isEasier(each, way.ease)).length }))
}
