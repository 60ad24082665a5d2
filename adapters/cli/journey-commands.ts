/**
 * `landfall itinerary FILE`: whether anything that is known blocks a journey, and every gap by name. `landfall stays --zone schengen FILE`: days
 * used, days left, and breaches, from a list of stays.
 */
import type {
  BlockerOnWire,
  ChangeAheadOnWire,
  DecisionOnWire,
  GroupDecisionOnWire,
  ToDoOnWire,
} from "../../src/answers.ts"
import { DECISION_REQUEST, type FieldRow } from "../../src/engine.ts"
import { type Dataset, zone as findZone, isCode, isRequirement, type Stay } from "../../src/index.ts"
import { helpWithIssue } from "../answers/code-help.ts"
import { loadFactsOf } from "../answers/dataset-file.ts"
import { datasetFor, helpRefusal, judgeItinerary, makeExample, readItinerary } from "../answers/decision.ts"
import {
  applyPassport,
  divideAtPermits,
  type PartOfStay,
  readPermits,
  reportStays,
  type WhyUncounted,
} from "../answers/stay-report.ts"
import { toWire } from "../answers/wire-names.ts"
import { describeDecision } from "../answers/write-decision.ts"
import { dayInAll, zonesOf } from "../convert/time-zones.ts"
import { findSampleDay } from "../time/utc-calendar.ts"
import { argument, makeCommand, or, text, whole } from "./command.ts"
import { failed, readRefusal, refuseWord, wrong } from "./failure.ts"
import { openLetters } from "./find-code.ts"
import {
  datasetFile,
  type LocalWords,
  makeQuestion,
  nameCount,
  openDatasetFile,
  readCountry,
  readDay,
  readJsonFile,
  today,
} from "./inputs.ts"
import { type Block, paint, points, type Screen, table } from "./print.ts"

type Finding =
  | { readonly status: "known"; readonly value: unknown }
  | { readonly status: "unknown"; readonly reason: string }

interface Notice {
  readonly step: number | null
  /** All stops, if it may be about several. */
  readonly steps?: readonly number[]
  readonly transit?: number
  readonly transits?: readonly number[]
  readonly traveller?: number
}

/** The decision on one traveller, or on several. */
type DecisionRecord = DecisionOnWire | GroupDecisionOnWire

const nameFields = ({ fields }: { readonly fields: Readonly<Record<string, FieldRow>> }) =>
  Object.values(fields)
    .map(({ wire }) => wire)
    .join(", ")

export const itinerary = makeQuestion("itinerary", {
  examples: {
    "landfall itinerary trip.json": "What blocks it, and what helps",
    "landfall itinerary - --json": "From the standard input, for programs",
  },
  takes: {
    file: argument(
      `JSON, from a file or from - (the standard input): ${nameFields(DECISION_REQUEST)}; each of stops: ${nameFields(DECISION_REQUEST.fields.stops.is.of)}`,
    ),
  },
  async run({ file, dataset, words }, at) {
    const request = readJsonFile(file, at)
    const read = readItinerary(request, dataset)
    if (!read.ok) {
      const { error, issues } = helpRefusal(read.refusal, helpWithIssue)
      const refusal = readRefusal({ tag: "InputRefused", message: error, issues })
      throw wrong(`${file}: ${error}\nA whole one: ${JSON.stringify(makeExample(findSampleDay(Date.now())))}`, refusal)
    }
    const known = await datasetFor(dataset, read.request)
    const facts = await loadFactsOf(dataset)
    const judged = judgeItinerary(known, read.request, facts)
    if (judged.kind !== "found") {
      // An unknown code ends with 2, as an argument does.
      for (const [field, code] of listCodes(request)) await readCountry(dataset, code, field)
      throw failed(judged.message, { code: "no_record" })
    }
    const { data } = describeDecision(dataset, judged.body)
    return { json: data, text: describe(data, { screen: at.stdout, words }) }
  },
})

/** The codes of a request that was judged, each with its field. */
function listCodes(value: unknown, path = ""): (readonly [field: string, code: string])[] {
  if (typeof value === "string") {
    const isPlace = /(?:^|\.)(?:passport|destination|transit|country|passports)(?:\[\d+\])*$/.test(path)
    return isPlace ? [[path, value]] : []
  }
  if (Array.isArray(value)) return value.flatMap((item, at) => listCodes(item, `${path}[${at}]`))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, held]) => listCodes(held, path === "" ? name : `${path}.${name}`))
}

interface Writing {
  readonly screen: Screen
  readonly words: LocalWords
}

