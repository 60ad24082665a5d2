/**
 * Automatic extension of visas at ports of entry, 22 CFR 41.112(d): who was admitted to the United States on a visa and comes back after at
 * most 30 days in contiguous territory alone may be readmitted on it though it ended, within the stay that was admitted, unless he applied for a
 * new visa meanwhile or is a national of a state sponsor of terrorism. Adjacent islands are for students and exchange visitors only. What the
 * traveller did not say is to be checked: such a return is unknown, and every other one needs a new visa.
 */
import { describe, expect, it } from "vitest"
import type { HeldDocument } from "../../src/index.ts"
import { embeddedDataset } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2026-06-01" }
const ended: HeldDocument = { kind: "visa", issuer: "USA", validUntil: "2027-01-25" }
const single: HeldDocument = { kind: "visa", issuer: "USA", validUntil: "2028-01-01", entries: 1 }
const first = stay("USA", "2027-01-01", "2027-01-20")
const visas = ["CAN", "MEX", "BHS", "CUB"].map(issuer => ({ kind: "visa" as const, issuer }))

/** What is said of the return: that the visa is to be checked, that one is to be obtained, or nothing of either. */
function judgeReturn(passport: string, held: HeldDocument, ...stops: ReturnType<typeof stay>[]) {
  const { conditions, toDo } = decided(dataset, { passport, ...dates, held: [held, ...visas], stops })
  const last = stops.length - 1
  const said = conditions.filter(({ step }) => step === last).map(({ code }) => code)
  expect(toDo.some(({ step }) => step === last)).toBe(said.includes("visa_required"))
  return said.includes("check_held_document") ? "to check" : said.includes("visa_required") ? "to obtain" : "in hand"
}
const inCanada = (to: string) => stay("CAN", "2027-01-20", to)
const back = (from: string) => stay("USA", from, "2027-02-25")

describe("22 CFR 41.112(d): a return to the United States on a visa that ended or was used", () => {
  it.each<[string, string, string]>([
    [
      "from 12 days in Canada, the visa ended",
      judgeReturn("IND", ended, first, inCanada("2027-02-01"), back("2027-02-01")),
      "to check",
    ],
    [
      "from 12 days in Canada, its entry used",
      judgeReturn("IND", single, first, inCanada("2027-02-01"), back("2027-02-01")),
      "to check",
    ],
    [
      "from Mexico",
      judgeReturn("IND", single, first, stay("MEX", "2027-01-20", "2027-02-01"), back("2027-02-01")),
      "to check",
    ],
    [
      "from Canada and Mexico",
      judgeReturn(
        "IND",
        single,
        first,
        inCanada("2027-01-25"),
        stay("MEX", "2027-01-25", "2027-02-01"),
        back("2027-02-01"),
      ),
      "to check",
    ],
    ["after 30 days", judgeReturn("IND", ended, first, inCanada("2027-02-19"), back("2027-02-19")), "to check"],
    [
      "after 30 dates there, which no other stay shares",
      judgeReturn("IND", ended, first, stay("CAN", "2027-01-21", "2027-02-19"), back("2027-02-20")),
      "to check",
    ],
    [
      "after 31 dates there, which no other stay shares",
      judgeReturn("IND", ended, first, stay("CAN", "2027-01-21", "2027-02-20"), back("2027-02-21")),
      "to obtain",
    ],
    ["after 31 days", judgeReturn("IND", ended, first, inCanada("2027-02-20"), back("2027-02-20")), "to obtain"],
    [
      "from the Bahamas, an adjacent island",
      judgeReturn("IND", ended, first, stay("BHS", "2027-01-20", "2027-02-01"), back("2027-02-01")),
      "to obtain",
    ],
    [
      "from Canada by way of India",
      judgeReturn(
        "IND",
        ended,
        first,
        inCanada("2027-01-25"),
        stay("IND", "2027-01-26", "2027-01-30"),
        back("2027-02-01"),
      ),
      "to obtain",
    ],
    [
      "after days that nobody says anything of",
      judgeReturn("IND", ended, first, inCanada("2027-01-25"), back("2027-02-01")),
      "to obtain",
    ],
    [
      "as a national of Cuba",
      judgeReturn("CUB", ended, first, inCanada("2027-02-01"), back("2027-02-01")),
      "to obtain",
    ],
    [
      "without a stay before",
      judgeReturn("IND", ended, stay("CAN", "2027-01-27", "2027-02-01"), back("2027-02-01")),
      "to obtain",
    ],
    [
      "for the second time",
      judgeReturn(
        "IND",
        single,
        first,
        inCanada("2027-01-25"),
        stay("USA", "2027-01-25", "2027-02-05"),
        stay("MEX", "2027-02-05", "2027-02-10"),
        back("2027-02-10"),
      ),
      "to check",
    ],
    [
      "on a visa for several entries, which needs none of it",
      judgeReturn("IND", { ...single, entries: "multiple" }, first, inCanada("2027-02-01"), back("2027-02-01")),
      "in hand",
    ],
  ])("%s", (_, found, expected) => {
    expect(found).toBe(expected)
  })

  it.each<[string, HeldDocument, string, string]>([
    ["on a visa that was valid in an earlier stay", ended, "2027-01-26", "check_held_document"],
    ["on a visa that began only after it", { ...ended, validFrom: "2027-01-05" }, "2027-01-26", "visa_required"],
    ["on a visa that had ended before it", { ...ended, validUntil: "2026-11-30" }, "2027-01-26", "visa_required"],
    ["on no visa, but a permit", { ...ended, kind: "residence_permit" }, "2027-01-26", "visa_required"],
    ["on a visa of another state", { ...ended, issuer: "GBR" }, "2027-01-26", "visa_required"],
    ["after more days in Canada", ended, "2027-02-10", "visa_required"],
  ])("reads earlier stays: %s", (_, visa, to, code) => {
    const request = {
      passport: "IND",
      ...dates,
      held: [visa, ...visas],
      earlierStays: [stay("USA", "2026-12-01", "2027-01-05")],
      stops: [stay("CAN", "2027-01-06", to), stay("USA", to, "2027-03-10")],
    }
    const { outcome, conditions } = decided(dataset, request)
    expect(conditions.filter(({ step }) => step === 1).map(each => each.code)).toContain(code)
    expect(outcome).toBe(code === "visa_required" ? "obtain" : "unknown")
  })

  it("reads an earlier visit to Canada between", () => {
    const earlierStays = [stay("USA", "2026-12-01", "2027-01-05"), stay("CAN", "2027-01-05", "2027-01-26")]
    const request = { passport: "IND", ...dates, held: [ended], earlierStays, stops: [back("2027-01-26")] }
    expect(decided(dataset, request).conditions.map(({ code }) => code)).toContain("check_held_document")
  })

  it("is unknown, because the entry form and the application are unknown", () => {
    const stops = [first, inCanada("2027-02-01"), back("2027-02-01")]
    const { outcome, conditions } = decided(dataset, { passport: "IND", ...dates, held: [ended, ...visas], stops })
    expect(outcome).toBe("unknown")
    expect(conditions.map(({ message }) => message).join(" ")).toContain("Form I-94")
  })
})
