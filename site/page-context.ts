/** What do all parts of the page share: the language, the address, and how to go to another view? */

import type { Language } from "landfall/full"
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { Address } from "./address.ts"
import type { Words } from "./language/words.ts"

/** The values that the parts of the page share. */
export interface Page {
  readonly words: Words
  readonly address: Address
  /** Goes to another view. With `replace`, for a mere refinement of a view, the browser's history gets no new step. */
  readonly go: (address: Address, options?: { readonly replace?: boolean }) => void
  /** Writes the address of a view, for links. */
  readonly linkTo: (address: Address) => string
  readonly setLanguage: (language: Language) => void
}

export const PageContext = createContext<Page | null>(null)

/** Returns the values that the parts of the page share. */
export function usePage(): Page {
  const page = useContext(PageContext)
  if (page === null) throw new Error("This part stands outside the page.")
  return page
}
