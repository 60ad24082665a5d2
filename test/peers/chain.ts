/** The local facilitator, with its troubles as moods of one word. */
import { type LocalFacilitator, startLocalFacilitator } from "../../examples/payments/local-facilitator.ts"

export { ASSET, NETWORK, PAY_TO } from "../../examples/payments/local-facilitator.ts"

/** What the facilitator does with a request to settle. */
export type Mood = "honest" | "loses the answer" | "away"

export interface Chain extends AsyncDisposable, Pick<LocalFacilitator, "url" | "transfers" | "asked"> {
  mood: Mood
  /** Whether payers have nothing any more when it comes to paying. */
  isPoor: boolean
}

/** Starts a chain and its facilitator on a free port. */
export async function startChain(): Promise<Chain> {
  const facilitator = await startLocalFacilitator()
  const { url, transfers, asked, trouble } = facilitator
  return {
    url,
    transfers,
    asked,
    get mood() {
      return trouble.isAway ? "away" : trouble.losesAnswers ? "loses the answer" : "honest"
    },
    set mood(to) {
      trouble.isAway = to === "away"
      trouble.losesAnswers = to === "loses the answer"
    },
    get isPoor() {
      return trouble.isPoor
    },
    set isPoor(to) {
      trouble.isPoor = to
    },
    [Symbol.asyncDispose]: () => facilitator[Symbol.asyncDispose](),
  }
}
