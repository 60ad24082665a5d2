/** The contents of an element: a dataset for its day, its passports and its words. */
import type { PairsDataset } from "../../src/dataset/open.ts"
import type { Found } from "../../src/dataset/pair-table.ts"
import type { Words } from "./words.ts"

export interface Shown {
  /** As of the element's day. */
  readonly dataset: PairsDataset
  /** The day as of which the dataset was made. */
  readonly knownOn: string
  /** Codes that are recorded. */
  readonly passports: readonly string[]
  /** A code, or a text that is none. */
  readonly destination: string
  readonly words: Words
}

/** Names an answer, with the days where they are a fixed number: "Visa-free, 90 days". */
export function nameAnswer({ locale, say }: Words, answer: Found | null): string {
  if (answer === null) return say("category.unknown")
  if (answer.home) return say("category.home")
  const named = say(`requirement.${answer.requirement}`)
  return answer.days === null ? named : locale.list([named, locale.formatValue({ days: answer.days })])
}
