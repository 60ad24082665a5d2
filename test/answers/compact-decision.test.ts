import { describe, expect, it } from "vitest"
import { writeCompact } from "../../adapters/answers/compact-decision.ts"
import { judgeItinerary, readItinerary } from "../../adapters/answers/decision.ts"
import { describeDecision } from "../../adapters/answers/write-decision.ts"
import { embeddedDataset } from "../../src/index.ts"
import { makeTrips } from "../worker/trips.ts"

const dataset = embeddedDataset()

type Json = Readonly<Record<string, unknown>>
const listOf = (value: unknown) => (value ?? []) as readonly Json[]

function answer(request: unknown) {
  const read = readItinerary(request)
  if (!read.ok) throw new Error(read.refusal.error)
  const judged = judgeItinerary(dataset, read.request)
  if (judged.kind !== "found") throw new Error(judged.message)
  const full: { readonly data: Json; readonly meta: Json } = JSON.parse(
    JSON.stringify(describeDecision(dataset, judged.body)),
  )
  const text = writeCompact(dataset, judged.body)
  const compact: { readonly data: Json; readonly meta: Json } = JSON.parse(text)
  return { full, compact, text }
}

const FINDINGS = ["requirement", "max_stay", "days_accumulated", "passport_validity", "zone_stay", "permitted"]
const saidValue = (finding: unknown) =>
  typeof finding === "object" && finding !== null ? (finding as Json).value : finding

/** Everything that a whole decision knows, one text a fact. */
function factsOfFull(data: Json): readonly string[] {
  const facts: string[] = []
  listOf(data.steps).forEach((step, at) => {
    facts.push(`step ${at}: ${step.destination} ${step.from} ${step.to} ${step.days} by ${step.passport}`)
    for (const name of FINDINGS) {
      const finding = step[name] as Json | undefined
      if (finding?.status === "known") facts.push(`step ${at}: ${name} ${finding.value}`)
    }
    const { rule } = (step.passport_validity ?? {}) as { readonly rule?: Json | null }
    const counted = step.counted_stay as Json | undefined
    if (counted !== undefined)
      facts.push(`step ${at}: ${counted.value} of ${counted.allowance_days} by ${counted.counting}`)
    if ((step.passport_validity as Json).status === "known" && rule)
      facts.push(`step ${at}: rule ${rule.anchor} ${rule.months}`)
  })
  listOf(data.transit).forEach((transit, at) => {
    const { permitted, rule } = transit as { readonly permitted: Json; readonly rule: Json }
    if (permitted.status === "known") facts.push(`transit ${at}: ${permitted.value}`)
    if (transit.decided_by !== undefined) {
      const deciding = listOf(rule.value)[transit.decided_by as number] as Json
      facts.push(`transit ${at}: rule ${deciding.area} ${deciding.demand}`)
    }
  })
  for (const { code, step, transit, message } of listOf(data.conditions)) {
    facts.push(`condition ${code} ${step ?? `transit ${transit}`} ${message}`)
  }
  for (const { code, step, message } of listOf(data.blockers)) facts.push(`blocker ${code} ${step} ${message}`)
  for (const { field, step, reason } of listOf(data.unknowns)) facts.push(`unknown ${field} ${step} ${reason}`)
  return [...new Set(facts)].sort()
}

/** Each place of a condition or a thing to do. */
const placesOf = ({ code, message, steps = [], transits = [] }: Json): readonly string[] => [
  ...(steps as number[]).map(step => `condition ${code} ${step} ${message}`),
  ...(transits as number[]).map(transit => `condition ${code} transit ${transit} ${message}`),
]

/** The same of a compact decision. */
function factsOfCompact(data: Json, passport: unknown): readonly string[] {
  const facts: string[] = []
  const rules = (data.rules ?? {}) as Readonly<Record<string, Json>>
  listOf(data.steps).forEach((step, at) => {
    const { destination, from, to = null, days = null, passport: own = passport } = step
    facts.push(`step ${at}: ${destination} ${from} ${to} ${days} by ${own}`)
    for (const name of FINDINGS)
      if (step[name] !== undefined) facts.push(`step ${at}: ${name} ${saidValue(step[name])}`)
    // Days that are those of the stop are not said.
    if (step.days_accumulated === undefined && days !== null) facts.push(`step ${at}: days_accumulated ${days}`)
    const counted = step.counted_stay as Json | undefined
    if (counted !== undefined) {
      const { value, allowance_days = saidValue(step.max_stay), counting = rules[String(counted.rule)]?.kind } = counted
      facts.push(`step ${at}: ${value} of ${allowance_days} by ${counting}`)
    }
    const rule = rules[String((step.passport_validity as Json | undefined)?.rule)]
    if (rule !== undefined) facts.push(`step ${at}: rule ${rule.anchor} ${rule.months}`)
  })
  listOf(data.transit).forEach(({ permitted, rule }, at) => {
    if (permitted !== undefined) facts.push(`transit ${at}: ${permitted}`)
    const { area, demand } = rules[String(rule)] ?? {}
    if (rule !== undefined) facts.push(`transit ${at}: rule ${area} ${demand}`)
  })
  facts.push(...[...listOf(data.conditions), ...listOf(data.to_do)].flatMap(placesOf))
  for (const { code, step = null, message } of listOf(data.blockers)) facts.push(`blocker ${code} ${step} ${message}`)
  for (const { field, steps, transit, reason } of listOf(data.unknowns)) {
    for (const step of (steps ?? (transit === undefined ? [null] : [])) as number[])
      facts.push(`unknown ${field} ${step} ${reason}`)
    for (const place of (transit ?? []) as number[])
      facts.push(`unknown ${String(field).replace("[]", `[${place}]`)} null ${reason}`)
  }
  return [...new Set(facts)].sort()
}

