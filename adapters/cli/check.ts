/** `landfall check FRA JPN`: what a passport's holder needs to enter a destination, on what else it depends, and how we know. */
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { describePair, type Found, needsVisa, type PairDescription } from "../../src/index.ts"
import { countryArgument, readCountry } from "./countries.ts"
import { CommandFailed, datasetFlag, jsonFlag, onFlag, openDatasetFile, orWellFormed, printJson } from "./outcome.ts"

const USAGE = "landfall check PASSPORT DESTINATION [--on YYYY-MM-DD] [--json]"

export const check = Command.make(
  "check",
  {
    passport: countryArgument("passport", "FRA"),
    destination: countryArgument("destination", "JPN"),
    on: onFlag,
    dataset: datasetFlag,
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ on, dataset: file, json, ...given }) {
    const passport = yield* readCountry(given.passport, USAGE)
    const destination = yield* readCountry(given.destination, USAGE)
    const dataset = yield* openDatasetFile(file)
    const looked = describePair(dataset, passport, destination, { on: Option.getOrUndefined(on) })
    const pair = yield* orWellFormed(looked, { passport, destination, on }, USAGE)
    if (pair.kind === "no_record") {
      return yield* new CommandFailed({ message: `${passport} to ${destination}: ${pair.message}` })
    }
    // Loaded here, because every other command starts faster without it.
    const { loadLocale, writeTerms } = yield* Effect.promise(() => import("../../src/full.ts"))
    const locale = yield* Effect.promise(() => loadLocale("en"))
    const terms = writeTerms({ dataset, locale }, pair)
    yield* json
      ? printJson({ passport, destination, on: pair.on, ...toWire(pair), ...terms })
      : Console.log(
          [describeAnswer(pair), ...listTerms(pair, terms.conditions ?? []), disclaim(pair.answer)].join("\n"),
        )
  }),
).pipe(
  Command.withDescription("What a passport's holder needs to enter a destination"),
  Command.withExamples([{ command: "landfall check FRA JPN", description: "A French passport to Japan" }]),
)

function toWire({ answer, sourceUrl }: PairDescription) {
  const { source } = answer
  return {
    requirement: answer.requirement,
    visa_free_days: answer.days,
    visa_required: needsVisa(answer.requirement),
    ...(answer.home ? { home: true } : {}),
    ...(answer.uncertain ? { requirement_status: "uncertain" } : {}),
    basis: answer.basis,
    bloc: answer.bloc,
    follows: answer.follows,
    source: source === null ? null : { id: source.id, name: source.name, url: sourceUrl ?? source.url },
    last_verified: answer.verifiedOn,
    dataset_version: answer.datasetVersion,
  }
}

/** Says an answer in lines for a terminal. */
export function describeAnswer({ passport, destination, on, answer, sourceUrl }: PairDescription): string {
  const stay = answer.days === null ? "" : `, up to ${answer.days} days`
  const lines = [`${passport} → ${destination} on ${on}: ${answer.requirement}${answer.home ? " (home)" : stay}`]
  if (answer.uncertain)
    lines.push(`uncertain: it rests on the ${answer.bloc ?? "bloc"} treaty, which one of the two has left`)
  else if (answer.bloc !== null) lines.push(`basis: freedom of movement (${answer.bloc})`)
  if (answer.follows !== null) lines.push(`basis: the policy of ${answer.follows} holds here too`)
  const verified = answer.verifiedOn === null ? "never verified for this pair" : `verified on ${answer.verifiedOn}`
  lines.push(`source: ${answer.source === null ? "none recorded" : answer.source.name}, ${verified}`)
  if (sourceUrl !== null && sourceUrl !== answer.source?.url) lines.push(`page: ${sourceUrl}`)
  return lines.join("\n")
}

function listTerms(
  pair: PairDescription,
  conditions: readonly { readonly kind: string; readonly text: string }[],
): string[] {
  const { stayBasis, endsOn, afterExpiry, changedSince, corroboration } = pair
  const lines = conditions.map(({ kind, text }) => `${kind}: ${text}`)
  if (stayBasis !== null) lines.push("stay: the days come from the imported table alone; check the permitted stay")
  if (endsOn !== null) lines.push(`ends: announced until ${endsOn}`)
  if (afterExpiry !== null) {
    const stay = afterExpiry.days === null ? "" : `, up to ${afterExpiry.days} days`
    lines.push(
      `after expiry: ${afterExpiry.requirement}${stay} was announced until ${afterExpiry.endedOn}; nothing newer is recorded`,
    )
  }
  if (changedSince !== null)
    lines.push(`changed since: ${changedSince.on}, ${changedSince.change} (${changedSince.sourceUrl})`)
  if (corroboration !== null) {
    const { agrees, requirement, days, source, checkedOn } = corroboration
    const says = agrees ? "says the same" : `says ${requirement}${days === null ? "" : `, up to ${days} days`}`
    lines.push(`second source: ${source.name} ${says}, checked on ${checkedOn}`)
  }
  return lines
}

function disclaim(answer: Found): string {
  return `dataset: ${answer.datasetVersion}. Data, not legal advice.`
}
