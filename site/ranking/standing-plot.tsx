/**
 * All passports side by side: one column each, best first, with its destinations by what is asked there.
 *
 * To a pointer each column shows its passport; to the keys the plot is a slider that goes from one rank to the next.
 */
import { REQUIREMENTS } from "landfall"
import type { TargetedKeyboardEvent } from "preact"
import { usePage } from "../page-context.ts"
import type { Standing } from "./standings.ts"

interface StandingPlotProps {
  readonly standings: readonly Standing[]
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

export function StandingPlot({ standings, looked, chosen, onLook, onChoose }: StandingPlotProps) {
  const { words } = usePage()
  const isRightToLeft = words.direction === "rtl"
  const shown = standings[looked]
  const press = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const isSideways = event.key === "ArrowLeft" || event.key === "ArrowRight"
    const step = (STEPS[event.key] ?? 0) * (isSideways && isRightToLeft ? -1 : 1)
    if (event.key === "Home") onLook(0)
    else if (event.key === "End") onLook(standings.length - 1)
    else if (event.key === "Enter" && shown !== undefined) onChoose(shown.passport)
    else if (step !== 0) onLook(Math.min(Math.max(looked + step, 0), standings.length - 1))
    else return
    event.preventDefault()
  }
  const placeAt = (event: PointerEvent | MouseEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect()
    const share = (event.clientX - left) / width
    const place = Math.floor((isRightToLeft ? 1 - share : share) * standings.length)
    return Math.min(Math.max(place, 0), standings.length - 1)
  }
  return (
    <div
      class="plot"
      role="slider"
      tabIndex={0}
      aria-label={words.say("ranking.plot")}
      aria-valuemin={1}
      aria-valuemax={standings.length}
      aria-valuenow={looked + 1}
      aria-valuetext={
        shown === undefined ? "" : `${shown.rank}. ${words.country(shown.passport)}, ${words.number(shown.score)}`
      }
      onKeyDown={press}
      onPointerMove={event => onLook(placeAt(event))}
      onClick={event => {
        const standing = standings[placeAt(event)]
        if (standing !== undefined) onChoose(standing.passport)
      }}
    >
      <svg
        viewBox={`0 0 ${standings.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        class={isRightToLeft ? "mirrored" : undefined}
      >
        {standings.map((standing, at) => (
          <Column
            key={standing.passport}
            standing={standing}
            at={at}
            isMarked={at === looked || chosen.includes(standing.passport)}
          />
        ))}
      </svg>
    </div>
  )
}

interface ColumnProps {
  readonly standing: Standing
  readonly at: number
  readonly isMarked: boolean
}

function Column({ standing, at, isMarked }: ColumnProps) {
  const total = REQUIREMENTS.reduce((sum, requirement) => sum + standing.detail[requirement], standing.unknown)
  let top = HEIGHT
  const parts = [
    ...REQUIREMENTS.map(name => [name, standing.detail[name]] as const),
    ["unknown", standing.unknown] as const,
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
