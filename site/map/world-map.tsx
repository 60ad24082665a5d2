/**
 * The map: how is the whole world drawn so that every destination can be seen, pointed at and reached by keys?
 *
 * A destination is its outline or, where that would be smaller than a fingertip's dot or is not drawn at all, a dot. To readers
 * who do not see it the map is a list of choices, each with its name and its answer. Arrow keys go from one to the next, Enter
 * chooses, + and − zoom, 0 shows the whole map again. A magnified map is larger than its frame, which the browser scrolls; a mouse
 * may drag it as well. Finer outlines are loaded for it.
 */

import { shapes as coarse } from "site:shapes/110m"
import { Component, type TargetedKeyboardEvent, type TargetedPointerEvent } from "preact"
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import type { Shapes } from "../build/world-shapes.ts"
import { IconButton } from "../controls/controls.tsx"
import { usePage } from "../page-context.ts"
import { MAP_HEIGHT, MAP_WIDTH, PLACES, type Place, placeOf } from "../places.ts"
import { LOOKS, type Look } from "../verdict/looks.ts"
import { fillOf, Hatching } from "./hatching.tsx"

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

const BY_AREA = [...PLACES].sort((one, other) => other.area - one.area)
// About the size of a letter, in pixels; letters of East Asia are as wide as high.
const LETTER = 6.4
const WIDE_LETTER = 11.5
const HEIGHT = 15

const widthOf = (name: string) =>
  [...name].reduce((sum, letter) => sum + (/[\u3000-\u9fff\uac00-\ud7af]/u.test(letter) ? WIDE_LETTER : LETTER), 0)

/** Chooses the places whose names overlap no larger country's, at a number of pixels a unit of the map. */
function listNamed(nameOf: (code: string) => string, scale: number): readonly Place[] {
  const taken: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number }[] = []
  return BY_AREA.filter(({ code, x, y }) => {
    const half = widthOf(nameOf(code)) / 2
    const box = { left: x * scale - half, right: x * scale + half, top: y * scale, bottom: y * scale + HEIGHT }
    const isFree = taken.every(
      other => box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom,
    )
    if (isFree) taken.push(box)
    return isFree
  })
}

/** The names of countries on the magnified map: the largest first, as many as have room. */
function PlaceLabels({ scale }: { readonly scale: number }) {
  const { words } = usePage()
  const named = useMemo(() => listNamed(words.country, scale), [words, scale])
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of a drawing takes no focus
    <g class="place-labels" aria-hidden="true">
      {named.map(({ code, x, y }) => (
        <text key={code} transform={`translate(${x} ${y}) scale(${1 / scale})`}>
          {words.country(code)}
        </text>
      ))}
    </g>
  )
}

interface WorldMapProps {
  readonly label: string
  /** Undefined for a place without an answer. */
  readonly lookOf: (code: string) => Look | undefined
  /** The look that is shown alone; null for all. */
  readonly only: Look | null
  readonly labelOf: (code: string) => string
  readonly onChoose: (code: string) => void
}

