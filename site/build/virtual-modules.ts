/**
 * Which parts of the page are generated while it is built?
 *
 * The shapes of the map, the places of its dots, the words of each language and the record's tables of each country become modules of the bundle, generated from the
 * data and the packages at every build; none of them is a file of the project.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { Plugin } from "rolldown"
import { LANGUAGES } from "../../src/compiler.ts"
import { embeddedRemarks } from "../../src/dataset/embedded-remarks.generated.ts"
import { factParts } from "../../src/record/facts.generated.ts"
import { openCityNames } from "../../src/record/localise.ts"
import { type CountryParts, sharedRemarks, shareParts, splitByCountry } from "./country-parts.ts"
import { readOwnMessages, readPageMessages } from "./page-messages.ts"
import { drawShapes, findMapPoints, MAP_HEIGHT, MAP_WIDTH, type Place } from "./world-shapes.ts"

const SOURCES = join(import.meta.dirname, "../../src")
/** Where the words of records are generated. */
const RECORDS = join(SOURCES, "record")

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

/** The own name of each language, ordered by script and then by letter. */
function listOwnNames(): readonly (readonly [code: string, name: string])[] {
  const { compare } = new Intl.Collator("en")
  return LANGUAGES.map(
    language => [language, readOwnMessages(language)["language.own_name"] ?? language] as const,
  ).sort(([, a], [, b]) => compare(a, b))
}

let countries: ReadonlyMap<string, CountryParts> | null = null

function makeModule(name: string): string | null {
  const [, what, which = ""] =
    /^(places|shapes|messages|countries|records|remarks)(?:[/-]([A-Za-z0-9]+))?$/.exec(name) ?? []
  if (what === "places") {
    return `export const MAP_WIDTH = ${MAP_WIDTH}
export const MAP_HEIGHT = ${MAP_HEIGHT}
export const places = ${JSON.stringify(listPlaces())}`
  }
  if (what === "shapes" && (which === "110m" || which === "50m")) {
    return `export const shapes = ${JSON.stringify(drawShapes(which, readCountries()))}`
  }
  if (what === "countries" && which === "") {
    countries ??= splitByCountry()
    const loaders = [...countries.keys()].map(code => `${code}: () => import("site:countries/${code}")`)
    const languages = LANGUAGES.map(language => `${language}: () => import("site:records-${language}")`)
    return `export const RECORD_WORDS = { ${languages.join(", ")} }
export const SHARED = ${JSON.stringify(shareParts())}
export const COUNTRIES = { ${loaders.join(", ")} }`
  }
  if (what === "countries") {
    countries ??= splitByCountry()
    return `export const parts = ${JSON.stringify(countries.get(which))}`
  }
  if (what === "remarks") {
    const { texts: _, ...rest } = embeddedRemarks
    return `import { openEmbedded } from ${JSON.stringify(`${SOURCES}/embedded-rules.ts`)}
export const openRemarked = texts =>
  openEmbedded({ ...${JSON.stringify(rest)}, texts: Object.assign([], ${JSON.stringify(sharedRemarks())}, texts) })`
  }
  if (what === "records") {
    const { cities: names } = createRequire(import.meta.url)(`${RECORDS}/cities-${which}.generated.ts`)
    const cities = [...openCityNames(factParts.cities ?? "", names)]
    const { catalogue } = createRequire(import.meta.url)(`${RECORDS}/catalogue-${which}.generated.ts`)
    const ofPage: Readonly<Record<string, unknown>> = readPageMessages(which)
    const rest = Object.entries(catalogue).filter(([key, text]) => !isDeepStrictEqual(text, ofPage[key]))
    return `export const catalogue = ${JSON.stringify(Object.fromEntries(rest))}
export const cities = ${JSON.stringify(cities)}`
  }
  if (what === "messages" && which === "") {
    const loaders = LANGUAGES.map(language => `${language}: () => import("site:messages/${language}")`)
    return `export const CATALOGUES = { ${loaders.join(", ")} }
export const OWN_NAMES = ${JSON.stringify(listOwnNames())}`
  }
  if (what === "messages") return `export const catalogue = ${JSON.stringify(readPageMessages(which))}`
  return null
}

/** Resolves `site:places`, `site:shapes/110m`, `site:shapes/50m`, `site:messages/<language>`, `site:countries/<country>`, `site:records-<language>`, `site:remarks`, and `site:countries` and `site:messages`, which load these. */
export const virtualModules: Plugin = {
  name: "virtual-modules",
  resolveId: { filter: { id: /^site:/ }, handler: id => ({ id, moduleSideEffects: false }) },
  load: {
    filter: { id: /^site:/ },
    handler(id) {
      return makeModule(id.slice("site:".length)) ?? this.error(`There is no module ${id}.`)
    },
  },
}
