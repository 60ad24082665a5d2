/**
 * The verdicts of the page against the engine: whatever is asked, the word that is shown is the outcome of `decide`, and nothing is called free
 * that the engine does not call clear. In plain Node, with the page's own messages.
 */
import { assert, describe, it } from "vitest"
import type * as Places from "../../site/anywhere/find-places.ts"
import { NOBODY, PURPOSES } from "../../site/ask/question.ts"
import type * as PageWords from "../../site/language/words.ts"
import type * as Judge from "../../site/verdict/judge-visit.ts"
import { isApart, LOOKS, OUTCOMES_OF } from "../../site/verdict/looks.ts"
import type * as Say from "../../site/verdict/verdict.tsx"
import {
  type Dataset,
  type Decision,
  decide,
  decideGroup,
  describePair,
  embeddedDataset,
  formatCivilDate,
  type HeldDocument,
  type Outcome,
  parseCivilDate,
} from "../../src/index.ts"
import { leastProcessorTime } from "../processor-time.ts"
import { IS_WHOLE } from "../sample.ts"
import { readDatasetOn } from "./explorer-page.ts"
import { importPageModule } from "./page-module.ts"

/** Each night leaves nothing out; the usual run takes every so manieth pair. */
const STEP = IS_WHOLE ? 1 : 199

const { judgeVisit, readVerdict, decisionOnStop } = await importPageModule<typeof Judge>("verdict/judge-visit.ts")
const { findOldAge, nameField, sayChange, sayGap, sayVerdict, sayOutcome, sayReason } =
  await importPageModule<typeof Say>("verdict/verdict.tsx")
const { findPlaces, countLooks } = await importPageModule<typeof Places>("anywhere/find-places.ts")
const { loadWords } = await importPageModule<typeof PageWords>("language/words.ts")
const words = await loadWords("en")

const dataset = embeddedDataset()
const always = { validFrom: "2000-01-01", validUntil: "2199-12-31" }
const DOCUMENTS: readonly (readonly HeldDocument[])[] = [
  [],
  [{ kind: "visa", issuer: "USA", entries: "multiple", ...always }],
  [{ kind: "visa", issuer: "FRA", entries: "multiple", ...always }],
  [{ kind: "residence_permit", issuer: "GBR", ...always }],
]
const PASSPORT_DATES = { passportExpiry: "2035-01-01", passportIssued: "2025-06-01" }

const pairs = dataset.passports.flatMap((passport, row) =>
  dataset.destinations.map((destination, column) => {
    const pair = describePair(dataset, passport, destination)
    return { passport, destination, endsOn: pair.kind === "found" ? pair.endsOn : null, turn: row * 7 + column }
  }),
)
const after = (on: string) => formatCivilDate((parseCivilDate(on) as number) + 1)
const ends = [...new Set(pairs.flatMap(({ endsOn }) => endsOn ?? []))].filter(on => on >= dataset.asOf)
const days = [dataset.asOf, ...ends.map(after)]

/** What no text says of a place that is not free. */
const FREE = ["look.clear", "requirement.visa_free"] as const

function outcomeOf(request: Parameters<typeof decide>[1]): Outcome {
  const judged = decide(dataset, request)
  return judged.ok && judged.value.kind === "decided" ? judged.value.outcome : "unknown"
}