/** A point of the frame, in pixels. */
interface Point {
  readonly x: number
  readonly y: number
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
const LARGEST = 16
// A press that moves farther drags the map.
const DRAG_PIXELS = 5
const TIP_WIDTH = 240

export function WorldMap({ label, lookOf, only, labelOf, onChoose }: WorldMapProps) {
  const { words } = usePage()
  const frame = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState({ width: 960, height: 440 })
  const [zoom, setZoom] = useState(1)
  const [active, setActive] = useState<string | null>(null)
  const [tip, setTip] = useState<(Point & { readonly code: string }) | null>(null)
  const [shapes, setShapes] = useState<Shapes>(coarse)
  /** What of the drawing is to be in the middle of the frame, as shares of its width and height. */
  const middle = useRef<Point>({ x: 0.5, y: 0.5 })
  const dragged = useRef(0)
  const isMagnified = zoom >= FINER_FROM
  const scale = zoom * Math.min(size.width / MAP_WIDTH, size.height / MAP_HEIGHT)

  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element
      if (width > 0 && height > 0) setSize({ width, height })
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  useLayoutEffect(() => {
    const { x, y } = middle.current
    frame.current?.scrollTo((zoom * x - 0.5) * size.width, (zoom * y - 0.5) * size.height)
  }, [zoom])

  useEffect(() => {
    // Without a network, where the fine outlines were never loaded, the coarse ones stay.
    if (isMagnified) import("site:shapes/50m").then(finer => setShapes(finer.shapes)).catch(() => undefined)
  }, [isMagnified])

  /** Where a place is in the whole drawing, in pixels. */
  const pointOf = ({ x, y }: Place): Point => ({
    x: (zoom * size.width) / 2 + (x - MAP_WIDTH / 2) * scale,
    y: (zoom * size.height) / 2 + (y - MAP_HEIGHT / 2) * scale,
  })
  const zoomTo = (next: number) => {
    const { scrollLeft = 0, scrollTop = 0 } = frame.current ?? {}
    const place = placeOf(active ?? "")
    const { x, y } =
      place === undefined ? { x: scrollLeft + size.width / 2, y: scrollTop + size.height / 2 } : pointOf(place)
    middle.current = { x: x / size.width / zoom, y: y / size.height / zoom }
    setZoom(Math.min(Math.max(next, 1), LARGEST))
  }
  const goTo = (place: Place) => {
    const element = frame.current
    if (element === null) return
    const { x, y } = pointOf(place)
    const reveal = (scrolled: number, at: number, length: number) =>
      Math.min(Math.max(scrolled, at - 0.9 * length), at - 0.1 * length)
    element.scrollTo(reveal(element.scrollLeft, x, size.width), reveal(element.scrollTop, y, size.height))
    setActive(place.code)
    setTip({ code: place.code, x: x - element.scrollLeft, y: y - element.scrollTop })
  }
  const codeAt = (event: Event) => (event.target as Element).closest("[data-code]")?.getAttribute("data-code") ?? null
  const move = (event: TargetedPointerEvent<SVGSVGElement>) => {
    if (event.pointerType === "mouse" && event.buttons === 1) {
      frame.current?.scrollBy(-event.movementX, -event.movementY)
      dragged.current += Math.hypot(event.movementX, event.movementY)
    }
    const code = codeAt(event)
    const { left, top } = frame.current?.getBoundingClientRect() ?? { left: 0, top: 0 }
    setTip(code === null ? null : { code, x: event.clientX - left, y: event.clientY - top })
  }
  const press = (event: TargetedKeyboardEvent<SVGSVGElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const arrow = ARROWS[event.key]
    const from = placeOf(active ?? "DEU")
    if (arrow !== undefined && from !== undefined) goTo(active === null ? from : findNeighbour(from, arrow))
    else if ((event.key === "Enter" || event.key === " ") && active !== null) onChoose(active)
    else if (event.key === "+" || event.key === "=") zoomTo(zoom * STEP)
    else if (event.key === "-") zoomTo(zoom / STEP)
    else if (event.key === "0") zoomTo(1)
    else if (event.key === "Escape") setTip(null)
    else return
    event.preventDefault()
  }

  const dotRadius = size.width < NARROW_PIXELS && !isMagnified ? NARROW_DOT_RADIUS : DOT_RADIUS
  const dots = useMemo(
    () => PLACES.filter(({ code, area }) => !Object.hasOwn(shapes.outlines, code) || area * scale ** 2 < LEAST_AREA),
    [shapes, scale],
  )
  const dotted = useMemo(() => new Set(dots.map(({ code }) => code)), [dots])
  const describe = (code: string) => {
    const category: Look | "plain" = lookOf(code) ?? "plain"
    const isActive = code === active
    return { code, category, isActive, isDimmed: only !== null && category !== only }
  }
  const part = MAP_WIDTH / shapes.width
  return (
    <div class="stage">
      <div class="map-frame" ref={frame} dir="ltr">
        <svg
          class="world"
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the drawing takes the focus and names the active country
          role="listbox"
          tabIndex={0}
          aria-label={label}
          aria-activedescendant={active === null ? undefined : `place-${active}`}
          viewBox={`0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`}
          style={{ width: `${100 * zoom}%`, height: `${100 * zoom}%` }}
          data-magnified={isMagnified || undefined}
          onKeyDown={press}
          onPointerDown={() => {
            dragged.current = 0
          }}
          onPointerMove={move}
          onPointerLeave={() => setTip(null)}
          onBlur={() => {
            setActive(null)
            setTip(null)
          }}
          onClick={event => {
            const code = codeAt(event)
            if (code !== null && dragged.current < DRAG_PIXELS) onChoose(code)
          }}
        >
          <Hatching prefix="world" categories={LOOKS} unit={1 / scale / part} />
          <g transform={`scale(${part})`}>
            {shapes.outlines[""] && <path class="outline unclaimed" d={shapes.outlines[""]} />}
            {PLACES.map(({ code }) => {
              const outline = shapes.outlines[code]
              if (outline === undefined) return null
              const said = dotted.has(code) ? null : labelOf(code)
              return <Outline key={code} {...describe(code)} outline={outline} label={said} />
            })}
          </g>
          {dots.map(({ code, x, y }) => {
            const { category, isActive, isDimmed } = describe(code)
            return (
              <g
                key={code}
                id={`place-${code}`}
                role="option"
                aria-label={labelOf(code)}
                aria-selected={isActive}
                data-code={code}
                data-category={category}
                class={`dot ${isDimmed ? "dimmed" : ""}`}
                transform={`translate(${x} ${y}) scale(${1 / scale})`}
              >
                <circle class="hit" r={HIT_RADIUS} />
                <circle class={`tint ${category}`} r={dotRadius} />
              </g>
            )
          })}
          {isMagnified && <PlaceLabels scale={scale} />}
          {active !== null && !dotted.has(active) && (
            <path class="mark" transform={`scale(${part})`} d={shapes.outlines[active] ?? ""} />
          )}
        </svg>
      </div>
      <div class="zoom">
        <IconButton icon="plus" label={words.say("map.zoom_in")} onClick={() => zoomTo(zoom * STEP)} />
        <IconButton icon="minus" label={words.say("map.zoom_out")} onClick={() => zoomTo(zoom / STEP)} />
        <IconButton icon="whole" label={words.say("map.zoom_reset")} onClick={() => zoomTo(1)} />
      </div>
      {tip !== null && (
        <div class="tip" aria-hidden="true" style={placeTip(tip, size.width)}>
          {labelOf(tip.code)}
        </div>
      )}
    </div>
  )
}

/** Beside the country under the pointer or the keys. The list says the same to readers who do not see it. */
const placeTip = ({ x, y }: Point, width: number) => ({
  ...(x + TIP_WIDTH + 24 > width ? { right: `${width - x + 14}px` } : { left: `${x + 14}px` }),
  top: `${Math.max(0, y - 10)}px`,
})

interface OutlineProps {
  readonly code: string
  readonly outline: string
  readonly category: Look | "plain"
  /** Null for one that is drawn as a dot too, which is the choice. */
  readonly label: string | null
  readonly isActive: boolean
  readonly isDimmed: boolean
}

/** One outline; redrawn only when it has changed, because there are 250 and the pointer moves often. */
class Outline extends Component<OutlineProps> {
  override shouldComponentUpdate(next: OutlineProps): boolean {
    return (Object.keys(next) as (keyof OutlineProps)[]).some(name => next[name] !== this.props[name])
  }

  override render({ code, outline, category, label, isActive, isDimmed }: OutlineProps) {
    const option =
      label === null
        ? { "aria-hidden": true as const }
        : { id: `place-${code}`, role: "option" as const, "aria-label": label, "aria-selected": isActive }
    return (
      <path
        {...option}
        class={`outline ${isDimmed ? "dimmed" : ""}`}
        d={outline}
        fill={fillOf("world", category)}
        data-code={code}
        data-category={category}
      />
    )
  }
}
