/**
 * What are the members of a list in a header?
 *
 * Members are separated by commas (RFC 9110, section 5.6.1). The sender decides how long a header is, so a limited number of members is read, of a
 * limited text; the others count as not sent. Programs that mean their lists send far fewer.
 */

/** The most members that are read; browsers and proxies send fewer than twenty. */
export const MOST_MEMBERS = 64
/** The most characters that are read: as many as Node's own server accepts in all headers together. */
const MOST_CHARACTERS = 16_384

const trimAll = (members: readonly string[]): readonly string[] => members.map(member => member.trim())

/**
 * Reads a list from its beginning.
 *
 * @example
 * ```ts
 * readList("gzip, br;q=0.5") // => ["gzip", "br;q=0.5"]
 * readList(undefined) // => []
 * ```
 */
export const readList = (
  header: string | undefined,
  { separator = ",", most = MOST_MEMBERS }: { readonly separator?: string | RegExp; readonly most?: number } = {},
): readonly string[] => (header === undefined ? [] : trimAll(header.slice(0, MOST_CHARACTERS).split(separator, most)))

/**
 * Reads the end of a list, to which each proxy adds a member.
 *
 * @example
 * ```ts
 * readListEnd("203.0.113.9, 10.0.0.9") // => ["203.0.113.9", "10.0.0.9"]
 * ```
 */
export const readListEnd = (header: string | undefined): readonly string[] =>
  header === undefined ? [] : trimAll(header.slice(-MOST_CHARACTERS).split(",").slice(-MOST_MEMBERS))
