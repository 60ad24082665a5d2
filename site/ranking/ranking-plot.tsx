/**
 * All passports or destinations side by side: one column each, best first, with the other side by what is asked.
 *
 * To a pointer each column shows what it stands for; to the keys the plot is a slider that goes from one rank to the next.
 */
import { REQUIREMENTS } from "landfall"
import type { TargetedKeyboardEvent } from "preact"
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
      <svg
        viewBox={`0 0 ${ranking.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        class={isRightToLeft ? "mirrored" : undefined}
      >
        {ranking.map((ranked, at) => (
          <Column key={ranked.code} ranked={ranked} at={at} isMarked={at === looked || chosen.includes(ranked.code)} />
        ))}
      </svg>
    </div>
  )
}

interface ColumnProps {
  readonly ranked: RankedPlace
  readonly at: number
  readonly isMarked: boolean
}

function Column({ ranked, at, isMarked }: ColumnProps) {
  const total = REQUIREMENTS.reduce((sum, requirement) => sum + ranked.detail[requirement], ranked.unknown)
  let top = HEIGHT
  const parts = [
    ...REQUIREMENTS.map(name => [name, ranked.detail[name]] as const),
    ["unknown", ranked.unknown] as const,
  ]
  return (
    <g class={isMarked ? "column marked" : "column"}>
      {parts.map(([name, count]) => {
        const height = (HEIGHT * count) / total
        top -= height
        return <rect key={name} class={`tint ${name}`} x={at + 0.06} width="0.88" y={top} height={height} />
      })}
    </g>
  )
}
