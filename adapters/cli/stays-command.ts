/** `landfall stays --zone schengen FILE`: days used, days left, and breaches, from a list of stays. */
import { DateTime, Effect } from "effect"
import { type Dataset, zone as findZone, isCode, type Stay, type Zone } from "../../src/index.ts"
import { helpWithIssue } from "../answers/code-help.ts"
import {
  applyPassport,
  divideAtPermits,
  type PartOfStay,
  readPermits,
  reportStays,
  type WhyUncounted,
} from "../answers/stay-report.ts"
import { toWire } from "../answers/wire-names.ts"
import { argument, makeCommand, or, text, whole } from "./command.ts"
import { openDatasetFile, readJsonFile } from "./command-outcome.ts"
import { datasetFile, readCountry } from "./dataset-question.ts"
import { CalledWrongly, CommandFailed, readRefusal, wrong } from "./failure.ts"
import { openLetters } from "./find-code.ts"
import { table } from "./print.ts"

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
  if (country === null) return null
  const [{ dayInAll, zonesOf }, lettersOf] = await Promise.all([
    import("../convert/time-zones.ts"),
    openLetters(dataset),
  ])
  const letters = lettersOf(country)
  return dayInAll(letters === undefined ? [] : zonesOf(letters), nowMs)
}

export const stays = makeCommand("stays", {
  about: "Days used and left in a zone, from a list of stays",
  examples: {
    "landfall stays stays.json --on 2026-12-01": "In the Schengen area on a day",
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
    on: text("DATE", "The day of the count, YYYY-MM-DD; today in the country of the last stay when absent"),
    days: whole("N", "Also find the earliest entry for a stay of N days, not before the day of the count"),
    passport: text(
      "CODE",
      "The traveller's passport: days at home, with freedom of movement or under an exempting agreement do not count, and other agreements are named",
    ),
    dataset: datasetFile,
  },
  *run({ file, zone: id, on, days, passport: named, dataset: path }) {
    const dataset = yield* openDatasetFile(path)
    const zone = findZone(id, dataset)
    if (zone === undefined) {
      const known = dataset.zones.map((candidate: Zone) => candidate.id).join(", ")
      return yield* new CalledWrongly({
        message: `--zone: ${JSON.stringify(id)} is not one of ${known}.`,
        field: "--zone",
        given: id,
        expected: `one of ${known}`,
      })
    }
    const read = yield* readJsonFile(file)
    const isWhole = typeof read === "object" && read !== null && "stays" in read
    const given = (isWhole ? read.stays : read) as readonly Stay[]
    const stranger = isWhole ? Object.keys(read).find(name => name !== "stays" && name !== "permits") : undefined
    if (stranger !== undefined)
      return yield* wrong(`${file}: ${stranger.slice(0, 40)}: There is no such field; known: stays, permits.`)
    const { permits, mistakes } = readPermits(isWhole && "permits" in read ? read.permits : undefined)
    if (mistakes.length > 0) return yield* wrong(mistakes.map(each => `${file}: ${each}`).join("\n"))
    const now = yield* DateTime.now
    const today = yield* Effect.promise(() => dayInCountry(dataset, lastOf(given), now.epochMilliseconds))
    const day = on ?? today ?? DateTime.formatIsoDateUtc(now)
    const isUnknown = (stay: Partial<Stay> | null) =>
      isCode(stay?.destination) && !dataset.destinations.includes(stay.destination)
    for (const [name, list] of Object.entries({ stays: given, permits })) {
      const at = Array.isArray(list) ? list.findIndex(isUnknown) : -1
      if (at < 0) continue
      const [field, destination] = [`${name}[${at}].destination`, String(list[at]?.destination)]
      // An unknown code ends with 2, as an argument does.
      yield* readCountry(dataset, destination, { field: `${file}: ${field}` })
      return yield* new CommandFailed({
        message: `${file}: ${field}: no destination with the code ${destination} is recorded.`,
        code: "no_record",
        field,
        given: destination,
      })
    }
    const passport = named === undefined ? null : yield* readCountry(dataset, named, { field: "--passport" })
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
      const refusal = readRefusal({ ...reported.error, issues })
      return yield* new CalledWrongly({
        ...refusal,
        message: refusal.message.replace(/^(?=stays)/gm, () => `${file}: `),
      })
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
              `${sayStay(partOf(index).stay)}, ${days} ${days === 1 ? "day" : "days"}: ${WHY_UNCOUNTED[reason]}`,
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
