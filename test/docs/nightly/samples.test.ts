/** Do the journeys that texts show lie ahead of the clock? Their days do not move by themselves, as those do that a program prints (test/cli/examples.test.ts). */
import { globSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { DECISION_EXAMPLE } from "../../../adapters/answers/decision.ts"
import { findSampleDay } from "../../../adapters/time/utc-calendar.ts"

const STAY = /"?destination"?: ?"\w+", ?"?from"?: ?"(\d{4}-\d\d-\d\d)"/g

it("shows no journey in texts that begins in less than two months", () => {
  const files = globSync(["README.md", "docs/*.md", "examples/**/*.{html,json,ndjson,ts}"], {
    exclude: ["**/node_modules/**"],
  })
  const texts = files.map(file => [file, readFileSync(file, "utf8")] as const)
  const shown = [...texts, ["reference", JSON.stringify(DECISION_EXAMPLE)] as const].flatMap(([file, text]) =>
    [...text.matchAll(STAY)].map(([, day = ""]) => ({ file, day })),
  )
  expect(new Set(shown.map(({ file }) => file)).size).toBeGreaterThan(8)
  const earliest = findSampleDay(Date.now())
  expect(shown.filter(({ day }) => day < earliest)).toEqual([])
})