function listEmpty(value: unknown, path = "data"): readonly string[] {
  if (value === null || value === "") return [path]
  if (typeof value !== "object") return []
  const inside = Object.entries(value)
  return inside.length === 0 ? [path] : inside.flatMap(([name, held]) => listEmpty(held, `${path}.${name}`))
}

describe("a compact decision", () => {
  const trips = makeTrips(300).map(({ id: _, ...trip }) => trip)

  it("says every known finding, blocker, condition and gap of the whole one, and nothing else", () => {
    for (const trip of trips) {
      const { full, compact } = answer(trip)
      const toDo = new Set(listOf(full.data.to_do).flatMap(placesOf))
      const expected = [...new Set([...factsOfFull(full.data), ...toDo])].sort()
      expect(factsOfCompact(compact.data, full.data.passport)).toEqual(expected)
      expect([compact.data.outcome, compact.data.verdict]).toEqual([full.data.outcome, full.data.verdict])
      const { coverage: _, languages: __, ...meta } = full.meta
      expect(compact.meta).toEqual(meta)
    }
  })

  it("has no null and nothing empty, and no sentence, rule or reason twice in one list", () => {
    for (const trip of trips) {
      const { data } = answer(trip).compact
      expect(listEmpty(data)).toEqual([])
      const rules = Object.values((data.rules ?? {}) as object).map(rule => JSON.stringify(rule))
      expect(new Set(rules).size).toBe(rules.length)
      const unknowns = listOf(data.unknowns).map(({ field, code, reason }) => `${field} ${code} ${reason}`)
      expect(new Set(unknowns).size).toBe(unknowns.length)
    }
  })

  const stop = (destination: string, from: string, to: string) => ({ destination, from, to })
  it("has at most 3.0 KB for three stops and a transit, and 15 KB for twelve and twelve", () => {
    const three = [
      stop("FRA", "2026-12-01", "2026-12-10"),
      stop("GBR", "2026-12-10", "2026-12-15"),
      stop("JPN", "2026-12-16", "2026-12-22"),
    ]
    const passports = ["IND", "FRA", "USA", "NGA", "CHN", "BRA"]
    for (const passport of passports) {
      const { text, full } = answer({ passport, passport_expiry: "2030-03-01", stops: three, transit: ["ARE"] })
      expect(text.length).toBeLessThan(3_000)
      expect(text.length * 2).toBeLessThan(JSON.stringify(full).length)
    }
    const places = ["FRA", "DEU", "ESP", "ITA", "THA", "JPN", "GBR", "USA", "GTM", "HND", "AUS", "IND"]
    const twelve = places.map((place, at) =>
      stop(place, `2027-${String(at + 1).padStart(2, "0")}-02`, `2027-${String(at + 1).padStart(2, "0")}-20`),
    )
    const transit = ["ARE", "DEU", "GBR", "SGP", "CHN", "FRA", "QAT", "NLD", "USA", "JPN", "KOR", "TUR"]
    for (const passport of passports) {
      expect(answer({ passport, stops: twelve, transit }).text.length).toBeLessThan(15_000)
    }
  })

  it("tells what is beside a stop: documents, another passport, remedies, changes", () => {
    const { compact } = answer({
      passports: [
        { passport: "IND", passport_expiry: "2027-01-01" },
        { passport: "GBR", passport_expiry: "2032-01-01" },
      ],
      held: [{ kind: "visa", issuer: "USA", valid_until: "2030-01-01", entries: "multiple" }],
      stops: [stop("FRA", "2026-12-01", "2027-03-20"), stop("MEX", "2027-04-01", "2027-04-10")],
    })
    const [first] = listOf(compact.data.steps)
    expect(first).toMatchObject({ passport: "GBR", requirement: "visa_free" })
    expect(compact.data).toMatchObject({
      held: [{ kind: "visa", issuer: "USA" }],
      passports: [{ passport: "IND" }, { passport: "GBR" }],
    })
    expect(listOf(compact.data.blockers)[0]).toMatchObject({ remedies: expect.any(Array) })
  })

  it("of several travellers has each of them with what is his, and the rules once for all", () => {
    const { compact, full } = answer({
      travellers: [{ passport: "IND" }, { passport: "FRA", passport_expiry: "2027-01-10" }],
      stops: [stop("THA", "2026-12-01", "2026-12-20")],
    })
    expect(compact.data).toMatchObject({ view: "compact", outcome: full.data.outcome, rules: { r1: {} } })
    expect(listOf(compact.data.travellers).map(({ passport }) => passport)).toEqual(["IND", "FRA"])
    expect(Object.keys(compact.data)).toEqual(["view", "outcome", "verdict", "travellers", "rules"])
  })
})
