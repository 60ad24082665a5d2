/**
 * How many destinations does each set of two to four passports open, as overlapping shapes?
 *
 * Two and three passports are circles, four are ellipses, which overlap in all fifteen sets. The shapes have one size whatever they
 * contain: the numbers matter, and the table next to the drawing gives them in words.
 */
import { usePage } from "../page-context.ts"
import type { PassportSet } from "./compare.ts"

/** The position of a shape, and of its passport's name. */
interface Shape {
  readonly x: number
  readonly y: number
  readonly rx: number
  readonly ry: number
  /** In degrees. */
  readonly turn: number
  readonly name: readonly [x: number, y: number]
}

interface Layout {
  readonly shapes: readonly Shape[]
  /** Where the number of each set is written. */
  readonly places: Readonly<Record<PassportSet, readonly [x: number, y: number]>>
}

const circle = (x: number, y: number, r: number, name: readonly [number, number]): Shape => ({
  x,
  y,
  rx: r,
  ry: r,
  turn: 0,
  name,
})

const ellipse = (x: number, y: number, turn: number, name: readonly [number, number]): Shape => ({
  x,
  y,
  rx: 140,
  ry: 80,
  turn,
  name,
})

/** Names are wider than their shapes. */
const VIEW = "-60 0 520 320"

/** The drawing by the number of passports. */
export const LAYOUTS: Readonly<Record<number, Layout>> = {
  2: {
    shapes: [circle(145, 165, 105, [90, 48]), circle(255, 165, 105, [310, 48])],
    places: { 1: [95, 170], 2: [305, 170], 3: [200, 170] },
  },
  3: {
    shapes: [circle(150, 130, 92, [60, 34]), circle(250, 130, 92, [340, 34]), circle(200, 210, 92, [325, 290])],
    places: {
      1: [108, 105],
      2: [292, 105],
      3: [200, 92],
      4: [200, 262],
      5: [142, 188],
      6: [258, 188],
      7: [200, 157],
    },
  },
  4: {
    shapes: [
      ellipse(142, 190, 45, [40, 300]),
      ellipse(178, 150, 45, [90, 26]),
      ellipse(222, 150, -45, [310, 26]),
      ellipse(258, 190, -45, [360, 300]),
    ],
    places: {
      1: [76, 193],
      2: [155, 71],
      3: [106, 118],
      4: [245, 71],
      5: [131, 230],
      6: [200, 98],
      7: [163, 137],
      8: [324, 193],
      9: [200, 279],
      10: [269, 230],
      11: [242, 249],
      12: [294, 118],
      13: [158, 249],
      14: [237, 137],
      15: [200, 208],
    },
  },
}

interface VennProps {
  readonly passports: readonly string[]
  readonly sets: readonly (readonly [set: PassportSet, destinations: readonly string[]])[]
}

export function Venn({ passports, sets }: VennProps) {
  const { words } = usePage()
  const layout = LAYOUTS[passports.length]
  if (layout === undefined) return null
  return (
    <svg class="venn" viewBox={VIEW} aria-hidden="true" text-anchor="middle">
      {layout.shapes.map(({ x, y, rx, ry, turn }, at) => (
        <ellipse
          key={passports[at]}
          class={`venn-${at + 1}`}
          cx={x}
          cy={y}
          rx={rx}
          ry={ry}
          transform={`rotate(${turn} ${x} ${y})`}
        />
      ))}
      {layout.shapes.map(({ name: [x, y] }, at) => (
        <text key={passports[at]} class="venn-name" x={x} y={y} font-size="14">
          {words.country(passports[at] ?? "")}
        </text>
      ))}
      {sets.map(([set, destinations]) => {
        const place = layout.places[set]
        if (place === undefined) return null
        return (
          <text
            key={set}
            class="venn-count"
            x={place[0]}
            y={place[1]}
            dominant-baseline="central"
            font-size="17"
            font-weight="600"
          >
            {words.number(destinations.length)}
          </text>
        )
      })}
    </svg>
  )
}
