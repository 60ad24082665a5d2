/** Histories of stays and small zones as the laws and the sweeps of stay days draw them. */
import fc from "fast-check"
import { dateOf, dayOf, type OracleStay, type OracleZone } from "../oracles/stay-days.ts"

/** The first day of the drawn stays. */
export const day2022 = dayOf("2022-06-01")
const codes = ["FRA", "ITA", "CHE", "HRV", "ROU", "BGR", "MCO", "GBR", "IRL", "GTM", "SLV", "HND", "NIC", "MEX"]

/** Stays that begin within a span of days: how long one is at most, and how many there are at most. */
export function staysWithin(span: number, longest: number, most: number): fc.Arbitrary<OracleStay[]> {
  return fc.array(
    fc
      .record({
        destination: fc.constantFrom(...codes),
        first: fc.nat(span),
        length: fc.nat(longest - 1),
        permit: fc.constantFrom(
          undefined,
          undefined,
          undefined,
          undefined,
          "residence" as const,
          "national_visa" as const,
        ),
      })
      .map(({ destination, first, length, permit }) => ({
        destination,
        from: dateOf(day2022 + first),
        to: dateOf(day2022 + first + length),
        ...(permit === undefined ? {} : { permit }),
      })),
    { maxLength: most },
  )
}

const members = codes.filter(code => code < "M").map(code => ({ code, fromDay: null, untilDay: null }))

/** Zones of small rules: over small calendars they meet far more edges than 90 in 180 does. */
export function smallZones(largest: number): fc.Arbitrary<OracleZone> {
  const allowance = fc.integer({ min: 1, max: largest })
  const leaving = [{ code: "MCO", fromDay: day2022 + 10, untilDay: day2022 + 30 }]
  return fc.oneof(
    fc.tuple(allowance, fc.integer({ min: 1, max: largest * 2 })).map(([allowanceDays, more]) => ({
      rule: { kind: "rolling" as const, allowanceDays, windowDays: allowanceDays + more },
      members: [...members, ...leaving],
    })),
    allowance.map(allowanceDays => ({
      rule: { kind: "single-permission" as const, allowanceDays },
      members: [...members, ...leaving],
    })),
  )
}

/** Any day within a span. */
export const days = (span: number) => fc.nat(span).map(offset => dateOf(day2022 + offset))

/** Leaves the list of stays that do not count out of an answer: the oracle counts days only. */
export function figuresOf<Value>(result: { readonly ok: boolean; readonly value?: Value | undefined }) {
  if (!result.ok || typeof result.value !== "object" || result.value === null) return result
  const { notCounted: _, ...value } = result.value as Value & { readonly notCounted?: unknown }
  return { ok: true, value }
}