describe("the verdict on a visit", () => {
  it.each(days)("is the engine's outcome, in word and look, for every purpose and document, from %s", day => {
    const wrong: string[] = []
    let count = 0
    for (const { passport, destination, endsOn, turn } of pairs) {
      const hasEnded = endsOn !== null && after(endsOn) === day
      if (!hasEnded && turn % STEP !== 0) continue
      for (const [at, held] of DOCUMENTS.entries()) {
        const purpose = PURPOSES[(turn + at) % PURPOSES.length] ?? "tourism"
        const passports = [{ passport, ...PASSPORT_DATES }]
        const expected = outcomeOf({ passports, held, purpose, stops: [{ destination, from: day, to: day }] })
        const verdict = judgeVisit(dataset, { passports, held }, { destination, from: day, to: day, purpose })
        const said = sayVerdict(words, verdict)
        const about = `${passport} ${destination} ${day} ${purpose} ${JSON.stringify(held[0] ?? "")}: ${said}`
        count++
        if (verdict.outcome !== expected || !OUTCOMES_OF[verdict.look].includes(expected)) wrong.push(about)
        if (!said.startsWith(words.locale.label(sayOutcome(words, { outcome: expected }), ""))) wrong.push(about)
        if (sayReason(words, verdict).trim() === "") wrong.push(`no reason: ${about}`)
        if (expected === "unknown" || expected === "blocked") {
          // What two sources say against each other is quoted as theirs.
          const quotes = (verdict.decision?.unknowns ?? []).filter(({ code }) => code === "disputed")
          const own = quotes.reduce((text, gap) => text.replaceAll(sayGap(words, gap), ""), said)
          if (FREE.some(key => own.includes(words.say(key)))) wrong.push(`free: ${about}`)
        }
        if (hasEnded && expected === "unknown" && !isApart(verdict.look)) wrong.push(`not apart: ${about}`)
      }
    }
    assert.deepStrictEqual(wrong, [])
    assert.isAbove(count, 900)
  })

  it("is asked for on the day after each announced end", () => {
    assert.includeMembers(days, ["2027-01-01"])
  })

  it("after an announced end is one of a rule that ends, with no evidence for what lies under it", () => {
    const { look, outcome, evidence } = judgeVisit(
      dataset,
      { passports: [{ passport: "IND", ...PASSPORT_DATES }] },
      { destination: "MYS", from: "2027-03-01", to: "2027-03-08" },
    )
    assert.deepStrictEqual({ look, outcome, evidence }, { look: "ended", outcome: "obtain", evidence: null })
  })

  it("over an announced end says until when the rule was announced, and announces nothing after it", () => {
    const announced = words.say("pair.announced", { date: { on: "2000-01-01" } }).split("J")[0] ?? ""
    const threeDays = (on: string) => ({ from: on, to: formatCivilDate((parseCivilDate(on) as number) + 2) })
    const said = new Map<string, number>()
    for (const { passport, destination, endsOn } of pairs) {
      if (endsOn === null || endsOn < dataset.asOf) continue
      const passports = [{ passport, ...PASSPORT_DATES }]
      const request = {
        passports,
        purpose: "tourism",
        stops: [{ destination, ...threeDays(endsOn) }],
      }
      const judged = decide(dataset, request)
      if (!judged.ok || judged.value.kind !== "decided") continue
      for (const change of judged.value.changes) {
        const pair = describePair(readDatasetOn(change.on), passport, destination)
        const hasEnded = pair.kind === "found" && pair.afterExpiry !== null
        const text = sayChange(words, change)
        assert.strictEqual(text.startsWith(announced), !hasEnded, `${passport} ${destination}: ${text}`)
        if (hasEnded) said.set(text, (said.get(text) ?? 0) + 1)
      }
    }
    assert.isAbove(said.get("Announced until December 31, 2026") ?? 0, 50)
  })

  it.each(["KOR", "SGP"])("says that a US visa opens %s on the way to a third country only", destination => {
    const visitor = { passports: [{ passport: "IND", ...PASSPORT_DATES }], held: DOCUMENTS[1] ?? [] }
    for (const purpose of ["tourism", "business"] as const) {
      const verdict = judgeVisit(dataset, visitor, { destination, from: "2027-03-10", to: "2027-03-16", purpose })
      assert.deepStrictEqual([verdict.outcome, verdict.look], ["obtain", "transit"])
      assert.include(sayVerdict(words, verdict), words.say("look.transit"))
    }
  })

  it("says that dates of a passport were assumed, and judges those that are given", () => {
    const visit = { destination: "IDN", from: "2027-02-08", to: "2027-02-22" }
    const assumed = judgeVisit(dataset, { passports: [{ passport: "USA" }] }, visit)
    assert.deepStrictEqual([assumed.outcome, assumed.isAssumed], ["obtain", true])
    const short = judgeVisit(dataset, { passports: [{ passport: "USA", passportExpiry: "2027-03-20" }] }, visit)
    assert.deepStrictEqual([short.outcome, short.look], ["blocked", "stopped"])
    const whole = judgeVisit(dataset, { passports: [{ passport: "USA", ...PASSPORT_DATES }] }, visit)
    assert.isFalse(whole.isAssumed)
  })

  it("of a place without a record is unknown", () => {
    const verdict = judgeVisit(
      dataset,
      { passports: [{ passport: "ZZZ" }] },
      { destination: "JPN", from: "2027-02-08", to: "2027-02-22" },
    )
    assert.deepStrictEqual([verdict.outcome, verdict.look, verdict.decision], ["unknown", "unknown", null])
  })
})

