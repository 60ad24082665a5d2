/**
 * How is a long list read page by page?
 *
 * `limit` is the number of records, `cursor` the `next_cursor` of the previous page, which is null on the last page. A page reads one
 * record more than it shows, to see whether there is another.
 */
import { Schema } from "effect"
import { optional, whole } from "../pipeline/endpoint.ts"

export const LONGEST_PAGE = 100

/** The parameters of a list; `usual` is the number of records on a page by default. */
export const pageParameters = (usual: number) => ({
  limit: optional(whole(1, LONGEST_PAGE, { description: "How many.", example: usual, default: usual })),
  cursor: optional(
    whole(1, Number.MAX_SAFE_INTEGER, { description: "The `next_cursor` of the previous page.", example: 1_000 }),
  ),
})

/** The parameters of a list that most callers read in one page. */
export const WHOLE_PAGE = pageParameters(LONGEST_PAGE)

export interface PageAsked {
  readonly limit?: number | undefined
  readonly cursor?: number | undefined
}

/** The page above its cursor, of a list with the oldest record first: one record more than it shows. */
export const pageAbove = ({ limit = LONGEST_PAGE, cursor = 0 }: PageAsked) => ({ aboveId: cursor, limit: limit + 1 })

/** The page below its cursor, of a list with the newest record first: one record more than it shows. */
export const pageBelow = ({ limit, cursor = Number.MAX_SAFE_INTEGER }: PageAsked & { readonly limit: number }) => ({
  beforeId: cursor,
  limit: limit + 1,
})

/** Returns the records of a page, written, and where the next page begins. */
export function cutPage<Item extends { readonly id: number }, Written>(
  found: readonly Item[],
  page: { readonly limit: number },
  write: (item: Item) => Written,
): { readonly items: readonly Written[]; readonly next_cursor: string | null } {
  const items = found.slice(0, page.limit - 1)
  return { items: items.map(write), next_cursor: found.length < page.limit ? null : String(items.at(-1)?.id) }
}

export const next_cursor = Schema.NullOr(Schema.String).annotate({
  description: "The `cursor` of the next page; null on the last one.",
})
