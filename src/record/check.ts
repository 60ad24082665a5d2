/**
 * What does the quick check of the visa service say of a pair?
 *
 * The requirement, the stay, and how much more the full record holds, counted in that record itself, so that a preview never
 * promises what is not there. Field names are those on the wire.
 */
import type { LookupOptions } from "../requirement/lookup.ts"
import { describeTerms } from "./conditions.ts"
import { readShared } from "./full.ts"
import { LANGUAGES } from "./localise.ts"
import { hasEmbassies } from "./pair-fields.ts"
import { findCase, type RecordBook } from "./record-book.ts"
import type { CheckRecord, SharedFields, UpgradePreview } from "./record-fields.ts"

/** Where an upgrade is bought, and for which day to answer. */
export interface CheckOptions extends LookupOptions {
  readonly upgradeUrl: string
}

/**
 * Builds the quick-check record of a pair, in the book's language; null where nothing is recorded or what was asked is no pair.
 *
 * Cannot fail. About a microsecond once the destination has been asked for.
 *
 * @example
 * ```typescript
 * buildCheckRecord(book, "FRA", "JPN", { upgradeUrl: "/pricing" }).visa_free_days // => 90
 * buildCheckRecord(book, "FRA", "ZZZ", { upgradeUrl: "/pricing" }) // => null
 * ```
 */
export function buildCheckRecord(
  book: RecordBook,
  passport: string,
  destination: string,
  options: CheckOptions,
): CheckRecord | null {
  const situation = findCase(book, passport, destination, options)
  if (situation === null) return null
  const { core, starter } = readShared(book, situation)
  const { verifiedOn, source } = situation.answer
  const { source_url: _, ...terms } = describeTerms(book, situation, options)
  return {
    passport,
    destination,
    requirement: core.requirement,
    visa_free_days: core.visa_free_days,
    visa_required: core.visa_required,
    ...(core.home === undefined ? undefined : { home: core.home }),
    ...(core.requirement_status === undefined ? undefined : { requirement_status: core.requirement_status }),
    ...terms,
    last_verified: source === null || source.imported ? null : verifiedOn,
    _hint: book.locale.say({ key: "upgrade.hint" }),
    _upgrade_preview: {
      ...countShared({ core, starter }),
      embassy_info: hasEmbassies(book, situation),
      upgrade_url: options.upgradeUrl,
    },
  }
}

function countShared({
  core,
  starter,
}: Pick<SharedFields, "core" | "starter">): Omit<UpgradePreview, "embassy_info" | "upgrade_url"> {
  return {
    documents_required: core.documents_required?.length ?? 0,
    process_steps: core.process?.length ?? 0,
    transit_visa: starter.transit_visa !== undefined,
    visa_fees: starter.visa_fee !== undefined,
    vaccinations: starter.vaccinations_required?.length ?? 0,
    ...(starter.safety === undefined ? undefined : { safety_advisory: starter.safety.advisory }),
    languages: LANGUAGES.length,
  }
}
