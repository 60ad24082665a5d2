/**
 * How is a long list read page by page?
 *
 * `limit` is the number of records, `cursor` the `next_cursor` of the previous page, which is null on the last page. A page reads one
 * record more than it shows, to see whether there is another.
 */
import { optional, whole } from "../pipeline/parameters.ts"

const LONGEST_PAGE = 100

/** The parameters of a list; `usual` is the number of records on a page by default. */
export const pageParameters = (usual: number) => ({
  limit: optional(whole(1, LONGEST_PAGE, { description: "How many.", example: usual, default: usual })),
  cursor: optional(
    whole(1, Number.MAX_SAFE_INTEGER, { description: "The `next_cursor` of the page before.", example: 1_000 }),
  ),
})

/** The parameters of a list that most callers read in one page. */
export const WHOLE_PAGE = pageParameters(LONGEST_PAGE)

/** The page that a request asks for. */
export interface PageAsked {
  readonly limit?: number | undefined
  readonly cursor?: number | undefined
}

/** How many records a page shows, and one more. */
export const readLimit = ({ limit = LONGEST_PAGE }: PageAsked) => ({ shown: limit, asked: limit + 1 })

/** Returns the records of a page and where the next page begins; one record more than shown was read. */
export function cutPage<Item extends { readonly id: number }>(
  found: readonly Item[],
  shown: number,
): { readonly items: readonly Item[]; readonly next_cursor: string | null } {
  const items = found.slice(0, shown)
  return { items, next_cursor: found.length > shown ? String(items.at(-1)?.id) : null }
}
