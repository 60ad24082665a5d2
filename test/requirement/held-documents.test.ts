import { describe, expect, it } from "vitest"
import type { DocumentTerms } from "../../src/engine.ts"
import type { InputIssue } from "../../src/index.ts"
import { readProvisions } from "../../src/rules/provisions.ts"
import { compareAs, isNamed, judgeTerms } from "../../src/trip/documents.ts"
import { describeDocument, type HeldDocument, readHeldOptions } from "../../src/trip/request-fields.ts"
import { openSmall, waiver, zone } from "../dataset/small-facts.ts"

const readHeldDocuments = (held: unknown, issues: InputIssue[]) => readHeldOptions({ held }, issues).held ?? []
const refusals = (...held: unknown[]) => {
  const issues: InputIssue[] = []
  readHeldDocuments(held, issues)
  return issues.map(({ path, message }) => `${path}: ${message}`)
}
const visa = { kind: "visa", issuer: "CCC" } as const

describe("a held document", () => {
  it("is read as it is given, without what is null", () => {
    const whole: HeldDocument = {
      kind: "residence_permit",
      issuer: "CCC",
      type: "B1/B2",
      validFrom: "2026-01-01",
      validUntil: "2026-01-01",
      entries: "multiple",
      durationOfStayDays: 90,
      used: true,
      permanent: true,
      electronic: false,
    }
    const issues: InputIssue[] = []
    const read = readHeldDocuments([whole, { ...visa, type: null, entries: 1 }], issues)
    expect(read.map(describeDocument)).toEqual([whole, { ...visa, entries: 1 }])
    expect(issues).toEqual([])
  })

  it.each<[string, unknown, string]>([
    [
      "another kind",
      { ...visa, kind: "passport" },
      'held[0].kind: "passport" is neither visa nor residence_permit nor eta.',
    ],
    [
      "no issuer",
      { kind: "visa" },
      "held[0].issuer: It is required, as an ISO 3166-1 alpha-3 code in capital letters, such as USA.",
    ],
    [
      "a short code",
      { ...visa, issuer: "US" },
      'held[0].issuer: "US" is not an ISO 3166-1 alpha-3 code in capital letters, such as USA.',
    ],
    ["a class that is none", { ...visa, type: "" }, 'held[0].type: "" is not a text of 1 to 40 characters.'],
    [
      "a day that no calendar has",
      { ...visa, validUntil: "2026-02-30" },
      'held[0].validUntil: "2026-02-30" is not a calendar date YYYY-MM-DD from 1900 to 2199.',
    ],
    [
      "an end before its beginning",
      { ...visa, validFrom: "2026-05-02", validUntil: "2026-05-01" },
      'held[0].validUntil: "2026-05-01" is before the first day of its validity, 2026-05-02.',
    ],
    [
      "no entries",
      { ...visa, entries: 0 },
      'held[0].entries: 0 is neither "multiple" nor a whole number from 1 to 3650.',
    ],
    [
      "half an entry",
      { ...visa, entries: 0.5 },
      'held[0].entries: 0.5 is neither "multiple" nor a whole number from 1 to 3650.',
    ],
    [
      "no days",
      { ...visa, durationOfStayDays: 0 },
      "held[0].durationOfStayDays: 0 is not a whole number from 1 to 3650.",
    ],
    ["a word for a truth", { ...visa, used: "yes" }, 'held[0].used: "yes" is neither true nor false.'],
    ["a permanent visa", { ...visa, permanent: true }, "held[0].permanent: A visa is never permanent."],
    [
      "a field that no document has",
      { ...visa, valid_until: "2026-05-01" },
      "held[0].valid_until: There is no such field; it is spelled validUntil.",
    ],
    ["no document", "USA", 'held[0]: "USA" is not an object.'],
  ])("is refused with %s", (_, document, line) => {
    expect(refusals(document)).toEqual([line])
  })

  it("is one of twenty at most, and of a list", () => {
    const issues: InputIssue[] = []
    readHeldDocuments(new Array(4_294_967_295), issues)
    readHeldDocuments({ length: 1 }, issues)
    expect(issues.map(({ message }) => message)).toEqual([
      "0 to 20 entries are expected, not 4294967295.",
      "An object is not an array.",
    ])
  })
})