describe("the verdicts on all places", () => {
  const question = {
    people: [
      { ...NOBODY, passports: ["FRA"], expiry: "2035-01-01" },
      { ...NOBODY, passports: ["IND"], held: [{ kind: "visa", issuer: "USA" }], expiry: "2035-01-01" },
    ],
    to: null,
    leave: "",
    from: "2027-03-10",
    until: "2027-03-16",
    purpose: "tourism",
    unread: "",
  } as const

  it("add up to the places, and count as free only what the engine calls clear for everybody", () => {
    const places = findPlaces(dataset, question)
    const counts = countLooks(places)
    assert.strictEqual(
      LOOKS.reduce((sum, look) => sum + (counts.get(look) ?? 0), 0),
      dataset.destinations.length,
    )
    for (const { code, verdicts, verdict } of places) {
      const isClear = verdicts.every(({ outcome }) => outcome === "clear")
      assert.strictEqual(["home", "clear", "border"].includes(verdict.look), isClear, code)
    }
    for (const { code, verdict } of places) {
      const isOnline = verdict.decision?.toDo.every(
        ({ code: task, due }) =>
          due === "on_arrival" || ["e_visa", "eta", "arrival_form", "registration"].includes(task),
      )
      if (verdict.outcome === "obtain" && isOnline === true)
        assert.include(["online", "home", "ended"], verdict.look, code)
    }
    assert.isAbove(counts.get("transit") ?? 0, 1)
    assert.isAbove(counts.get("unknown") ?? 0, 0)
  })

  it("of a group are the engine's for the group", () => {
    const stay = { from: question.from, to: question.until }
    const travellers = [
      { passport: "FRA", ...PASSPORT_DATES },
      { passport: "IND", ...PASSPORT_DATES },
    ]
    for (const destination of dataset.destinations) {
      const judged = decideGroup(dataset, { travellers, stops: [{ destination, ...stay }], purpose: "tourism" })
      const hardest = judgeGroup(dataset, destination, stay)
      assert.strictEqual(
        hardest,
        judged.ok && judged.value.kind === "decided" ? judged.value.outcome : "unknown",
        destination,
      )
    }
  })

  it("of four travellers with documents are a few thousand decisions of microseconds", () => {
    const four = {
      ...question,
      people: [...question.people, ...question.people.map(person => ({ ...person, expiry: "2034-01-01" }))],
    }
    assert.isBelow(
      leastProcessorTime(() => findPlaces(dataset, four), 1),
      400_000,
    )
  })

  function judgeGroup(of: Dataset, destination: string, stay: { readonly from: string; readonly to: string }): Outcome {
    const people = ["FRA", "IND"].map(passport => ({
      passports: [{ passport, ...PASSPORT_DATES }],
    }))
    const order: readonly Outcome[] = ["blocked", "obtain", "unknown", "clear"]
    const outcomes = people.map(person => judgeVisit(of, person, { destination, ...stay }).outcome)
    return order.find(each => outcomes.includes(each)) ?? "clear"
  }
})

