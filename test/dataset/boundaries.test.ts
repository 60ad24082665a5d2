/** The last value that is accepted and the first that is refused, for every limit of facts and datasets. */
import { describe, expect, it } from "vitest"
import { compileFacts, encodeDataset, type Facts } from "../../src/compiler.ts"
import { type Dataset, lookupRequirement, openDataset } from "../../src/engine.ts"
import { policy, rule, smallFacts } from "./small-facts.ts"

type Bloc = Facts["blocs"][number]
type Membership = Bloc["members"][number]

const tagsOf = (changes: Partial<Facts>) => {
  const compiled = compileFacts(smallFacts(changes))
  return compiled.ok ? [] : compiled.error.issues.map(({ tag, field }) => `${tag} ${field}`)
}
const open = (changes: Partial<Facts>): Dataset => {
  const compiled = compileFacts(smallFacts(changes))
  const opened = compiled.ok ? openDataset(encodeDataset(compiled.value)) : compiled
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}
const codes = (count: number) =>
  Array.from(
    { length: count },
    (_, i) => `A${String.fromCharCode(65 + Math.floor(i / 26))}${String.fromCharCode(65 + (i % 26))}`,
  )
const world = (passports: number, destinations: number): Partial<Facts> => ({
  passports: codes(passports),
  destinations: codes(destinations).map(code => ({ code, region: null, gdpUsd: null })),
  blocs: [],
  policies: [],
})

describe("rules of one passport", () => {
  const twoRules = (until: string, from: string, isReversed: boolean) => {
    const rules = [rule(["AAA"], { until }), rule(["AAA"], { from })]
    return tagsOf({ policies: [policy("CCC", { rules: isReversed ? rules.reverse() : rules })] })
  }
  it("may follow one another with the same answer, and are two rules if they share a day", () => {
    for (const isReversed of [false, true]) {
      expect(twoRules("2026-05-01", "2026-05-01", isReversed)).toEqual([])
      expect(twoRules("2026-05-02", "2026-05-01", isReversed)).toEqual(["DuplicateRule rules[1].passports[0]"])
    }
  })

  it("are valid for at least one day", () => {
    const dated = (from: string, until: string) =>
      tagsOf({ policies: [policy("CCC", { rules: [rule(["AAA"], { from, until })] })] })
    expect(dated("2026-05-01", "2026-05-02")).toEqual([])
    expect(dated("2026-05-01", "2026-05-01")).toEqual(["UntilBeforeFrom rules[0].until"])
  })

  it("allow 1 to 3,650 days", () => {
    const stay = (days: number) =>
      tagsOf({ policies: [policy("CCC", { rules: [rule(["AAA"], { requirement: "eta", days })] })] })
    expect([0, 1, 3650, 3651].map(days => stay(days).length)).toEqual([1, 0, 0, 1])
  })
})

describe("a bloc's members on the day of a table", () => {
  const membership = (member: Partial<Membership>) => {
    const bloc: Bloc = {
      id: "OLD",
      freedomOfMovement: false,
      members: [{ code: "AAA", from: null, until: null, ...member }],
    }
    const sources = [{ id: "table", name: "A table", url: null, imported: true, snapshotOn: "2026-01-15" }]
    const policies = [policy("CCC", { rules: [rule(["@OLD"], { requirement: "eta" })] })]
    const answer = lookupRequirement(open({ blocs: [bloc], sources, policies }), "AAA", "CCC")
    return answer.kind === "found" ? answer.requirement : answer.kind
  }

  it("are the members that joined on that day or earlier and left later", () => {
    expect(membership({ from: "2026-01-15" })).toBe("eta")
    expect(membership({ from: "2026-01-16" })).toBe("visa_required")
    expect(membership({ until: "2026-01-16" })).toBe("eta")
    expect(membership({ until: "2026-01-15" })).toBe("visa_required")
  })
})

describe("a treaty that a member left", () => {
  const uncertainOn = (members: readonly Membership[], on: string) => {
    const bloc: Bloc = {
      id: "OLD",
      freedomOfMovement: true,
      members: [{ code: "AAA", from: null, until: null }, ...members],
    }
    const rules = [rule(["BBB"], { requirement: "visa_free", basis: "freedom_of_movement", bloc: "OLD" })]
    const answer = lookupRequirement(open({ blocs: [bloc], policies: [policy("AAA", { rules })] }), "BBB", "AAA", {
      on,
    })
    return answer.kind === "found" && answer.uncertain
  }
  const first = { code: "BBB", from: null, until: "2026-03-01" }

  it("is not uncertain for a member that joins again", () => {
    const returned = [first, { code: "BBB", from: "2026-05-01", until: null }]
    expect([uncertainOn([first], "2026-04-01"), uncertainOn(returned, "2026-04-01")]).toEqual([true, false])
  })

  it("is uncertain from the second departure if the member left twice", () => {
    const twice = [first, { code: "BBB", from: "2026-05-01", until: "2026-07-01" }]
    expect(["2026-04-01", "2026-06-30", "2026-07-01"].map(on => uncertainOn(twice, on))).toEqual([false, false, true])
  })
})

describe("a dataset", () => {
  it("answers for its first day", () => {
    expect(open({ asOf: "2026-01-01", since: "2026-01-01" }).asOf).toBe("2026-01-01")
  })

  it("has at most 253 passports and 253 destinations", () => {
    expect(open(world(253, 253)).pairs.length).toBe(253 * 253)
    expect(tagsOf(world(253, 254))).toEqual(["TooManyAnswers rows"])
    expect(tagsOf({ ...world(254, 254), destinations: world(0, 254).destinations ?? [] })).toEqual([
      "TooManyAnswers rows",
    ])
    const compiled = compileFacts(smallFacts(world(1, 253)))
    if (!compiled.ok) throw new Error(compiled.error.message)
    const { header } = compiled.value
    const larger = openDataset(
      encodeDataset({ header: { ...header, destinations: codes(254).join("") }, pairs: new Uint8Array(254) }),
    )
    expect(larger.ok || larger.error.message).toBe("The dataset contradicts itself: it has 254 destinations.")
  })

  it("has at most 255 answers of a destination", () => {
    // One is the default's; each passport has two, one after the other.
    const answers = (count: number) => {
      const days = Array.from({ length: count - 1 }, (_, i) => i + 1)
      const rules = days.map(each => {
        const span = each % 2 === 0 ? { from: "2026-04-01" } : { until: "2026-04-01" }
        return rule([codes(253)[Math.ceil(each / 2)] as string], { requirement: "eta", days: each, ...span })
      })
      return { ...world(253, 253), policies: [policy("AAA", { rules })] }
    }
    const [least, most] = [255, 256].map(count => compileFacts(smallFacts(answers(count))))
    expect([least?.ok, most?.ok]).toEqual([true, false])
    expect(least?.ok && openDataset(encodeDataset(least.value)).ok).toBe(true)
    expect(tagsOf(answers(256))).toEqual(["TooManyAnswers rules"])
  })
})
