/** A map without interaction, each country with a class of its own. The text beside it says the same, so it is hidden from screen readers. */
import { shapes } from "site:shapes/110m"
import { MAP_HEIGHT, MAP_WIDTH, PLACES } from "../places.ts"

const DOT_RADIUS = 3.2
const SMALL = 6

export function StillMap({ classOf }: { readonly classOf: (code: string) => string }) {
  return (
    <svg class="still-map" viewBox={`0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`} aria-hidden="true">
      <g transform={`scale(${MAP_WIDTH / shapes.width})`}>
        {Object.entries(shapes.outlines).map(([code, outline]) => (
          <path key={code} class={classOf(code)} d={outline} />
        ))}
      </g>
      {PLACES.filter(({ area }) => area < SMALL).map(({ code, x, y }) => (
        <circle key={code} class={classOf(code)} cx={x} cy={y} r={DOT_RADIUS} />
      ))}
    </svg>
  )
}
