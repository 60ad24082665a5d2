/** The trip planner's sentences about a stop of any passport anywhere, with the page's own messages, in plain Node. */
import { assert, describe, it } from "vitest"
import type * as PageWords from "../../site/language/words.ts"
import type * as Sentences from "../../site/verdict/verdict.tsx"
import { sayNotice } from "../../src/full.ts"
import { decideWithRemedies, describePair, embeddedDataset, formatCivilDate, parseCivilDate } from "../../src/index.ts"
import { IS_WHOLE } from "../sample.ts"
import { importPageModule } from "./page-module.ts"

const { loadWords } = await importPageModule<typeof PageWords>("language/words.ts")
const { nameField, sayRemedy } = await importPageModule<typeof Sentences>("verdict/verdict.tsx")
const words = await loadWords("en")

const dataset = embeddedDataset()
const pairs = dataset.passports.flatMap((passport, row) =>
  dataset.destinations.map((destination, column) => {
    const pair = describePair(dataset, passport, destination)
    const endsOn = pair.kind === "found" ? pair.endsOn : null
    return { passport, destination, endsOn, turn: row + column }
  }),
)

/** The day of the dataset, and the day after each announced end. */
const days = [dataset.asOfDay, ...new Set(pairs.flatMap(({ endsOn }) => (parseCivilDate(endsOn) ?? -1) + 1))]
  .filter(day => day >= dataset.asOfDay)
  .map(formatCivilDate)

function sayAll(passport: string, destination: string, from: string, lengthDays: number): readonly string[] {
  const to = formatCivilDate((parseCivilDate(from) as number) + lengthDays)
  const judged = decideWithRemedies(dataset, { passport, stops: [{ destination, from, to }] })
  assert(judged.ok && judged.value.kind === "decided")
  const { blockers, conditions, unknowns } = judged.value
  return [
    ...[...blockers, ...conditions].map(notice => sayNotice(words.locale, notice)),
    ...unknowns.flatMap(gap => [sayNotice(words.locale, gap), nameField(words, gap)]),
    ...blockers.flatMap(({ remedies = [] }) => remedies.map(remedy => sayRemedy(words, remedy))),
  ]
}

describe("the sentences about a trip", () => {
  // A 48th of the pairs as of today, a few of them later, and always those with an end; a short stay, or one that is too long for most.
  it.each(days)("are all among the messages of the page, for stays from %s", from => {
    let count = 0
    const missing: string[] = []
    for (const { passport, destination, endsOn, turn } of pairs) {
      const isAsked = IS_WHOLE || endsOn !== null || turn % (from === dataset.asOf ? 48 : 96) === 0
      if (!isAsked) continue
      for (const lengthDays of IS_WHOLE ? [5, 200] : [turn % 96 < 48 ? 5 : 200]) {
        count++
        try {
          const said = sayAll(passport, destination, from, lengthDays)
          if (said.some(text => text.trim() === "")) missing.push(`${passport} ${destination}: an empty sentence`)
        } catch (cause) {
          missing.push(`${passport} ${destination}: ${String(cause)}`)
        }
      }
    }
    assert.deepStrictEqual(missing, [])
    assert.isAbove(count, IS_WHOLE ? 90_000 : 600)
  })

  it("are asked for on each day after an announced end", () => {
    assert.includeMembers(days, [dataset.asOf, "2027-01-01", "2027-02-15"])
  })
})
