/**
 * The map: how is the whole world drawn so that every destination can be seen, pointed at and reached by keys?
 *
 * A destination is its outline or, where that would be smaller than a fingertip's dot or is not drawn at all, a dot. To readers
 * who do not see it the map is a list of choices, each with its name and its answer. Arrow keys go from one to the next, Enter
 * chooses, + and − zoom, 0 shows the whole map again. Finer outlines are loaded when the map is magnified.
 */

import { shapes as coarse } from "site:shapes/110m"
import { Component, type TargetedKeyboardEvent } from "preact"
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import type { Shapes } from "../build/world-shapes.ts"
import { MAP_WIDTH, PLACES, type Place, placeOf } from "../places.ts"
import type { Category } from "../verdict/looks.ts"
import { useGestures } from "./gestures.ts"
import { fillOf, Hatching } from "./hatching.tsx"
import { ARROWS, findNeighbour } from "./neighbours.ts"
import { PlaceLabels } from "./place-labels.tsx"
import {
  clampView,
  fitMap,
  magnificationOf,
  revealPoint,
  type Size,
  type View,
  viewBoxOf,
  zoomView,
} from "./viewport.ts"

export interface Appearance {
  readonly category: Category
  readonly isDimmed: boolean
}

interface WorldMapProps {
  readonly label: string
  readonly categories: readonly Category[]
  readonly appearanceOf: (code: string) => Appearance
  readonly labelOf: (code: string) => string
  readonly chosen: string | null
  readonly onChoose: (code: string | null) => void
  /** The country under the pointer or the keys, and where it is in the frame. */
  readonly onLook: (code: string | null, at: { readonly x: number; readonly y: number } | null) => void
  readonly view: View | null
  readonly setView: (view: View) => void
  readonly size: Size
  readonly setSize: (size: Size) => void
}

// Smaller than this, an outline is drawn as a dot (square pixels).
const LEAST_AREA = 16
const DOT_RADIUS = 3.4
// On a narrow screen the whole world is small, and so are its dots.
const NARROW_PIXELS = 600
const NARROW_DOT_RADIUS = 2.3
const HIT_RADIUS = 12
const FINER_FROM = 2
const STEP = 1.6

