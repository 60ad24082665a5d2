/**
 * `<landfall-trip>`: does anything known block a trip, and what has to be obtained?
 *
 * The engine's decisions and their rules are a separate part, which is loaded when the first trip is shown.
 */

import type { Dataset } from "../../src/dataset/open.ts"
import { embeddedRules } from "../../src/embedded-dataset.ts"
import { type Notice, sayNotice } from "../../src/record/notices.ts"
import { decide } from "../../src/trip/judge.ts"
import { html } from "./drawing-nodes.ts"
import type { Words } from "./words.ts"

/** A stop: its destination, and its first and last day. */
export interface Stop {
  readonly destination: string
  readonly from: string
  readonly to: string
}

/** A trip of one traveller, who may use any of the passports. */
export interface Trip {
  readonly passports: readonly string[]
  readonly stops: readonly Stop[]
  /** The reader's own date: a trip that is over is not shown as one that is clear. */
  readonly today: string
}

const HEADINGS = {
  blocked: "trip.blocked",
  obtain: "trip.obtain",
  unknown: "trip.open",
  clear: "trip.no_blocker",
} as const

/** One line for each cause. */
function list(part: string, label: string, lines: readonly string[]) {
  if (lines.length === 0) return []
  const items = [...new Set(lines)].map(text => html("li", {}, text))
  return [html("p", {}, label), html("ul", { class: "list", part }, ...items)]
}

export function showTrip(trip: Trip, words: Words, given: Dataset | null): readonly Node[] {
  const { say } = words
  const dataset = given ?? embeddedRules()
  const { passports, stops, today } = trip
  const [passport = "", ...others] = passports
  const asked = others.length === 0 ? { passport } : { passports: passports.map(code => ({ passport: code })) }
  const judged = decide(dataset, { ...asked, stops })
  if (!judged.ok) {
    const mistakes = judged.error.issues.map(({ path, message }) => html("li", { lang: "en" }, `${path}: ${message}`))
    return [html("p", {}, say("trip.refused")), html("ul", { class: "list", part: "mistakes" }, ...mistakes)]
  }
  if (judged.value.kind !== "decided") return [html("p", { part: "unknown" }, say("part.unknown_passport"))]
  const { outcome, blockers, conditions, toDo, unknowns } = judged.value
  const sayAll = (notices: readonly Notice[]) => notices.map(notice => sayNotice(words.locale, notice))
  // A task follows from a condition, whose sentence is in the language.
  const needed = toDo.flatMap(({ code, step, destination }) =>
    sayAll(conditions.filter(each => each.code === code && each.step === step)).map(said =>
      words.locale.label(words.locale.nameCountry(destination), said),
    ),
  )
  const isOver = stops.every(({ to }) => to < today)
  const count = toDo.filter(({ due }) => due === "before_departure").length
  const tone = outcome === "clear" && isOver ? "" : outcome
  return [
    html(
      "div",
      { class: `outcome ${tone}`.trim(), part: "outcome" },
      html("h2", {}, say(HEADINGS[outcome], { blockers: new Set(blockers.map(({ code }) => code)).size, count })),
      blockers.length === 0 ? html("p", { class: "note" }, say("trip.no_permission")) : null,
    ),
    ...list("blockers", say("trip.blockers"), sayAll(blockers)),
    ...list("to-do", say("todo.title"), needed),
    ...list("unknowns", say("trip.unknowns", { count: unknowns.length }), sayAll(unknowns)),
    html("p", { class: "note", part: "note" }, say("day.known", { date: { on: dataset.asOf } })),
  ]
}
