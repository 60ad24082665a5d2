/** The declarations of kinds of provisions against the real data, and against a slow walk over the facts. */
import { globSync, readFileSync } from "node:fs"
import { Result } from "effect"
import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { readDataRecords, toFacts } from "../../adapters/data-files/read-facts.ts"
import { compileFacts, type Facts, PROVISION_KINDS, type ProvisionKind } from "../../src/compiler.ts"
import { checkerOf } from "../../src/dataset/check-facts.ts"
import { BRITISH_CLASSES, type Dataset, embeddedDataset, formatCivilDate, openParts } from "../../src/index.ts"
import { checkProvision, PROVISIONS } from "../../src/rules/provision-kinds.ts"
import { ProvisionIndex, readProvisions } from "../../src/rules/provisions.ts"
import { type Kind, type Known, money } from "../../src/rules/table.ts"
import { openSmall, stayRule } from "../dataset/small-facts.ts"
import { countTrips, IS_WHOLE, sampleOf } from "../sample.ts"

let facts: Facts
let dataset: Dataset
let known: Known
beforeAll(() => {
  facts = toFacts(Result.getOrThrow(readDataRecords("data")))
  const compiled = compileFacts(facts)
  const opened = compiled.ok ? openParts(compiled.value) : compiled
  if (!opened.ok) throw new Error(opened.error.message)
  dataset = opened.value
  known = { ...checkerOf(facts).known, passports: new Set([...facts.passports, ...BRITISH_CLASSES]) }
})

type Given = Readonly<Record<string, unknown>>
const givenOf = (of: ProvisionKind) => (facts[of] ?? []) as unknown as readonly Given[]
/** As a dataset has them: a rule of validity that is not settled binds nobody. */
const compiledOf = (of: ProvisionKind): readonly Given[] =>
  of !== "validity"
    ? givenOf(of)
    : givenOf(of).map(({ isSettled, ...given }) =>
        isSettled === false ? { ...given, except: facts.passports } : given,
      )
const check = (of: ProvisionKind, given: unknown) => {
  const places: string[] = []
  checkProvision(of, given, "", (_, field) => places.push(field), known)
  return places
}
const snake = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
const SPOILT = [{ x: 1 }, [], [null], ["ZZZ", "ZZZ"], "", -1, 0.5, 1e9, "2026-02-30", "javascript:alert(1)"]
/** Any text is a text, and half of something an amount. */
const fitsAsWell = (of: ProvisionKind, name: string, value: unknown) => {
  const { is } = (PROVISIONS[of].fields as Readonly<Record<string, { readonly is: Kind<unknown> }>>)[name] ?? {}
  if (is?.shape === "text") return typeof value === "string" && value !== ""
  return is?.shape === "amount" && value === 0.5
}

describe("a kind of provision", () => {
  // One that is judged in src/trip alone and has no rule between its fields: whatever lists the kinds a second time names it too.
  it("is named once where facts are read, checked, compiled and opened: by its declaration", () => {
    const files = globSync(["src/*.ts", "src/{rules,dataset}/*.ts", "adapters/**/*.ts", "docs/build/*.ts"])
    const naming = files
      .filter(file => !file.includes(".generated."))
      .flatMap(file => [...readFileSync(file, "utf8").matchAll(/(?<!-)\blifetimes\b/g)].map(() => file))
    expect(naming).toEqual(["src/rules/provision-kinds.ts"])
  })
})

