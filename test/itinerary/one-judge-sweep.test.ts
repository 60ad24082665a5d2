/** `lookupHeld` and `decide` judge documents alike: a sample; `npx vitest run --project nightly` compares them for all passports and issuers. */
import { expect, it } from "vitest"
import { compareJudges, compareRandomly, sweepJudges } from "./one-judge.ts"

// Each was judged in two ways before there was one judge.
it.each([
  ["FRA", "AZE", { kind: "residence_permit", issuer: "ARE", validUntil: "2030-01-01" }, "2026-12-05"],
  ["CHN", "STP", { kind: "visa", issuer: "DEU" }, "2026-12-20"],
  ["CRI", "CAN", { kind: "visa", issuer: "CAN", validUntil: "2030-01-01" }, "2026-12-05"],
  ["AFG", "USA", { kind: "visa", issuer: "USA", validUntil: "2030-01-01" }, "2026-12-05"],
  ["SRB", "FIN", { kind: "residence_permit", issuer: "MCO" }, "2026-12-05"],
  ["TWN", "AUT", { kind: "residence_permit", issuer: "MCO" }, "2026-12-20"],
  ["AFG", "ALA", { kind: "residence_permit", issuer: "MCO" }, "2027-03-05"],
  ["IRN", "QAT", { kind: "visa", issuer: "MCO", validUntil: "2030-01-01" }, "2027-01-14"],
  ["CHN", "CAN", { kind: "residence_permit", issuer: "USA", permanent: true }, "2027-06-18"],
  // Days that the class of a visa leaves open, days of months, an agreement beside a zone, and a document that ends.
  ["ZMB", "MEX", { kind: "visa", issuer: "MEX", type: "F-1", validUntil: "2029-08-12" }, "2027-11-12", "2027-09-14"],
  ["BEL", "FJI", { kind: "visa", issuer: "USA", validUntil: "2030-09-30" }, "2028-07-13", "2028-06-13"],
  ["NZL", "ESP", { kind: "visa", issuer: "USA" }, "2027-12-16", "2027-09-08"],
  ["IND", "MLT", { kind: "visa", issuer: "CHE", type: "D", validUntil: "2028-12-13" }, "2028-09-24", "2028-09-20"],
  // A permit that settles an announced authorisation, and a waiver for passports that are not biometric.
  ["MAC", "NLD", { kind: "residence_permit", issuer: "ITA", permanent: true }, "2027-10-02", "2027-09-04"],
  ["MNE", "GRC", { kind: "residence_permit", issuer: "ITA", validUntil: "2029-05-24" }, "2027-09-15", "2027-09-02"],
] as const)("%s enters %s in one way with a document", (passport, destination, document, to, from?: string) => {
  expect(compareJudges(passport, destination, [document], to, from)).toBeNull()
})

it("a document is judged alike by both, for every 601st pair", () => {
  const { asked, differences } = sweepJudges(["2027-03-05"], { step: 601, isWhole: false })
  expect(differences).toEqual([])
  expect(asked).toBeGreaterThan(300)
})

it("several documents together are judged alike by both", () => {
  expect(compareRandomly(500)).toEqual([])
})
