/** The flag of a country, where the reader's system draws flags; elsewhere nothing, because two plain letters are not a flag. */
import { flagOf } from "../places.ts"

let canDraw: boolean | null = null

/** Finds out, once, by drawing one: letters have one colour, a flag has several. */
function drawsFlags(): boolean {
  if (canDraw !== null) return canDraw
  const canvas = document.createElement("canvas")
  canvas.width = canvas.height = 16
  const context = canvas.getContext("2d", { willReadFrequently: true })
  canDraw = false
  if (context === null) return canDraw
  context.font = "16px sans-serif"
  context.fillText(flagOf("FRA"), 0, 14)
  const { data } = context.getImageData(0, 0, 16, 16)
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] !== data[at + 1] || data[at] !== data[at + 2]) canDraw = true
  }
  return canDraw
}

export function Flag({ code }: { readonly code: string }) {
  return drawsFlags() ? (
    <span class="flag" aria-hidden="true">
      {flagOf(code)}
    </span>
  ) : null
}
