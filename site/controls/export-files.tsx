/** A drawing and a table of the page as files, for articles and spreadsheets, and the view as a frame for a page of one's own. They are made in the page. */

import { useState } from "preact/hooks"
import { download, downloadTable } from "../download.ts"
import { usePage } from "../page-context.ts"
import { Button, CopyButton } from "./controls.tsx"

/* How does a drawing of the page become a file: as it looks on the screen, without a style sheet? */

const DRAWN = ["fill", "stroke", "stroke-width", "opacity", "fill-opacity", "mix-blend-mode"] as const

/** How wide a picture in pixels is made. */
const PICTURE_WIDTH = 2000

/** Writes a drawing with the colours that it has on the screen, so that it needs no style sheet. */
function writeDrawing(drawing: SVGSVGElement, size?: { readonly width: number; readonly height: number }): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement
  const [originals, copies] = [drawing.querySelectorAll("*"), copy.querySelectorAll("*")]
  originals.forEach((original, at) => {
    const style = getComputedStyle(original)
    for (const name of DRAWN) {
      const value = style.getPropertyValue(name)
      // The address of a pattern is the page's own in a computed style.
      if (value !== "" && !value.startsWith("url(")) copies[at]?.setAttribute(name, value)
    }
    for (const name of ["class", "role", "tabindex", "aria-selected", "aria-label"]) copies[at]?.removeAttribute(name)
  })
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg")
  copy.setAttribute("font-family", "system-ui, sans-serif")
  for (const name of ["role", "tabindex", "class", "style"]) copy.removeAttribute(name)
  for (const [name, value] of Object.entries(size ?? {})) copy.setAttribute(name, String(value))
  return new XMLSerializer().serializeToString(copy)
}

/** Draws a drawing in pixels (PNG), on the colour of the page, {@link PICTURE_WIDTH} pixels wide. Rejects where the browser cannot. */
async function paintDrawing(drawing: SVGSVGElement): Promise<Blob> {
  const { width: shownWidth, height: shownHeight } = drawing.getBoundingClientRect()
  const width = PICTURE_WIDTH
  const height = Math.round((width * shownHeight) / Math.max(1, shownWidth))
  const address = URL.createObjectURL(new Blob([writeDrawing(drawing, { width, height })], { type: "image/svg+xml" }))
  try {
    const picture = new Image(width, height)
    picture.src = address
    await picture.decode()
    const canvas = document.createElement("canvas")
    Object.assign(canvas, { width, height })
    const context = canvas.getContext("2d")
    if (context === null) throw new Error("no canvas")
    context.fillStyle = getComputedStyle(document.body).backgroundColor
    context.fillRect(0, 0, width, height)
    context.drawImage(picture, 0, 0, width, height)
    return await new Promise((resolve, reject) =>
      canvas.toBlob(blob => (blob === null ? reject(new Error("no picture")) : resolve(blob)), "image/png"),
    )
  } finally {
    URL.revokeObjectURL(address)
  }
}

interface ExportFilesProps {
  /** The name of the files, without its end. */
  readonly name: string
  /** Finds the drawing when it is asked for; absent where nothing is drawn. */
  readonly drawing?: () => SVGSVGElement | null
  /** The table when it is asked for, with its heads. */
  readonly rows: () => readonly (readonly string[])[]
}

/** The code that shows a view in a frame of another page. */
const writeFrame = (view: string): string =>
  `<iframe src="${new URL(`embed.html${view}`, document.baseURI).href}" title="Landfall" width="100%" height="800" style="border: 0"></iframe>`

export function ExportFiles({ name, drawing, rows }: ExportFilesProps) {
  const { words, address, linkTo } = usePage()
  const [hasFailed, setFailed] = useState(false)
  const paint = async (found: SVGSVGElement) => {
    setFailed(false)
    download(`${name}.png`, "image/png", await paintDrawing(found))
  }
  const withDrawing = (use: (found: SVGSVGElement) => void) => () => {
    const found = drawing?.() ?? null
    if (found !== null) use(found)
  }
  return (
    <div class="actions">
      {drawing !== undefined && (
        <>
          <Button
            label={words.say("map.export_picture")}
            onClick={withDrawing(found => download(`${name}.svg`, "image/svg+xml", writeDrawing(found)))}
          />
          <Button
            label={words.say("export.pixels")}
            onClick={withDrawing(found => paint(found).catch(() => setFailed(true)))}
          />
        </>
      )}
      <Button label={words.say("trip.export_table")} onClick={() => downloadTable(name, rows())} />
      <CopyButton label={words.say("export.frame")} text={() => writeFrame(linkTo(address))} />
      {hasFailed && (
        <span class="note" role="status">
          {words.say("export.failed")}
        </span>
      )}
    </div>
  )
}
