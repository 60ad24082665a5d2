/** `landfall explain FRA JPN`: the rule that decided, and the rules that it beat, from the facts themselves. */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Console, Effect, Option, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { type ExplainedRule, explainRequirement } from "../../src/compiler.ts"
import { readDataRecords, toFacts } from "../data/read-facts.ts"
import { countryArgument, readCountry } from "./countries.ts"
import { CommandFailed, formatTable, jsonFlag, onFlag, orUsage, printWire } from "./outcome.ts"

const dataFlag = Flag.String("data").pipe(
  Flag.withMetavar("DIR"),
  Flag.withDescription("The folder of facts; ./data when absent, or where that holds none the package's own"),
  Flag.withDefault(Effect.sync(() => (existsSync("data/dataset.json") ? "data" : findOwnFacts()))),
)

// The facts that the package brings: of them its embedded dataset was made.
function findOwnFacts(): string {
  return join(dirname(fileURLToPath(import.meta.resolve("landfall/package.json"))), "data")
}

const USAGE = "landfall explain PASSPORT DESTINATION [--on DATE] [--data DIR] [--json]"

export const explain = Command.make(
  "explain",
  {
    passport: countryArgument("passport", "FRA"),
    destination: countryArgument("destination", "JPN"),
    on: onFlag,
    data: dataFlag,
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ on, data, json, ...given }) {
    const passport = yield* readCountry(given.passport, USAGE)
    const destination = yield* readCountry(given.destination, USAGE)
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
    if (decided === null)
      return yield* Console.log(`${passport} → ${destination} on ${explanation.on}: no rule covers this pair.`)
    yield* Console.log(
      `${passport} → ${destination} on ${explanation.on}, decided by the first of these rules${explanation.uncertain ? " (uncertain)" : ""}:\n`,
    )
    yield* Console.log(
      formatTable(["rank", "policy", "rule", "names", "says", "in force", "source"], [decided, ...beaten].map(toRow)),
    )
  }),
).pipe(Command.withDescription("Why a pair's answer is what it is"))

function toRow({ rank, policy, field, selector, terms }: ExplainedRule): string[] {
  const says = `${terms.requirement}${terms.days === null ? "" : ` ${terms.days}`}`
  const inForce = `${terms.from ?? "…"} – ${terms.until ?? "…"}`
  return [rank, policy, field, selector, says, inForce, terms.source ?? "none"]
}
