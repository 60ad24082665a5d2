/** The parts of the world where countries are closest together: each as a small coloured map, which is a button that magnifies it. */
import { shapes } from "site:shapes/110m"
import { usePage } from "../page-context.ts"
import { MAP_WIDTH, PLACES, type Place, placeOf } from "../places.ts"
import type { Category } from "./colouring.ts"
import { fillOf, Hatching } from "./hatching.tsx"
import type { Box } from "./viewport.ts"

const INSETS = [
  ["europe", { x: 446, y: 46, width: 112, height: 84 }],
  ["caribbean", { x: 242, y: 165, width: 68, height: 51 }],
  ["gulf", { x: 545, y: 125, width: 92, height: 69 }],
  ["south_east_asia", { x: 715, y: 180, width: 128, height: 96 }],
  ["pacific", { x: 846, y: 196, width: 154, height: 115.5 }],
] as const satisfies readonly (readonly [name: string, box: Box])[]
// About the width at which one is shown.
const INSET_PIXELS = 160
const DOT_SHARE = 0.014

interface InsetsProps {
  /** Whether they have their contents yet; their places are reserved from the beginning, so that nothing moves. */
  readonly isDrawn: boolean
  readonly categories: readonly Category[]
  readonly categoryOf: (code: string) => Category
  readonly onChoose: (box: Box) => void
}

export function Insets({ isDrawn, categories, categoryOf, onChoose }: InsetsProps) {
  const { words } = usePage()
  return (
    <section class="insets" aria-label={words.say("map.closer")}>
      {INSETS.map(([name, box]) => (
        <button key={name} type="button" onClick={() => onChoose(box)}>
          <svg viewBox={`${box.x} ${box.y} ${box.width} ${box.height}`} aria-hidden="true">
            {isDrawn && <Contents {...{ name, box, categories, categoryOf }} />}
          </svg>
          <span>{words.say(`region.${name}`)}</span>
        </button>
      ))}
    </section>
  )
}

type ContentsProps = Pick<InsetsProps, "categories" | "categoryOf"> & { readonly name: string; readonly box: Box }

function Contents({ name, box, categories, categoryOf }: ContentsProps) {
  return (
    <>
      <Hatching prefix={name} categories={categories} unit={((box.width / INSET_PIXELS) * shapes.width) / MAP_WIDTH} />
      <g transform={`scale(${MAP_WIDTH / shapes.width})`}>
        {Object.entries(shapes.outlines).map(([code, outline]) =>
          code === "" || !isNear(code, box) ? null : (
            <path key={code} class="outline" d={outline} fill={fillOf(name, categoryOf(code))} />
          ),
        )}
      </g>
      {PLACES.filter(place => isInside(place, box) && place.area < 2).map(({ code, x, y }) => (
        <circle key={code} class={`tint ${categoryOf(code)}`} cx={x} cy={y} r={box.width * DOT_SHARE} />
      ))}
    </>
  )
}

function isInside({ x, y }: Place, box: Box): boolean {
  return x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height
}

// The middle of a large country may be outside a part that shows its coast.
const LARGE = 250

function isNear(code: string, box: Box): boolean {
  const place = placeOf(code)
  if (place === undefined) return false
  const [spareX, spareY] = place.area > LARGE ? [300, 200] : [40, 40]
  return isInside(place, {
    x: box.x - spareX,
    y: box.y - spareY,
    width: box.width + 2 * spareX,
    height: box.height + 2 * spareY,
  })
}
