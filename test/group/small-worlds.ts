/** Made-up datasets for laws, with answers, gaps, homes, treaties and dated rules, in any combination that a file could hold. */
import fc from "fast-check"
import { type Dataset, embeddedDataset, openParts } from "../../src/index.ts"

const codeAt = (place: number) => `${String.fromCharCode(65 + place)}AA`
const day = 20_000

const answer = fc
  .record({
    rank: fc.integer({ min: 0, max: 5 }),
    days: fc.constantFrom(null, 7, 30, 90, 180),
    basis: fc.constantFrom(null, null, null, "freedom_of_movement", "follows"),
    uncertain: fc.constantFrom(0 as const, 0 as const, 1 as const),
    subject: fc.constantFrom("AAA", "BAA", "CAA", "ONE"),
  })
  // A visa has no days of its own, and what rests on nobody else is beyond doubt.
  .map(({ rank, days, basis, uncertain, subject }) => ({
    content: [rank, rank < 4 ? days : null, basis] as const,
    origin: [null, null, basis === null ? null : subject, basis === null ? (0 as const) : uncertain] as const,
  }))

// A counterexample shows what a dataset says, not its seventeen thousand slots of codes.
const legible = (dataset: Dataset): Dataset => {
  const { version, passports, destinations, answers, pairs, timelines } = dataset
  const shown = {
    version,
    passports,
    destinations,
    answers,
    pairs: [...pairs].slice(0, 200),
    timelines: [...timelines],
  }
  return Object.freeze({ ...dataset, [fc.toStringMethod]: () => JSON.stringify(shown) })
}

/** A dataset of 4 to 12 passports and 1 to 14 destinations. */
export const smallWorld: fc.Arbitrary<Dataset> = fc
  .record({
    passportCount: fc.integer({ min: 4, max: 12 }),
    destinationCount: fc.integer({ min: 1, max: 14 }),
    answers: fc.array(answer, { minLength: 1, maxLength: 8 }),
    regionCount: fc.integer({ min: 1, max: 4 }),
    draws: fc.array(fc.nat(1_000_000), { minLength: 256, maxLength: 256 }),
  })
  .map(({ passportCount, destinationCount, answers, regionCount, draws }) => {
    let next = 0
    const draw = (below: number) => (draws[next++] as number) % below
    const codes = (count: number) => Array.from({ length: count }, (_, place) => codeAt(place)).join("")
    const perDestination = (below: number) =>
      Array.from({ length: destinationCount }, () => (draw(5) === 0 ? null : draw(below)))
    const pairs = Uint8Array.from({ length: destinationCount * passportCount }, () => draw(answers.length + 1))
    // Destination 0 and passport 1 are not the same country.
    const dated = 1
    const opened = openParts({
      header: {
        version: "made.up",
        asOfDay: day,
        sinceDay: day - 10,
        passports: codes(passportCount),
        destinations: codes(destinationCount),
        regions: Array.from({ length: regionCount }, (_, place) => `Region ${place}`),
        regionOf: perDestination(regionCount),
        gdpUsdMillions: perDestination(1_000),
        sources: [],
        contents: answers.map(({ content }) => content),
        origins: answers.map(({ origin }) => origin),
        answers: Array.from({ length: destinationCount }, () => answers.flatMap((_, at) => [at, at])),
        timelines: [[dated, day - 10, pairs[dated] as number, day + 5, 0]],
      },
      pairs,
    })
    if (!opened.ok) throw new Error(opened.error.message)
    return legible(opened.value)
  })

/** Made-up datasets, and the real one. */
export const world: fc.Arbitrary<Dataset> = fc.oneof(
  { arbitrary: smallWorld, weight: 3 },
  { arbitrary: fc.constant(legible(embeddedDataset())), weight: 1 },
)

/** Some distinct passports of a dataset. */
export const somePassports = (dataset: Dataset, minLength: number, maxLength: number): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.constantFrom(...dataset.passports), { minLength, maxLength })

/** Things that break code which trusts its input. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true }),
  fc.constantFrom(
    Symbol("code"),
    () => "FRA",
    new Array(1e9),
    new Proxy(["FRA", "DEU"], {
      get: () => {
        throw new Error("read")
      },
    }),
    {
      get on() {
        throw new Error("read")
      },
    },
    { on: "2026-02-30", allow: new Array(2), weights: { requirements: [] } },
    { toString: null, valueOf: null },
    "__proto__",
  ),
)
