/** `landfall explain FRA JPN`: the claim that decided, and those that it beat, from the facts of a clone. */
import { type ExplainedRule, explainRequirement } from "../../src/compiler.ts"
import { embeddedDataset } from "../../src/index.ts"
import { toWire } from "../answers/wire-names.ts"
import { explainClaims } from "../data-files/answer-claims.ts"
import { placeRules, readDataRecords, toFacts } from "../data-files/read-facts.ts"
import { makeCommand } from "./command.ts"
import { orFail, orUsage } from "./command-outcome.ts"
import { dataFolder } from "./dataset-command.ts"
import { country, day, readCountry } from "./dataset-question.ts"
import { lang, loadWords, type Words } from "./language.ts"
import { table } from "./print.ts"

export const explain = makeCommand("explain", {
  about: "Explain the answer of a pair",
  examples: { "landfall explain LCA GBR": "The claim that decided, and those that it beat" },
  takes: { passport: country("FRA"), destination: country("JPN"), on: day, lang, data: dataFolder },
  *run({ on, lang, data, ...given }) {
    const dataset = embeddedDataset()
    const passport = yield* readCountry(dataset, given.passport, { field: "passport" })
    const destination = yield* readCountry(dataset, given.destination, { field: "destination" })
    const words = yield* loadWords(lang)
    const records = yield* orFail(readDataRecords(data))
    const facts = toFacts(records)
    const place = placeRules(records)
    const explanation = yield* orUsage(explainRequirement(facts, passport, destination, on ?? facts.asOf))
    const { decided, beaten } = explanation
    const ruling = decided === null ? null : explainClaims(records, passport, decided.policy)
    const order = (ruling?.trace ?? []).map(({ value: { word, days, opinions, isOfTable }, says }) => ({
      answer: days === null ? word : `${word} ${days}`,
      claims: [...opinions.map(({ place: claim }) => claim), ...(isOfTable ? ["tables"] : [])],
      says,
    }))
    const treaty = ruling?.treaty?.id ?? null
    const json = toWire({ ...explanation, order, treaty })
    const pair = `${words.country(passport)} (${passport}) → ${words.country(destination)} (${destination})`
    if (decided === null) return { json, text: [`${pair} on ${explanation.on}: nothing is claimed of this pair.`] }
    const doubt = explanation.uncertain ? " (uncertain)" : ""
    return {
      json,
      text: [
        `${pair} on ${explanation.on}, decided by the first of these claims${doubt}:\n`,
        table(
          ["claim", "names", "says", "in force", "source", "page", "read"],
          [decided, ...beaten].map(rule => toRow(rule, place, words)),
        ),
        `\nThe order of claims on ${records.dataset.as_of}:\n`,
        table(
          ["answer", "claims", "which"],
          order.map(({ answer, claims, says }) => [answer, claims.join(" "), says]),
        ),
        ...(treaty === null ? [] : [`\nThe treaty ${treaty} is a floor: no answer is below its terms.`]),
      ],
    }
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
