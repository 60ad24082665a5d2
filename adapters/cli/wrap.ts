/**
 * Where does a line end on a terminal?
 *
 * Between words, never inside one: a word that is wider than the terminal gets a line of its own. Colours take no width.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape is what colours begin with.
const STYLES = /\u001b\[[0-9;]*m/g
// Letters of alphabets without marks, digits, punctuation and arrows: one column each, whatever the terminal.
const ONE_COLUMN_EACH = /^[\x20-\x7e\u00a0-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2190-\u21ff]*$/

/** Measures a text of letters of one column each; undefined for any other, which has to be looked at letter by letter. */
export function measurePlain(text: string): number | undefined {
  const bare = text.includes("\u001b") ? text.replace(STYLES, "") : text
  return ONE_COLUMN_EACH.test(bare) ? bare.length : undefined
}

/** Breaks a line between words so that no part is wider than the columns, words apart; each further part is indented. */
export function wrapLine(
  line: string,
  columns: number,
  measure: (text: string) => number,
  indent = "",
): readonly string[] {
  if (measure(line) <= columns) return [line]
  const text = line.trimStart()
  const lead = line.slice(0, line.length - text.length)
  const lines: string[] = []
  let part = lead
  let isEmpty = true
  let width = measure(lead)
  for (const word of text.split(" ")) {
    const taken = measure(word)
    if (!isEmpty && width + 1 + taken > columns) {
      lines.push(part)
      part = lead + indent
      width = measure(part)
      isEmpty = true
    }
    part += isEmpty ? word : ` ${word}`
    width += isEmpty ? taken : taken + 1
    isEmpty = false
  }
  return [...lines, part]
}

/** Breaks every line of a text. */
export const wrapText = (
  text: string,
  columns: number | null,
  measure: (text: string) => number,
  indent = "",
): string =>
  columns === null
    ? text
    : text
        .split("\n")
        .flatMap(line => wrapLine(line, columns, measure, indent))
        .join("\n")
