/**
 * `npm run bench:spots`: spots around a point, at three sizes of the set, compared with a plain scan; and a worst case: a hundred thousand spots within one circle, with every filter set.
 */
import { Result } from "effect"
import { ASK_NOTHING, type SpotQuery, searchSpots } from "../adapters/spots/search-spots.ts"
import { readSeedSpots } from "../adapters/spots/seed.ts"
import type { Position } from "../adapters/spots/sphere.ts"
import type { Spot } from "../adapters/spots/spot.ts"
import { openSpotSet } from "../adapters/spots/spot-set.ts"
import { foldText } from "../src/engine.ts"
import { amount, type Case, compare, consumed, describeRun, repeat, seededRandom } from "./measure.ts"

const random = seededRandom(11)
const seeds = Result.getOrThrow(readSeedSpots())
const RADIANS = Math.PI / 180

const anywhere = (): Position => ({
  latitude: Math.asin(random() * 2 - 1) / RADIANS,
  longitude: random() * 360 - 180,
})
const inOneTown = (): Position => ({ latitude: 48 + random(), longitude: 2 + random() })

/** The seeds, with copies of them elsewhere if more are wanted. */
const makeSpots = (count: number, place: () => Position): readonly Spot[] =>
  Array.from({ length: count }, (_, at) => {
    const seed = seeds[at % seeds.length] as Spot
    return at < seeds.length && place === anywhere
      ? seed
      : { ...seed, id: `${seed.id}-${at}`, ...place(), avgRating: 4, reviewCount: 1 }
  })

const folded = new Map(seeds.map(({ title }) => [title, foldText(title)]))

/** The haversine formula over all spots, then a sort. */
function scan(spots: readonly Spot[], query: SpotQuery): readonly [count: number, ids: readonly string[]] {
  const near = query.near as Position
  const found: { readonly id: string; readonly tenths: number }[] = []
  for (const spot of spots) {
    if (query.country !== null && spot.countryCode !== query.country) continue
    if (query.category !== null && spot.category !== query.category) continue
    if (query.minRating !== null && spot.avgRating < query.minRating) continue
    if (!query.tags.every(tag => spot.tags.includes(tag))) continue
    if (query.text !== null && !(folded.get(spot.title) as string).includes(query.text)) continue
    const square =
      Math.sin(((spot.latitude - near.latitude) * RADIANS) / 2) ** 2 +
      Math.cos(near.latitude * RADIANS) *
        Math.cos(spot.latitude * RADIANS) *
        Math.sin(((spot.longitude - near.longitude) * RADIANS) / 2) ** 2
    const metres = 2 * 6_371_008.8 * Math.asin(Math.sqrt(square))
    if (metres <= query.radiusKm * 1_000) found.push({ id: spot.id, tenths: Math.round(metres * 10) })
  }
  found.sort((a, b) => a.tenths - b.tenths || (a.id < b.id ? -1 : 1))
  return [found.length, found.slice(query.offset, query.offset + query.limit).map(({ id }) => id)]
}

function casesOf(spots: readonly Spot[], place: () => Position, asked: Partial<SpotQuery>): readonly Case[] {
  const set = openSpotSet(spots)
  const questions = Array.from({ length: 64 }, (): SpotQuery => ({ ...ASK_NOTHING, ...asked, near: place() }))
  const ours = (query: SpotQuery): readonly [number, readonly string[]] => {
    const { count, spots } = searchSpots(set, query)
    return [count, spots.map(({ spot }) => spot.id)]
  }
  const toCase = (name: string, answer: (query: SpotQuery) => readonly [number, readonly string[]]): Case => ({
    name,
    run: repeat(questions, query => answer(query)[0]),
    validate: () => JSON.stringify(questions.slice(0, 16).map(answer)),
  })
  return [toCase("landfall", ours), toCase("a scan", query => scan(spots, query))]
}

console.log(describeRun(`seeds/spots.json, ${seeds.length} spots`).join("\n"))
for (const size of [430, amount(10_000, 1_000), amount(100_000, 2_000)]) {
  const spots = makeSpots(size, anywhere)
  for (const radiusKm of [50, 500]) {
    compare(`${size} spots, those within ${radiusKm} km of a point`, casesOf(spots, anywhere, { radiusKm }))
  }
}
const LAST_PAGE = { limit: 50, offset: 2_000 }
const CROWD = amount(100_000, 3_000)
const crowd = makeSpots(CROWD, inOneTown)
compare(`${CROWD} spots, all within the circle`, casesOf(crowd, inOneTown, { radiusKm: 500 }))
compare(
  `${CROWD} spots, all within the circle, every filter, the last page`,
  casesOf(
    crowd.map(spot => ({ ...spot, countryCode: "FR", category: "museum", tags: [...spot.tags, "old"] })),
    inOneTown,
    { radiusKm: 500, country: "FR", category: "museum", tags: ["old"], minRating: 3, text: "a", ...LAST_PAGE },
  ),
)
console.log(`\n(${consumed() % 1000})`)
