/**
 * Who decides, what has ended, what eases: worked out from the rules in docs/data-rules.md by walking the facts, day by day, with dates as text.
 */
import type { Facts, ProvisionFact, Rule, Terms } from "../../src/compiler.ts"
import type { DocumentTerms } from "../../src/engine.ts"
import type { HeldDocument } from "../../src/index.ts"

/** By what has to be done: a visa that is issued on arrival leaves nothing to obtain before. */
const EFFORTS = ["visa_free", "visa_on_arrival", "eta", "e_visa", "visa_required", "no_admission"]
const addDays = (on: string, days: number) =>
  new Date(Date.parse(`${on}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000

const covers = (rule: Rule, passport: string, facts: Facts, isCode: boolean) =>
  isCode
    ? rule.passports.includes(passport)
    : rule.passports.some(selector =>
        facts.blocs.some(bloc => `@${bloc.id}` === selector && bloc.members.some(({ code }) => code === passport)),
      )

/** The rules of a destination for a passport, the one that beats all others first, whatever the day. */
const rulesInOrder = (facts: Facts, passport: string, destination: string): Terms[][] => {
  const policy = facts.policies.find(candidate => candidate.destination === destination)
  if (policy === undefined) return []
  return [
    policy.reviewed.filter(rule => covers(rule, passport, facts, true)),
    policy.reviewed.filter(rule => covers(rule, passport, facts, false)),
    policy.rules.filter(rule => covers(rule, passport, facts, true)),
    policy.rules.filter(rule => covers(rule, passport, facts, false)),
    [...policy.defaults],
  ]
}

const isInForce = ({ from, until }: Pick<Terms, "from" | "until">, on: string) =>
  (from === null || from <= on) && (until === null || on < until)

/** The rule that decides on a day, and the one that ended before it. */
export const decideByWalking = (facts: Facts, passport: string, destination: string, on: string) => {
  const ranks = rulesInOrder(facts, passport, destination)
  const rank = ranks.findIndex(rules => rules.some(rule => isInForce(rule, on)))
  if (rank < 0) return null
  const decided = ranks[rank]?.find(rule => isInForce(rule, on)) as Terms
  const ended = ranks
    .slice(0, rank)
    .flat()
    .filter(({ until }) => until !== null && until <= on && (decided.from === null || decided.from < until))
    .sort((a, b) => ((a.until as string) < (b.until as string) ? 1 : -1))[0]
  return {
    decided,
    endsOn: decided.until === null ? null : addDays(decided.until, -1),
    ended: ended === undefined ? null : addDays(ended.until as string, -1),
  }
}

const meets = (terms: DocumentTerms, held: HeldDocument, on: string, exitOn: string | null): boolean | null => {
  if (terms.kind !== held.kind || !terms.issuers.includes(held.issuer)) return false
  const judgements: (boolean | null)[] = [
    held.validFrom === undefined || held.validFrom <= on,
    held.validUntil === undefined || held.validUntil >= on,
  ]
  if (terms.multipleEntry) {
    judgements.push(held.entries === undefined ? null : held.entries === "multiple" || held.entries >= 2)
  }
  if (terms.usedBefore) judgements.push(held.used ?? null)
  if (terms.permanent) judgements.push(held.permanent ?? null)
  if (terms.physical) judgements.push(held.electronic === undefined ? null : !held.electronic)
  const { validDaysAfterEntry: afterEntry, validDaysAfterExit: afterExit } = terms
  if (afterEntry !== undefined) {
    judgements.push(held.validUntil === undefined ? null : daysBetween(on, held.validUntil) >= afterEntry)
  }
  if (afterExit !== undefined) {
    const isKnown = held.validUntil !== undefined && exitOn !== null
    judgements.push(isKnown ? daysBetween(exitOn, held.validUntil as string) >= afterExit : null)
  }
  if (judgements.includes(false)) return false
  return judgements.includes(null) ? null : true
}

const isAtOnce = (requirement: string) => requirement === "visa_free" || requirement === "visa_on_arrival"

/**
 * What is asked with documents in hand, of a passport that everybody's waivers cover, in the order of the choice: an entry for long enough
 * goes before one that is too short, then one of a known length before another, then one for which nothing is obtained before, then the easier, then
 * the longer. A valid document of the
 * destination itself is the required one: nothing has to be obtained, and what it replaces is not asked for again. A waiver is about such a
 * document only if it names nobody else's and the document has expired.
 */
export const easeByWalking = (
  base: { readonly requirement: string; readonly days: number | null },
  waivers: readonly ProvisionFact<"waivers">[],
  held: readonly HeldDocument[],
  on: string,
  exitOn: string,
  destination: string,
) => {
  if (base.requirement === "no_admission") return { ...base, document: null }
  const stay = daysBetween(on, exitOn) + 1
  const isValidOn = ({ validFrom, validUntil }: HeldDocument, day: string) =>
    !(validFrom != null && validFrom > day) && !(validUntil != null && validUntil < day)
  const rankOf = ({ requirement }: { readonly requirement: string }) => EFFORTS.indexOf(requirement)
  // A stay that is too long only with the days under permits of the country itself is open: whether one may wait inside for a permit is not recorded.
  const permits = held.filter(({ kind, issuer }) => kind === "residence_permit" && issuer === destination)
  const listOutside = (others: readonly HeldDocument[]) =>
    Array.from({ length: stay }, (_, at) => addDays(on, at)).filter(day => !others.some(each => isValidOn(each, day)))
  const asVisitor = listOutside(permits).length
  const judge = ({ requirement, days }: typeof base, isMaximum = true) => {
    const isShort = days !== null && days < stay
    // What an e-visa allows is known when it is issued.
    const isOpen = isMaximum ? isShort && asVisitor <= days : isShort || requirement === "e_visa"
    const order = [isShort && !isOpen, days === null, !isAtOnce(requirement), isOpen, rankOf({ requirement })].map(
      Number,
    )
    const found = isOpen && isMaximum ? null : days
    return { requirement, days: found, order: [...order, -(days ?? 0)], document: null as number | null }
  }
  // The days of such a visa come from an imported table here, which copies them from the visa: they are no maximum.
  const usual = judge(base, base.requirement !== "e_visa" && base.requirement !== "visa_on_arrival")
  const ways: (typeof usual)[] = []
  let isClosed = false
  held.forEach((each, document) => {
    if (each.issuer !== destination || !isValidOn(each, on)) return
    const isPermit = each.kind === "residence_permit"
    const isEnding = isPermit && !isValidOn(each, exitOn)
    const isOpen = isEnding && listOutside(permits.filter(other => other !== each)).every(day => isValidOn(each, day))
    isClosed ||=
      !isAtOnce(base.requirement) && (base.requirement !== "eta" || !isPermit || each.validUntil === undefined)
    // A permit leaves the days until its end: no stay is longer.
    const days = isPermit && !isOpen && each.validUntil != null ? daysBetween(on, each.validUntil) + 1 : null
    // A visa says for how long: that is proven where so many days are permitted without it.
    const isProven = isPermit ? !isOpen : isAtOnce(base.requirement) && base.days !== null && base.days >= stay
    const order = [Number(isEnding && !isOpen), 0, 0, Number(!isProven), 0, isPermit ? -9_999 : 0]
    ways.push({ ...judge(base), days, order, document })
  })
  for (const { days = null, ...rest } of waivers) {
    const waiver = { ...rest, days }
    if (!isInForce({ from: waiver.from ?? null, until: waiver.until ?? null }, on)) continue
    const isLonger = waiver.days !== null && base.days !== null && waiver.days > base.days
    if (rankOf(waiver) > rankOf(base) || (rankOf(waiver) === rankOf(base) && !isLonger)) continue
    const isMeant = ({ issuers }: DocumentTerms, document: HeldDocument) =>
      document.issuer !== destination || (issuers.every(code => code === destination) && !isValidOn(document, on))
    held.forEach((each, document) => {
      if (waiver.held.some(terms => isMeant(terms, each) && meets(terms, each, on, exitOn) === true))
        ways.push({ ...judge(waiver), document })
    })
  }
  const isBefore = (a: readonly number[], b: readonly number[]) => {
    const at = a.findIndex((each, place) => each !== b[place])
    return at >= 0 && a[at]! < b[at]!
  }
  const best = (isClosed ? ways : [usual, ...ways]).reduce((a, b) => (isBefore(b.order, a.order) ? b : a))
  return { requirement: best.requirement, days: best.days, document: best.document }
}
