/** What does the bench of the service ask? The same questions in every run, drawn with a seed. */
import { embeddedDataset, lookup } from "landfall"
import { seededRandom } from "./measure.ts"

const dataset = embeddedDataset()
const random = seededRandom(11)
const pick = (codes: readonly string[]) => codes[Math.floor(random() * codes.length)] as string
/** The queries of a thousand pairs with a record. */
export const pairs: string[] = []
while (pairs.length < 1_000) {
  const [passport, destination] = [pick(dataset.passports), pick(dataset.destinations)]
  if (lookup(passport, destination).kind === "found") pairs.push(`passport=${passport}&destination=${destination}`)
}

/** What is asked: a path, and a body for what is posted. */
export interface Question {
  readonly path: string
  readonly body?: string
  /** What is sent beside the key of the demo account. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What the paths of the visa service begin with. */
export const V1 = "/api/v1/visa"
const times = <Value>(count: number, make: () => Value): Value[] => Array.from({ length: count }, make)

/** Passports, no two alike. */
function pickDistinct(codes: readonly string[], count: number): string[] {
  const chosen = new Set<string>()
  while (chosen.size < count) chosen.add(pick(codes))
  return [...chosen]
}

/** Twelve stops of a week each, one after the other. */
function makeTrip(): string {
  const day = (offset: number) => new Date(Date.UTC(2026, 11, 1 + offset)).toISOString().slice(0, 10)
  const stops = pickDistinct(dataset.destinations, 12).map((destination, at) => ({
    destination,
    from: day(at * 7),
    to: day(at * 7 + 7),
  }))
  return JSON.stringify({ passport: pick(dataset.passports), passport_expiry: "2030-01-01", stops, transit: ["ARE"] })
}

/** An endpoint, and what it is asked. */
export interface Scenario {
  readonly name: string
  readonly title: string
  readonly questions: readonly Question[]
  /** Whether the service keeps its answers. */
  readonly isKept: boolean
  /** Whether the caller has each answer already, and asks whether it is still the same. */
  readonly isRevalidated?: boolean
}

/** Makes the scenarios; the lookup is asked with these keys in turn, because each may ask so many a second. */
export function makeScenarios(lookupKeys: readonly string[]): readonly Scenario[] {
  const lookups = pairs.map((pair, at) => ({
    path: `/visa?${pair}`,
    headers: { authorization: `Bearer ${lookupKeys[at % lookupKeys.length]}` },
  }))
  return [
    {
      name: "check",
      title: `GET ${V1}/check`,
      questions: pairs.map(pair => ({ path: `${V1}/check?${pair}` })),
      isKept: true,
    },
    { name: "visa", title: `GET ${V1}`, questions: pairs.map(pair => ({ path: `${V1}?${pair}` })), isKept: true },
    { name: "lookup", title: "GET /visa (the lookup)", questions: lookups, isKept: true },
    {
      name: "lookup304",
      title: "GET /visa with If-None-Match",
      questions: lookups,
      isKept: true,
      isRevalidated: true,
    },
    {
      name: "score",
      title: `GET ${V1}/score`,
      questions: dataset.passports.map(code => ({ path: `${V1}/score?passport=${code}` })),
      isKept: true,
    },
    {
      name: "compare",
      title: `GET ${V1}/score/compare`,
      questions: times(300, () => {
        const [first, second] = pickDistinct(dataset.passports, 2)
        return { path: `${V1}/score/compare?passport1=${first}&passport2=${second}` }
      }),
      isKept: true,
    },
    {
      name: "group",
      title: `GET ${V1}/group of four`,
      questions: times(200, () => ({ path: `${V1}/group?passports=${pickDistinct(dataset.passports, 4).join(",")}` })),
      isKept: true,
    },
    ...[5, 25].map(count => ({
      name: `bulk${count}`,
      title: `GET ${V1}/bulk of ${count}`,
      questions: times(200, () => {
        const destinations = pickDistinct(dataset.destinations, count).join(",")
        return { path: `${V1}/bulk?passport=${pick(dataset.passports)}&destination=${destinations}` }
      }),
      isKept: false,
    })),
    {
      name: "decision",
      title: `POST ${V1}/decision of 12 stops`,
      questions: times(300, () => ({ path: `${V1}/decision`, body: makeTrip() })),
      isKept: false,
    },
  ]
}