export function WorldMap(props: WorldMapProps) {
  const { label, categories, appearanceOf, labelOf, chosen, onChoose, onLook, setView, size, setSize } = props
  const frame = useRef<HTMLDivElement>(null)
  const svg = useRef<SVGSVGElement>(null)
  const [active, setActive] = useState<string | null>(null)
  const [shapes, setShapes] = useState<Shapes>(coarse)
  const view = props.view ?? fitMap(size)
  const wasDragged = useGestures(svg, { view, size, setView })
  const isMagnified = magnificationOf(view, size) >= FINER_FROM

  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element
      if (width > 0 && height > 0) setSize({ width, height })
    }
    // It measures first in the frame to come, before the paint; measured here, the layout would be one task with the drawing.
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [setSize])

  useEffect(() => {
    if (!isMagnified || shapes !== coarse) return
    let isWanted = true
    const load = async () => {
      const finer = await import("site:shapes/50m")
      if (isWanted) setShapes(finer.shapes)
    }
    // There is no network, and the fine outlines were never loaded: the coarse ones stay.
    load().catch(() => undefined)
    return () => {
      isWanted = false
    }
  }, [isMagnified, shapes])

  const codeAt = (event: Event) => (event.target as Element).closest("[data-code]")?.getAttribute("data-code") ?? null
  const look = (event: PointerEvent) => {
    const { left, top } = frame.current?.getBoundingClientRect() ?? { left: 0, top: 0 }
    onLook(codeAt(event), { x: event.clientX - left, y: event.clientY - top })
  }
  const goTo = (place: Place) => {
    const next = revealPoint(view, size, place)
    if (next !== view) setView(next)
    setActive(place.code)
    onLook(place.code, {
      x: (place.x - next.x) * next.scale + size.width / 2,
      y: (place.y - next.y) * next.scale + size.height / 2,
    })
  }
  const press = (event: TargetedKeyboardEvent<SVGSVGElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const arrow = ARROWS[event.key]
    const from = placeOf(active ?? chosen ?? "") ?? placeOf("DEU")
    if (arrow !== undefined && from !== undefined) goTo(active === null ? from : findNeighbour(from, arrow))
    else if (event.key === "Enter" || event.key === " ") onChoose(active)
    else if (event.key === "+" || event.key === "=" || event.key === "-") {
      const at = from === undefined || active === null ? view : from
      const towards = { x: (at.x - view.x) * view.scale, y: (at.y - view.y) * view.scale }
      setView(zoomView(view, size, event.key === "-" ? 1 / STEP : STEP, towards))
    } else if (event.key === "0") setView(fitMap(size))
    else if (event.key === "Escape") {
      onChoose(null)
      onLook(null, null)
    } else return
    event.preventDefault()
  }

  const unit = 1 / view.scale
  const dotRadius = size.width < NARROW_PIXELS && !isMagnified ? NARROW_DOT_RADIUS : DOT_RADIUS
  const dots = useMemo(
    () =>
      PLACES.filter(({ code, area }) => !Object.hasOwn(shapes.outlines, code) || area * view.scale ** 2 < LEAST_AREA),
    [shapes, view.scale],
  )
  const dotted = useMemo(() => new Set(dots.map(({ code }) => code)), [dots])
  const activeId = active === null ? undefined : `place-${active}`

  return (
    <div class="map-frame" ref={frame}>
      <svg
        ref={svg}
        class="world"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the drawing takes the focus and names the active country
        role="listbox"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={activeId}
        viewBox={viewBoxOf(clampView(view, size), size)}
        data-magnified={isMagnified || undefined}
        onKeyDown={press}
        onPointerMove={look}
        onPointerLeave={() => onLook(null, null)}
        onBlur={() => {
          setActive(null)
          onLook(null, null)
        }}
        onClick={event => {
          if (wasDragged.current) return
          const code = codeAt(event)
          setActive(code)
          onChoose(code)
        }}
      >
        <Hatching prefix="world" categories={categories} unit={(unit * shapes.width) / MAP_WIDTH} />
        <g transform={`scale(${MAP_WIDTH / shapes.width})`}>
          {shapes.outlines[""] && <path class="outline unclaimed" d={shapes.outlines[""]} />}
          {PLACES.map(({ code }) => {
            const outline = shapes.outlines[code]
            if (outline === undefined) return null
            const { category, isDimmed } = appearanceOf(code)
            const isOption = !dotted.has(code)
            return (
              <Outline
                key={code}
                {...{ code, outline, category, isDimmed, isOption }}
                label={isOption ? labelOf(code) : ""}
                isActive={code === active}
                isChosen={code === chosen}
              />
            )
          })}
        </g>
        {dots.map(({ code, x, y }) => {
          const { category, isDimmed } = appearanceOf(code)
          return (
            <g
              key={code}
              id={`place-${code}`}
              role="option"
              aria-label={labelOf(code)}
              aria-selected={code === chosen}
              data-code={code}
              data-category={category}
              class={`dot ${classesOf(code === active, code === chosen, isDimmed)}`}
              transform={`translate(${x} ${y}) scale(${unit})`}
            >
              <circle class="hit" r={HIT_RADIUS} />
              <circle class={`tint ${category}`} r={dotRadius} />
            </g>
          )
        })}
        {isMagnified && <PlaceLabels {...{ view, size }} />}
        <Marks shapes={shapes} active={active} chosen={chosen} dotted={dotted} />
      </svg>
    </div>
  )
}

function classesOf(isActive: boolean, isChosen: boolean, isDimmed: boolean): string {
  return `${isActive ? "active " : ""}${isChosen ? "chosen " : ""}${isDimmed ? "dimmed" : ""}`
}

interface OutlineProps {
  readonly code: string
  readonly outline: string
  readonly category: Category
  readonly label: string
  readonly isOption: boolean
  readonly isActive: boolean
  readonly isChosen: boolean
  readonly isDimmed: boolean
}

/** One outline; redrawn only when it has changed, because there are 250 and the pointer moves often. */
class Outline extends Component<OutlineProps> {
  override shouldComponentUpdate(next: OutlineProps): boolean {
    return (Object.keys(next) as (keyof OutlineProps)[]).some(name => next[name] !== this.props[name])
  }

  override render({ code, outline, category, label, isOption, isActive, isChosen, isDimmed }: OutlineProps) {
    const option = isOption
      ? { id: `place-${code}`, role: "option" as const, "aria-label": label, "aria-selected": isChosen }
      : { "aria-hidden": true as const }
    return (
      <path
        {...option}
        class={`outline ${classesOf(isActive, isChosen, isDimmed)}`}
        d={outline}
        fill={fillOf("world", category)}
        data-code={code}
        data-category={category}
      />
    )
  }
}

interface MarksProps {
  readonly shapes: Shapes
  readonly active: string | null
  readonly chosen: string | null
  readonly dotted: ReadonlySet<string>
}

/** The lines around the active and the chosen country, above all others. */
function Marks({ shapes, active, chosen, dotted }: MarksProps) {
  const marked = [
    ["chosen", chosen],
    ["active", active],
  ] as const
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of a drawing takes no focus
    <g class="marks" transform={`scale(${MAP_WIDTH / shapes.width})`} aria-hidden="true">
      {marked.map(([kind, code]) =>
        code === null || dotted.has(code) ? null : (
          <path key={kind} class={`mark ${kind}`} d={shapes.outlines[code] ?? ""} />
        ),
      )}
    </g>
  )
}
