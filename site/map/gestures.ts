/**
 * How do a mouse, fingers and a wheel move the map?
 *
 * One pointer moves it, two pinch it, and a press that does not move is a choice. The wheel zooms only with Ctrl, or once the map
 * has the focus, so that scrolling the page past the map does not get stuck there. For the same reason a finger that moves up or
 * down scrolls the page while the whole map is visible.
 */
import { useEffect, useRef } from "preact/hooks"
import { panView, type Size, type View, zoomView } from "./viewport.ts"

interface Point {
  readonly x: number
  readonly y: number
}

const DRAG_PIXELS = 5
const WHEEL_STEP = 0.0022
const WHEEL_LINE_PIXELS = 24

/** The functions that gestures call. */
export interface GestureTarget {
  readonly view: View
  readonly size: Size
  readonly setView: (view: View) => void
}

/** Listens to an element for as long as it is shown. Says of each click whether it ended a drag, by `wasDragged`. */
export function useGestures(element: { readonly current: SVGSVGElement | null }, target: GestureTarget) {
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
