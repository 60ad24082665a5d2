import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { effortRank, opensOnArrival } from "../../src/codes.ts"
import { chooseBestPassports } from "../../src/group/intersect.ts"
import { embeddedDataset, lookup, lookupRequirement, REQUIREMENTS, unlocks } from "../../src/index.ts"
import { frozenDataset } from "../frozen-dataset.ts"
import { decided, SAID } from "../itinerary/decisions.ts"
import { chooseByLookups } from "../oracles/group.ts"
import { countTrips } from "../sample.ts"
import { hostile, smallWorld, somePassports, world } from "./small-worlds.ts"

const dataset = embeddedDataset()
const choose = (data: typeof dataset, passports: readonly string[], on?: string) => {
  const result = chooseBestPassports(data, passports, { on })
  if (!result.ok) throw new Error(result.error.message)
  if (result.value.kind !== "found") throw new Error(result.value.message)
  return result.value
}
const best = (access: ReturnType<typeof choose>, destination: string) =>
  access.destinations.find(found => found.destination === destination)

describe("chooseBestPassports", () => {
  it("sends an American German home to the United States on the American passport, and to France on the German", () => {
    const access = choose(dataset, ["USA", "DEU"])
    expect(best(access, "USA")).toMatchObject({ best: { passport: "USA", home: true }, stay: "unlimited" })
    expect(best(access, "FRA")).toMatchObject({ best: { passport: "DEU", bloc: "EU" }, stay: "freedom_of_movement" })
  })

  it("sends a citizen to the own country's territories on its passport, whatever days another one has there", () => {
    expect(lookup("CAN", "GUM")).toMatchObject({ days: 180, follows: "USA" })
    expect(lookup("USA", "GUM")).toMatchObject({ days: null, follows: "USA", home: false })
    expect(best(choose(dataset, ["CAN", "USA"]), "GUM")).toMatchObject({ best: { passport: "USA" }, stay: "unlimited" })
    expect(best(choose(dataset, ["ALB", "AUT", "FIN"]), "ALA")?.best?.passport).toBe("FIN")
    expect(best(choose(dataset, ["ALB", "AUT"]), "ALA")?.best?.passport).toBe("AUT")
  })

  it("gives no stay under a treaty that was left, and neither does a decision", () => {
    const frozen = frozenDataset()
    const left = frozen.passports.flatMap(passport =>
      choose(frozen, [passport]).destinations.filter(({ best }) => best?.uncertain && best.days === null),
    )
    // ECOWAS, which Mali, Burkina Faso and Niger left: each of the three with the other members, and these with each of the three.
    expect(left.length).toBeGreaterThan(50)
    for (const { destination, best, stay } of left) {
      expect(stay).toBe("unknown")
      const stops = [{ destination, from: "2026-12-01", to: "2026-12-20" }]
      const { steps, unknowns } = decided(frozen, { passport: best?.passport as string, stops })
      expect(steps[0]?.maxStay).toMatchObject({ status: "unknown", reason: SAID.treaty_left })
      expect(unknowns.filter(({ reason }) => reason === SAID.treaty_left).map(({ field }) => field)).toEqual([
        "requirement",
        "maxStay",
      ])
    }
  })

  it("names a passport that asks for nothing before the journey exactly where a decision enters on one", () => {
    const [from, to] = ["2026-12-10", "2026-12-14"]
    const passports = ["GBR", "FRA", "USA", "CHN", "ZAF", "IND"]
    for (const first of passports) {
      for (const second of passports.filter(other => other > first)) {
        const held = [first, second].map(passport => ({ passport, passportExpiry: "2035-01-01" }))
        for (const { destination, best, stay } of choose(dataset, [first, second], from).destinations) {
          // A decision takes the passport about which more is known first.
          if (stay === "unknown") continue
          const [step] = decided(dataset, { passports: held, stops: [{ destination, from, to }] }).steps
          if (step?.requirement.status !== "known") continue
          const asked = step.requirement.value
          expect(opensOnArrival(best?.requirement), `${first} ${second} ${destination}`).toBe(opensOnArrival(asked))
        }
      }
    }
  })

  it("prefers the longer stay if the requirement is the same", () => {
    const longer = choose(dataset, ["FRA", "GBR", "AUS"]).destinations.filter(({ best }) => best?.days !== null)
    for (const { destination, best } of longer) {
      for (const passport of ["FRA", "GBR", "AUS"]) {
        const other = lookup(passport, destination)
        if (other.kind === "found" && other.requirement === best?.requirement) {
          expect(other.days ?? 0).toBeLessThanOrEqual(best.days ?? 0)
        }
      }
    }
  })

  it("takes the first passport if two are equally good", () => {
    expect(best(choose(dataset, ["FRA", "DEU"]), "ESP")?.best?.passport).toBe("FRA")
    expect(best(choose(dataset, ["DEU", "FRA"]), "ESP")?.best?.passport).toBe("DEU")
  })

  it("lists every destination, and is unknown without a record", () => {
    const access = choose(dataset, ["FRA", "DEU"])
    expect(access.destinations.map(({ destination }) => destination)).toEqual(dataset.destinations)
    expect(best(access, "ATA")).toEqual({ destination: "ATA", best: null, stay: "unknown" })
  })

  it("answers for the day asked", () => {
    expect(best(choose(dataset, ["LCA"], "2026-03-04"), "GBR")?.best?.requirement).toBe("eta")
    expect(best(choose(dataset, ["LCA"], "2026-03-05"), "GBR")?.best?.requirement).toBe("visa_required")
  })

  it("lists every mistake with its path, and separately a passport that is not recorded", () => {
    const issues = (passports: unknown) => {
      const result = chooseBestPassports(dataset, passports as never)
      return result.ok ? result.value.kind : result.error.issues.map(({ path }) => path)
    }
    expect(issues([])).toEqual(["passports"])
    expect(issues(dataset.passports.slice(0, 11))).toEqual(["passports"])
    expect(issues(["FRA", "FR", "FRA"])).toEqual(["passports[1]", "passports[2]"])
    expect(issues(["FRA", "ZZZ"])).toBe("no_record")
  })

  it("agrees with asking for every passport at every destination, and counts what it lists", () => {
    const holders = world.chain(data => fc.tuple(fc.constant(data), somePassports(data, 1, 10)))
    fc.assert(
      fc.property(holders, ([data, passports]) => {
        const access = choose(data, passports)
        expect(access.destinations).toEqual(chooseByLookups(data, passports))
        const found = access.destinations.flatMap(({ best }) => best ?? [])
        expect(access.unknownCount).toBe(data.destinations.length - found.length)
        expect(access.unlockedCount).toBe(found.filter(({ requirement }) => unlocks(requirement)).length)
        for (const name of REQUIREMENTS) {
          expect(access.detail[name]).toBe(
            found.filter(({ requirement, home }) => requirement === name && !home).length,
          )
        }
      }),
      { numRuns: countTrips(50) },
    )
  })

  it("gives a holder of one passport the answers of a lookup, and a further passport never makes an entry harder", () => {
    const holders = world.chain(data => fc.tuple(fc.constant(data), somePassports(data, 2, 6)))
    fc.assert(
      fc.property(holders, ([data, passports]) => {
        const alone = choose(data, passports.slice(0, 1))
        const together = choose(data, passports)
        alone.destinations.forEach(({ destination, best }, place) => {
          const answer = lookupRequirement(data, passports[0] as string, destination)
          expect(best).toEqual(answer.kind === "found" ? { passport: passports[0], ...answer } : null)
          const after = together.destinations[place]?.best
          if (best !== null) {
            expect(effortRank(after?.requirement as never)).toBeLessThanOrEqual(effortRank(best.requirement))
          }
        })
        expect(together.unlockedCount).toBeGreaterThanOrEqual(alone.unlockedCount)
      }),
    )
  })

  it("never throws, for any arguments", () => {
    fc.assert(
      fc.property(smallWorld, hostile, hostile, (data, a, b) => {
        const result = chooseBestPassports(data, a as never, b as never)
        expect(result.ok ? result.value.kind : result.error.tag).toMatch(/^(found|no_record|InputRefused)$/)
      }),
    )
  })
})
