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
import { usePage } from "../page-context.ts"
import { MAP_HEIGHT, MAP_WIDTH, PLACES, type Place, placeOf } from "../places.ts"
import type { Category } from "../verdict/looks.ts"
import { fillOf, Hatching } from "./hatching.tsx"

/*
 * Which part of the map is visible, and how large?
 *
 * A view is the point in the middle and the number of pixels a unit of the map takes. It never shows less than the map needs to fit, nor
 * anything beyond its edges, unless the frame has another form than the map.
 */

/** The frame that the map is shown in, in pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** The visible part: its middle in units of the map, and pixels a unit. */
export interface View {
  readonly x: number
  readonly y: number
  readonly scale: number
}

const LARGEST = 40

export function fitMap(size: Size): View {
  const scale = Math.min(size.width / MAP_WIDTH, size.height / MAP_HEIGHT)
  return { x: MAP_WIDTH / 2, y: MAP_HEIGHT / 2, scale }
}

/** How much larger than the whole map a view is. */
function magnificationOf(view: View, size: Size): number {
  return view.scale / fitMap(size).scale
}

/** Keeps a view inside the map. */
function clampView(view: View, size: Size): View {
  const least = fitMap(size).scale
  const scale = Math.min(Math.max(view.scale, least), least * LARGEST)
  return {
    x: clampMiddle(view.x, MAP_WIDTH, size.width / scale),
    y: clampMiddle(view.y, MAP_HEIGHT, size.height / scale),
    scale,
  }
}

function clampMiddle(middle: number, length: number, seen: number): number {
  return seen >= length ? length / 2 : Math.min(Math.max(middle, seen / 2), length - seen / 2)
}

/** Magnifies by a factor; the point of the frame that is given (pixels from its middle) stays where it is. */
export function zoomView(view: View, size: Size, factor: number, at: { readonly x: number; readonly y: number }): View {
  const { scale } = clampView({ ...view, scale: view.scale * factor }, size)
  const step = 1 / view.scale - 1 / scale
  return clampView({ x: view.x + at.x * step, y: view.y + at.y * step, scale }, size)
}

/** Moves the map under the frame by pixels. */
function panView(view: View, size: Size, by: { readonly x: number; readonly y: number }): View {
  return clampView({ ...view, x: view.x - by.x / view.scale, y: view.y - by.y / view.scale }, size)
}

/** Moves a view as little as it takes to show a point well inside the frame. */
function revealPoint(view: View, size: Size, point: { readonly x: number; readonly y: number }): View {
  const [reachX, reachY] = [(0.4 * size.width) / view.scale, (0.4 * size.height) / view.scale]
  const x = Math.min(Math.max(view.x, point.x - reachX), point.x + reachX)
  const y = Math.min(Math.max(view.y, point.y - reachY), point.y + reachY)
  return x === view.x && y === view.y ? view : clampView({ ...view, x, y }, size)
}

/** Writes the visible part as an SVG view box. */
function viewBoxOf({ x, y, scale }: View, { width, height }: Size): string {
  const [w, h] = [width / scale, height / scale]
  return [x - w / 2, y - h / 2, w, h].map(value => Math.round(value * 1000) / 1000).join(" ")
}

/*
 * How do a mouse, fingers and a wheel move the map?
 *
 * One pointer moves it, two pinch it, and a press that does not move is a choice. The wheel zooms only with Ctrl, or once the map
 * has the focus, so that scrolling the page past the map does not get stuck there. For the same reason a finger that moves up or
 * down scrolls the page while the whole map is visible.
 */

interface Point {
  readonly x: number
  readonly y: number
}

const DRAG_PIXELS = 5
const WHEEL_STEP = 0.0022
const WHEEL_LINE_PIXELS = 24

/** The functions that gestures call. */
interface GestureTarget {
  readonly view: View
  readonly size: Size
  readonly setView: (view: View) => void
}

