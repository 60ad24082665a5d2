/** `landfall check FRA JPN`: what a passport's holder needs to enter a destination, and how we know. */
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { type Found, lookupRequirement, needsVisa } from "../../src/index.ts"
import { CommandFailed, datasetFlag, jsonFlag, onFlag, openDatasetFile, orWellFormed, printJson } from "./outcome.ts"

const USAGE = "landfall check PASSPORT DESTINATION [--on YYYY-MM-DD] [--json]"

export const check = Command.make(
  "check",
  {
    passport: Argument.String("passport").pipe(Argument.withDescription("ISO 3166-1 alpha-3 code, such as FRA")),
    destination: Argument.String("destination").pipe(Argument.withDescription("ISO 3166-1 alpha-3 code, such as JPN")),
    on: onFlag,
    dataset: datasetFlag,
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ passport, destination, on, dataset: file, json }) {
    const dataset = yield* openDatasetFile(file)
    const looked = lookupRequirement(dataset, passport, destination, { on: Option.getOrUndefined(on) })
    const answer = yield* orWellFormed(looked, { passport, destination, on }, USAGE)
    if (answer.kind === "no_record") {
      return yield* new CommandFailed({ message: `${passport} to ${destination}: ${answer.message}` })
    }
    const day = Option.getOrElse(on, () => dataset.asOf)
    yield* json
      ? printJson({ passport, destination, on: day, ...toWire(answer) })
      : Console.log(describeAnswer(passport, destination, day, answer))
  }),
).pipe(
  Command.withDescription("What a passport's holder needs to enter a destination"),
  Command.withExamples([{ command: "landfall check FRA JPN", description: "A French passport to Japan" }]),
)

function toWire(answer: Found) {
  return {
    requirement: answer.requirement,
    visa_free_days: answer.days,
    visa_required: needsVisa(answer.requirement),
    ...(answer.home ? { home: true } : {}),
    ...(answer.uncertain ? { requirement_status: "uncertain" } : {}),
    basis: answer.basis,
    bloc: answer.bloc,
    follows: answer.follows,
    source: answer.source === null ? null : { id: answer.source.id, name: answer.source.name, url: answer.source.url },
    last_verified: answer.verifiedOn,
    dataset_version: answer.datasetVersion,
  }
}

/** Says an answer in lines for a terminal. */
export function describeAnswer(passport: string, destination: string, on: string, answer: Found): string {
  const stay = answer.days === null ? "" : `, up to ${answer.days} days`
  const lines = [`${passport} → ${destination} on ${on}: ${answer.requirement}${answer.home ? " (home)" : stay}`]
  if (answer.uncertain)
    lines.push(`uncertain: it rests on the ${answer.bloc ?? "bloc"} treaty, which one of the two has left`)
  else if (answer.bloc !== null) lines.push(`basis: freedom of movement (${answer.bloc})`)
  if (answer.follows !== null) lines.push(`basis: the policy of ${answer.follows} holds here too`)
  const verified = answer.verifiedOn === null ? "never verified for this pair" : `verified on ${answer.verifiedOn}`
  lines.push(`source: ${answer.source === null ? "none recorded" : answer.source.name}, ${verified}`)
  lines.push(`dataset: ${answer.datasetVersion}. Data, not legal advice.`)
  return lines.join("\n")
}
