/**
 * How is a text put into Markdown so that it stays text?
 *
 * Names, addresses and sentences come from catalogues and from public tables; whatever they hold, it must not become markup,
 * a link to elsewhere or HTML (CommonMark 0.31.2, §2.4). Addresses of the web become autolinks, everything else is escaped.
 */

// No control characters: with one of them, a text in angle brackets is not a link, and its brackets would be markup.
const WEB_ADDRESS = /(https?:\/\/[^\s\p{Cc}<>"\\^`{|}\u2068\u2069]+)/u

/**
 * Escapes a text for a line of Markdown; line breaks become blanks.
 *
 * @example
 * ```ts
 * escapeText("*a* <b>") // => "\\*a\\* \\<b\\>"
 * ```
 */
export function escapeText(text: string): string {
  return text
    .replaceAll(/[\r\n]+/g, " ")
    .replaceAll(/[\\`*_[\]<>|~]/g, "\\$&")
    .replaceAll(/&(?=#?\w+;)/g, "\\&")
    .replace(/^(\s*)([-+=#])/, "$1\\$2")
    .replace(/^(\s*\d+)([.)])/, "$1\\$2")
}

/**
 * Escapes a text whose web addresses are to be links.
 *
 * @example
 * ```ts
 * linkText("See https://a.example/x_y") // => "See <https://a.example/x_y>"
 * ```
 */
export function linkText(text: string): string {
  return text
    .split(WEB_ADDRESS)
    .map((piece, at) => (at % 2 === 1 ? `<${piece}>` : escapeText(piece)))
    .join("")
}

/** Writes a link; without an address only its text. An address that could end the link early is not linked. */
export function writeLink(text: string, address: string | null | undefined): string {
  const isSafe = typeof address === "string" && /^(https?:\/\/|\/)[^\s<>"\\^`{|}]*$/.test(address)
  return isSafe ? `[${escapeText(text)}](<${address}>)` : escapeText(text)
}
