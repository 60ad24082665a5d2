/** How is a decision told in sentences, as a model can repeat them? */
import type { Decision, Due, GroupDecision } from "../../../src/engine.ts"

/** Says the outcome of a decision, what has to be done and when, and how much is unknown. */
export function sayDecision({ outcome, blockers, toDo, unknowns }: Decision | GroupDecision): string {
  const list = (wanted: Due) =>
    toDo.flatMap(({ due, destination, message }) => (due === wanted ? [`${destination}: ${message}`] : [])).join(" ")
  const found = {
    blocked: `Blocked: ${blockers.map(({ message }) => message).join(" ")}`,
    obtain: `To be obtained before departure: ${list("before_departure")}`,
    unknown: "Nothing that is known blocks this journey, and what decides about it is not all known.",
    clear: "Nothing that is known blocks this journey.",
  }[outcome]
  const later = outcome === "blocked" ? "" : list("on_arrival")
  const onArrival = later === "" ? "" : ` On arrival: ${later}`
  const gaps = unknowns.length === 1 ? "1 thing is" : `${unknowns.length} things are`
  const rest = unknowns.length === 0 ? "" : ` ${gaps} unknown (see \`decision\`); unknown does not mean permitted.`
  return `${found}${onArrival}${rest}`
}
