/** The names of countries on the magnified map: the largest first, as many as have room. */
import { useMemo } from "preact/hooks"
import { usePage } from "../page-context.ts"
import { PLACES } from "../places.ts"
import type { Size, View } from "./viewport.ts"

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

export function PlaceLabels({ view, size }: PlaceLabelsProps) {
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