describe("judgeTerms", () => {
  const index = readProvisions(
    openSmall({ zones: [zone()], waivers: [waiver({ held: [{ kind: "visa", issuers: ["@area"] }] })] }),
  )
  const ask = (terms: Partial<DocumentTerms>, document: Partial<HeldDocument> = {}, exitDay: number | null = 110) => {
    const asked = { kind: "visa", issuers: ["CCC"], ...terms } as DocumentTerms
    const [held] = readHeldDocuments([{ ...visa, ...document }], [])
    if (held === undefined) throw new Error("nothing was read")
    if (!isNamed(index, asked, held)) return "unmet"
    const toCheck = judgeTerms(asked, compareAs(openSmall({}), held), { firstDay: 100, lastDay: exitDay })
    return toCheck === null ? "unmet" : toCheck.length === 0 ? "met" : toCheck.join()
  }
  // Day 100 is 1970-04-11, day 110 is 1970-04-21.
  it("asks for the kind and one of the issuers, or a member of a zone among them", () => {
    expect(ask({})).toBe("met")
    expect(ask({ kind: "residence_permit" })).toBe("unmet")
    expect(ask({ issuers: ["AAA"] })).toBe("unmet")
    expect(ask({ issuers: ["@area"] })).toBe("met")
    expect(ask({ issuers: ["@area"] }, { issuer: "AAA" })).toBe("unmet")
  })

  it("asks that it is valid on the day of entry, and takes who gives no day at his word", () => {
    expect(ask({}, { validUntil: "1970-04-10" })).toBe("unmet")
    expect(ask({}, { validUntil: "1970-04-11" })).toBe("met")
    expect(ask({}, { validFrom: "1970-04-12" })).toBe("unmet")
    expect(ask({}, { validFrom: "1970-04-11" })).toBe("met")
  })

  it("counts the days that are left behind the day of entry and of exit", () => {
    expect(ask({ validDaysAfterEntry: 30 }, { validUntil: "1970-05-10" })).toBe("unmet")
    expect(ask({ validDaysAfterEntry: 30 }, { validUntil: "1970-05-11" })).toBe("met")
    expect(ask({ validDaysAfterEntry: 30 })).toBe("validDaysAfterEntry")
    expect(ask({ validDaysAfterExit: 0 }, { validUntil: "1970-04-20" })).toBe("unmet")
    expect(ask({ validDaysAfterExit: 0 }, { validUntil: "1970-04-21" })).toBe("met")
    expect(ask({ validDaysAfterExit: 0 }, { validUntil: "1970-04-21" }, null)).toBe("validDaysAfterExit")
  })

  it("takes what expired less than so many years before", () => {
    expect(ask({ expiredWithinYears: 1 }, { validUntil: "1969-04-11" })).toBe("unmet")
    expect(ask({ expiredWithinYears: 1 }, { validUntil: "1969-04-12" })).toBe("met")
  })

  it.each<[keyof DocumentTerms, DocumentTerms[keyof DocumentTerms], Partial<HeldDocument>, Partial<HeldDocument>]>([
    ["multipleEntry", true, { entries: "multiple" }, { entries: 1 }],
    ["usedBefore", true, { used: true }, { used: false }],
    ["physical", true, { electronic: false }, { electronic: true }],
    ["types", ["B1/B2", "C"], { type: "b1/b2" }, { type: "D" }],
    ["typesExcept", ["C-1"], { type: "B2" }, { type: "C1" }],
  ])("judges %s by what is said, and names it where nothing is", (term, value, met, unmet) => {
    expect(ask({ [term]: value }, met)).toBe("met")
    expect(ask({ [term]: value }, unmet)).toBe("unmet")
    expect(ask({ [term]: value })).toBe(term)
  })

  it("counts two entries as several", () => {
    expect(ask({ multipleEntry: true }, { entries: 2 })).toBe("met")
  })

  it("leaves a remark, and a stay in the issuer's country, to be checked by somebody", () => {
    expect(ask({ remark: "On paper." })).toBe("remark")
    expect(ask({ enteredIssuerFirst: true })).toBe("enteredIssuerFirst")
    expect(ask({ remark: "On paper.", usedBefore: true }, { used: false })).toBe("unmet")
  })

  it("asks a permit to be permanent", () => {
    const permit = { kind: "residence_permit" } as const
    expect(ask({ ...permit, permanent: true }, { ...permit, permanent: true })).toBe("met")
    expect(ask({ ...permit, permanent: true }, { ...permit, permanent: false })).toBe("unmet")
    expect(ask({ ...permit, permanent: true }, permit)).toBe("permanent")
  })
})
