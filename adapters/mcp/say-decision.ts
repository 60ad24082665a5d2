/** How is a decision told in sentences, as a model can repeat them? */
import type { Decision, Due, GroupDecision } from "../../src/engine.ts"

/** Says the outcome of a decision, what has to be done and when, and how much is unknown. */
export function sayDecision(decision: Decision | GroupDecision): string {
  const { outcome, blockers, toDo, conditions, unknowns } = decision
  const list = (wanted: Due) =>
    toDo.flatMap(({ due, destination, message }) => (due === wanted ? [`${destination}: ${message}`] : [])).join(" ")
  const found = {
    blocked: `Blocked: ${blockers.map(({ message }) => message).join(" ")}`,
    obtain: `To be obtained before departure: ${list("before_departure")}`,
    unknown: "Nothing that is known blocks this journey, but something that decides is unknown or has to be checked.",
    clear: "Nothing that is known blocks this journey.",
  }[outcome]
  const say = (title: string, sentences: string) =>
    outcome === "blocked" || sentences === "" ? "" : ` ${title}: ${sentences}`
  const onArrival = say("On arrival", list("on_arrival"))
  const others = conditions.filter(
    ({ code, step }) => !toDo.some(each => each.code === code && each.steps.includes(step)),
  )
  const under = say("Conditions", [...new Set(others.map(({ message }) => message))].join(" "))
  const gaps = unknowns.length === 1 ? "1 thing is" : `${unknowns.length} things are`
  const rest = unknowns.length === 0 ? "" : ` ${gaps} unknown (see \`decision\`); unknown does not mean permitted.`
  return `${found}${onArrival}${under}${rest}`
}
