import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { describePair, type PairDescription, sayReason } from "../../src/engine.ts"
import { embeddedDataset, isRequirement } from "../../src/index.ts"
import type { Decision } from "../../src/trip/answer-fields.ts"
import { dateOf, dayOf } from "../oracles/stay-days.ts"
import { decided, reasonsOf, SAID, stay } from "./decisions.ts"

const embedded = embeddedDataset()
/** The two answers of which nothing says which one is right. */
const sayDispute = ({ answer, corroboration }: PairDescription) =>
  [answer, corroboration!]
    .map(({ requirement, days }) => (days === null ? requirement : `${requirement} ${days}`))
    .join(" / ")

describe("laws of decisions:", () => {
  const { destinations, passports } = embedded
  const start = dayOf("2026-02-01")
  const stops = fc
    .tuple(
      fc.nat(60),
      fc.array(fc.tuple(fc.constantFrom(...destinations, "FRA", "DEU", "ESP", "SLV", "GTM"), fc.nat(20), fc.nat(60)), {
        minLength: 1,
        maxLength: 12,
      }),
    )
    .map(([offset, list]) => {
      let next = start + offset
      return list.map(([destination, gap, length], place) => {
        const from = next + (place === 0 ? 0 : gap)
        next = from + length
        return stay(destination, dateOf(from), dateOf(next))
      })
    })
  const date = fc.integer({ min: start - 100, max: start + 1500 }).map(dateOf)
  const request = fc.record({
    passport: fc.constantFrom(...passports, "USA", "JPN"),
    passportExpiry: fc.option(date, { nil: undefined }),
    stops,
    transit: fc.array(fc.constantFrom(...destinations), { maxLength: 12 }),
  })

  // Stops in one place without a day between them are one stay, for which everything is said once.
  const listStays = ({ steps }: Decision) =>
    steps.filter(({ destination, from }, at) => {
      const before = steps[at - 1]
      return before?.destination !== destination || dayOf(from) > dayOf(before.to!) + 1
    })

  it("every unknown finding is listed with its reason, and nothing else except what was not given", () => {
    fc.assert(
      fc.property(request, asked => {
        const decision = decided(embedded, asked)
        const expected = listStays(decision).flatMap(step =>
          (["requirement", "maxStay", "zoneStay", "passportValidity"] as const).flatMap(field => {
            const finding = step[field]
            const gaps = finding?.status === "unknown" ? [`${step.index} ${field}: ${finding.reason}`] : []
            const isUncertain =
              field === "requirement" && finding?.status === "known" && "answer" in finding && finding.answer.uncertain
            if (isUncertain) gaps.push(`${step.index} ${field}: ${SAID.treaty_left}`)
            if (field === "requirement" && finding?.status === "known" && !("because" in finding)) {
              const pair = describePair(embedded, step.passport, step.destination, { on: step.from })
              const dispute = pair.kind === "found" && pair.corroboration?.isOpen ? sayDispute(pair) : null
              if (dispute !== null) gaps.push(`${step.index} ${field}: ${sayReason("disputed", { says: dispute })}`)
              const { afterExpiry = null, changedSince = null } = pair.kind === "found" ? pair : {}
              if (afterExpiry !== null) {
                gaps.push(`${step.index} ${field}: ${sayReason("answer_ended", { on: afterExpiry.endedOn })}`)
              } else if (changedSince !== null) {
                gaps.push(`${step.index} ${field}: ${sayReason("answer_changed_since", { on: changedSince.on })}`)
              }
            }
            return gaps
          }),
        )
        const limitsOf = (place: number) =>
          decision.unknowns.find(({ field, code }) => field === `transit[${place}].rule` && code === "transit_limits")
            ?.reason
        decision.transit.forEach(({ rule, permitted }, place) => {
          if (rule.status === "unknown") expected.push(`- transit[${place}].rule: ${rule.reason}`)
          else if (limitsOf(place) !== undefined) expected.push(`- transit[${place}].rule: ${limitsOf(place)}`)
          if (permitted.status === "unknown") expected.push(`- transit[${place}].permitted: ${permitted.reason}`)
        })
        if (asked.passportExpiry === undefined) expected.push(`- passportExpiry: ${SAID.expiry_not_given}`)
        expect(reasonsOf(decision)).toEqual(expected)
      }),
    )
  })

  it("the verdict is blocked exactly when a blocker is listed, and conditions never block", () => {
    fc.assert(
      fc.property(request, asked => {
        const decision = decided(embedded, asked)
        const { verdict, blockers, conditions } = decision
        expect(verdict).toBe(blockers.length > 0 ? "blocked" : "no_blocker_found")
        const needed = conditions.filter(({ step, code }) => step !== null && isRequirement(code))
        expect(needed.map(({ step, code }) => [step, code])).toEqual(
          listStays(decision).flatMap(({ index, requirement: found }) =>
            found.status === "known" && found.value !== "visa_free" && found.value !== "no_admission"
              ? [[index, found.value]]
              : [],
          ),
        )
      }),
    )
  })

  it("another stop changes no day that was counted before it", () => {
    fc.assert(
      fc.property(request, asked => {
        const countsOf = (decision: Decision) => decision.steps.map(step => [step.daysAccumulated, step.zoneStay])
        const shorter = { ...asked, stops: asked.stops.slice(0, -1) }
        if (shorter.stops.length === 0) return
        expect(countsOf(decided(embedded, asked)).slice(0, -1)).toEqual(countsOf(decided(embedded, shorter)))
      }),
    )
  })

  it("a passport with a later expiry never has more blockers", () => {
    fc.assert(
      fc.property(request, date, date, (asked, one, other) => {
        const codesWith = (passportExpiry: string) =>
          decided(embedded, { ...asked, passportExpiry }).blockers.map(({ step, code }) => `${step} ${code}`)
        const [sooner, later] = [one, other].sort() as [string, string]
        expect(codesWith(sooner)).toEqual(expect.arrayContaining(codesWith(later)))
      }),
    )
  })

  it("the same question has the same answer and is not changed", () => {
    fc.assert(
      fc.property(request, asked => {
        const before = structuredClone(asked)
        const first = structuredClone(decided(embedded, asked))
        expect(decided(embedded, asked)).toEqual(first)
        expect(asked).toEqual(before)
      }),
    )
  })
})
