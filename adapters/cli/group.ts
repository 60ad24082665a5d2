/** `landfall group FRA,IND`, `landfall best FRA,USA`, `landfall entrants JPN`: several passports, and all of them. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { chooseBestPassports, intersectGroup, listEntrants, REQUIREMENTS, type Requirement } from "../../src/index.ts"
import { describeGroup } from "../answers/group.ts"
import { countryArgument, readCountries, readCountry } from "./countries.ts"
import {
  datasetFlag,
  formatTable,
  jsonFlag,
  onFlag,
  openDatasetFile,
  openDatasetOn,
  orNoRecord,
  orUsage,
  printOutcome,
  printWire,
} from "./outcome.ts"

const passportsArgument = Argument.String("passports").pipe(
  Argument.withDescription("Alpha-3 codes or countries' names separated by commas, such as FRA,IND"),
)

const describeStay = (kind: string, days: number | null) => (kind === "days" ? String(days) : kind.replaceAll("_", " "))

const GROUP_USAGE = "landfall group PASSPORTS [--allow LIST] [--on DATE] [--json]"

export const group = Command.make(
  "group",
  {
    passports: passportsArgument,
    allow: Flag.String("allow").pipe(
      Flag.withMetavar("LIST"),
      Flag.withDescription("Requirements that qualify, by commas; visa_free,eta,visa_on_arrival,e_visa when absent"),
      Flag.optional,
    ),
    on: onFlag,
    dataset: datasetFlag,
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ allow, on, dataset: file, json, ...given }) {
    const passports = yield* readCountries(given.passports, GROUP_USAGE)
    const dataset = yield* openDatasetOn(file, on, GROUP_USAGE)
    const wanted = Option.map(allow, list => list.split(",") as Requirement[])
    const answer = yield* orUsage(
      intersectGroup(dataset, passports, { allow: Option.getOrUndefined(wanted) }),
      GROUP_USAGE,
    ).pipe(Effect.flatMap(orNoRecord))
    if (json) return yield* printOutcome(describeGroup(dataset, { passports: answer.passports, allow: answer.allow }))
    const rows = answer.destinations.map(entry => [
      entry.destination,
      entry.worstRequirement,
      describeStay(entry.groupStay, entry.groupVisaFreeDays),
      entry.passports.map(member => `${member.passport} ${member.home ? "home" : member.requirement}`).join(", "),
    ])
    yield* Console.log(formatTable(["destination", "at worst", "days", "each"], rows))
    yield* Console.log(
      `\n${answer.count} destinations for ${passports.join(",")} on ${answer.on}. Dataset ${answer.datasetVersion}.`,
    )
  }),
).pipe(Command.withDescription("Where a group can go, easiest first"))

const BEST_USAGE = "landfall best PASSPORTS [--on DATE] [--json]"

export const best = Command.make(
  "best",
  { passports: passportsArgument, on: onFlag, dataset: datasetFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ on, dataset: file, json, ...given }) {
    const passports = yield* readCountries(given.passports, BEST_USAGE)
    const dataset = yield* openDatasetFile(file)
    const answer = yield* orUsage(
      chooseBestPassports(dataset, passports, { on: Option.getOrUndefined(on) }),
      BEST_USAGE,
    ).pipe(Effect.flatMap(orNoRecord))
    if (json) return yield* printWire(answer)
    const rows = answer.destinations.flatMap(({ destination, best: chosen, stay }) =>
      chosen === null
        ? []
        : [[destination, chosen.passport, chosen.home ? "home" : chosen.requirement, describeStay(stay, chosen.days)]],
    )
    yield* Console.log(formatTable(["destination", "passport", "requirement", "days"], rows))
    yield* Console.log(
      `\n${answer.unlockedCount} destinations open, ${answer.unknownCount} without a record, on ${answer.on}.`,
    )
  }),
).pipe(Command.withDescription("Which of one traveller's passports to use, for every destination"))

const ENTRANTS_USAGE = "landfall entrants DESTINATION [--on DATE] [--json]"

export const entrants = Command.make(
  "entrants",
  {
    destination: countryArgument("destination", "JPN"),
    on: onFlag,
    dataset: datasetFlag,
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ on, dataset: file, json, ...given }) {
    const destination = yield* readCountry(given.destination, ENTRANTS_USAGE)
    const dataset = yield* openDatasetFile(file)
    const answer = yield* orUsage(
      listEntrants(dataset, destination, { on: Option.getOrUndefined(on) }),
      ENTRANTS_USAGE,
    ).pipe(Effect.flatMap(orNoRecord))
    if (json) return yield* printWire(answer)
    for (const requirement of REQUIREMENTS) {
      const passports = answer.byRequirement[requirement].map(({ passport, days }) =>
        days === null ? passport : `${passport} ${days}`,
      )
      if (passports.length > 0) yield* Console.log(`${requirement} (${passports.length}): ${passports.join(", ")}`)
    }
    if (answer.unknown.length > 0)
      yield* Console.log(`no record (${answer.unknown.length}): ${answer.unknown.join(", ")}`)
  }),
).pipe(Command.withDescription("Who may enter a destination, by what is asked"))