describe("the country that a traveller leaves from", () => {
  const judge = (departure: string, destination: string) =>
    judgeVisit(
      dataset,
      { passports: [{ passport: "BRA", ...PASSPORT_DATES }], residence: "BRA", departure },
      { destination, from: "2027-03-01", to: "2027-03-08" },
    ).decision?.conditions.map(({ code }) => code) ?? []

  it("decides which certificate of vaccination is asked for, whatever is recorded of home", () => {
    assert.include(judge("", "IND"), "vaccination")
    assert.include(judge("KEN", "IND"), "vaccination")
    assert.notInclude(judge("DEU", "IND"), "vaccination")
  })

  it("decides nothing else that is asked for, at any destination, unless it is one that bars", () => {
    for (const destination of dataset.destinations) {
      const others = (departure: string) => judge(departure, destination).filter(code => !code.endsWith("vaccination"))
      assert.deepStrictEqual(others("FIN"), others(""), destination)
    }
  })
})

describe("the verdict on a stop of a trip", () => {
  const judge = (destinations: readonly string[], passport: string): Decision => {
    const stops = destinations.map((destination, at) => ({
      destination,
      from: `2027-03-${String(1 + at * 7).padStart(2, "0")}`,
      to: `2027-03-${String(7 + at * 7).padStart(2, "0")}`,
    }))
    const judged = decide(dataset, { passports: [{ passport, ...PASSPORT_DATES }], stops, purpose: "tourism" })
    assert(judged.ok && judged.value.kind === "decided")
    return judged.value
  }

  it("is the engine's where the trip has one stop, and the worst of the stops is the engine's for the trip", () => {
    const order: readonly Outcome[] = ["blocked", "obtain", "unknown", "clear"]
    for (const [at, passport] of dataset.passports.entries()) {
      const first = dataset.destinations[(at * 11) % dataset.destinations.length] ?? "FRA"
      const second = dataset.destinations[(at * 29 + 7) % dataset.destinations.length] ?? "JPN"
      for (const destinations of [[first], [first, second]]) {
        const decision = judge(destinations, passport)
        const outcomes = destinations.map((_, stop) => readVerdict(dataset, decisionOnStop(decision, stop)).outcome)
        const worst = order.find(each => outcomes.includes(each))
        assert.strictEqual(worst, decision.outcome, `${passport} ${destinations.join(" ")} ${outcomes.join(" ")}`)
      }
    }
  })
})

describe("what is said about a rule", () => {
  it("is that it is old, by the reader's own clock, once it was last read too long ago", () => {
    const evidence = { level: "table", on: "2026-02-17" } as const
    assert.isNull(findOldAge(evidence, "2026-08-01"))
    assert.strictEqual(findOldAge(evidence, "2026-11-29"), 285)
    assert.isNull(findOldAge({ level: "cited", on: "2026-10-03" }, "2027-10-03"))
    assert.strictEqual(findOldAge({ level: "cited", on: "2026-10-03" }, "2027-10-04"), 366)
    assert.isNull(findOldAge(null, "2036-01-01"))
  })

  it("has no paths of fields and no codes, where sources contradict each other or a document is not clear", () => {
    const held = [{ kind: "visa", issuer: "USA" }] as const
    const [codes, paths] = [/\b[a-z]+_[a-z_]+\b/, /\[\d+\]|\b(held|passports|earlierStays)\b\.?/]
    const wrong: string[] = []
    for (const { passport, destination, turn } of pairs) {
      if (turn % (STEP * 3) !== 0 && !(passport === "IND" && destination === "KOR")) continue
      const { decision } = judgeVisit(
        dataset,
        { passports: [{ passport }], held },
        { destination, from: "2027-03-01", to: "2027-03-08" },
      )
      for (const gap of decision?.unknowns ?? []) {
        const [name, said] = [nameField(words, gap), sayGap(words, gap)]
        if (paths.test(name) || codes.test(name) || codes.test(said))
          wrong.push(`${passport} ${destination}: ${name}: ${said}`)
      }
    }
    assert.deepStrictEqual(wrong, [])
  })
})
