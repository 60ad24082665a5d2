/**
 * Which parts of the page are generated while it is built?
 *
 * The shapes of the map, the places of its dots, the words of each language and the missions of each country become modules of the bundle, generated from the
 * data and the packages at every build; none of them is a file of the project.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Plugin } from "esbuild"
import { LANGUAGES } from "../../src/compiler.ts"
import { missionParts } from "../../src/record/missions.generated.ts"
import { MISSION_KINDS, type MissionParts, openMissions } from "../../src/record/missions.ts"
import { readElementMessages, readOwnMessages, readPageMessages } from "./page-messages.ts"
import { drawShapes, findMapPoints, MAP_HEIGHT, MAP_WIDTH, type Place } from "./world-shapes.ts"

interface Country extends Place {
  readonly alpha2: string
}

function readCountries(): readonly Country[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../../data/countries.json"), "utf8"))
}

function listPlaces(): readonly (readonly [code: string, alpha2: string, x: number, y: number, area: number])[] {
  const countries = readCountries()
  const points = findMapPoints(countries)
  return countries.map(({ code, alpha2 }) => {
    const { x, y, area } = points[code] ?? { x: 0, y: 0, area: 0 }
    return [code, alpha2, x, y, area] as const
  })
}

/** What each language calls itself, by script and then by letter. */
function listOwnNames(): readonly (readonly [code: string, name: string])[] {
  const { compare } = new Intl.Collator("en")
  return LANGUAGES.map(
    language => [language, readOwnMessages(language)["language.own_name"] ?? language] as const,
  ).sort(([, a], [, b]) => compare(a, b))
}

/** The table of missions, country by country. */
function splitMissions(): ReadonlyMap<string, MissionParts> {
  const whole = openMissions(missionParts)
  const hosts = new Map<string, string[]>()
  for (let at = 0; at < missionParts.pairs.length; at += 6) {
    const [operator, host] = [missionParts.pairs.slice(at, at + 3), missionParts.pairs.slice(at + 3, at + 6)]
    hosts.set(operator, [...(hosts.get(operator) ?? []), host])
  }
  const { asOf, source } = missionParts
  return new Map(
    [...hosts].map(([operator, at]) => {
      const lists = at.map(host => whole.listMissions(operator, host))
      const all = lists.flat()
      const lines = (field: "city" | "website" | "phone" | "email") => all.map(each => each[field] ?? "").join("\n")
      const parts = {
        asOf,
        source,
        pairs: at.map(host => operator + host).join(""),
        counts: lists.map(({ length }) => length.toString(36)).join(""),
        kinds: all.map(({ kind }) => MISSION_KINDS.indexOf(kind)).join(""),
        cities: lines("city"),
        websites: lines("website"),
        phones: lines("phone"),
        emails: lines("email"),
      }
      return [operator, parts] as const
    }),
  )
}

let missions: ReadonlyMap<string, MissionParts> | null = null

function makeModule(name: string): string | null {
  const [, what, which = ""] = /^(places|shapes|messages|missions|elements)(?:\/([A-Za-z0-9]+))?$/.exec(name) ?? []
  if (what === "places") {
    return `export const MAP_WIDTH = ${MAP_WIDTH}
export const MAP_HEIGHT = ${MAP_HEIGHT}
export const places = ${JSON.stringify(listPlaces())}`
  }
  if (what === "shapes" && (which === "110m" || which === "50m")) {
    return `export const shapes = ${JSON.stringify(drawShapes(which, readCountries()))}`
  }
  if (what === "missions" && which === "") {
    missions ??= splitMissions()
    const loaders = [...missions.keys()].map(code => `${code}: () => import("site:missions/${code}")`)
    return `export const MISSIONS_AS_OF = ${JSON.stringify(missionParts.asOf)}
export const MISSIONS_SOURCE = ${JSON.stringify(missionParts.source)}
export const OPERATORS = { ${loaders.join(", ")} }`
  }
  if (what === "missions") {
    missions ??= splitMissions()
    return `export const parts = ${JSON.stringify(missions.get(which))}`
  }
  if (what === "messages" && which === "") {
    const loaders = LANGUAGES.map(language => `${language}: () => import("site:messages/${language}")`)
    return `export const CATALOGUES = { ${loaders.join(", ")} }
export const OWN_NAMES = ${JSON.stringify(listOwnNames())}`
  }
  if (what === "elements" && which === "") {
    const loaders = LANGUAGES.map(language => `${language}: () => import("site:elements/${language}")`)
    return `export const WORDS = { ${loaders.join(", ")} }`
  }
  if (what === "elements") return `export const words = ${JSON.stringify(readElementMessages(which))}`
  if (what === "messages") return `export const catalogue = ${JSON.stringify(readPageMessages(which))}`
  return null
}

/** Resolves `site:places`, `site:shapes/110m`, `site:shapes/50m`, `site:messages/<language>`, `site:missions/<country>`, `site:elements/<language>`, and `site:missions`, `site:messages` and `site:elements`, which load these. */
export const virtualModules: Plugin = {
  name: "virtual-modules",
  setup(build) {
    build.onResolve({ filter: /^site:/ }, ({ path }) => ({
      path: path.slice("site:".length),
      namespace: "site",
      sideEffects: false,
    }))
    build.onLoad({ filter: /.*/, namespace: "site" }, ({ path }) => {
      const contents = makeModule(path)
      return contents === null ? { errors: [{ text: `There is no module site:${path}.` }] } : { contents, loader: "js" }
    })
  },
}
