/**
 * Which outline does each destination have on the map, and where is the dot of one that is too small for an outline?
 *
 * Natural Earth's shapes (public domain, from the package `world-atlas`) are projected here, while the page is built, so that a
 * browser only draws: Natural Earth's own projection, turned so that no country is cut. Natural Earth draws a country's far parts
 * with it; parts that have a code and rules of their own are separated again by their position. Borders are Natural Earth's,
 * which shows who is in control; areas without a code there (Northern Cyprus, Somaliland, the Siachen Glacier) are drawn without
 * an answer.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { type GeoProjection, geoArea, geoCentroid, geoNaturalEarth1, geoPath } from "d3-geo"
import { type Feature, feature, type Topology } from "topojson-client"

/** How fine the shapes are: 1 to 110 million for the whole world, 1 to 50 million for a closer look. */
export type Fineness = "110m" | "50m"

/** The position of a country, as far as it is known. */
export interface Place {
  readonly code: string
  readonly numeric: string
  readonly latitude: number
  readonly longitude: number
}

/** Outlines by code, as SVG path data in whole units; areas without a code are under `""`. */
export interface Shapes {
  /** Width and height of the drawing in units. */
  readonly width: number
  readonly height: number
  readonly outlines: Readonly<Record<string, string>>
}

/** Where a destination is on the map, in units of {@link MAP_WIDTH}, and how large it is there (square units). */
export interface MapPoint {
  readonly x: number
  readonly y: number
  readonly area: number
}

/** Width of the map in the units of points. */
export const MAP_WIDTH = 1000
/** Height of the map: from the north of Greenland to the tip of the Antarctic Peninsula. */
export const MAP_HEIGHT = 458

// Units of an outline for each unit of the map: as fine as the shapes are.
const UNITS: Readonly<Record<Fineness, number>> = { "110m": 8, "50m": 24 }

// Parts that Natural Earth draws with a country and that have a code of their own: west, south, east, north.
const PARTS: readonly (readonly [drawnWith: string, code: string, box: readonly [number, number, number, number]])[] = [
  ["FRA", "GUF", [-55, 2, -51, 6.5]],
  ["FRA", "GLP", [-62, 15.7, -60.9, 16.7]],
  ["FRA", "MTQ", [-61.4, 14.2, -60.6, 15]],
  ["FRA", "REU", [55, -21.6, 56, -20.6]],
  ["FRA", "MYT", [44.9, -13.2, 45.5, -12.4]],
  ["NOR", "SJM", [-10, 70.5, 35, 81]],
  ["NOR", "BVT", [3, -55, 4, -54]],
  ["NLD", "BES", [-69, 11.9, -62.8, 18]],
  ["AUS", "CXR", [105, -11, 106.5, -10]],
  ["AUS", "CCK", [96, -13, 97.5, -11.5]],
  ["", "CXR", [105, -11, 106.5, -10]],
  ["", "CCK", [96, -13, 97.5, -11.5]],
  ["NZL", "TKL", [-173.5, -10, -171, -8]],
]
const ON_MAINLAND_OF_NORWAY = 71.5
// Of Antarctica the map shows the tip of its peninsula only, as a dot; the outlying islands of the United States are where Wake is.
const ANTARCTICA = "ATA"
const POINTS: Readonly<Record<string, { readonly longitude: number; readonly latitude: number }>> = {
  [ANTARCTICA]: { longitude: -57, latitude: -63.3 },
  UMI: { longitude: 166.6, latitude: 19.3 },
}

type Position = number[]
type Rings = readonly Position[][]

function readTopology(fineness: Fineness): Topology {
  return JSON.parse(
    readFileSync(createRequire(import.meta.url).resolve(`world-atlas/countries-${fineness}.json`), "utf8"),
  )
}

function readPolygons(fineness: Fineness, places: readonly Place[]): ReadonlyMap<string, readonly Rings[]> {
  const byNumber = new Map(places.map(({ numeric, code }) => [numeric, code]))
  const topology = readTopology(fineness)
  const polygons = new Map<string, Rings[]>()
  for (const { id, geometry, properties } of feature(topology, topology.objects.countries).features) {
    const drawnWith = byNumber.get(String(id).padStart(3, "0")) ?? (properties.name === "Kosovo" ? "XKX" : "")
    for (const rings of listRings(geometry)) {
      const code = codeOf(drawnWith, rings)
      if (code === ANTARCTICA) continue
      const known = polygons.get(code)
      if (known === undefined) polygons.set(code, [rings])
      else known.push(rings)
    }
  }
  return polygons
}

