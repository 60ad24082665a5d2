/** The map as a drawing and its list as a table, for articles and spreadsheets. Both are made in the page. */
import type { MapAddress } from "../address.ts"
import { wholeDataset } from "../answers.ts"
import { download } from "../download.ts"
import { usePage } from "../page-context.ts"
import { writeTable } from "../trip/trip-export.ts"
import type { Colouring } from "./colouring.ts"
import { describePaint, nameCategory } from "./describe-paint.ts"

const DRAWN = ["fill", "stroke", "stroke-width", "opacity", "fill-opacity"] as const

/** Writes a drawing with the colours that it has on the screen, so that it needs no style sheet. */
function writeDrawing(drawing: SVGSVGElement): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement
  const [originals, copies] = [drawing.querySelectorAll("*"), copy.querySelectorAll("*")]
  originals.forEach((original, at) => {
    const style = getComputedStyle(original)
    for (const name of DRAWN) {
      const value = style.getPropertyValue(name)
      // The address of a pattern is the page's own in a computed style.
      if (value !== "" && !value.startsWith("url(")) copies[at]?.setAttribute(name, value)
    }
    for (const name of ["class", "role", "tabindex", "aria-selected"]) copies[at]?.removeAttribute(name)
  })
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg")
  for (const name of ["role", "tabindex", "class"]) copy.removeAttribute(name)
  return new XMLSerializer().serializeToString(copy)
}

interface ExportMapProps {
  readonly colouring: Colouring
  readonly chosen: MapAddress
}

export function ExportMap({ colouring, chosen }: ExportMapProps) {
  const { words } = usePage()
  const rows = () => [
    [
      "code",
      words.say("word.destination"),
      words.say("label.requirement"),
      words.say("label.stay"),
      words.say("foot.dataset"),
    ],
    ...[...colouring.paints].map(([code, paint]) => [
      code,
      words.country(code),
      nameCategory(words, paint.category, chosen.passports),
      describePaint(words, paint, chosen),
      wholeDataset().version,
    ]),
  ]
  return (
    <div class="actions">
      <button
        type="button"
        class="button"
        onClick={() => {
          const drawing = document.querySelector<SVGSVGElement>("svg.world")
          if (drawing !== null) download("map.svg", "image/svg+xml", writeDrawing(drawing))
        }}
      >
        {words.say("map.export_picture")}
      </button>
      <button
        type="button"
        class="button"
        onClick={() => download("map.csv", "text/csv", `\uFEFF${writeTable(rows())}`)}
      >
        {words.say("trip.export_table")}
      </button>
    </div>
  )
}
