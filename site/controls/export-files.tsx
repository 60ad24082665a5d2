/** A drawing and a table of the page as files, for articles and spreadsheets, and the view as a frame for a page of one's own. They are made in the page. */
import { useState } from "preact/hooks"
import { download, downloadTable } from "../download.ts"
import { paintDrawing, writeDrawing } from "../drawing.ts"
import { usePage } from "../page-context.ts"
import { CopyButton } from "./copy-button.tsx"

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
          <button
            type="button"
            class="button"
            onClick={withDrawing(found => download(`${name}.svg`, "image/svg+xml", writeDrawing(found)))}
          >
            {words.say("map.export_picture")}
          </button>
          <button
            type="button"
            class="button"
            onClick={withDrawing(found => paint(found).catch(() => setFailed(true)))}
          >
            {words.say("export.pixels")}
          </button>
        </>
      )}
      <button type="button" class="button" onClick={() => downloadTable(name, rows())}>
        {words.say("trip.export_table")}
      </button>
      <CopyButton label={words.say("export.frame")} text={() => writeFrame(linkTo(address))} />
      {hasFailed && (
        <span class="note" role="status">
          {words.say("export.failed")}
        </span>
      )}
    </div>
  )
}
