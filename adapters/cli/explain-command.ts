/** `landfall explain FRA JPN`: the claim that decided, and those that it beat, from the facts of a clone. */
import { Option } from "effect"
import { type ExplainedRule, explainRequirement } from "../../src/compiler.ts"
import { embeddedDataset } from "../../src/index.ts"
import { explainClaims } from "../data-files/answer-claims.ts"
import { placeRules, readDataRecords, toFacts } from "../data-files/read-facts.ts"
import { makeCommand } from "./command.ts"
import { onFlag, orFail, orUsage, printTable, printText, printWire } from "./command-outcome.ts"
import { dataFlag } from "./dataset-command.ts"
import { countryArgument, readPair } from "./find-command.ts"
import { langFlag, loadWords, type Words } from "./language.ts"

export const explain = makeCommand("explain", {
  about: "Explain the answer of a pair",
  usage: "landfall explain PASSPORT DESTINATION [--on DATE] [--lang LANG] [--data DIR] [--json]",
  examples: { "landfall explain LCA GBR": "The claim that decided, and those that it beat" },
  takes: {
    passport: countryArgument("passport", "FRA"),
    destination: countryArgument("destination", "JPN"),
    on: onFlag,
    lang: langFlag,
    data: dataFlag,
  },
  *run({ on, lang, data, json, ...given }) {
    const dataset = embeddedDataset()
    const { passport, destination } = yield* readPair(dataset, given)
    const words = yield* loadWords(lang)
    const records = yield* orFail(readDataRecords(data))
    const facts = toFacts(records)
    const place = placeRules(records)
    const explanation = yield* orUsage(
      explainRequirement(
        facts,
        passport,
        destination,
        Option.getOrElse(on, () => facts.asOf),
      ),
    )
    const { decided, beaten } = explanation
    const ruling = decided === null ? null : explainClaims(records, passport, decided.policy)
    const order = (ruling?.trace ?? []).map(({ value: { word, days, opinions, isOfTable }, says }) => ({
      answer: days === null ? word : `${word} ${days}`,
      claims: [...opinions.map(({ place: claim }) => claim), ...(isOfTable ? ["tables"] : [])],
      says,
    }))
    const treaty = ruling?.treaty?.id ?? null
    if (json) return yield* printWire({ ...explanation, order, treaty })
    const pair = `${words.country(passport)} (${passport}) → ${words.country(destination)} (${destination})`
    if (decided === null) return yield* printText(`${pair} on ${explanation.on}: nothing is claimed of this pair.`)
    const doubt = explanation.uncertain ? " (uncertain)" : ""
    yield* printText(`${pair} on ${explanation.on}, decided by the first of these claims${doubt}:\n`)
    yield* printTable(
      ["claim", "names", "says", "in force", "source", "page", "read"],
      [decided, ...beaten].map(rule => toRow(rule, place, words)),
    )
    yield* printText(`\nThe order of claims on ${records.dataset.as_of}:\n`)
    yield* printTable(
      ["answer", "claims", "which"],
      order.map(({ answer, claims, says }) => [answer, claims.join(" "), says]),
    )
    if (treaty !== null) yield* printText(`\nThe treaty ${treaty} is a floor: no answer is below its terms.`)
  },
})

function toRow(
  { policy, field, selector, terms }: ExplainedRule,
  place: ReturnType<typeof placeRules>,
  words: Words,
): string[] {
  const placed = place({ record: `policies/${policy}`, field })
  const inForce = `${terms.from ?? "…"} – ${terms.until ?? "…"}`
  const claim = field === "home" ? "home" : `${placed.record} ${placed.field}`
  const said = [words.answer(terms), inForce, terms.source ?? "none", terms.sourceUrl ?? "", terms.verifiedOn ?? ""]
  return [claim, selector, ...said]
}
