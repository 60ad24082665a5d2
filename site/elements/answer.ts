/** `<landfall-answer>`: what a passport needs at a destination, and how old that answer is. */
import { lookupRequirement } from "../../src/requirement/lookup.ts"
import { html } from "./drawing-nodes.ts"
import { nameAnswer, type Shown } from "./shown.ts"

/** Shows the answer of the first passport. */
export function showAnswer({
  dataset,
  knownOn,
  passports: [passport = ""],
  destination,
  words,
}: Shown): readonly Node[] {
  const { say } = words
  const answer = lookupRequirement(dataset, passport, destination)
  if (answer.kind !== "found") {
    const missing = !dataset.passports.includes(passport)
      ? "part.unknown_passport"
      : dataset.destinations.includes(destination)
        ? "part.no_rule"
        : "part.unknown_destination"
    return [html("p", { part: "unknown" }, say(missing))]
  }
  const title = say("label.title", { passport: { country: passport }, destination: { country: destination } })
  return [
    html("h2", { part: "title" }, title),
    html("p", { class: "requirement", part: "requirement" }, nameAnswer(words, answer)),
    html("p", { class: "note", part: "note" }, say("day.known", { date: { on: knownOn } })),
  ]
}