describe("a provision of the real data", () => {
  it("has no mistake", () => {
    for (const of of PROVISION_KINDS) for (const given of givenOf(of)) expect(check(of, given), of).toEqual([])
  })

  it("is refused with the place of a field that is spoilt, missing or unknown", () => {
    let refused = 0
    for (const of of PROVISION_KINDS) {
      for (const given of sampleOf(givenOf(of), 4)) {
        for (const name of Object.keys(given)) {
          for (const value of SPOILT) {
            if (fitsAsWell(of, name, value)) continue
            const places = check(of, { ...given, [name]: value })
            expect(
              places.every(place => /^[a-z_]+/.exec(place)?.[0] === snake(name)),
              `${of} ${name}`,
            ).toBe(true)
            expect(places.length, `${of} ${name} ${JSON.stringify(value)}`).toBeGreaterThan(0)
            refused++
          }
        }
        expect(check(of, { ...given, moon: 1 })).toEqual(["moon"])
        expect(check(of, { ...given, destinations: undefined })).toEqual(["destinations"])
      }
    }
    expect(refused).toBeGreaterThan(IS_WHOLE ? 30_000 : 7_000)
  })

  it("names money of up to a million million, as savings in rupiah are, and no more", () => {
    const mistakesOf = (amount: unknown) => {
      const mistakes: unknown[] = []
      money.check({ amount, currency: "IDR" }, "savings", (...mistake) => mistakes.push(mistake), known)
      return mistakes
    }
    for (const amount of [0, 2_000_000_000, 1e12]) expect(mistakesOf(amount)).toEqual([])
    for (const amount of [1e12 + 1, -1, Number.NaN, "1"]) {
      expect(mistakesOf(amount)).toEqual([
        [
          "ImpossibleRule",
          "savings.amount",
          `${amount === "1" ? '"1"' : amount} is not an amount of at most a million million.`,
        ],
      ])
    }
  })

  it("comes out of a file and of the bundle as it went in, with the value of each field that it leaves out", () => {
    const urlOf = new Map(facts.sources.map(({ id, url }) => [id, url]))
    for (const of of PROVISION_KINDS) {
      const from = (each: Dataset) => JSON.parse(JSON.stringify(readProvisions(each).list(of)))
      expect(from(embeddedDataset()), of).toEqual(from(dataset))
      readProvisions(dataset)
        .list(of)
        .forEach(({ value, ...scope }, place) => {
          const { note, ...given } = compiledOf(of)[place] as Given
          // For readers of the file alone.
          if (of === "classes") delete (given as { confidence?: unknown }).confidence
          const read = { ...scope, ...value } as Given
          for (const [name, held] of Object.entries(given)) {
            if (name === "conditions") expect(read[name], of).toHaveLength((held as []).length)
            else if (name === "source") expect(value.source?.id ?? null).toBe(held)
            else if (name === "sourceUrl")
              expect(value.sourceUrl).toBe(held ?? urlOf.get(given.source as string) ?? null)
            else if (name === "verifiedOn") expect(value.verifiedOn ?? value.citedOn).toBe(held)
            else {
              const isScope = name === "passports" || name === "except"
              expect(isScope ? asSet(read[name]) : sorted(read[name]), `${of} [${place}].${name}`).toEqual(sorted(held))
            }
          }
        })
    }
  })
})

const sorted = (value: unknown) => (Array.isArray(value) && typeof value[0] === "string" ? value.toSorted() : value)
// The codes of a scope may be run together.
const asSet = (value: unknown) => sorted(typeof value === "string" ? value.match(/@[^,]+|[A-Z]{3}/g) : value)