function describe(decision: DecisionRecord, writing: Writing): readonly Block[] {
  const { blockers, conditions, unknowns } = decision
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", title, ...lines.map(line => `  ${line}`)]
  const at = ({ step, steps = listGiven(step), transit, transits = listGiven(transit), traveller }: Notice) => {
    const places = [
      ...(traveller === undefined ? [] : [`traveller ${traveller}`]),
      ...(steps.length === 0 ? [] : [`stop${steps.length > 1 ? "s" : ""} ${steps.join(", ")}`]),
      ...(transits.length === 0 ? [] : [`transit${transits.length > 1 ? "s" : ""} ${transits.join(", ")}`]),
    ]
    return places.length === 0 ? "" : `${places.join(", ")}: `
  }
  const isGroup = "travellers" in decision
  const all = isGroup ? decision.travellers : [decision]
  const tables = all.flatMap((each, place) =>
    !isGroup ? [describeSteps(each, writing)] : [`Traveller ${place}`, describeSteps(each, writing), ""],
  )
  const text = [
    "",
    sayOutcome(decision, writing.screen),
    ...list(
      "To do:",
      decision.to_do.map(each => `${at(each)}${sayToDo(each)}`),
    ),
    ...list(
      "Blockers:",
      blockers.flatMap(blocker => [
        `${at(blocker)}${blocker.message} (${blocker.code})`,
        ...(blocker.remedies ?? []).map(remedy => `  - ${describeRemedy(remedy, blocker.step)}`),
      ]),
    ),
    ...list(
      "To be obtained or checked:",
      conditions.map(condition => `${at(condition)}${condition.message} (${condition.code})`),
    ),
    ...list("Scheduled changes:", all.flatMap(({ changes = [] }) => changes).map(describeChange)),
    ...list(
      "Unknown:",
      unknowns.map(gap => `${at(gap)}${gap.field}: ${gap.reason} (${gap.code})`),
    ),
    ...list(
      "Given, without effect on this answer:",
      all.flatMap((each, traveller) =>
        (each.not_used ?? []).map(path => (isGroup ? `traveller ${traveller}: ${path}` : path)),
      ),
    ),
  ].join("\n")
  return [...tables, points(text)]
}

const listGiven = (place: number | null | undefined) => (place == null ? [] : [place])

function sayOutcome({ outcome, unknowns }: DecisionRecord, screen: Screen): string {
  const rest = `That is not a permission to travel${unknowns.length === 0 ? "." : ": see what is unknown."}`
  switch (outcome) {
    case "blocked":
      return paint(screen, "red", "BLOCKED")
    case "obtain":
      return `${paint(screen, "yellow", "TO BE OBTAINED")} before departure: see what has to be done.`
    case "unknown":
      return `${paint(screen, "yellow", "UNKNOWN")} No blocker found, but something that decides is unknown or has to be checked.`
    case "clear":
      return `${paint(screen, "green", "CLEAR")} No blocker found. ${rest}`
  }
}

function sayToDo(each: ToDoOnWire): string {
  const { destination, due, message, name } = each
  const when = due === "on_arrival" ? " (on arrival)" : ""
  // Some messages contain the name.
  const isNamed = name !== null && message.includes(name)
  const from = each.apply_from === undefined ? null : `apply from ${each.apply_from}`
  const isTimeUnknown = each.apply_by === null && each.back_by !== undefined
  const back = isTimeUnknown ? `passport back by ${each.back_by}; how long it takes is not recorded` : null
  return `${destination}${when}: ${message}${sayTerms([isNamed ? null : name, from, back], each)}`
}

function sayTerms(first: readonly (string | null)[], terms: ToDoOnWire | Extension) {
  const said = [
    ...first,
    terms.apply_by === null
      ? null
      : `apply by ${terms.apply_by}${terms.apply_by < today() ? ", which has passed" : ""}`,
    terms.fee === null ? null : `${terms.fee.amount} ${terms.fee.currency}`,
    terms.url,
  ].filter(each => each !== null)
  return said.length === 0 ? "" : ` (${said.join(", ")})`
}

function describeSteps({ steps }: DecisionOnWire, { words }: Writing) {
  const text = (finding: Finding | undefined) =>
    finding === undefined ? "" : finding.status === "unknown" ? "unknown" : readValue(finding.value)
  const say = (finding: Finding) => {
    const word = text(finding)
    return isRequirement(word) ? words.requirement(word) : word
  }
  return table(
    ["stop", "destination", "from", "to", "days", "passport", "requirement", "max stay", "zone days", "passport valid"],
    steps.map(step => [
      step.index,
      `${step.destination} ${words.country(step.destination)}`,
      step.from,
      step.to ?? "not given",
      step.days ?? "unknown",
      step.passport,
      [say(step.requirement), ...listBecause(step).map(({ kind, issuer }) => `with ${kind} ${issuer}`)].join(" "),
      text(step.max_stay),
      step.zone_stay === undefined ? "" : `${text(step.zone_stay)} (${step.zone_stay.zone})`,
      text(step.passport_validity),
    ]),
  )
}