function listRings(geometry: Feature["geometry"]): readonly Rings[] {
  return geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates
}

function codeOf(drawnWith: string, rings: Rings): string {
  const [longitude, latitude] = geoCentroid({ type: "Polygon", coordinates: rings as Position[][] })
  // Jan Mayen lies south of the North Cape.
  if (drawnWith === "NOR" && longitude > 0 && latitude < ON_MAINLAND_OF_NORWAY) return drawnWith
  const part = PARTS.find(
    ([country, , [west, south, east, north]]) =>
      country === drawnWith && longitude >= west && longitude <= east && latitude >= south && latitude <= north,
  )
  return part?.[1] ?? drawnWith
}

/** The projection with a drawing of `width` units; its middle is 11° east, so that its edge is in the Bering Strait. */
function projectTo(width: number): GeoProjection {
  const projection = geoNaturalEarth1().rotate([-11, 0]).fitWidth(width, { type: "Sphere" })
  const [x] = projection.translate()
  const top = projection([0, 84])?.[1] ?? 0
  return projection.translate([x, projection.translate()[1] - top])
}

export function drawShapes(fineness: Fineness, places: readonly Place[]): Shapes {
  const units = UNITS[fineness]
  const projection = projectTo(MAP_WIDTH * units)
  const writePath = geoPath(projection).digits(0)
  const outlines: Record<string, string> = {}
  for (const [code, polygons] of [...readPolygons(fineness, places)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const outline = polygons
      .map(coordinates => writePath({ type: "Polygon", coordinates: coordinates as Position[][] }) ?? "")
      .flatMap(path => path.split("Z").map(ring => shortenRing(ring, MAP_HEIGHT * units)))
      .join("")
    if (outline !== "") outlines[code] = outline
  }
  return { width: MAP_WIDTH * units, height: MAP_HEIGHT * units, outlines }
}

/** Writes a ring such as `M10,20L11,21L9,9`, each point relative to the one before it; one that falls on less than three points is left out, and one below the map. */
function shortenRing(ring: string, bottom: number): string {
  const whole = ring
    .slice(1)
    .split("L")
    .map(point => point.split(",").map(Number) as [number, number])
  const points = whole.filter(([x, y], at) => x !== whole.at(at - 1)?.[0] || y !== whole.at(at - 1)?.[1])
  const [first, ...rest] = points
  if (first === undefined || rest.length < 2 || points.every(([, y]) => y > bottom)) return ""
  const steps = rest.flatMap(([x, y], at) => [x - (points[at]?.[0] ?? 0), y - (points[at]?.[1] ?? 0)])
  return `M${first.join(" ")}l${steps.join(" ")}z`.replaceAll(" -", "-")
}

/** Finds where each destination is: the middle of its largest part, or else the position in its record. */
export function findMapPoints(places: readonly Place[]): Readonly<Record<string, MapPoint>> {
  const projection = projectTo(MAP_WIDTH)
  const path = geoPath(projection)
  const polygons = readPolygons("50m", places)
  const points: Record<string, MapPoint> = {}
  for (const place of places) {
    const { code } = place
    const { longitude, latitude } = POINTS[code] ?? place
    const parts = (polygons.get(code) ?? []).map(rings => ({
      type: "Polygon" as const,
      coordinates: rings as Position[][],
    }))
    const largest = parts.sort((a, b) => geoArea(b) - geoArea(a))[0]
    const middle = largest === undefined ? null : path.centroid(largest)
    // A part that the projection draws as a single point has no middle.
    const [x, y] = (middle?.every(Number.isFinite) ? middle : projection([longitude, latitude])) ?? [0, 0]
    const area = parts.reduce((total, part) => total + path.area(part), 0)
    points[code] = { x: round(x), y: round(y), area: round(area) }
  }
  return points
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
