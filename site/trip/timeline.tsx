/**
 * The stops on a line of days: drag one to move it, drag an end to make it longer or shorter.
 *
 * By keyboard: the arrows move a stop by a day, Page Up and Page Down by a week; with Shift they move its last day. The date fields next to
 * each stop show the same and can be typed into.
 */

import type { TargetedKeyboardEvent, TargetedPointerEvent } from "preact"
import { useRef, useState } from "preact/hooks"
import { dateOf, dayOf } from "../answers.ts"
import { Section } from "../controls/controls.tsx"
import { usePage } from "../page-context.ts"
import { type DayRange, Months, styleOf } from "./day-line.tsx"
import { isStopBlocked } from "./judge-trip.ts"
import type { StopsProps } from "./stop-list.tsx"

/** The part of a stop that is dragged. */
type Grip = "whole" | "first" | "last"

interface Drag {
  readonly at: number
  readonly grip: Grip
  readonly startX: number
  readonly first: number
  readonly last: number
  /** The line as it was when the drag began, so that it does not move under the pointer. */
  readonly range: DayRange
}

const SPARE_DAYS = 10

const KEYS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowDown: -1,
  PageUp: 7,
  PageDown: -7,
}

export function Timeline({ trip, judgement, onChange }: StopsProps) {
  const { words } = usePage()
  const line = useRef<HTMLDivElement>(null)
  const [drag, setDrag] = useState<Drag | null>(null)
  const dated = trip.stops.flatMap((stop, at) =>
    stop.from !== "" && stop.to !== "" ? [{ at, stop, first: dayOf(stop.from), last: dayOf(stop.to) }] : [],
  )
  if (dated.length === 0) return null
  const range = drag?.range ?? {
    first: Math.min(...dated.map(({ first }) => first)) - SPARE_DAYS,
    last: Math.max(...dated.map(({ last }) => last)) + SPARE_DAYS,
  }
  const isRightToLeft = words.direction === "rtl"

  const place = (at: number, first: number, last: number) => {
    if (last < first) return
    onChange(
      trip.stops.map((stop, other) => (other === at ? { ...stop, from: dateOf(first), to: dateOf(last) } : stop)),
    )
  }
  const follow = (event: TargetedPointerEvent<HTMLDivElement>) => {
    const width = line.current?.clientWidth ?? 0
    if (drag === null || width === 0) return
    const pixels = (event.clientX - drag.startX) * (isRightToLeft ? -1 : 1)
    const days = Math.round((pixels / width) * (drag.range.last - drag.range.first + 1))
    const first = drag.grip === "last" ? drag.first : drag.first + days
    const last = drag.grip === "first" ? drag.last : drag.last + days
    place(drag.at, drag.grip === "first" ? Math.min(first, last) : first, Math.max(first, last))
  }
  const press = (event: TargetedKeyboardEvent<HTMLDivElement>, at: number, first: number, last: number) => {
    const days = KEYS[event.key]
    if (days === undefined) return
    const isSideways = event.key === "ArrowLeft" || event.key === "ArrowRight"
    const step = isSideways && isRightToLeft ? -days : days
    event.preventDefault()
    place(at, event.shiftKey ? first : first + step, last + step)
  }
  return (
    <Section class="timeline" title={words.say("trip.timeline")}>
      <p class="note">{words.say("trip.timeline_hint")}</p>
      <div
        class="line"
        ref={line}
        onPointerMove={follow}
        onPointerUp={() => setDrag(null)}
        onPointerCancel={() => setDrag(null)}
      >
        <Months range={range} />
        {dated.map(({ at, stop, first, last }) => {
          const grip = (event: TargetedPointerEvent<HTMLElement>) => {
            const kind = ((event.target as HTMLElement).dataset.grip ?? "whole") as Grip
            event.currentTarget.setPointerCapture(event.pointerId)
            setDrag({ at, grip: kind, startX: event.clientX, first, last, range })
          }
          return (
            <div key={at} class="lane">
              <div
                class={`bar ${isStopBlocked(judgement, at) ? "blocked" : ""}`}
                role="slider"
                tabIndex={0}
                aria-label={`${words.number(at + 1)} ${words.country(stop.destination)}`}
                aria-valuemin={range.first}
                aria-valuemax={range.last}
                aria-valuenow={first}
                aria-valuetext={`${words.date(stop.from)} – ${words.date(stop.to)}`}
                style={styleOf(range, { first, last })}
                onPointerDown={grip}
                onKeyDown={event => press(event, at, first, last)}
              >
                <span class="grip" data-grip="first" />
                <span class="name">{words.country(stop.destination)}</span>
                <span class="grip" data-grip="last" />
              </div>
            </div>
          )
        })}
      </div>
    </Section>
  )
}
