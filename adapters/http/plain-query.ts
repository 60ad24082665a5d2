/**
 * What does a query say that is written without any escapes?
 *
 * For the fast lane only, and only for what is beyond doubt: known names, each once, with values of letters, digits, `-` and `_`.
 * Everything else is null, and somebody else reads the query with all the rules.
 */

/** Values by name. */
export type PlainQuery<Name extends string> = { [Key in Name]?: string }

/** Letters, digits, `-` and `_`: 1 for each code unit that stands for itself in any encoding. */
const PLAIN = new Uint8Array(128)
for (const plain of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") PLAIN[plain.charCodeAt(0)] = 1

function isPlain(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (PLAIN[text.charCodeAt(at)] !== 1) return false
  return to > from
}

/**
 * Reads the query that begins at a place in a URL, or answers null when there is anything unusual about it.
 *
 * @example
 * ```ts
 * readPlainQuery("/check?a=1&b=2", 7, ["a", "b"]) // => {"a": "1", "b": "2"}
 * readPlainQuery("/check?a=%31", 7, ["a", "b"]) // => null
 * readPlainQuery("/check?a=1&a=2", 7, ["a", "b"]) // => null
 * ```
 */
export function readPlainQuery<Name extends string>(
  url: string,
  start: number,
  names: readonly Name[],
): PlainQuery<Name> | null {
  const query: PlainQuery<Name> = {}
  let from = start
  while (from < url.length) {
    const ampersand = url.indexOf("&", from)
    const to = ampersand < 0 ? url.length : ampersand
    const equals = url.indexOf("=", from)
    if (equals < 0 || equals > to || !isPlain(url, equals + 1, to)) return null
    const name = names.find(known => known.length === equals - from && url.startsWith(known, from))
    if (name === undefined || query[name] !== undefined) return null
    query[name] = url.slice(equals + 1, to)
    from = to + 1
  }
  return query
}