describe("the provisions that name a pair", () => {
  // From the rules in docs/data-rules.md: by its code, as a member of a bloc on the days of its membership, or with everybody; not if excepted.
  const walk = (of: ProvisionKind, destination: string, passport: string) => {
    const daysOf = ({ from, until }: { from?: unknown; until?: unknown }) => [from ?? null, until ?? null] as const
    const later = (a: unknown, b: unknown) => (a === null ? b : b === null || (a as string) > (b as string) ? a : b)
    const sooner = (a: unknown, b: unknown) => (a === null ? b : b === null || (a as string) < (b as string) ? a : b)
    const found: (readonly [place: number, rank: number, from: unknown, until: unknown])[] = []
    compiledOf(of).forEach((given, place) => {
      const membershipsIn = (selectors: readonly string[]) =>
        facts.blocs
          .filter(({ id }) => selectors.includes(`@${id}`))
          .flatMap(({ members }) => members.filter(({ code }) => code === passport))
      const { destinations, passports, except = [] } = given as Readonly<Record<string, readonly string[]>>
      if (!destinations?.includes(destination)) return
      if (except.includes(passport) || membershipsIn(except).length > 0) return
      const [from, until] = daysOf(given)
      if (passports === undefined) found.push([place, 1, from, until])
      if (passports?.includes(passport)) found.push([place, 3, from, until])
      for (const member of membershipsIn(passports ?? [])) {
        const span = [later(from, member.from), sooner(until, member.until)] as const
        if (span[0] === null || span[1] === null || `${span[0]}` < `${span[1]}`)
          found.push([place, 2, span[0], span[1]])
      }
    })
    return found.sort(([a, one], [b, other]) => other - one || a - b)
  }
  const day = (date: unknown, absent: number) => (date === null ? absent : Date.parse(date as string) / 86_400_000)

  it("are those that a walk over the facts finds, in its order, for every passport and kind", () => {
    for (const of of PROVISION_KINDS) {
      const places = new Map(
        readProvisions(dataset)
          .list(of)
          .map(({ value }, place) => [value as object, place]),
      )
      for (const destination of dataset.destinations.filter((_, at) => IS_WHOLE || at % 24 === 0)) {
        for (const passport of [...dataset.passports, ...BRITISH_CLASSES]) {
          const found = readProvisions(dataset).at(of, destination, passport)
          const ours = found.map(({ value, rank, fromDay, untilDay }) =>
            [places.get(value), rank, fromDay, untilDay].join(),
          )
          const theirs = walk(of, destination, passport).map(([place, rank, from, until]) =>
            [place, rank, day(from, Number.NEGATIVE_INFINITY), day(until, Number.POSITIVE_INFINITY)].join(),
          )
          expect(ours, `${of} ${passport} ${destination}`).toEqual(theirs)
        }
      }
    }
  })

  it("are by a bloc on the days of membership only, without those that are excepted", () => {
    const at = (changes: object, passport: string) =>
      readProvisions(openSmall({ stayRules: [stayRule(changes)] }))
        .at("stayRules", "BBB", passport)
        .map(({ rank, untilDay }) => [rank, untilDay])
    expect(at({ passports: ["@OLD", "CCC"] }, "BBB")).toEqual([[2, Date.parse("2026-03-01") / 86_400_000]])
    expect(at({ passports: ["@OLD", "CCC"] }, "CCC")).toEqual([[3, Number.POSITIVE_INFINITY]])
    expect(at({ except: ["@OLD"] }, "BBB")).toEqual([])
    expect(at({ except: ["@OLD"] }, "CCC")).toEqual([[1, Number.POSITIVE_INFINITY]])
    expect(at({ except: ["CCC"] }, "")).toEqual([[1, Number.POSITIVE_INFINITY]])
    expect(at({ except: ["CCC"] }, "CCC")).toEqual([])
  })

  it("end the days of a law, also those of a kind that nothing names but its rows", () => {
    const { terms, sources } = openSmall({ stayRules: [stayRule({ from: "2026-02-01", passports: ["CCC"] })] })
    const rows = [
      ["x", "2026-05-01", "2026-06-01", "BBB"],
      ["y", "2026-07-01", null, "CCC"],
    ]
    const lists = { ...terms!.lists, levies: { fields: "text from until destinations:codes", rows } }
    const listed = new ProvisionIndex({ ...terms!, lists }, sources).listDays("BBB").map(formatCivilDate)
    expect(listed).toEqual(expect.arrayContaining(["2026-02-01", "2026-05-01", "2026-06-01"]))
    expect(listed).not.toContain("2026-07-01")
  })

  it("are refused or opened, and never throw, whatever a row holds", () => {
    const compiled = compileFacts(facts)
    if (!compiled.ok) throw new Error(compiled.error.message)
    const { terms, header, pairs } = compiled.value
    fc.assert(
      fc.property(fc.constantFrom(...PROVISION_KINDS), fc.nat(30), fc.jsonValue(), (of, at, cell) => {
        const { fields, rows } = terms!.lists[of]!
        const row = rows[0]!.map((each, place) => (place === at % rows[0]!.length ? cell : each))
        const lists = { ...terms!.lists, [of]: { fields, rows: [row] } }
        const opened = openParts({ header, pairs, terms: { ...terms!, lists } as never })
        if (opened.ok)
          for (const code of header.destinations.match(/.{3}/g) ?? []) readProvisions(opened.value).at(of, code, "FRA")
        else expect(opened.error.message).toBe(`The dataset contradicts itself: its ${of} have another shape.`)
      }),
      { numRuns: countTrips(20) },
    )
  })
})
