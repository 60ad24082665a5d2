/** `landfall explain FRA JPN`: the rule that decided, and the rules that it beat, from the facts themselves. */
import { existsSync } from "node:fs"
import { Effect, Option, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { type ExplainedRule, explainRequirement } from "../../../src/compiler.ts"
import { embeddedDataset } from "../../../src/index.ts"
import { readDataRecords, toFacts } from "../../knowledge/data/read-facts.ts"
import { findOwnFile } from "../../platform/files/own-files.ts"
import { countryArgument, readCountry } from "./countries.ts"
import { langFlag, loadWords, type Words } from "./language.ts"
import { CommandFailed, jsonFlag, onFlag, orUsage, printTable, printText, printWire } from "./outcome.ts"

const dataFlag = Flag.String("data").pipe(
  Flag.withMetavar("DIR"),
  Flag.withDescription("The folder of facts; ./data when absent, or where that holds none the package's own"),
  Flag.withDefault(Effect.sync(() => (existsSync("data/dataset.json") ? "data" : findOwnFile("data")))),
)

const USAGE = "landfall explain PASSPORT DESTINATION [--on DATE] [--lang LANG] [--data DIR] [--json]"

export const explain = Command.make(
  "explain",
  {
    passport: countryArgument("passport", "FRA"),
    destination: countryArgument("destination", "JPN"),
    on: onFlag,
    lang: langFlag,
    data: dataFlag,
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ on, lang, data, json, ...given }) {
    const dataset = embeddedDataset()
    const passport = yield* readCountry(dataset, given.passport, { field: "passport", usage: USAGE })
    const destination = yield* readCountry(dataset, given.destination, { field: "destination", usage: USAGE })
    const words = yield* loadWords(lang, USAGE)
    const records = yield* Effect.fromResult(
      Result.mapError(readDataRecords(data), error => new CommandFailed({ message: error.message })),
    )
    const facts = toFacts(records)
    const explanation = yield* orUsage(
      explainRequirement(
        facts,
        passport,
        destination,
        Option.getOrElse(on, () => facts.asOf),
      ),
      USAGE,
    )
    if (json) return yield* printWire(explanation)
    const { decided, beaten } = explanation
    const pair = `${words.country(passport)} (${passport}) → ${words.country(destination)} (${destination})`
    if (decided === null) return yield* printText(`${pair} on ${explanation.on}: no rule covers this pair.`)
    const doubt = explanation.uncertain ? " (uncertain)" : ""
    yield* printText(`${pair} on ${explanation.on}, decided by the first of these rules${doubt}:\n`)
    yield* printTable(
      ["rank", "policy", "rule", "names", "says", "in force", "source"],
      [decided, ...beaten].map(rule => toRow(rule, words)),
    )
  }),
).pipe(
  Command.withDescription("Why a pair's answer is what it is"),
  Command.withExamples([
    { command: "landfall explain LCA GBR", description: "The rule that decided, and those that it beat" },
  ]),
)

function toRow({ rank, policy, field, selector, terms }: ExplainedRule, words: Words): string[] {
  const says = words.answer(terms)
  const inForce = `${terms.from ?? "…"} – ${terms.until ?? "…"}`
  return [rank, policy, field, selector, says, inForce, terms.source ?? "none"]
}
