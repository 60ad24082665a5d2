/**
 * Which part of the map is visible, and how large?
 *
 * A view is the point in the middle and the number of pixels a unit of the map takes. It never shows less than the map needs to fit, nor
 * anything beyond its edges, unless the frame has another form than the map.
 */
import { MAP_HEIGHT, MAP_WIDTH } from "../places.ts"

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
export function magnificationOf(view: View, size: Size): number {
  return view.scale / fitMap(size).scale
}

/** Keeps a view inside the map. */
export function clampView(view: View, size: Size): View {
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
export function panView(view: View, size: Size, by: { readonly x: number; readonly y: number }): View {
  return clampView({ ...view, x: view.x - by.x / view.scale, y: view.y - by.y / view.scale }, size)
}

/** Moves a view as little as it takes to show a point well inside the frame. */
export function revealPoint(view: View, size: Size, point: { readonly x: number; readonly y: number }): View {
  const [reachX, reachY] = [(0.4 * size.width) / view.scale, (0.4 * size.height) / view.scale]
  const x = Math.min(Math.max(view.x, point.x - reachX), point.x + reachX)
  const y = Math.min(Math.max(view.y, point.y - reachY), point.y + reachY)
  return x === view.x && y === view.y ? view : clampView({ ...view, x, y }, size)
}

/** Writes the visible part as an SVG view box. */
export function viewBoxOf({ x, y, scale }: View, { width, height }: Size): string {
  const [w, h] = [width / scale, height / scale]
  return [x - w / 2, y - h / 2, w, h].map(value => Math.round(value * 1000) / 1000).join(" ")
}
