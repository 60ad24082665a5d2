/**
 * What does the quick check of the visa service say about a pair?
 *
 * The requirement, the stay, and how much more the full record has, counted in that record, so that a preview only promises fields that exist. Field names are those on the wire.
 */

import { needsVisa } from "../dataset/requirement.ts"
import type { LookupOptions } from "../requirement/lookup.ts"
import { describeTerms } from "./conditions.ts"
import { countFields, readShared, replacePassport, travelsOnPassport } from "./full.ts"
import { findCase, type LocalisedFacts } from "./localised-facts.ts"
import { hasEmbassies } from "./pair-fields.ts"
import type { CheckRecord } from "./record-fields.ts"

/** The address of the upgrade, and the day of the answer. */
export interface CheckOptions extends LookupOptions {
  readonly upgradeUrl: string
}

/**
 * Builds the quick-check record of a pair, in the language of the facts; null if nothing is recorded or the codes are not a pair.
 *
 * Cannot fail. About a microsecond after the first record of the destination.
 *
 * @example
 * ```ts
 * buildCheckRecord(localised, "FRA", "JPN", { upgradeUrl: "/pricing" })?.visa_free_days // => 90
 * buildCheckRecord(localised, "FRA", "ZZZ", { upgradeUrl: "/pricing" }) // => null
 * ```
 */
export function buildCheckRecord(
  localised: LocalisedFacts,
  passport: string,
  destination: string,
  options: CheckOptions,
): CheckRecord | null {
  const situation = findCase(localised, passport, destination, options)
  if (situation === null) return null
  const { fields: terms, application } = describeTerms(localised, situation, options)
  const shared = readShared(localised, { ...situation, application })
  const { verifiedOn, source, requirement, days, home, uncertain } = situation.answer
  return {
    passport,
    destination,
    requirement,
    visa_free_days: days,
    visa_required: needsVisa(requirement),
    ...(home ? { home } : undefined),
    ...(uncertain ? { requirement_status: "uncertain" } : undefined),
    ...terms,
    last_verified: source?.imported ? null : verifiedOn,
    _hint: localised.locale.say({ key: "upgrade.hint" }),
    _upgrade_preview: {
      ...(travelsOnPassport(terms) ? shared.counts : countFields(replacePassport({ ...shared.fields, ...terms }))),
      reciprocity_history: localised.history?.listChanges(passport, destination).length ?? 0,
      embassy_info: hasEmbassies(localised, situation),
      upgrade_url: options.upgradeUrl,
    },
  }
}
