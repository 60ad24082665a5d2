/**
 * Which of two answers is easier for the traveller, and which stay is longer?
 *
 * Answers are compared by requirement, then by stay: at home without end, then freedom of movement that names no number of days, then numbers from long to short, and an unrecorded stay
 * last, because it may be short. Freedom of movement without a number does not mean that the stay is unlimited (a treaty may set conditions after three months); it only ranks before a
 * number that a border grants. The comparisons are laid out once per table of answers, as small numbers by answer index, so that whole rows of pairs can be compared byte by byte.
 */
import type { Found, PairsDataset } from "../dataset/open.ts"
import { easeRank } from "../dataset/requirement.ts"
import { entryTable, type StayKind } from "../requirement/entry.ts"

/** A stay as far as it is known; the days are null unless the kind is `days`. */
export interface PermittedStay {
  readonly kind: StayKind
  readonly days: number | null
}

/** Bit of the answer that there is no record; the bits below it are those of the six requirements, by ease. */
export const NO_RECORD_BIT = 64
/** The bits of the six requirements. */
export const REQUIREMENT_BITS = 63

/** How a dataset's answers compare. */
export interface EaseTable {
  /** By answer index: the bit of its requirement or of no record. */
  readonly bits: Uint8Array
  /** By answer index: the rank of its stay. */
  readonly places: Uint16Array
  /** The stays by place: unlimited, freedom of movement, days from long to short, unknown. */
  readonly stays: readonly PermittedStay[]
}

// Keyed by the table of answers and not by dataset, because the views of a dataset for other days share it.
const tables = new WeakMap<PairsDataset["answers"], EaseTable>()

/** Lays out how the answers of a dataset compare; the same object for all views of a dataset. */
export function easeTable(dataset: PairsDataset): EaseTable {
  const { answers } = dataset
  const known = tables.get(answers)
  if (known !== undefined) return known
  const { entries } = entryTable(dataset)
  const kinds = answers.map((_, index) => entries[index]?.stay)
  const numbers = new Set(answers.flatMap((answer, index) => (kinds[index] === "days" ? (answer as Found).days : [])))
  const stays: PermittedStay[] = [
    { kind: "unlimited", days: null },
    { kind: "freedom_of_movement", days: null },
    ...[...numbers]
      .sort((a, b) => (b as number) - (a as number))
      .map((days): PermittedStay => ({ kind: "days", days })),
    { kind: "unknown", days: null },
  ]
  const table: EaseTable = {
    bits: Uint8Array.from(answers, answer => {
      if (answer.kind !== "found") return NO_RECORD_BIT
      return 1 << easeRank(answer.requirement)
    }),
    places: Uint16Array.from(answers, (answer, index) =>
      stays.findIndex(
        ({ kind, days }) => kind === kinds[index] && (kind !== "days" || days === (answer as Found).days),
      ),
    ),
    stays,
  }
  tables.set(answers, table)
  return table
}
