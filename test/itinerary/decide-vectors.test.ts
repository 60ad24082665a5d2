import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { decide } from "../../src/trip/judge.ts"
import type { ItineraryRequest } from "../../src/trip/request-fields.ts"
import { decideByHand, type OracleItinerary, type Summary, type World } from "../oracles/decide.ts"
import { openWorld, recordedFacts, recordedWorld, summarise } from "./itinerary-worlds.ts"

interface Vector {
  readonly name: string
  readonly input: {
    readonly since: string
    readonly entries: Readonly<Record<string, readonly [requirement: string, days: number | null, free?: "free"]>>
    readonly request: ItineraryRequest
  }
  readonly expected: Omit<Summary, "steps"> & Readonly<Record<string, unknown>>
}

const vectors = JSON.parse(
  readFileSync(new URL("../vectors/decisions.json", import.meta.url), "utf8"),
) as readonly Vector[]

function toWorld({ input: { since, entries } }: Vector): World {
  return recordedWorld(
    since,
    Object.fromEntries(
      Object.entries(entries).map(([pair, [requirement, days, free]]) => [
        pair,
        [{ fromOn: since, requirement, days, free: free === "free" }],
      ]),
    ),
  )
}

// The steps as columns, which is how the vectors list them.
function toColumns({ steps, ...rest }: Summary, names: readonly string[]): Record<string, unknown> {
  const columns = names.filter(name => steps[0] !== undefined && name in steps[0])
  return {
    ...rest,
    ...Object.fromEntries(columns.map(name => [name, steps.map(step => step[name as keyof typeof step])])),
  }
}

const recorded = {
  zones: recordedFacts.zones,
  validity: recordedFacts.validity,
  transit: recordedFacts.transit,
  sources: recordedFacts.sources,
}

describe("golden decisions", () => {
  it.each(vectors.map(vector => [vector.name, vector] as const))("%s", (_, vector) => {
    const world = toWorld(vector)
    const { request } = vector.input
    const law = { id: "law", name: "A law", url: null, imported: false, snapshotOn: null }
    const dataset = openWorld(world, { ...recorded, sources: [...recordedFacts.sources, law] })
    const result = decide(dataset, request)
    const decision = result.ok && result.value.kind === "decided" ? result.value : null
    const names = Object.keys(vector.expected)
    expect(decision && toColumns(summarise(decision), names)).toEqual(vector.expected)

    const { passport, passportExpiry, passportIssued, passports, transit, ...rest } = request
    const travellers = passports ?? [{ passport, passportExpiry, passportIssued }]
    const asked = { ...rest, travellers, transit: transit ?? [] } as OracleItinerary
    const byHand = decideByHand(world, asked)
    // Which documents change nothing, and whether the residence does, is judged by laws (not-used.test.ts).
    const unknowns = vector.expected.unknowns?.filter(each => !/^- (held|residence)/.test(each))
    expect(toColumns(byHand, names)).toEqual({ ...vector.expected, ...(unknowns && { unknowns }) })
  })
})
