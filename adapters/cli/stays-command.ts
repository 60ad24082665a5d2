/** `landfall stays --zone schengen FILE`: days used, days left, and breaches, from a list of stays. */
import { DateTime, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { isCode, type Stay, type UncountedStay, type Zone } from "../../src/index.ts"
import { findZone, reportStays } from "../answers/stay-report.ts"
import { makeCommand } from "./command.ts"
import {
  CalledWrongly,
  CommandFailed,
  datasetFlag,
  openDatasetFile,
  orUsage,
  printTable,
  printText,
  printWire,
  readJsonFile,
  textFlag,
} from "./command-outcome.ts"
import { readCountry } from "./find-command.ts"

const WHY_UNCOUNTED: Readonly<Record<UncountedStay["reason"], string>> = {
  outside_zone: "not in the zone",
  not_member_then: "not in the zone on these days",
  permit: "under a permit",
  later: "after the day of the count",
}

const describeUncounted = ({ index, destination, days, reason }: UncountedStay, given: readonly Stay[]): string =>
  `${destination} ${given[index]?.from} to ${given[index]?.to}, ${days} ${days === 1 ? "day" : "days"}: ${WHY_UNCOUNTED[reason]}`

export const stays = makeCommand("stays", {
  about: "Days used and left in a zone, from a list of stays",
  usage: "landfall stays FILE [--zone ZONE] [--on DATE] [--days N] [--dataset FILE] [--json]",
  examples: {
    "landfall stays stays.json --on 2026-12-01": "In the Schengen area on a day",
    "landfall stays --zone ca-4 stays.json --days 30": "And the earliest entry for 30 days more",
  },
  takes: {
    file: Argument.String("file").pipe(
      Argument.withDescription(
        'JSON, from a file or from - (the standard input): [{"destination": "FRA", "from": "2026-01-01", "to": "2026-01-20"}, …]',
      ),
    ),
    zone: Flag.String("zone").pipe(
      Flag.withMetavar("ZONE"),
      Flag.withDescription("The zone whose allowance counts: schengen or ca-4; schengen when absent"),
      Flag.withDefault("schengen"),
    ),
    on: textFlag("on", "DATE", "The day of the count, YYYY-MM-DD; today (UTC) when absent"),
    days: Flag.Int("days").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("Also find the earliest entry for a stay of N days, not before the day of the count"),
      Flag.optional,
    ),
    dataset: datasetFlag,
  },
  *run({ file, zone: id, on, days, dataset: datasetFile, json }) {
    const dataset = yield* openDatasetFile(datasetFile)
    const zone = findZone(dataset, id)
    if (zone === undefined) {
      const known = dataset.zones.map((candidate: Zone) => candidate.id).join(", ")
      return yield* new CalledWrongly({
        message: `--zone: ${JSON.stringify(id)} is not one of ${known}.`,
        field: "--zone",
        given: id,
        expected: `one of ${known}`,
      })
    }
    const given = (yield* readJsonFile(file)) as readonly Stay[]
    const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
    const day = Option.getOrElse(on, () => today)
    const isUnknown = (stay: Partial<Stay> | null) =>
      isCode(stay?.destination) && !dataset.destinations.includes(stay.destination)
    const at = Array.isArray(given) ? given.findIndex(isUnknown) : -1
    if (at >= 0) {
      const destination = String(given[at]?.destination)
      // An unknown code ends with 2, as an argument does.
      yield* readCountry(dataset, destination, { field: `${file}: stays[${at}].destination` })
      return yield* new CommandFailed({
        message: `${file}: stays[${at}].destination: no destination with the code ${destination} is recorded.`,
        code: "no_record",
        field: `stays[${at}].destination`,
        given: destination,
      })
    }
    const report = yield* orUsage(reportStays({ zone, stays: given, on: day, days: Option.getOrUndefined(days) }))
    if (json) return yield* printWire(report)
    const { breach } = report
    yield* printTable(
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
        ...report.notCounted.map(each => ["not counted", describeUncounted(each, given)]),
      ],
    )
    yield* printText(
      "\nFreedom of movement, bilateral agreements and officers' decisions are not considered. Not legal advice.",
    )
  },
})
