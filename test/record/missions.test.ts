import { beforeAll, describe, expect, it } from "vitest"
import { loadMissions, MISSION_KINDS, type MissionIndex, openMissions } from "../../src/full.ts"
import { missionParts } from "../../src/record/missions.generated.ts"

describe("missions", () => {
  const small = openMissions({
    source: "s",
    asOf: "2022-11-16",
    pairs: "AAABBBAAACCCBBBAAA",
    counts: "211",
    kinds: "0670",
    cities: "X\nY\n\nZ",
    websites: "https://x.example\n\n\n",
    phones: "\n+1 2\n\n",
    emails: "\n\na@b.example\n",
  })

  it("are found by operator and host, and only in that direction", () => {
    expect(small.listMissions("AAA", "BBB").map(({ kind, city }) => [kind, city])).toEqual([
      ["embassy", "X"],
      ["consulate_general", "Y"],
    ])
    expect(small.listMissions("BBB", "AAA")).toEqual([
      { kind: "embassy", operator: "BBB", host: "AAA", city: "Z", website: null, phone: null, email: null },
    ])
    expect(small.listMissions("CCC", "AAA")).toEqual([])
    expect([small.hasIn("AAA", "CCC"), small.hasIn("CCC", "AAA")]).toEqual([true, false])
  })

  it("leave out what is not known", () => {
    expect(small.listMissions("AAA", "CCC")).toEqual([
      { kind: "consulate", operator: "AAA", host: "CCC", city: null, website: null, phone: null, email: "a@b.example" },
    ])
  })

  it("are the same objects in every answer", () => {
    expect(small.listMissions("AAA", "BBB")).toBe(small.listMissions("AAA", "BBB"))
  })

  describe("of the world", () => {
    let world: MissionIndex
    beforeAll(async () => {
      world = await loadMissions()
    })

    it("list embassies before consulates", () => {
      const kinds = world.listMissions("JPN", "USA").map(({ kind }) => MISSION_KINDS.indexOf(kind))
      expect(kinds.length).toBeGreaterThan(10)
      expect(kinds).toEqual(kinds.toSorted((a, b) => a - b))
    })

    it("stand in cities, not in their districts", () => {
      const cities = new Set(missionParts.cities.split("\n"))
      expect(cities.size).toBeGreaterThan(500)
      const districts = [...cities].filter(city =>
        /\b(district|ward|arrondissement|borough|sub-?district|quarter|commune|municipality)\b/i.test(city),
      )
      expect(districts).toEqual([])
      for (const district of ["Mitte", "Charlottenburg", "Minato", "Chaoyang", "Westminster", "Kensington"]) {
        expect(cities.has(district), district).toBe(false)
      }
    })

    it("leave out those that are known to be closed: none of the United States in Kabul, Pyongyang or Tehran", () => {
      for (const host of ["AFG", "PRK", "IRN", "SYR"]) expect(world.listMissions("USA", host), host).toEqual([])
    })

    it("are of November 2022 and say so", () => {
      expect(world.asOf).toBe("2022-11-16")
      expect(world.source).toBe("wikidata-missions")
    })
  })
})
