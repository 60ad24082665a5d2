/**
 * What does a traveller need who holds a visa or a residence permit?
 *
 * The answer of a lookup, or the best way of entering on one of the documents: that of a journey with this one stay, on a passport that is valid for
 * as long as every rule asks. It is judged as a decision judges it (trip/choose.ts): first a stay that is long enough, then one whose length is
 * known, then the easiest requirement, then the longest stay.
 */

import type { Requirement } from "../codes.ts"
import { copyFrozen } from "../collections.ts"
import type { Dataset, Found, NoRecord } from "../dataset/open.ts"
import type { InputError, Result } from "../errors.ts"
import { entryOn } from "../requirement/pair-entry.ts"
import { answerInput, readCode, readDataset, readView, refuseUnrecorded } from "../requirement/question.ts"
import type { Waiver } from "../rules/provisions.ts"
import { choose, listUnused, WORK_OF_DECISION } from "../trip/choose.ts"
import { refuseOtherClasses } from "../trip/documents.ts"
import { authorise, listEasier } from "../trip/entry.ts"
import { read } from "../trip/journey.ts"
import { provisionsOf } from "../trip/recorded.ts"
import { describeDocument, type HeldDocument, readHeldOptions, readItinerary } from "../trip/request-fields.ts"

/** Options besides the pair. */
interface HeldOptions {
  readonly held: readonly HeldDocument[]
  /** The day of entry (`YYYY-MM-DD`); the dataset's own day when absent. */
  readonly on?: string | undefined
  /** The last day of the stay, for documents that must be valid until then and waivers with a number of days. */
  readonly exitOn?: string | undefined
}

/** A document that is used, by its index in `held`, and the waiver that names it; null for a document of the destination itself. */
interface WaiverUse {
  /** The waiver; null for a document of the destination itself. */
  readonly waiver: Waiver | null
  /** The index in `held`. */
  readonly document: number
  /** What must be checked of a document that lifts a refusal, by the names of its fields; empty for all others. */
  readonly toCheck: readonly string[]
}

/** A waiver that may apply, and the terms to check, by their names in the waiver's documents. */
interface PossibleWaiver extends WaiverUse {
  /** The waiver. */
  readonly waiver: Waiver
}

/** The result with held documents. */
interface HeldOutcome {
  /** What is needed to enter. */
  readonly requirement: Requirement
  /** The days allowed; null where they are not a fixed number or not known. */
  readonly days: number | null
  /** The documents that are used; empty if no document changes anything. */
  readonly because: readonly WaiverUse[]
  /** Waivers that would make it easier still, if their terms to check are met. */
  readonly possible: readonly PossibleWaiver[]
  /** Indices of documents that no rule for this pair names. */
  readonly unused: readonly number[]
}

/** The requirement for a passport's holder with his documents. */
export interface HeldAnswer extends HeldOutcome {
  /** Distinguishes it from {@link NoRecord}. */
  readonly kind: "found"
  /** The issuer of the passport, an ISO 3166-1 alpha-3 code. */
  readonly passport: string
  /** The territory entered. */
  readonly destination: string
  /** The day of entry (`YYYY-MM-DD`). */
  readonly on: string
  /** The answer of a lookup, without any document. */
  readonly base: Found
}

/**
 * Looks up the requirement for entering a destination with a passport and documents.
 *
 * Fails with `InputRefused`, which lists every mistake with its path. For a well-formed code that is not in the
 * dataset, and for a pair without a record, the answer's `kind` is `no_record`. Off the hot path: some microseconds.
 *
 * @example
 * ```ts
 * const held = lookupHeld(embeddedDataset(), "IND", "MEX", {
 *   held: [{ kind: "visa", issuer: "USA", validUntil: "2030-01-31" }],
 *   on: "2028-11-20",
 *   exitOn: "2028-12-01",
 * })
 * const answer = held.ok && held.value.kind === "found" ? held.value : null
 * answer?.base.requirement // => "visa_required"
 * answer?.requirement // => "visa_free"
 * answer?.because?.[0].document // => 0
 * ```
 */
export function lookupHeld(
  dataset: Dataset,
  passport: string,
  destination: string,
  options: HeldOptions,
): Result<HeldAnswer | NoRecord, InputError> {
  return answerInput(issues => {
    const known = readDataset(dataset, issues)
    const { held, on, exitOn, exitOnDay } = readHeldOptions(options ?? {}, issues)
    refuseOtherClasses(known, held, issues)
    const view = readView(known, on ?? undefined, issues)
    const question = { dataset: view, issues, unrecorded: [] }
    const row = readCode(question, "passport", passport)
    const column = readCode(question, "destination", destination)
    if (exitOnDay !== null && exitOnDay < view.asOfDay) {
      issues.push({ path: "exitOn", message: `It is before the day of entry, ${view.asOf}.` })
    }
    return () => {
      if (question.unrecorded.length > 0) return refuseUnrecorded(question.unrecorded)
      const { answer: base } = entryOn(known, row, column, view.asOfDay)
      if (base.kind !== "found") return base
      const asked = { passport, destination, on: view.asOf }
      const outcome = enterOnce(known, asked, exitOn, held!.map(describeDocument))
      return copyFrozen<HeldAnswer>({ kind: "found", ...asked, base, ...outcome })
    }
  })
}

// Enters a place once, on a passport that is valid for as long as every rule asks.
function enterOnce(
  dataset: Dataset,
  { passport, destination, on }: Readonly<Record<"passport" | "destination" | "on", string>>,
  exitOn: string | null,
  held: readonly HeldDocument[],
): HeldOutcome {
  const stops = [{ destination, from: on, to: exitOn }]
  const request = { passport, passportIssued: on, passportExpiry: "2199-12-31", stops, held }
  const journey = { ...read(provisionsOf(dataset), readItinerary(request, [])), checksExit: true }
  const chosen = choose(journey, { left: WORK_OF_DECISION })
  const [{ arrival, stay }] = chosen.entries as readonly [(typeof chosen.entries)[0]]
  const [offer] = chosen.offers[0]!
  const { way, stop } = arrival
  const { requirement, held: used } = way
  const because: WaiverUse[] = []
  if (used !== null) {
    const { toCheck, waiver, document } = used
    const checks = toCheck === null ? [] : [toCheck.before === null ? "permanent" : "issuedOn"]
    because.push({ waiver, document: document.place!, toCheck: checks })
  }
  const eta = authorise(journey, stop, way)
  if (eta !== null) because.push({ waiver: null, document: eta.place!, toCheck: [] })
  const { maxStay } = stay
  const isUsed = ({ place }: (typeof journey.documents)[number]) => because.some(({ document }) => document === place)
  // What depends on documents.
  const tell = ({ entries }: typeof chosen) =>
    entries.map(entry => [entry.arrival.way.requirement, entry.stay, entry.issues])
  return {
    requirement: (requirement as Extract<typeof requirement, { readonly status: "known" }>).value,
    days: maxStay.status === "known" && maxStay.value !== "unlimited" ? maxStay.value : null,
    because,
    possible: listEasier(arrival, offer!.possible).map(({ waiver, document, toCheck }) => ({
      waiver,
      document: document.place!,
      toCheck,
    })),
    unused: listUnused(journey, tell(chosen), isUsed, each => tell(choose(each, { left: WORK_OF_DECISION }))).map(
      ({ place }) => place!,
    ),
  }
}