/** Listens to an element for as long as it is shown. Says of each click whether it ended a drag, by `wasDragged`. */
function useGestures(element: { readonly current: SVGSVGElement | null }, target: GestureTarget) {
  const held = useRef(target)
  held.current = target
  const wasDragged = useRef(false)

  useEffect(() => {
    const svg = element.current
    if (svg === null) return
    const pointers = new Map<number, Point>()
    let travelled = 0

    const fromMiddle = (point: Point): Point => {
      const { left, top, width, height } = svg.getBoundingClientRect()
      return { x: point.x - left - width / 2, y: point.y - top - height / 2 }
    }
    const spreadOf = (points: readonly Point[]) =>
      Math.hypot((points[0]?.x ?? 0) - (points[1]?.x ?? 0), (points[0]?.y ?? 0) - (points[1]?.y ?? 0))
    const middleOf = (points: readonly Point[]): Point => ({
      x: points.reduce((sum, point) => sum + point.x, 0) / points.length,
      y: points.reduce((sum, point) => sum + point.y, 0) / points.length,
    })

    function press(event: PointerEvent) {
      if (event.button !== 0) return
      if (pointers.size === 0) {
        travelled = 0
        wasDragged.current = false
      }
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY })
    }
    function move(event: PointerEvent) {
      const before = [...pointers.values()]
      const from = pointers.get(event.pointerId)
      if (from === undefined) return
      const to = { x: event.clientX, y: event.clientY }
      travelled += Math.hypot(to.x - from.x, to.y - from.y)
      pointers.set(event.pointerId, to)
      if (travelled < DRAG_PIXELS && pointers.size === 1) return
      wasDragged.current = true
      const after = [...pointers.values()]
      const [middleBefore, middleAfter] = [middleOf(before), middleOf(after)]
      const { view, size, setView } = held.current
      const moved = panView(view, size, { x: middleAfter.x - middleBefore.x, y: middleAfter.y - middleBefore.y })
      const factor = after.length > 1 ? spreadOf(after) / Math.max(1, spreadOf(before)) : 1
      setView(factor === 1 ? moved : zoomView(moved, size, factor, fromMiddle(middleAfter)))
    }
    function release(event: PointerEvent) {
      pointers.delete(event.pointerId)
    }
    function turn(event: WheelEvent) {
      const hasFocus = document.activeElement === svg
      if (!event.ctrlKey && !event.metaKey && !hasFocus) return
      event.preventDefault()
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * WHEEL_LINE_PIXELS
      const { view, size, setView } = held.current
      setView(zoomView(view, size, Math.exp(-pixels * WHEEL_STEP), fromMiddle({ x: event.clientX, y: event.clientY })))
    }

    svg.addEventListener("pointerdown", press)
    svg.addEventListener("wheel", turn, { passive: false })
    // A pointer that leaves the map while it is held still moves it.
    window.addEventListener("pointermove", move)
    window.addEventListener("pointerup", release)
    window.addEventListener("pointercancel", release)
    return () => {
      svg.removeEventListener("pointerdown", press)
      svg.removeEventListener("wheel", turn)
      window.removeEventListener("pointermove", move)
      window.removeEventListener("pointerup", release)
      window.removeEventListener("pointercancel", release)
    }
  }, [element])

  return wasDragged
}

/* Which country comes next when a reader goes from one to another by the arrow keys? */

/** The arrow keys, as steps on the map. */
const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/**
 * Finds the nearest country in a direction, preferring one straight ahead to one at an angle; the country itself where there is
 * none.
 *
 * Every country is reached from every other by some keys: the widest angle is just short of a right one.
 */
function findNeighbour(from: Place, [stepX, stepY]: readonly [number, number]): Place {
  let best = from
  let least = Number.POSITIVE_INFINITY
  for (const place of PLACES) {
    const ahead = (place.x - from.x) * stepX + (place.y - from.y) * stepY
    const aside = Math.abs((place.x - from.x) * stepY) + Math.abs((place.y - from.y) * stepX)
    if (ahead <= 0 || aside > 4 * ahead) continue
    const cost = ahead + 2 * aside
    if (cost < least) {
      best = place
      least = cost
    }
  }
  return best
}

interface PlaceLabelsProps {
  readonly view: View
  readonly size: Size
}

interface Label {
  readonly code: string
  readonly name: string
  readonly x: number
  readonly y: number
}

const BY_AREA = [...PLACES].sort((one, other) => other.area - one.area)
// About the size of a letter, in pixels; letters of East Asia are as wide as high.
const LETTER = 6.4
const WIDE_LETTER = 11.5
const HEIGHT = 15

const widthOf = (name: string) =>
  [...name].reduce((sum, letter) => sum + (/[\u3000-\u9fff\uac00-\ud7af]/u.test(letter) ? WIDE_LETTER : LETTER), 0)

/** Chooses the labels that overlap no larger country's, and stand inside the frame. */
function placeLabels(nameOf: (code: string) => string, { x, y, scale }: View, { width, height }: Size) {
  const taken: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number }[] = []
  return BY_AREA.flatMap((place): readonly Label[] => {
    const name = nameOf(place.code)
    const half = widthOf(name) / 2
    const [left, top] = [(place.x - x) * scale + width / 2 - half, (place.y - y) * scale + height / 2 - HEIGHT / 2]
    const box = { left, right: left + 2 * half, top, bottom: top + HEIGHT }
    const isInside = box.left > 0 && box.right < width && box.top > 0 && box.bottom < height
    const isFree = taken.every(
      other => box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom,
    )
    if (!isInside || !isFree) return []
    taken.push(box)
    return [{ code: place.code, name, x: place.x, y: place.y }]
  })
}

/** The names of countries on the magnified map: the largest first, as many as have room. */
function PlaceLabels({ view, size }: PlaceLabelsProps) {
  const { words } = usePage()
  const labels = useMemo(() => placeLabels(words.country, view, size), [words, view, size])
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of a drawing takes no focus
    <g class="place-labels" aria-hidden="true">
      {labels.map(({ code, name, x, y }) => (
        <text key={code} transform={`translate(${x} ${y}) scale(${1 / view.scale})`}>
          {name}
        </text>
      ))}
    </g>
  )
}

interface Appearance {
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
