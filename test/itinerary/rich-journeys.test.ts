/** The answers of random journeys with everything that a request can say are the recorded ones; all of them in the nightly tests. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import { ANSWERS_FILE, answerJourney, compareHashes, JOURNEYS, readHashes } from "./rich-journeys.ts"

describe("decide, for random journeys with several passports, documents, transits and earlier stays", () => {
  it("answers the first ones as recorded, in every field", () => {
    const whole = JSON.parse(readFileSync(ANSWERS_FILE, "utf8")) as readonly unknown[]
    expect(whole.length).toBeGreaterThan(10)
    for (const [number, recorded] of whole.entries()) {
      expect(answerJourney(embeddedDataset(), number), `journey ${number}`).toEqual(recorded)
    }
  })

  it("answers as recorded (record a change that is meant: npm run regenerate -- journeys)", () => {
    expect(readHashes()).toHaveLength(JOURNEYS)
    expect([...compareHashes(embeddedDataset(), 0, 1_000)]).toEqual([])
  })
})
