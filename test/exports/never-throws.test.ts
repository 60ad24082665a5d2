/**
 * No exported function throws for what it is given, but those that take what others of the package returned, which they do not check. Every
 * function of every entry is called, so that a new one is held to it as well.
 */
import fc from "fast-check"
import { afterEach, describe, expect, it } from "vitest"
import * as client from "../../adapters/client/client.ts"
import * as compiler from "../../src/compiler.ts"
import * as full from "../../src/full.ts"
import * as history from "../../src/history.ts"
import * as index from "../../src/index.ts"
import { openSmall } from "../dataset/small-facts.ts"
import { takeReadings } from "../local-time.ts"
import { countTrips, IS_WHOLE } from "../sample.ts"
import { HOSTILE } from "./hostile-values.ts"

type Called = (...given: readonly unknown[]) => unknown

/** Functions that take what others returned, by entry; nothing else may throw. */
const TAKE_OURS: Readonly<Record<string, readonly string[]>> = {
  landfall: ["costOfRequest", "judgeRequest", "judgeRequestInPieces", "listNotUsedInPieces"],
  "landfall/full": [
    ...[
      "assembleFullRecord",
      "buildCheckRecord",
      "completeAnnounced",
      "completeToDo",
      "continueHistory",
      "diffPolicies",
    ],
    ...["explainMatch", "findCase", "findPortal", "gateRecord", "listAnnouncedChanges", "listDocuments"],
    ...["listSteps", "listTermSentences", "listUnrecorded", "makeCountryFinder", "mergeSteps"],
    ...["openCityNames", "openFullFacts", "openHistory", "openLocale", "openLocalisedFacts", "openMissions"],
    ...["renderCheckMarkdown", "renderMarkdown", "sayDispute", "sayNotice", "sayPast", "scoreTrust", "selectFact"],
    ...["listRecordSections", "selectFacts", "showChange", "writeDescription", "writeTerms"],
  ],
  "landfall/history": [
    ...["addHistory", "compareRanks", "countAs", "datasetWithPast", "listPast", "listTableDays", "lookupPast"],
    "pastDataset",
  ],
  "landfall/compiler": ["encodeDataset", "schemaOf", "splitEmbedded"],
  "landfall/client": ["makeLookupClient"],
}
const ENTRIES = { landfall: index, "landfall/full": full, "landfall/history": history, "landfall/compiler": compiler }

function listFunctions(entry: object): readonly (readonly [string, Called])[] {
  return Object.entries(entry).filter(([name, value]) => typeof value === "function" && /^[a-z]/.test(name))
}

/** Calls a function with any `this`, and returns what it threw; promises may be refused, which is not thrown. */
function thrownBy(run: Called, self: unknown, given: readonly unknown[]): unknown {
  try {
    const answer = Reflect.apply(run, self, given)
    // A value of the caller may come back as it is, and throw when it is looked at.
    if (!given.includes(answer) && answer instanceof Promise) answer.catch(() => {})
    return null
  } catch (thrown) {
    return thrown
  }
}

function refuseOthers(entry: string, name: string, thrown: unknown): void {
  if (thrown === null) return
  expect(TAKE_OURS[entry], `${entry}: ${name} throws`).toContain(name)
}

// The text of a date that a caller gives is read in the caller's time, wherever it is asked for.
afterEach(() => void takeReadings())

// What an argument of each place usually is, so that a hostile one is also met behind good ones.
const dataset = openSmall({})
const WITH_ALL = { withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true }
const USUAL: readonly (readonly unknown[])[] = [
  [dataset, "FRA", "JPN", 20_000, "visa_free"],
  [dataset, { passport: "FRA", stops: [{ destination: "JPN", from: "2026-12-01", to: "2026-12-05" }] }],
  [history.embeddedHistory(), dataset, "2023-05-01"],
  [history.embeddedHistory(), "FRA", "JPN", "2023-05-01"],
  [dataset, dataset, {}],
  [{ dataset, facts: null }, { dataset, facts: null }, "2026-11-21"],
]

describe.each(Object.entries({ ...ENTRIES, "landfall/client": client }))("%s", (entry, functions) => {
  it.each(listFunctions(functions))("%s answers or refuses any argument", (name, run) => {
    for (const [at, [, value]] of HOSTILE.entries()) {
      refuseOthers(entry, name, thrownBy(run, value, [value, value, value, value, value]))
      // Behind good arguments each place has a quarter of the values, and all of them each night.
      for (const [turn, usual] of USUAL.entries()) {
        for (let place = 0; place < usual.length; place++) {
          if (!IS_WHOLE && (at + turn + place) % 4 !== 0) continue
          const given = usual.map((each, other) => (other === place ? value : each))
          refuseOthers(entry, name, thrownBy(run, undefined, given))
        }
      }
    }
  })

  it("answers or refuses random values", () => {
    const all = listFunctions(functions)
    // By number: what draws a value must not look at it.
    const anything = fc.oneof(
      fc.anything(WITH_ALL).map(value => () => value),
      fc.nat(HOSTILE.length - 1).map(at => () => HOSTILE[at]?.[1]),
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.array(anything, { maxLength: 5 }),
        anything,
        ([name, run], given, self) => {
          const values = given.map(take => take())
          refuseOthers(entry, name, thrownBy(run, self(), values))
        },
      ),
      { numRuns: countTrips(100) },
    )
  })
})

describe("an answer for what can be answered", () => {
  it("is the one that the documentation names", () => {
    const nothing = null as never
    expect(index.foldName(nothing)).toBe("")
    expect(index.foldText(Symbol("a") as never)).toBe("")
    expect(index.sayReason("no such code" as never, nothing)).toBe("")
    expect(index.sayReason("toString" as never, nothing)).toBe("")
    expect(index.sayReason("no_admission", nothing)).toBe("")
    expect(index.judgeEvidence(nothing)).toBeNull()
    expect(index.lookupAt(nothing, 0, 0)).toMatchObject({ kind: "no_record", reason: "unknown_passport" })
    const request = new Proxy({} as never, { get: () => expect.unreachable() })
    expect(index.applyRemedy(request, nothing)).toBe(request)
    expect(history.openHistory(nothing).ok).toBe(false)
    expect(compiler.layOutHistory(nothing)).toMatchObject({ ok: false, error: { tag: "FactsRefused" } })
    expect(compiler.addFacts(nothing, nothing)).toMatchObject({ ok: false, error: { tag: "MalformedDataset" } })
  })

  it("is a refusal for a request that cannot be read", () => {
    const unreadable = HOSTILE.find(([name]) => name === "a proxy that throws")?.[1]
    expect(index.readDecisionRequest(unreadable)).toMatchObject({
      ok: false,
      error: { issues: [{ path: "", message: expect.stringContaining("cannot be read") }] },
    })
  })
})
