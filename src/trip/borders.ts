/**
 * Which rules of public law apply at a border because of who the traveller is, or where he was before?
 *
 * Citizens of some countries must enter on that country's passport (the United States: 8 U.S.C. 1185(b)). Travellers who were present in a
 * country that the law names, or are nationals of one, need a visa instead of an authorisation (8 U.S.C. 1187(a)(12)). Travellers who
 * return to the United States from a short visit to Canada or Mexico may enter on a visa that has expired meanwhile (22 CFR 41.112(d)).
 * Presence is known from earlier stays and from the stops before. What the traveller did not say is not guessed.
 */

import type { Requirement } from "../dataset/requirement.ts"
import { BORDERS } from "../rules/condition-words.ts"
import type { Arrival } from "./days.ts"
import { covers, type Held } from "./documents.ts"
import { ask, block, type Issue } from "./issues.ts"
import { goesAround, type Journey, type Stay, stayOf } from "./journey.ts"
import { findBar, findNational, isAbout } from "./law.ts"
import type { BorderRule } from "./provisions.ts"

/** A visa that was used, and the condition under which it may be used again. */
interface Readmission {
  readonly visa: Held
  readonly remark: string
}

/** Finds the visa on which a traveller may enter again although it has expired or has no entry left; null if there is none. */
export function findReadmission(arrival: Arrival): Readmission | null {
  const { journey, stop, law } = arrival
  for (const rule of law.borders.readmissions) {
    if (!isAbout(rule, "visa_required")) continue
    if (rule.nationals !== null && findNational(journey.passports, rule.nationals) !== undefined) continue
    const visa = findAdmitting(arrival, stop, rule)
    if (visa !== null) return { visa, remark: rule.remark! }
  }
  return null
}

// Finds the visa of the stay before the visit to neighbours, or, if that stay was itself a return, of the one before
// it. A traveller who leaves on an unnamed day is taken to go to his next place on its first day.
function findAdmitting(arrival: Arrival, stop: Stay, rule: BorderRule): Held | null {
  const { journey } = arrival
  let leftDay = stop.firstDay
  let stay = stayOf(journey, stop.order - 1)
  while (stay !== null && rule.neighbours!.includes(stay.destination)) {
    leftDay = stay.firstDay
    stay = stayOf(journey, stay.order - 1)
  }
  if (stay?.here !== stop.here || stop.firstDay - Math.max(leftDay, stay.lastDay) > rule.days!) return null
  if (!goesAround(journey, stay, stop, rule.neighbours!)) return null
  const { firstDay, order } = stay
  const isEarlier = order < journey.earlier.length
  const held = arrival.before[order]!.held
  // The visa of an earlier stay is not given. A visa that was valid then may be the one.
  const used = isEarlier
    ? journey.documents.find(
        each => each.read.issuer === stop.destination && covers(each, firstDay) && each.read.kind === "visa",
      )
    : held?.document
  if (used === undefined) return findAdmitting(arrival, stay, rule)
  return (isEarlier || held?.isOwn !== false) && used.read.kind === "visa" ? used : null
}

// A duty that applies at some borders only is known to apply if the traveller says that he arrives there.
function isAsked({ by }: Stay, borders: readonly string[] | null): boolean {
  return borders?.includes(by as string) ?? true
}

// Says whether a citizen uses another passport although he must enter on the country's own.
function isDutiful({ passports }: Journey, duty: BorderRule, asked: Requirement | null): boolean {
  if (passports.length < 2 || !isAbout(duty, asked)) return false
  return passports.some(({ nationality }) => nationality === duty.citizensOf)
}

/**
 * Says whether a traveller may enter as a citizen because the duty to use the own passport does not apply at every border. A citizen has
 * the right to enter Canada (IRPA, s. 19(1)): he gets no visa or authorisation for another passport and needs none.
 */
export function entersByRight({ journey, stop, law }: Arrival, asked: Requirement): boolean {
  const { ownPassports } = law.borders
  if (ownPassports.length === 0) return false
  return ownPassports.some(duty => isDutiful(journey, duty, asked) && !isAsked(stop, duty.borders))
}

/** Adds the issues of border rules at a stop: duties of citizens, and bars. */
export function judgeBorder({ journey, passport, stop, law, way }: Arrival, issues: Issue[]): void {
  const { requirement, held } = way
  const asked = requirement.status === "known" ? requirement.answer.requirement : null
  const { destination, by } = stop
  for (const duty of law.borders.ownPassports) {
    if (!isDutiful(journey, duty, asked)) continue
    const { citizensOf, borders } = duty
    if (isAsked(stop, borders)) {
      issues.push(block("own_passport_needed", { destination, passport: passport.held.passport, own: citizensOf! }))
    } else if (by === null) {
      issues.push(ask("entry_points", { names: [], borders: BORDERS.filter(each => !borders!.includes(each)) }))
    }
  }
  if (asked === null || held !== null || law.borders.bars.length === 0) return
  const bar = findBar(journey, stop, law.borders, asked)
  if (bar !== null) issues.push(ask("visa_instead", { destination, asked, ...bar }))
}
