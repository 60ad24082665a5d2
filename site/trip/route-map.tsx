/** The stops on a map, numbered, with a line from one to the next and the verdict on each. The list of stops says the same, so it is hidden from screen readers. */
import { StillMap } from "../map/still-map.tsx"
import { MAP_HEIGHT, MAP_WIDTH, type Place, placeOf } from "../places.ts"
import type { Judgement } from "./judge-trip.ts"
import type { TripStop } from "./trip.ts"

interface RouteMapProps {
  readonly stops: readonly TripStop[]
  readonly judgement: Judgement
}

const SPARE = 60
/** Wide enough that a trip within one region shows where that is. */
const LEAST_WIDTH = 260
const RATIO = MAP_HEIGHT / MAP_WIDTH

/** The part of the map that shows all stops, in its proportions. */
function showAll(places: readonly Place[]): { readonly x: number; readonly y: number; readonly width: number } {
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)]
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const wanted = Math.max(LEAST_WIDTH, right - left + 2 * SPARE, (bottom - top + 2 * SPARE) / RATIO)
  const width = Math.min(MAP_WIDTH, wanted)
  const center = (middle: number, length: number, whole: number) =>
    Math.min(Math.max(0, middle - length / 2), whole - length)
  return {
    x: center((left + right) / 2, width, MAP_WIDTH),
    y: center((top + bottom) / 2, width * RATIO, MAP_HEIGHT),
    width,
  }
}

export function RouteMap({ stops, judgement: { decision, stopOf } }: RouteMapProps) {
  const placed = stops.flatMap(({ destination }, at) => {
    const place = placeOf(destination)
    return place === undefined ? [] : [{ at, place }]
  })
  if (placed.length === 0) return null
  const { x, y, width } = showAll(placed.map(({ place }) => place))
  const unit = width / MAP_WIDTH
  const blocked = new Set((decision?.blockers ?? []).flatMap(({ step }) => (step === null ? [] : (stopOf[step] ?? []))))
  const visited = new Set(stops.map(({ destination }) => destination))
  return (
    <StillMap
      classOf={code => (visited.has(code) ? "mission here" : "land")}
      hasDot={code => visited.has(code)}
      viewBox={`${x} ${y} ${width} ${width * RATIO}`}
    >
      <polyline class="route" points={placed.map(({ place }) => `${place.x},${place.y}`).join(" ")} />
      {placed.map(({ at, place }) => (
        <g
          key={at}
          class={`route-stop ${blocked.has(at) ? "bad" : ""}`}
          transform={`translate(${place.x} ${place.y}) scale(${unit})`}
        >
          <circle r="14" />
          <text dy="6">{at + 1}</text>
        </g>
      ))}
    </StillMap>
  )
}
