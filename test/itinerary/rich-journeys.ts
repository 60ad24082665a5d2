/**
 * Random journeys that use everything a request can say, and a short form of their answers.
 *
 * Each journey is made from its number, so that one file of recorded hashes (`fixtures/rich-journeys.txt`) says whether any answer changed and
 * in which field. `record-journeys.ts` prints what changed and records it anew.
 */
import { readFileSync } from "node:fs"
import { type Dataset, decide, decideGroup, formatCivilDate, parseCivilDate } from "../../src/index.ts"

/** The fields of an answer that have a hash of their own, in the order of a line. */
const HASHED = [
  "outcome",
  "ageDays",
  "toDo",
  "passports",
  "steps",
  "transit",
  "blockers",
  "conditions",
  "unknowns",
  "held",
  "changes",
  "pairsCharged",
] as const

/** How many journeys are recorded, and of how many the whole answer. */
export const JOURNEYS = 20_000
export const WHOLE_ANSWERS = 20

const fixture = (name: string) => new URL(`../fixtures/${name}`, import.meta.url)
export const HASHES_FILE: URL = fixture("rich-journeys.txt")
export const ANSWERS_FILE: URL = fixture("rich-journeys.json")

/** Reads the recorded hashes, one line a journey. */
export const readHashes = (): readonly string[] => readFileSync(HASHES_FILE, "utf8").trimEnd().split("\n")

const START = parseCivilDate("2026-11-21")!
const SCHENGEN = ["FRA", "DEU", "ITA", "ESP", "CHE", "HRV", "POL", "GRC", "NOR", "NLD"]
const NEAR_USA = ["USA", "CAN", "MEX", "PRI", "GUM", "BHS", "BMU"]
const CA4 = ["GTM", "HND", "NIC", "SLV"]
const SMALL = ["SMR", "VAT", "AND", "MCO", "LIE", "SJM", "ALA", "GRL", "FRO", "PYF", "REU", "HKG", "MAC"]
const HUBS = ["ARE", "GBR", "DEU", "TUR", "SGP", "QAT", "USA", "CHN", "CAN", "AUS", "FRA", "JPN"]
const ISSUERS = [
  "USA",
  "GBR",
  "DEU",
  "FRA",
  "ITA",
  "CAN",
  "JPN",
  "AUS",
  "ARE",
  "IND",
  "IRL",
  "CHE",
  "SGP",
  "KOR",
  "MEX",
]
const TYPES = ["C", "D", "A", "B1/B2", "Visitor", "short-stay", "TYPE C", "VLS-TS", "F-1"]
/** Those that are refused for the states of the Schengen area, whose law has three classes. */
const OTHER_TYPES = ["B1/B2", "Visitor", "F-1"]
const PURPOSES = ["tourism", "business", "work", "transit", "medical", "family"]
const KINDS = ["diplomatic", "service", "refugee_convention", "stateless", "alien", "seafarer", "ordinary"]
const BORDERS = ["air", "land", "sea"]

