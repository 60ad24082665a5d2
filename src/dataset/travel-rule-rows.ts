/**
 * How do the rules that name destinations and no pair lie in a dataset's header?
 *
 * Zones, passport validity and transit, each place of their rows described once. Behind these places every row names where it was read.
 */
import { isEpochDay, parseCivilDate } from "../civil-date.ts"
import type { Membership } from "./facts.ts"
import { splitCodes } from "./pair-table.ts"
import { codes, nullable, oneOf, type Place, plain, rowCodec } from "./row-codec.ts"
import { count, isAmount, isCodes, isText, list, orNull, row } from "./row-tests.ts"
import type { ZoneMember } from "./travel-rules.ts"

const isSpan = count(0, 36_500)
const confidence = oneOf("high", "medium")

type MemberRow = readonly [codes: string, fromDay: number | null, untilDay: number | null]

// Codes run together, by the days of membership.
const members: Place<readonly Membership[], readonly ZoneMember[]> = {
  test: list(row(isCodes, orNull(isEpochDay), orNull(isEpochDay))),
  read: (rows: readonly MemberRow[]) =>
    rows.flatMap(([text, fromDay, untilDay]) => splitCodes(text).map(code => ({ code, fromDay, untilDay }))),
  write: given => {
    const groups = new Map<string, Membership[]>()
    for (const member of given.toSorted((a, b) => (a.code < b.code ? -1 : 1))) {
      const times = JSON.stringify([member.from, member.until])
      groups.set(times, [...(groups.get(times) ?? []), member])
    }
    return [...groups.values()].map(group => [
      group.map(({ code }) => code).join(""),
      parseCivilDate(group[0]?.from),
      parseCivilDate(group[0]?.until),
    ])
  },
}

// 0 for a single permission, which has no window.
const windowDays: Place<number | null, number | null> = {
  test: isSpan,
  read: (stored: number) => (stored === 0 ? null : stored),
  write: given => given ?? 0,
}

const isComplete: Place<boolean, boolean> = {
  test: count(0, 1),
  read: (isPartial: number) => isPartial === 0,
  write: given => (given ? 0 : 1),
}

/** A stay zone. */
export const zoneRows = /* @__PURE__ */ rowCodec({
  id: plain<string>(isText),
  name: plain<string>(isText),
  instrument: plain<string | null>(orNull(isText)),
  allowanceDays: plain<number>(count(1, 3_650)),
  windowDays,
  members,
})

/** A rule of passport validity, and the destinations that it holds for. */
export const validityRows = /* @__PURE__ */ rowCodec({
  anchor: oneOf("departure", "arrival"),
  months: plain<number>(isSpan),
  days: plain<number>(isSpan),
  issuedWithinYears: plain<number | null>(orNull(isSpan)),
  confidence,
  destinations: codes,
})

/** A transit rule, the passports that it names and the countries that it holds for. */
export const transitRows = /* @__PURE__ */ rowCodec({
  area: oneOf("airside", "landside"),
  demand: oneOf("no_visa", "visa"),
  hours: plain<number | null>(orNull(isAmount)),
  condition: plain<string | null>(orNull(isText)),
  isComplete,
  confidence,
  passports: nullable(codes),
  destinations: codes,
})
