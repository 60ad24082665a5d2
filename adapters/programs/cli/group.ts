/** `landfall group FRA,IND`, `landfall best FRA,USA`, `landfall entrants JPN`: several passports, and all of them. */
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import {
  chooseBestPassports,
  intersectGroup,
  listEntrants,
  REQUIREMENTS,
  type Requirement,
} from "../../../src/index.ts"
import { describeGroup } from "../../knowledge/answers/group.ts"
import { countryArgument, readCountries, readCountry } from "./countries.ts"
import { langFlag, loadWords } from "./language.ts"
import {
  datasetFlag,
  jsonFlag,
  onFlag,
  openDatasetFile,
  openDatasetOn,
  orNoRecord,
  orUsage,
  printOutcome,
  printTable,
  printText,
  printWire,
  textFlag,
} from "./outcome.ts"

const passportsArgument = Argument.String("passports").pipe(
  Argument.withDescription("Alpha-3 codes or countries' names separated by commas, such as FRA,IND"),
)

const describeStay = (kind: string, days: number | null) => (kind === "days" ? String(days) : kind.replaceAll("_", " "))

const GROUP_USAGE = "landfall group PASSPORTS [--allow LIST] [--on DATE] [--lang LANG] [--dataset FILE] [--json]"

export const group = Command.make(
  "group",
  {
    passports: passportsArgument,
    allow: textFlag(
      "allow",
      "LIST",
      "Requirements that qualify, by commas; visa_free,eta,visa_on_arrival,e_visa when absent",
    ),
    on: onFlag,
    lang: langFlag,
    dataset: datasetFlag,
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ allow, on, lang, dataset: file, json, ...given }) {
    const dataset = yield* openDatasetOn(file, on, GROUP_USAGE)
    const passports = yield* readCountries(dataset, given.passports, { field: "passports", usage: GROUP_USAGE })
    const words = yield* loadWords(lang, GROUP_USAGE)
    const wanted = Option.map(allow, list => list.split(",") as Requirement[])
    const answer = yield* orUsage(
      intersectGroup(dataset, passports, { allow: Option.getOrUndefined(wanted) }),
      GROUP_USAGE,
    ).pipe(Effect.flatMap(orNoRecord))
    if (json) return yield* printOutcome(describeGroup(dataset, { passports: answer.passports, allow: answer.allow }))
    const rows = answer.destinations.map(entry => [
      entry.destination,
      words.country(entry.destination),
      words.requirement(entry.worstRequirement),
      describeStay(entry.groupStay, entry.groupVisaFreeDays),
      entry.passports
        .map(member => `${member.passport} ${member.home ? "home" : words.requirement(member.requirement)}`)
        .join(", "),
    ])
    yield* printTable(["code", "destination", "at worst", "days", "each"], rows)
    yield* printText(
      `\n${answer.count} destinations for ${passports.join(",")} on ${answer.on}. Dataset ${answer.datasetVersion}.`,
    )
  }),
).pipe(
  Command.withDescription("Where a group can go, easiest first"),
  Command.withExamples([
    { command: "landfall group FRA,IND", description: "Where both can go" },
    {
      command: "landfall group france,india --allow visa_free,eta --json",
      description: "Without a visa, for programs",
    },
  ]),
)

const BEST_USAGE = "landfall best PASSPORTS [--on DATE] [--lang LANG] [--dataset FILE] [--json]"

export const best = Command.make(
  "best",
  { passports: passportsArgument, on: onFlag, lang: langFlag, dataset: datasetFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ on, lang, dataset: file, json, ...given }) {
    const dataset = yield* openDatasetFile(file)
    const passports = yield* readCountries(dataset, given.passports, { field: "passports", usage: BEST_USAGE })
    const words = yield* loadWords(lang, BEST_USAGE)
    const answer = yield* orUsage(
      chooseBestPassports(dataset, passports, { on: Option.getOrUndefined(on) }),
      BEST_USAGE,
    ).pipe(Effect.flatMap(orNoRecord))
    if (json) return yield* printWire(answer)
    const rows = answer.destinations.flatMap(({ destination, best: chosen, stay }) =>
      chosen === null
        ? []
        : [
            [
              destination,
              words.country(destination),
              chosen.passport,
              chosen.home ? "home" : words.requirement(chosen.requirement),
              describeStay(stay, chosen.days),
            ],
          ],
    )
    yield* printTable(["code", "destination", "passport", "requirement", "days"], rows)
    yield* printText(
      `\n${answer.unlockedCount} destinations open, ${answer.unknownCount} without a record, on ${answer.on}.`,
    )
  }),
).pipe(
  Command.withDescription("Which of one traveller's passports to use, for every destination"),
  Command.withExamples([{ command: "landfall best USA,DEU", description: "An American and a German passport" }]),
)

const ENTRANTS_USAGE = "landfall entrants DESTINATION [--on DATE] [--lang LANG] [--dataset FILE] [--json]"

export const entrants = Command.make(
  "entrants",
  {
    destination: countryArgument("destination", "JPN"),
    on: onFlag,
    lang: langFlag,
    dataset: datasetFlag,
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ on, lang, dataset: file, json, ...given }) {
    const dataset = yield* openDatasetFile(file)
    const destination = yield* readCountry(dataset, given.destination, { field: "destination", usage: ENTRANTS_USAGE })
    const words = yield* loadWords(lang, ENTRANTS_USAGE)
    const answer = yield* orUsage(
      listEntrants(dataset, destination, { on: Option.getOrUndefined(on) }),
      ENTRANTS_USAGE,
    ).pipe(Effect.flatMap(orNoRecord))
    if (json) return yield* printWire(answer)
    for (const requirement of REQUIREMENTS) {
      const passports = answer.byRequirement[requirement].map(({ passport, days }) =>
        days === null ? passport : `${passport} ${days}`,
      )
      const word = words.requirement(requirement)
      if (passports.length > 0) yield* printText(`${word} (${passports.length}): ${passports.join(", ")}`, "  ")
    }
    if (answer.unknown.length > 0)
      yield* printText(`no record (${answer.unknown.length}): ${answer.unknown.join(", ")}`, "  ")
  }),
).pipe(
  Command.withDescription("Who may enter a destination, by what is asked"),
  Command.withExamples([{ command: "landfall entrants JPN", description: "Every passport, by requirement" }]),
)
