/** The answers of all recorded random journeys. */
import { expect, it } from "vitest"
import { embeddedDataset } from "../../../src/index.ts"
import { compareHashes, JOURNEYS } from "../rich-journeys.ts"

it("answers 20,000 random journeys as recorded", () => {
  expect([...compareHashes(embeddedDataset(), 0, JOURNEYS)]).toEqual([])
})
