/** How does the reader get a file that is made in the page? */
import { writeTable } from "./trip/trip-export.ts"

/** Saves a text or a picture as a file for the reader. */
export function download(name: string, type: string, content: string | Blob): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([content], { type }))
  link.download = name
  link.click()
  // The browser has read it by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href))
}

/** Gives the reader rows as a table (CSV). The mark at its beginning tells spreadsheets the encoding. */
export const downloadTable = (name: string, rows: readonly (readonly string[])[]): void =>
  download(`${name}.csv`, "text/csv", `\uFEFF${writeTable(rows)}`)
