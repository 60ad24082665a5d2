import { beforeAll, describe, expect, it } from "vitest"
import { loadMissions, MISSION_KINDS, type MissionIndex, openMissions } from "../../src/full.ts"

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
  })

  it("are found by operator and host, and only in that direction", () => {
    expect(small.listMissions("AAA", "BBB").map(({ kind, city }) => [kind, city])).toEqual([
      ["embassy", "X"],
      ["consulate_general", "Y"],
    ])
    expect(small.listMissions("BBB", "AAA")).toEqual([
      { kind: "embassy", operator: "BBB", host: "AAA", city: "Z", website: null, phone: null },
    ])
    expect(small.listMissions("CCC", "AAA")).toEqual([])
    expect([small.hasIn("AAA", "CCC"), small.hasIn("CCC", "AAA")]).toEqual([true, false])
  })

  it("leave out what is not known", () => {
    expect(small.listMissions("AAA", "CCC")).toEqual([
      { kind: "consulate", operator: "AAA", host: "CCC", city: null, website: null, phone: null },
    ])
  })

  it("are the same objects at every question", () => {
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

    it("are of November 2022 and say so", () => {
      expect(world.asOf).toBe("2022-11-16")
      expect(world.source).toBe("wikidata-missions")
    })
  })
})
