/**
 * What may a request leave out, and what could a traveller have said instead?
 *
 * A decision is `clear` only if no completion of its request blocks the journey. Taken for granted, as the reference says, are an ordinary passport, a
 * visit as a tourist, documents that are valid already, and lists that are complete: passports, documents, earlier stays. How long a document is valid,
 * and for what visits, may be taken for granted if the answer says so.
 */
import classes from "../../data/document-classes.json" with { type: "json" }
import lifetimes from "../../data/passport-lifetimes.json" with { type: "json" }
import { addCivilMonths } from "../../src/civil-date.ts"
import {
  type Dataset,
  type Decision,
  decide,
  formatCivilDate,
  type ItineraryRequest,
  parseCivilDate,
  type RuleCondition,
} from "../../src/index.ts"
import { makeJourney } from "./rich-journeys.ts"

type Fields = Readonly<Record<string, unknown>>
interface Asked extends Fields {
  readonly stops: readonly Fields[]
  readonly passports?: readonly Fields[]
  readonly transit?: readonly (string | Fields)[]
  readonly held?: readonly Fields[]
}

const dayOf = (on: unknown) => parseCivilDate(on as string)!

/** Makes the request of one journey: every fourth a rich one, the others of one passport that expires late, so that more of them are clear. */
function makeRequest(dataset: Dataset, number: number): Fields {
  const rich = makeJourney(dataset, number) as Fields & Asked
  if (number % 4 === 0) return rich
  const person = ((rich.travellers as readonly Fields[] | undefined)?.[0] ?? rich) as Asked
  const { passports, passportExpiry: _, passportIssued, transit, earlierStays, purpose, ...rest } = person
  const { passportExpiry: __, ...passport } = passports?.[0] ?? {}
  const arrival = dayOf(rich.stops[0]!.from)
  return {
    ...rest,
    ...passport,
    ...(number % 11 === 0 ? {} : { passportExpiry: formatCivilDate(arrival + 250 + ((number * 37) % 3000)) }),
    passportIssued: number % 3 === 0 ? formatCivilDate(arrival - 100 - ((number * 53) % 2000)) : null,
    ...(number % 5 === 0 ? { transit: rich.transit, earlierStays, purpose } : {}),
    stops: rich.stops.slice(0, 1 + (number % 2)).map(({ passport: _, ...stop }) => stop),
  }
}

// No passport was issued longer before its expiry than its issuer's are valid.
const LONGEST = new Map(
  lifetimes.flatMap(({ destinations, months }) => destinations.map(code => [code, months] as const)),
)
const BIOMETRIC = new Map(
  lifetimes.flatMap(({ destinations, biometric_since: since }) =>
    since === undefined ? [] : destinations.map(code => [code, dayOf(since)] as const),
  ),
)

/** Lists the classes of visas that a state issues. */
export const listTypes = (issuer: string) =>
  classes.flatMap(({ kind, types, destinations }) => (kind === "visa" && destinations.includes(issuer) ? types : []))

/** Says whether a condition asks for nothing but a chip, and every valid passport of an issuer has one. */
export const isAlwaysMet = (passport: string, condition: RuleCondition) =>
  condition.kind === "passport_kind" && BIOMETRIC.has(passport) && !condition.features.includes("identity_number")

/** One more fact: its field, and the request with it. */
type Completion = readonly [field: string, request: Fields]