function listBecause({ requirement }: DecisionOnWire["steps"][number]) {
  return requirement.status === "unknown" ? [] : (requirement.because ?? [])
}

type RemedyOnWire = NonNullable<BlockerOnWire["remedies"]>[number]
type Extension = Extract<RemedyOnWire, { readonly action: "extend" }>

function describeRemedy(remedy: RemedyOnWire, at: number | null): string {
  const { value } = remedy
  const where = !("step" in remedy) || remedy.step === at ? "" : ` at stop ${remedy.step}`
  const sayGap = (days: number | undefined) => (days === undefined ? "" : ` (leaves ${days} days open)`)
  switch (remedy.action) {
    case "leave_by":
      return `leave by ${value}${where}${sayGap(remedy.gap_days)}`
    case "enter_from":
      return `enter no earlier than ${value}${where}${sayGap(remedy.gap_days)}`
    case "shorten":
      return `stay at most ${value} days${where}${sayGap(remedy.gap_days)}`
    case "use_passport":
      return `use the ${value} passport${where}`
    case "renew_before":
      return `renew the ${remedy.passport} passport before ${value}`
    case "avoid_transit":
      return `change planes in a country other than ${value}`
    case "extend":
      return `apply after arrival to extend the stay by ${value} days, which an authority has to grant${where}${sayTerms([], remedy)}`
    default:
      return `obtain ${nameDocument(value as unknown as Document)}`
  }
}

interface Document {
  readonly kind: string
  readonly issuer: string
  readonly type?: string
}

const nameDocument = ({ kind, issuer, type }: Document) =>
  `a ${kind.replace("_", " ")} of ${issuer}${type === undefined ? "" : ` of type ${type}`}`

function describeChange({ step, on, destination, passport, before, after, zone }: ChangeAheadOnWire): string {
  const say = (answer: ChangeAheadOnWire["after"]) =>
    answer === null
      ? "no record"
      : answer.days === null
        ? answer.requirement
        : `${answer.requirement} for ${answer.days} days`
  return zone === null
    ? `stop ${step}: from ${on} on ${destination} asks ${say(after)} of ${passport}, instead of ${say(before)}`
    : `stop ${step}: on ${on} ${destination} joins or leaves ${zone}`
}

function readValue(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value)
  return Object.entries(value)
    .map(([name, held]) => `${name} ${String(held)}`)
    .join(", ")
}

const WHY_UNCOUNTED: Readonly<Record<WhyUncounted, string>> = {
  outside_zone: "not in the zone",
  not_member_then: "not in the zone on these days",
  permit: "under a permit",
  later: "after the day of the count",
  home: "at home",
  free_movement: "freedom of movement",
  agreement: "an agreement exempts from the zone's rule",
}

const sayStay = ({ destination, from, to }: Stay) => `${destination} ${from} to ${to}`

const lastOf = (given: unknown): string | null => {
  const last: unknown = Array.isArray(given)
    ? [...given].sort((a, b) => (String(a?.to) < String(b?.to) ? -1 : 1)).at(-1)?.destination
    : null
  return typeof last === "string" ? last : null
}

/** Today in a country; null where it is not one day in all of its time zones, or they are not known. */
async function dayInCountry(dataset: Dataset, country: string | null, nowMs: number): Promise<string | null> {
  const letters = country === null ? undefined : (await openLetters(dataset))(country)
  return letters === undefined ? null : dayInAll(zonesOf(letters), nowMs)
}