/** Makes the request of one journey. */
export function makeJourney({ passports, destinations, zones }: Dataset, number: number): Record<string, unknown> {
  let state = (number * 2_654_435_761 + 12_345) >>> 0
  // Mulberry32: small, and the same everywhere.
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (most: number) => Math.floor(random() * most)
  const is = (share: number) => random() < share
  const pick = <Value>(list: readonly Value[]) => list[below(list.length)]!
  const day = (from: number, most: number) => formatCivilDate(START + from + below(most))
  const some = <Value>(share: number, name: string, make: () => Value) => (is(share) ? { [name]: make() } : {})
  const place = (): string => {
    const at = random()
    if (at < 0.3) return pick(SCHENGEN)
    if (at < 0.42) return pick(NEAR_USA)
    if (at < 0.47) return pick(CA4)
    if (at < 0.57) return pick(SMALL)
    if (at < 0.65) return pick(HUBS)
    return at < 0.655 ? "ZZZ" : pick(destinations)
  }
  const passport = () => ({
    passport: is(0.01)
      ? "YYY"
      : is(0.03)
        ? pick(["GBN", "GBO", "GBD"])
        : is(0.25)
          ? pick(["USA", "CAN", "GBR", "FRA", "UKR", "SRB", "IRN", "IND", "BRA"])
          : pick(passports),
    ...some(0.75, "passportExpiry", () => day(is(0.2) ? -300 : 200, is(0.2) ? 400 : 2500)),
    ...some(0.4, "passportIssued", () => day(-3900, 3500)),
    ...some(0.12, "passportKind", () => pick(KINDS)),
    ...some(0.15, "passportBiometric", () => is(0.5)),
    ...some(0.08, "passportIdentityNumber", () => is(0.5)),
  })
  const area = zones.find(({ id }) => id === "schengen")?.members ?? []
  const isRefused = (issuer: string, type = "") =>
    OTHER_TYPES.includes(type) && area.some(({ code }) => code === issuer)
  const document = () => {
    const kind = pick(["visa", "visa", "visa", "residence_permit", "residence_permit", "eta"])
    const issuer = is(0.6) ? pick(ISSUERS) : place()
    const typed = kind === "visa" ? some(0.5, "type", () => pick(TYPES)) : {}
    return {
      kind,
      issuer,
      ...(isRefused(issuer, typed.type) ? {} : typed),
      ...some(0.3, "issuedOn", () => day(-900, 800)),
      ...some(0.3, "validFrom", () => day(-400, 440)),
      ...some(0.7, "validUntil", () => day(is(0.15) ? -200 : 60, 900)),
      ...some(0.6, "entries", () => (is(0.4) ? "multiple" : 1 + below(3))),
      ...some(0.4, "durationOfStayDays", () => pick([15, 30, 60, 90, 180])),
      ...some(0.3, "used", () => is(0.5)),
      ...(kind === "residence_permit" ? some(0.5, "permanent", () => is(0.5)) : {}),
      ...some(0.3, "electronic", () => is(0.5)),
    }
  }
  const traveller = (): Record<string, unknown> => {
    const several = is(0.35)
    const seen = new Set<string>()
    const held = Array.from({ length: several ? 2 + below(3) : 1 }, passport).filter(each => {
      const key = `${each.passport} ${(each as { passportKind?: string }).passportKind ?? "ordinary"}`
      return !seen.has(key) && seen.add(key)
    })
    for (const each of held as { passportExpiry?: string; passportIssued?: string }[])
      if (each.passportExpiry !== undefined && (each.passportIssued ?? "") > each.passportExpiry)
        delete each.passportIssued
    return {
      ...(several ? { passports: held } : held[0]),
      ...some(0.25, "residence", () => (is(0.5) ? pick(ISSUERS) : place())),
      ...some(0.55, "held", () =>
        Array.from({ length: 1 + below(3) }, document).filter(
          each => !("validFrom" in each && "validUntil" in each && String(each.validUntil) < String(each.validFrom)),
        ),
      ),
      ...some(0.25, "earlierStays", () =>
        Array.from({ length: 1 + below(5) }, () => {
          const from = START - 20 - below(500)
          return {
            destination: place(),
            from: formatCivilDate(from),
            to: formatCivilDate(Math.min(START - 1, from + below(120))),
            ...some(0.15, "permit", () => pick(["residence", "national_visa"])),
          }
        }),
      ),
    }
  }
  const isGroup = is(0.08)
  const people = isGroup ? Array.from({ length: 2 + below(2) }, traveller) : [traveller()]
  let from = START + (is(0.03) ? 0 : below(is(0.5) ? 60 : 500))
  const count = is(0.35) ? 1 : 2 + below(4)
  let last = place()
  const stops = Array.from({ length: count }, (_, at) => {
    const to = from + below(pick([3, 20, 40, 100]))
    const destination = at > 0 && is(0.2) ? last : place()
    last = destination
    const named = (people[0]!.passports as { passport: string }[] | undefined) ?? [people[0] as { passport: string }]
    const isOpen = at === count - 1 && is(0.06)
    const stop = {
      destination,
      from: formatCivilDate(from),
      ...(isOpen ? {} : { to: formatCivilDate(to) }),
      ...(isGroup ? {} : some(0.06, "passport", () => pick(named).passport)),
      ...some(0.3, "by", () => pick(BORDERS)),
    }
    from = to + (is(0.6) ? below(2) : below(60))
    return stop
  })
  const transit = () =>
    Array.from({ length: 1 + below(3) }, () => {
      const by = is(0.3) ? pick(BORDERS) : null
      return {
        country: is(0.7) ? pick(HUBS) : place(),
        ...(by === null ? {} : { by }),
        ...(is(0.6) ? { airside: is(0.5) && by !== "land" && by !== "sea" } : {}),
      }
    })
  const route = { stops, ...some(0.4, "transit", transit), ...some(0.25, "purpose", () => pick(PURPOSES)) }
  return isGroup ? { travellers: people, ...route } : { ...people[0], ...route }
}

/** Decides one journey; the answer's fields in one order, with a source by its name. */
export function answerJourney(dataset: Dataset, number: number): Record<string, unknown> {
  const request = makeJourney(dataset, number)
  const answer = "travellers" in request ? decideGroup(dataset, request as never) : decide(dataset, request as never)
  return JSON.parse(JSON.stringify(answer.ok ? answer.value : answer.error, sortFields))
}

function sortFields(name: string, value: unknown): unknown {
  if (name === "datasetVersion") return undefined
  if (name === "source" || name === "sourceUrl") return (value as { id?: string } | null)?.id ?? value
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Two letters for each field, so that a line says which of them changed. */
export function hashAnswer(answer: Record<string, unknown>): string {
  return HASHED.map(field => {
    const value =
      field === "passports" ? (answer.travellers ?? answer.passports ?? answer.reason ?? answer.issues) : answer[field]
    const text = JSON.stringify(value) ?? ""
    let hash = 0x811c9dc5
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    const mixed = (hash ^ (hash >>> 12) ^ (hash >>> 24)) & 0xfff
    return LETTERS[mixed >> 6]! + LETTERS[mixed & 63]!
  }).join("")
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** Counts the journeys whose answers differ from the recorded ones, by field, with the first few of each. */
export function compareHashes(dataset: Dataset, from: number, until: number): ReadonlyMap<string, number[]> {
  const recorded = readHashes()
  const changed = new Map<string, number[]>()
  for (let number = from; number < until; number++) {
    const now = hashAnswer(answerJourney(dataset, number))
    if (now === recorded[number]) continue
    const fields = HASHED.filter(
      (_, at) => now.slice(2 * at, 2 * at + 2) !== recorded[number]?.slice(2 * at, 2 * at + 2),
    )
    const known = changed.get(fields.join()) ?? []
    changed.set(fields.join(), [...known, number])
  }
  return changed
}