/** Completes a request by one fact that it leaves out, in all ways that may matter. */
function* complete(request: Asked): Generator<Completion> {
  const { stops, passports, transit = [], held = [] } = request
  const arrival = dayOf(stops[0]!.from)
  const last = stops[stops.length - 1]!
  const end = dayOf(last.to ?? last.from)
  const dates = (days: readonly number[]) => days.map(formatCivilDate)
  function* add(path: string, given: Fields, field: string, values: readonly unknown[], put: (to: Fields) => Fields) {
    if (given[field] != null) return
    for (const value of values) yield [path + field, put({ ...given, [field]: value })] as const
  }
  const at = (name: string, list: readonly unknown[], place: number) => (to: Fields) => ({
    ...request,
    [name]: list.map((each, index) => (index === place ? to : each)),
  })
  function* addToPassport(path: string, given: Fields, put: (to: Fields) => Fields): Generator<Completion> {
    const { passport, passportExpiry: expiry, passportKind } = given
    const expiries = [-1, 0, 1, end - arrival, end - arrival + 60, 170, 400].map(days => arrival + days)
    yield* add(path, given, "passportExpiry", dates(expiries), put)
    const expiryDay = expiry == null ? null : dayOf(expiry)
    const issues = [-3690, -3700, -3300, -1, 0].map(days => arrival + days)
    if (expiryDay !== null) issues.push(addCivilMonths(expiryDay, -60), addCivilMonths(expiryDay, -120))
    const months = (passportKind ?? "ordinary") === "ordinary" ? LONGEST.get(passport as string) : undefined
    const earliest = expiryDay === null || months === undefined ? null : addCivilMonths(expiryDay, -months)
    if (earliest !== null) issues.push(earliest)
    const possible = issues.filter(day => day <= (expiryDay ?? day) && day >= (earliest ?? day))
    yield* add(path, given, "passportIssued", dates(possible), put)
    const biometricDay = months === undefined ? undefined : BIOMETRIC.get(passport as string)
    const issuedDay = given.passportIssued == null ? earliest : dayOf(given.passportIssued)
    const mayLackChip = biometricDay === undefined || (issuedDay !== null && issuedDay < biometricDay)
    yield* add(path, given, "passportBiometric", mayLackChip ? [true, false] : [true], put)
    yield* add(path, given, "passportIdentityNumber", [true, false], put)
  }
  if (passports == null) yield* addToPassport("", request, to => to)
  for (const [place, each] of (passports ?? []).entries())
    yield* addToPassport(`passports[${place}].`, each, at("passports", passports!, place))
  yield* add("", request, "residence", ["USA", "DEU", "ARE", "IND", stops[0]!.destination], to => to)
  for (const [place, stop] of stops.entries()) {
    const put = at("stops", stops, place)
    yield* add(`stops[${place}].`, stop, "by", ["air", "land", "sea"], put)
    const days = [0, 30, 100, 400].map(each => dayOf(stop.from) + each)
    yield* add(`stops[${place}].`, stop, "to", dates(days), put)
  }
  for (const [place, each] of transit.entries()) {
    const given = typeof each === "string" ? { country: each } : each
    const put = at("transit", transit, place)
    const sides = given.by === "land" || given.by === "sea" ? [false] : [true, false]
    yield* add(`transit[${place}].`, given, "airside", sides, put)
    yield* add(`transit[${place}].`, given, "by", given.airside === true ? ["air"] : ["air", "land", "sea"], put)
  }
  for (const [place, document] of held.entries()) {
    const path = `held[${place}].`
    const put = at("held", held, place)
    const isVisa = document.kind === "visa"
    const ends = [arrival - 1, arrival, Math.floor((arrival + end) / 2), end, end + 1, end + 100]
    const from = document.validFrom == null ? null : dayOf(document.validFrom)
    yield* add(path, document, "validUntil", dates(ends.filter(day => day >= (from ?? day))), put)
    yield* add(path, document, "issuedOn", dates([arrival - 700, arrival - 10]), put)
    yield* add(path, document, "used", [true, false], put)
    yield* add(path, document, "electronic", [true, false], put)
    if (isVisa) {
      yield* add(path, document, "type", [...listTypes(document.issuer as string), "C", "D", "VISITOR", "F1"], put)
      yield* add(path, document, "entries", [1, 2, "multiple"], put)
      yield* add(path, document, "durationOfStayDays", [1, 7, 15, 30, 90], put)
    } else yield* add(path, document, "permanent", [true, false], put)
  }
}

function judge(dataset: Dataset, request: Fields): Decision | null {
  const result = decide(dataset, request as unknown as ItineraryRequest)
  return result.ok && result.value.kind === "decided" ? result.value : null
}

/** The clear journeys of some numbers, and the completions of them that are blocked although the answer does not say what it takes for granted. */
export function findUnproven(dataset: Dataset, from: number, until: number) {
  const unproven: string[] = []
  let clear = 0
  let completions = 0
  for (let number = from; number < until; number++) {
    const request = makeRequest(dataset, number)
    const decision = judge(dataset, request)
    if (decision?.outcome !== "clear") continue
    clear++
    const isAssumed = (field: string) =>
      /validUntil|durationOfStayDays|type/.test(field) &&
      decision.unknowns.some(each => each.code === "document_assumed" && field.startsWith(`${each.field}.`))
    for (const [field, completed] of complete(request as Asked)) {
      completions++
      const after = judge(dataset, completed)
      if (after?.outcome !== "blocked" || isAssumed(field)) continue
      unproven.push(`${field} ${after.blockers.map(({ code }) => code)}: ${JSON.stringify(completed)}`)
    }
  }
  return { clear, completions, unproven }
}
