/**
 * All passports or destinations side by side: one column each, best first, with the other side by requirement.
 *
 * With a pointer each column shows its details; with the keyboard the plot is a slider that goes from one rank to the next.
 */

import { REQUIREMENTS } from "landfall"
import { Component, type TargetedKeyboardEvent } from "preact"
import { Stretched } from "../controls/controls.tsx"
import { usePage } from "../page-context.ts"
import type { RankedPlace } from "./ranking.ts"

interface RankingPlotProps {
  readonly ranking: readonly RankedPlace[]
  readonly label: string
  readonly looked: number
  readonly chosen: readonly string[]
  readonly onLook: (place: number) => void
  readonly onChoose: (passport: string) => void
}

const HEIGHT = 100
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: -10,
  PageDown: 10,
}

export function RankingPlot({ ranking, label, looked, chosen, onLook, onChoose }: RankingPlotProps) {
  const { words } = usePage()
  const isRightToLeft = words.direction === "rtl"
  const shown = ranking[looked]
  const press = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const isSideways = event.key === "ArrowLeft" || event.key === "ArrowRight"
    const step = (STEPS[event.key] ?? 0) * (isSideways && isRightToLeft ? -1 : 1)
    if (event.key === "Home") onLook(0)
    else if (event.key === "End") onLook(ranking.length - 1)
    else if (event.key === "Enter" && shown !== undefined) onChoose(shown.code)
    else if (step !== 0) onLook(Math.min(Math.max(looked + step, 0), ranking.length - 1))
    else return
    event.preventDefault()
  }
  const placeAt = (event: PointerEvent | MouseEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect()
    const share = (event.clientX - left) / width
    const place = Math.floor((isRightToLeft ? 1 - share : share) * ranking.length)
    return Math.min(Math.max(place, 0), ranking.length - 1)
  }
  return (
    <div
      class="plot"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={ranking.length}
      aria-valuenow={looked + 1}
      aria-valuetext={
        shown === undefined ? "" : `${shown.rank}. ${words.country(shown.code)}, ${words.number(shown.score)}`
      }
      onKeyDown={press}
      onPointerMove={event => onLook(placeAt(event))}
      onClick={event => {
        const ranked = ranking[placeAt(event)]
        if (ranked !== undefined) onChoose(ranked.code)
      }}
    >
      <Stretched width={ranking.length} height={HEIGHT}>
        <Columns ranking={ranking} />
        {ranking.map(({ code }, at) =>
          at === looked || chosen.includes(code) ? (
            <Columns key={code} ranking={ranking.slice(at, at + 1)} at={at} isMarked />
          ) : null,
        )}
      </Stretched>
    </div>
  )
}

interface ColumnsProps {
  readonly ranking: readonly RankedPlace[]
  /** The place of the first of them. */
  readonly at?: number
  readonly isMarked?: boolean
}

const PARTS = [...REQUIREMENTS, "unknown"] as const
const GAP = 0.06

/** Columns side by side. All that is of one kind is one outline: a rectangle for each would be 1,400 elements, which are slow to draw. */
class Columns extends Component<ColumnsProps> {
  override shouldComponentUpdate(next: ColumnsProps): boolean {
    return next.isMarked === true || next.ranking !== this.props.ranking
  }

  override render({ ranking, at = 0, isMarked = false }: ColumnsProps) {
    const outlines = new Map<string, string>()
    ranking.forEach(({ detail, unknown }, place) => {
      const countOf = (part: (typeof PARTS)[number]) => (part === "unknown" ? unknown : detail[part])
      const total = PARTS.reduce((sum, part) => sum + countOf(part), 0)
      let top = HEIGHT
      for (const part of PARTS) {
        const height = (HEIGHT * countOf(part)) / total
        top -= height
        if (height === 0) continue
        const rectangle = `M${at + place + GAP} ${round(top)}h${1 - 2 * GAP}v${round(height)}h${2 * GAP - 1}z`
        outlines.set(part, (outlines.get(part) ?? "") + rectangle)
      }
    })
    return (
      <g class={isMarked ? "column marked" : "column"}>
        {[...outlines].map(([part, outline]) => (
          <path key={part} class={`tint ${part}`} d={outline} />
        ))}
      </g>
    )
  }
}

const round = (value: number): number => Math.round(value * 100) / 100
