/** Which itineraries are batches measured with? Trips of one to three stops of a few days to a month, with an id, most with an expiry date, half with a transit country. */
import type { Dataset } from "landfall"

const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2026, 11, 1)
const dateOf = (day: number) => new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10)

/** A trip of any passport to any destinations; the same for the same place and random numbers. */
export function makeTrip({ passports, destinations }: Dataset, place: number, random: () => number) {
  const pick = <Value>(list: readonly Value[]) => list[Math.floor(random() * list.length)] as Value
  let day = Math.floor(random() * 120)
  const stops = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const from = day
    day += 3 + Math.floor(random() * 25)
    return { destination: pick(destinations), from: dateOf(from), to: dateOf(day) }
  })
  return {
    id: `trip-${place}`,
    passport: pick(passports),
    ...(random() < 0.9 ? { passport_expiry: dateOf(day + Math.floor(random() * 2_500)) } : {}),
    stops,
    ...(random() < 0.5 ? { transit: [pick(destinations)] } : {}),
  }
}
