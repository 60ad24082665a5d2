/** The verdict where nothing is recorded, and why. */
import { Swatch } from "../map/hatching.tsx"
import { usePage } from "../page-context.ts"

export function UnknownVerdict({ why }: { readonly why: string }) {
  const { words } = usePage()
  return (
    <section class="verdict" aria-label={words.say("category.unknown")}>
      <p class="headline">
        <Swatch category="unknown" />
        <strong>{words.say("category.unknown")}</strong>
      </p>
      <p class="description">{why}</p>
    </section>
  )
}
