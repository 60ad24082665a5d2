/**
 * Who owns the data, and which notices have to be shown?
 *
 * `data/LICENSES.md` has them. It is compiled into the program, so that the service and the command line can show it wherever they run.
 */

/** The notices as the program carries them. */
export interface Notices {
  /** The whole document, as Markdown. */
  readonly text: string
  /** One line a publication that asks to be named, and one a work whose copyright line has to be passed on. */
  readonly attributions: readonly string[]
}

/** Reads the document: its lists are the attributions, each on a line of its own. Cannot fail; a document without lists has none. */
export function readNotices(text: string): Notices {
  const attributions: string[] = []
  let isOpen = false
  for (const line of text.split("\n")) {
    if (line.startsWith("- ")) attributions.push(line.slice(2))
    else if (isOpen && line.startsWith("  ")) attributions.push(`${attributions.pop()} ${line.trim()}`)
    isOpen = line.startsWith("- ") || (isOpen && line.startsWith("  "))
  }
  return { text, attributions }
}
