/** `landfall group FRA,IND`, `landfall best FRA,USA`, `landfall entrants JPN`: several passports, and all of them. */
import { Effect, Option } from "effect"
import { Argument } from "effect/cli"
import { chooseBestPassports, intersectGroup, listEntrants, REQUIREMENTS, type Requirement } from "../../src/index.ts"
import { describeGroup } from "../answers/group.ts"
import { makeCommand } from "./command.ts"
import {
  datasetFlag,
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
} from "./command-outcome.ts"
import { countryArgument, readCountries, readCountry } from "./find-command.ts"
import { langFlag, loadWords } from "./language.ts"

const passportsArgument = Argument.String("passports").pipe(
  Argument.withDescription("Alpha-3 codes or countries' names separated by commas, such as FRA,IND"),
)

const describeStay = (kind: string, days: number | null) => (kind === "days" ? String(days) : kind.replaceAll("_", " "))

export const group = makeCommand("group", {
  about: "Where a group can go, easiest first",
  usage: "landfall group PASSPORTS [--allow LIST] [--on DATE] [--lang LANG] [--dataset FILE] [--json]",
  examples: {
    "landfall group FRA,IND": "Where both can go",
    "landfall group france,india --allow visa_free,eta --json": "Without a visa, for programs",
  },
  takes: {
    passports: passportsArgument,
    allow: textFlag(
      "allow",
      "LIST",
      "Requirements that qualify, by commas; visa_free,eta,visa_on_arrival,e_visa when absent",
    ),
    on: onFlag,
    lang: langFlag,
    dataset: datasetFlag,
  },
  *run({ allow, on, lang, dataset: file, json, ...given }) {
    const dataset = yield* openDatasetOn(file, on)
    const passports = yield* readCountries(dataset, given.passports, { field: "passports" })
    const words = yield* loadWords(lang)
    const wanted = Option.map(allow, list => list.split(",") as Requirement[])
    const answer = yield* orUsage(intersectGroup(dataset, passports, { allow: Option.getOrUndefined(wanted) })).pipe(
      Effect.flatMap(orNoRecord),
    )
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
  },
})

export const best = makeCommand("best", {
  about: "Which of one traveller's passports to use, for every destination",
  usage: "landfall best PASSPORTS [--on DATE] [--lang LANG] [--dataset FILE] [--json]",
  examples: { "landfall best USA,DEU": "An American and a German passport" },
  takes: { passports: passportsArgument, on: onFlag, lang: langFlag, dataset: datasetFlag },
  *run({ on, lang, dataset: file, json, ...given }) {
    const dataset = yield* openDatasetFile(file)
    const passports = yield* readCountries(dataset, given.passports, { field: "passports" })
    const words = yield* loadWords(lang)
    const answer = yield* orUsage(chooseBestPassports(dataset, passports, { on: Option.getOrUndefined(on) })).pipe(
      Effect.flatMap(orNoRecord),
    )
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
  },
})

export const entrants = makeCommand("entrants", {
  about: "List the passports that may enter a destination, by requirement",
  usage: "landfall entrants DESTINATION [--on DATE] [--lang LANG] [--dataset FILE] [--json]",
  examples: { "landfall entrants JPN": "Every passport, by requirement" },
  takes: {
    destination: countryArgument("destination", "JPN"),
    on: onFlag,
    lang: langFlag,
    dataset: datasetFlag,
  },
  *run({ on, lang, dataset: file, json, ...given }) {
    const dataset = yield* openDatasetFile(file)
    const destination = yield* readCountry(dataset, given.destination, { field: "destination" })
    const words = yield* loadWords(lang)
    const answer = yield* orUsage(listEntrants(dataset, destination, { on: Option.getOrUndefined(on) })).pipe(
      Effect.flatMap(orNoRecord),
    )
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
  },
})
