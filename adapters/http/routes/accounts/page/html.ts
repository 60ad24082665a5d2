/**
 * How is HTML written so that no text can become markup? Every value in a template is escaped, unless it is HTML that was made by a
 * template.
 */
import { escapeHtml } from "../../../../mail/texts.ts"

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The values that a template takes; null and false write nothing. */
export type HtmlValue = Html | string | number | null | false | readonly HtmlValue[]

function write(value: HtmlValue): string {
  if (value === null || value === false) return ""
  if (value instanceof Html) return value.text
  if (typeof value === "object") return value.map(write).join("")
  return escapeHtml(String(value))
}

/**
 * Writes HTML; attributes have to be in double quotes.
 *
 * @example
 * ```ts
 * html`<p title="${'"'}">${"<b>"}</p>`.text // => "<p title=\"&quot;\">&lt;b&gt;</p>"
 * ```
 */
export const html = (pieces: TemplateStringsArray, ...values: readonly HtmlValue[]): Html =>
  new Html(pieces.reduce((text, piece, at) => text + write(values[at - 1] ?? null) + piece))
