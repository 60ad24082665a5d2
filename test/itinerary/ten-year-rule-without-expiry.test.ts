/** "Every blocker that applies is listed" (spec/03, 5): a passport issued 16 years before is known to fall short of "within the previous 10 years" (Regulation (EU) 2016/399, Art. 6(1)(a)(ii)), whenever it expires. */
import { expect, it } from "vitest"
import { frozenDataset } from "../frozen-dataset.ts"
import { decided, stay } from "./decisions.ts"

it("A passport that was issued too long ago is too old, though its expiry is not given", () => {
  const stops = [stay("FRA", "2026-12-01", "2026-12-20")]
  const decision = decided(frozenDataset(), { passport: "USA", passportIssued: "2010-01-01", stops })
  expect(decision.blockers.map(({ code }) => code)).toEqual(["passport_validity_short"])
})
