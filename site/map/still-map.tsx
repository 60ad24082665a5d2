/** A map without interaction, each country with a class of its own. The text beside it says the same, so it is hidden from screen readers. */
import { shapes } from "site:shapes/110m"
import type { ComponentChildren } from "preact"
import { MAP_HEIGHT, MAP_WIDTH, PLACES } from "../places.ts"

interface StillMapProps {
  readonly classOf: (code: string) => string
  /** Which of the small countries have a dot; all by default. */
  readonly hasDot?: (code: string) => boolean
  readonly onChoose?: (code: string) => void
  /** The part that is shown; the whole map by default. */
  readonly viewBox?: string
  /** What is drawn above the countries. */
  readonly children?: ComponentChildren
}

const DOT_RADIUS = 3.2
const SMALL = 6

const WHOLE = `0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`

export function StillMap({ classOf, hasDot = () => true, onChoose, viewBox = WHOLE, children }: StillMapProps) {
  const choose = (event: MouseEvent) => {
    const code = (event.target as Element).getAttribute("data-code")
    if (code !== null && code !== "") onChoose?.(code)
  }
  return (
    <svg class="still-map" viewBox={viewBox} aria-hidden="true" onClick={choose}>
      <g transform={`scale(${MAP_WIDTH / shapes.width})`}>
        {Object.entries(shapes.outlines).map(([code, outline]) => (
          <path key={code} class={classOf(code)} d={outline} data-code={code} />
        ))}
      </g>
      {PLACES.filter(({ code, area }) => area < SMALL && hasDot(code)).map(({ code, x, y }) => (
        <circle key={code} class={classOf(code)} cx={x} cy={y} r={DOT_RADIUS} data-code={code} />
      ))}
      {children}
    </svg>
  )
}
