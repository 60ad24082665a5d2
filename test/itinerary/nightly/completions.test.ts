/** No completion of a clear journey blocks it, for many random journeys. */
import { expect, it } from "vitest"
import { embeddedDataset } from "../../../src/index.ts"
import { findUnproven } from "../completions.ts"

it("is clear only if nothing that was left out could block the journey, for 50,000 random journeys", () => {
  const { clear, unproven } = findUnproven(embeddedDataset(), 0, 50_000)
  expect(unproven).toEqual([])
  expect(clear).toBeGreaterThan(5_000)
}, 600_000)
