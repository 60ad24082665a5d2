/**
 * A decision of twelve stops and twelve transit countries, compared with the same question over nested objects, with the days of Schengen counted in a set; and the days of a zone compared
 * with date-fns.
 *
 * `npm run bench -- itinerary` prints decisions alone, and lookups beside them. With `--before FOLDER`, a checkout of an earlier commit with its dependencies, the plain decision and a lookup
 * of that commit are measured in the same run.
 */

import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { addDays, eachDayOfInterval, subDays } from "date-fns"
import {
  type Dataset,
  type Decision,
  decide,
  embeddedDataset,
  type ItineraryRequest,
  measureBreach,
  type Zone,
} from "landfall"
import { writeCompact } from "../adapters/answers/compact-decision.ts"
import { describeMeta } from "../adapters/answers/visa-answers.ts"
import { writeDecision } from "../adapters/answers/write-decision.ts"
import { loadFullFacts } from "../src/full.ts"
import { completeToDo } from "../src/record/to-do.ts"
import { describeDecision } from "../test/oracles/describe-decision.ts"
import { byCodes, nestRows } from "./lookup.ts"
import {
  type Case,
  compare,
  compareCases,
  describeComparison,
  describeRun,
  type Measured,
  median,
  print,
  repeat,
  seededRandom,
} from "./measure.ts"

const dataset: Dataset = embeddedDataset()
const facts = await loadFullFacts()
const schengen = dataset.zones.find(zone => zone.id === "schengen") as Zone
const random = seededRandom(12)
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
const toText = (date: Date) => date.toISOString().slice(0, 10)
const start = Date.UTC(2026, 11, 1)
const MS_PER_DAY = 86_400_000

const PLACES = ["FRA", "DEU", "ESP", "ITA", "THA", "JPN", "GBR", "USA", "GTM", "HND", "AUS", "IND"]

const requests = Array.from({ length: 64 }, () => {
  let day = 0
  const stops = Array.from({ length: 12 }, () => {
    const from = day + Math.floor(random() * 9)
    const to = from + Math.floor(random() * 24)
    day = to
    return {
      destination: pick(PLACES),
      from: toText(new Date(start + from * MS_PER_DAY)),
      to: toText(new Date(start + to * MS_PER_DAY)),
    }
  })
  return {
    passport: pick(["USA", "JPN", "BRA", "GBR", "KOR", "CAN"]),
    passportExpiry: "2029-03-01",
    stops,
    transit: Array.from({ length: 12 }, () => pick(["ARE", "DEU", "GBR", "SGP", "CHN", "FRA", "QAT", "NLD"])),
  }
})

const nested = nestRows(dataset)
const members = new Set(schengen.members.map(member => member.code))

/** The naive decision: requirement, days in each country, and Schengen's 90 in 180, day by day. It judges less than ours. */
function decideNaively(request: (typeof requests)[number]): string {
  const inCountry = new Map<string, number>()
  const inZone = new Set<number>()
  let worst = "visa_free"
  let isZoneExceeded = false
  for (const { destination, from, to } of request.stops) {
    const row = nested[request.passport]?.[destination]
    if (row === undefined) continue
    if (row.requirement !== "visa_free") worst = row.requirement
    const [first, last] = [Date.parse(from) / MS_PER_DAY, Date.parse(to) / MS_PER_DAY]
    inCountry.set(destination, (inCountry.get(destination) ?? 0) + last - first + 1)
    if (!members.has(destination) || row.requirement !== "visa_free" || row.days === null || row.freeMovement) continue
    for (let day = first; day <= last; day++) inZone.add(day)
    for (let day = first; day <= last; day++) {
      let used = 0
      for (let back = day - 179; back <= day; back++) if (inZone.has(back)) used++
      if (used > 90) isZoneExceeded = true
    }
  }
  return `${isZoneExceeded} ${worst.length > 0} ${inCountry.size}`
}

const isExceeded = (request: (typeof requests)[number]) => {
  const decision = decide(dataset, request)
  if (!decision.ok || decision.value.kind !== "decided") throw new Error("not decided")
  return decision.value.blockers.some(blocker => blocker.code === "zone_stay_exceeded" && blocker.zone === "schengen")
}

