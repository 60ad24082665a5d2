/** Says that a part of the page is loading, or that it could not be loaded. */
import { usePage } from "../page-context.ts"

export function Arriving({ hasFailed = false }: { readonly hasFailed?: boolean }) {
  const { words } = usePage()
  return (
    <p class="note" role="status">
      {words.say(hasFailed ? "view.not_loaded" : "view.loading")}
    </p>
  )
}