export const stays = makeCommand("stays", {
  examples: {
    [`landfall stays stays.json --on ${findSampleDay(Date.now())}`]: "In the Schengen area on a day",
    "landfall stays --zone ca-4 stays.json --days 30": "And the earliest entry for 30 days more",
  },
  takes: {
    file: argument(
      'JSON, from a file or from - (the standard input): [{"destination": "FRA", "from": "2026-01-01", "to": "2026-01-20"}, …], or {"stays": […], "permits": [{"destination": "FRA", "kind": "residence", "from": …, "to": …}]}',
    ),
    zone: or(
      text("ZONE", "The zone whose allowance counts, by its id or its name: schengen or ca-4; schengen when absent"),
      "schengen",
    ),
    on: text("DATE", "The day of the count, YYYY-MM-DD; today in the country of the last stay when absent", readDay),
    days: whole("N", "Also find the earliest entry for a stay of N days, not before the day of the count"),
    passport: text(
      "CODE",
      "The traveller's passport: days at home, with freedom of movement or under an exempting agreement do not count, and other agreements are named",
    ),
    dataset: datasetFile,
  },
  async run({ file, zone: id, on, days, passport: named, dataset: path }, at) {
    const dataset = openDatasetFile(path, at)
    const zone = findZone(id, dataset)
    if (zone === undefined) {
      throw refuseWord(
        "--zone",
        id,
        dataset.zones.map(zone => zone.id),
      )
    }
    const read = readJsonFile(file, at)
    const isWhole = typeof read === "object" && read !== null && "stays" in read
    const given = (isWhole ? read.stays : read) as readonly Stay[]
    const stranger = isWhole ? Object.keys(read).find(name => name !== "stays" && name !== "permits") : undefined
    if (stranger !== undefined)
      throw wrong(`${file}: ${stranger.slice(0, 40)}: There is no such field; known: stays, permits.`)
    const { permits, mistakes } = readPermits(isWhole && "permits" in read ? read.permits : undefined)
    if (mistakes.length > 0) throw wrong(mistakes.map(each => `${file}: ${each}`).join("\n"))
    const day = on ?? (await dayInCountry(dataset, lastOf(given), Date.now())) ?? today()
    const isUnknown = (stay: Partial<Stay> | null) =>
      isCode(stay?.destination) && !dataset.destinations.includes(stay.destination)
    for (const [name, list] of Object.entries({ stays: given, permits })) {
      const at = Array.isArray(list) ? list.findIndex(isUnknown) : -1
      if (at < 0) continue
      const [field, given] = [`${name}[${at}].destination`, String(list[at]?.destination)]
      // An unknown code ends with 2, as an argument does.
      await readCountry(dataset, given, `${file}: ${field}`)
      const message = `${file}: ${field}: no destination with the code ${given} is recorded.`
      throw failed(message, { code: "no_record", field, given })
    }
    const passport = named === undefined ? null : await readCountry(dataset, named, "--passport")
    const divided = Array.isArray(given) ? divideAtPermits(given, permits) : null
    const { parts, agreements } =
      divided === null || passport === null
        ? { parts: divided, agreements: null }
        : applyPassport(dataset, { zone, passport, parts: divided })
    const counted = parts === null ? given : parts.map(({ stay }) => stay)
    const partOf = (index: number) => parts?.[index] as PartOfStay
    const reported = reportStays({ zone, stays: counted, on: day, days })
    if (!reported.ok) {
      const issues = reported.error.issues.map(issue => {
        const path = issue.path.replace(/(?<=^stays\[)\d+/, at => String(parts?.[Number(at)]?.index ?? at))
        return helpWithIssue({ ...issue, path })
      })
      const { message, ...details } = readRefusal({ ...reported.error, issues })
      throw wrong(
        message.replace(/^(?=stays)/gm, () => `${file}: `),
        details,
      )
    }
    const report = reported.value
    const notCounted = report.notCounted.map(each => {
      // Days that a passport exempts count like those under a permit.
      const reason: WhyUncounted = (each.reason === "permit" ? partOf(each.index).why : undefined) ?? each.reason
      return { ...each, reason }
    })
    const { breach } = report
    const unasked = passport === null ? "Freedom of movement and agreements (name --passport)" : "Extensions"
    return {
      json: toWire({
        ...report,
        ...(agreements === null ? {} : { passport, agreements }),
        notCounted: notCounted.map(each => ({ ...each, index: partOf(each.index).index })),
      }),
      text: [
        table(
          [zone.name, `on ${day}`],
          [
            ["period counted from", report.periodFromOn],
            ["days used", report.daysUsed],
            ["days unused", report.daysUnused],
            ["days remaining without a break", report.daysRemaining],
            ["last legal day", report.lastLegalDayOn ?? "none: not there legally on that day"],
            ["first breach", breach.firstBreachOn ?? "none"],
            ["days in breach", breach.daysInBreach],
            ["days over the allowance", breach.daysOverAllowance],
            ...(report.earliestEntryOn === undefined
              ? []
              : [["earliest entry for that stay", report.earliestEntryOn ?? "none"]]),
            ...notCounted.map(({ index, days, reason }) => [
              "not counted",
              `${sayStay(partOf(index).stay)}, ${nameCount(days, "day")}: ${WHY_UNCOUNTED[reason]}`,
            ]),
            ...(agreements ?? []).map(({ index, agreement, days }) => [
              "may be longer",
              `${sayStay(given[index] as Stay)}: ${agreement}${days === null ? "" : `, ${days} days`}; its days are counted`,
            ]),
          ],
        ),
        `\n${unasked} and officers' decisions are not considered. Not legal advice.`,
      ],
    }
  },
})