const decideAll = (asked: readonly ItineraryRequest[], by = decide, of = dataset) =>
  repeat(asked, request => {
    const decision = by(of, request)
    return decision.ok && decision.value.kind === "decided" ? decision.value.unknowns.length : 0
  })

export const decideCases: readonly Case[] = [
  {
    name: "landfall decide, 12 stops and 12 transit countries",
    run: decideAll(requests),
    validate: () => JSON.stringify(requests.map(isExceeded)),
  },
  {
    name: "nested objects and sets of days (judges less)",
    run: repeat(requests, request => decideNaively(request).length),
    validate: () => JSON.stringify(requests.map(request => decideNaively(request).startsWith("true"))),
  },
]

// The same journeys of travellers with a second passport, two visas and three earlier stays.
const richRequests: readonly ItineraryRequest[] = requests.map(({ passport, passportExpiry, ...route }) => ({
  ...route,
  passports: [
    { passport, passportExpiry },
    { passport: pick(["IND", "MEX", "TUR", "ZAF"]), passportExpiry: "2031-01-01" },
  ],
  held: [
    { kind: "visa", issuer: "USA", validUntil: "2030-01-01", entries: "multiple" },
    { kind: "visa", issuer: "FRA", type: "C", validUntil: "2027-09-01", entries: "multiple", durationOfStayDays: 90 },
  ],
  earlierStays: [
    { destination: "FRA", from: "2026-06-10", to: "2026-07-05" },
    { destination: "THA", from: "2026-03-01", to: "2026-03-20" },
    { destination: "USA", from: "2026-09-01", to: "2026-10-03" },
  ],
}))

const withoutTransit = (asked: readonly ItineraryRequest[]): readonly ItineraryRequest[] =>
  asked.map(({ transit: _, ...request }) => request)

/** What more fields of a traveller cost, beside the plain question about the same journey. */
export const richDecideCases: readonly Case[] = [
  { name: "landfall decide, two passports, two visas, three earlier stays", run: decideAll(richRequests) },
  { name: "the same without transit countries", run: decideAll(withoutTransit(richRequests)) },
  { name: "landfall decide, one passport alone", run: decideAll(requests) },
].map(each => ({ ...each, validate: () => "another question" }))

const histories = requests.map(({ stops }) => stops.map(stop => ({ ...stop, destination: "FRA" })))

function findFirstBreachWithDateFns(stays: (typeof histories)[number]): string | null {
  const days = new Set<number>()
  for (const { from, to } of stays) {
    for (const day of eachDayOfInterval({ start: `${from}T12:00`, end: `${to}T12:00` })) days.add(day.getTime())
  }
  for (const time of [...days].sort((a, b) => a - b)) {
    const used = eachDayOfInterval({ start: subDays(time, 179), end: time }).filter(day =>
      days.has(day.getTime()),
    ).length
    if (used > 90) return toText(addDays(time, 0.5))
  }
  return null
}

const ours = (stays: (typeof histories)[number]) => {
  const found = measureBreach(schengen, stays)
  return found.ok ? found.value.firstBreachOn : "refused"
}

export const zoneCases: readonly Case[] = [
  {
    name: "landfall measureBreach, 12 stays",
    run: repeat(histories, stays => ours(stays)?.length ?? 0),
    validate: () => JSON.stringify(histories.map(ours)),
  },
  {
    name: "date-fns eachDayOfInterval",
    run: repeat(histories, stays => findFirstBreachWithDateFns(stays)?.length ?? 0),
    validate: () => JSON.stringify(histories.map(findFirstBreachWithDateFns)),
  },
]

/** What the compact answer may take: bytes, and processor time as a part of judging and writing the whole answer by JSON.stringify. */
interface Goal {
  readonly bytes: number
  readonly ofWhole: number
}

