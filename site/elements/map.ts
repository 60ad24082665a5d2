/** `<landfall-map>`: what the holders of some passports need in every country of the world, as a map with a legend and as a list. */
import { shapes } from "site:shapes/110m"
import type { Found } from "../../src/dataset/pair-table.ts"
import { easeRank, REQUIREMENTS, type Requirement } from "../../src/dataset/requirement.ts"
import { lookupRequirement } from "../../src/requirement/lookup.ts"
import { MAP_HEIGHT, MAP_WIDTH, PLACES } from "../places.ts"
import { html, svg } from "./drawing-nodes.ts"
import { nameAnswer, type Shown } from "./shown.ts"

/** Smaller outlines are dots, in square units of the map. */
const SMALL = 6
const DOT_RADIUS = "3.2"
const CATEGORIES = ["home", ...REQUIREMENTS, "unknown"] as const

/** The easiest answer of some passports at a destination; null where there is no record for any of them. */
function findBest({ dataset, passports }: Shown, destination: string): Found | null {
  const answers = passports.map(passport => lookupRequirement(dataset, passport, destination))
  const found = answers.filter((answer): answer is Found => answer.kind === "found")
  found.sort(
    (one, other) => Number(other.home) - Number(one.home) || easeRank(one.requirement) - easeRank(other.requirement),
  )
  return found[0] ?? null
}

const categoryOf = (answer: Found | null): Requirement | "home" | "unknown" =>
  answer === null ? "unknown" : answer.home ? "home" : answer.requirement

export function showMap(shown: Shown): readonly Node[] {
  const { dataset, knownOn, passports, words } = shown
  const { locale, say } = words
  const answers = new Map(dataset.destinations.map(code => [code, findBest(shown, code)]))
  const describe = (code: string) =>
    locale.label(locale.nameCountry(code), nameAnswer(words, answers.get(code) ?? null))
  const dress = (code: string) => ({ class: answers.has(code) ? categoryOf(answers.get(code) ?? null) : "unknown" })
  const titled = (code: string) => (code === "" ? null : svg("title", {}, describe(code)))
  const outlines = Object.entries(shapes.outlines).map(([code, d]) => svg("path", { ...dress(code), d }, titled(code)))
  const dots = PLACES.filter(({ code, area }) => area < SMALL && answers.has(code)).map(({ code, x, y }) =>
    svg("circle", { ...dress(code), cx: String(x), cy: String(y), r: DOT_RADIUS }, titled(code)),
  )
  const counts = new Map<string, number>()
  for (const answer of answers.values()) counts.set(categoryOf(answer), (counts.get(categoryOf(answer)) ?? 0) + 1)
  const nameOf = (category: (typeof CATEGORIES)[number]) =>
    say(category === "home" || category === "unknown" ? `category.${category}` : `requirement.${category}`)
  const legend = CATEGORIES.filter(category => counts.has(category)).map(category =>
    html(
      "li",
      {},
      svg(
        "svg",
        { viewBox: "0 0 9 9", "aria-hidden": "true" },
        svg("rect", { class: category, width: "9", height: "9" }),
      ),
      ` ${locale.label(nameOf(category), locale.formatValue(counts.get(category) ?? 0))}`,
    ),
  )
  const names = passports.map(locale.nameCountry)
  const codes = [...answers.keys()].sort((one, other) =>
    locale.nameCountry(one).localeCompare(locale.nameCountry(other), words.language),
  )
  return [
    svg(
      "svg",
      { viewBox: `0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`, role: "img", part: "map", "aria-label": locale.list(names) },
      svg("g", { transform: `scale(${MAP_WIDTH / shapes.width})` }, ...outlines),
      ...dots,
    ),
    html("ul", { class: "legend", part: "legend" }, ...legend),
    html("p", { class: "note", part: "note" }, say("day.known", { date: { on: knownOn } })),
    html(
      "details",
      { part: "list" },
      html("summary", {}, say("compare.side")),
      html("ul", { class: "all" }, ...codes.map(code => html("li", {}, describe(code)))),
    ),
  ]
}
