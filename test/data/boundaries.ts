/**
 * In which country does a position lie, and how far is it from a country?
 *
 * Reads the countries of Natural Earth as the package `world-atlas` ships them: TopoJSON, lines of whole numbers that neighbours
 * share. Natural Earth draws some territories as a part of the state that they belong to; here they have that state's outline.
 * Areas without a code, disputed ones among them, belong to no country.
 */

/** The part of a TopoJSON file of countries that is read. */
export interface CountriesTopology {
  readonly objects: {
    readonly countries: {
      readonly geometries: readonly {
        readonly type: string
        /** ISO 3166-1 numeric, where the country has one. */
        readonly id?: string
        readonly properties: { readonly name: string }
        readonly arcs: readonly (readonly number[] | readonly (readonly number[])[])[]
      }[]
    }
  }
  readonly arcs: readonly (readonly (readonly number[])[])[]
  readonly transform: { readonly scale: readonly number[]; readonly translate: readonly number[] }
}

/** A closed line. */
interface Ring {
  /** Longitude and latitude in turns. */
  readonly points: Float64Array
  readonly west: number
  readonly east: number
}

/** The outlines of countries by ISO 3166-1 alpha-2. */
export type Boundaries = ReadonlyMap<string, readonly Ring[]>

/** Drawn by Natural Earth as a part of another country. */
const DRAWN_WITH: Readonly<Record<string, string>> = {
  BQ: "NL",
  BV: "NO",
  CC: "AU",
  CX: "AU",
  GF: "FR",
  GP: "FR",
  MQ: "FR",
  RE: "FR",
  SJ: "NO",
  TK: "NZ",
  YT: "FR",
}

/** Opens the outlines; `alpha2Of` gives a country's alpha-2 code by its numeric one, and Kosovo's by its name. */
export function openBoundaries(topology: CountriesTopology, alpha2Of: ReadonlyMap<string, string>): Boundaries {
  const lines = topology.arcs.map(arc => toLine(arc, topology.transform))
  const boundaries = new Map<string, Ring[]>()
  for (const { type, id, properties, arcs } of topology.objects.countries.geometries) {
    const code = alpha2Of.get(id ?? properties.name)
    if (code === undefined) continue
    const polygons = (type === "Polygon" ? [arcs] : arcs) as readonly (readonly (readonly number[])[])[]
    const rings = polygons.flat().map(ring => joinLines(ring, lines))
    boundaries.set(code, [...(boundaries.get(code) ?? []), ...rings])
  }
  for (const [code, state] of Object.entries(DRAWN_WITH)) {
    const rings = boundaries.get(state)
    if (rings !== undefined) boundaries.set(code, rings)
  }
  return boundaries
}

// Each point but the first is written as its difference from the one before.
function toLine(arc: readonly (readonly number[])[], { scale, translate }: CountriesTopology["transform"]): number[] {
  const [scaleX = 1, scaleY = 1] = scale
  const [startX = 0, startY = 0] = translate
  let [x, y] = [0, 0]
  return arc.flatMap(([dx = 0, dy = 0]) => {
    x += dx
    y += dy
    return [x * scaleX + startX, y * scaleY + startY]
  })
}

// A negative number is a line that is walked backwards: -1 is the first.
function joinLines(ring: readonly number[], lines: readonly (readonly number[])[]): Ring {
  const points: number[] = []
  for (const number of ring) {
    const line = lines[number < 0 ? ~number : number] as readonly number[]
    for (let at = 0; at < line.length; at += 2) {
      const from = number < 0 ? line.length - 2 - at : at
      points.push(line[from] as number, line[from + 1] as number)
    }
  }
  const longitudes = points.filter((_, at) => at % 2 === 0)
  const [west, east] = [longitudes.reduce((a, b) => Math.min(a, b)), longitudes.reduce((a, b) => Math.max(a, b))]
  return { points: Float64Array.from(points), west, east }
}

/** Whether a position lies within rings: a line from it to the north crosses them an odd number of times. */
export function isWithin(rings: readonly Ring[], latitude: number, longitude: number): boolean {
  let isInside = false
  for (const { points, west, east } of rings) {
    if (longitude < west || longitude > east) continue
    for (let at = 2; at < points.length; at += 2) {
      const [x1, x2] = [points[at - 2] as number, points[at] as number]
      if (x1 > longitude === x2 > longitude) continue
      const [y1, y2] = [points[at - 1] as number, points[at + 1] as number]
      if (latitude < y1 + ((y2 - y1) * (longitude - x1)) / (x2 - x1)) isInside = !isInside
    }
  }
  return isInside
}

const KM_A_DEGREE = 111.195

/**
 * How far a position is from the nearest point of rings, in kilometres, on a plane that touches the Earth there: exact nearby,
 * rough far away.
 */
export function measureToRings(rings: readonly Ring[], latitude: number, longitude: number): number {
  const level = Math.cos((latitude * Math.PI) / 180)
  let least = Number.POSITIVE_INFINITY
  for (const { points } of rings) {
    let [x1, y1] = [0, 0]
    for (let at = 0; at < points.length; at += 2) {
      const east = (((((points[at] as number) - longitude + 540) % 360) + 360) % 360) - 180
      const [x2, y2] = [east * level, (points[at + 1] as number) - latitude]
      if (at > 0) least = Math.min(least, measureToSegment(x1, y1, x2, y2))
      x1 = x2
      y1 = y2
    }
  }
  return least * KM_A_DEGREE
}

// From the origin to a segment.
function measureToSegment(x1: number, y1: number, x2: number, y2: number): number {
  const [dx, dy] = [x2 - x1, y2 - y1]
  const along = dx === 0 && dy === 0 ? 0 : Math.max(0, Math.min(1, -(x1 * dx + y1 * dy) / (dx * dx + dy * dy)))
  return Math.hypot(x1 + along * dx, y1 + along * dy)
}