/** Journeys of three stops and one transit, and of twelve and twelve, as answers are written: the bytes of each form, and the processor time of judging and writing. */
function describeAnswers(title: string, asked: readonly ItineraryRequest[], goal: Goal): void {
  const decideOne = (request: ItineraryRequest) => {
    const decision = decide(dataset, request)
    if (!decision.ok || decision.value.kind !== "decided") throw new Error("not decided")
    return decision.value
  }
  const decisions = asked.map(decideOne)
  const forms = [
    [
      "JSON.stringify of the whole answer",
      (each: Decision) => JSON.stringify(describeDecision(each, describeMeta(dataset))),
    ],
    ["the whole answer, from pieces", (each: Decision) => writeDecision(dataset, each)],
    ["the compact answer", (each: Decision) => writeCompact(dataset, each)],
  ] as const
  const cases = forms.map(
    ([name, write]): Case => ({
      name: `decide and ${name}`,
      run: repeat(asked, request => write(decideOne(request)).length),
      validate: () => JSON.stringify(decisions.map(({ verdict }) => verdict)),
    }),
  )
  const measured = compareCases([...cases, { ...(cases[0] as Case), name: "decide alone", run: decideAll(asked) }])
  const sizes = forms.map(([name, write]) => {
    const bytes = decisions.map(each => Buffer.byteLength(write(each))).sort((a, b) => a - b)
    return { name, middle: bytes[Math.floor(bytes.length / 2)] as number, most: bytes.at(-1) as number }
  })
  const named = decisions
    .map(each => Buffer.byteLength(writeCompact(dataset, completeToDo(facts, each))))
    .sort((a, b) => a - b)
  const [whole, , compact] = measured.map(({ rounds }) => median(rounds)) as [number, number, number]
  const judge = (holds: boolean) => (holds ? "held" : "missed")
  const { most } = sizes[2] as (typeof sizes)[number]
  const part = compact / whole
  print(title, [
    ...describeComparison(measured),
    ...sizes.map(({ name, middle, most }) => `  ${name}: ${middle} bytes, at most ${most}`),
    `  the compact answer with official names, pages and fees: ${named[Math.floor(named.length / 2)]} bytes, at most ${named.at(-1)}, ${named.filter(bytes => bytes > goal.bytes).length} of ${named.length} above ${goal.bytes}`,
    `  goal: a compact answer of at most ${goal.bytes} bytes: at most ${most}, ${judge(most <= goal.bytes)}`,
    `  goal: at most ${goal.ofWhole} of the time of judging and JSON.stringify: ${part.toFixed(2)}, ${judge(part <= goal.ofWhole)}`,
  ])
}

async function loadBefore(folder: string): Promise<Case> {
  const before = (await import(resolve(folder, "src/index.ts"))) as typeof import("landfall")
  const data = before.embeddedDataset()
  return {
    name: "landfall decide, before",
    run: decideAll(requests, before.decide, data),
    validate: () => "another dataset",
  }
}

const describeRate = ({ name, rounds }: Measured) =>
  `  ${name}: ${Math.round(1e9 / median(rounds)).toLocaleString("en-US")} a second`

if (import.meta.main) {
  const { values } = parseArgs({ options: { before: { type: "string" } } })
  console.log(describeRun(dataset.version).join("\n"))
  const plain = compareCases(decideCases)
  print("A decision of twelve stops and twelve transit countries", [
    ...describeComparison(plain),
    ...plain.map(describeRate),
  ])
  const rich = compareCases(richDecideCases)
  print("With every field of a traveller", [...describeComparison(rich), ...rich.map(describeRate)])
  const short = requests.map(({ stops, transit, ...rest }) => ({
    ...rest,
    stops: stops.slice(0, 3),
    transit: transit.slice(0, 1),
  }))
  describeAnswers("Three stops and a transit, judged and written", short, { bytes: 3 * 1_024, ofWhole: 0.5 })
  describeAnswers("Twelve stops and twelve transits, judged and written", requests, { bytes: 15 * 1_024, ofWhole: 0.5 })
  if (values.before !== undefined) {
    const now = { ...(decideCases[0] as Case), validate: () => "another dataset" }
    compare("Before and after", [now, await loadBefore(values.before)])
  }
  compare("Lookup by codes", byCodes)
}
