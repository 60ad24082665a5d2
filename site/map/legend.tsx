/** What does each colour mean, and how many countries have it? Pressing a row shows only its countries. */
import { usePage } from "../page-context.ts"
import type { Category, Colouring } from "./colouring.ts"
import { nameCategory } from "./describe-paint.ts"
import { Swatch } from "./hatching.tsx"

interface LegendProps {
  readonly colouring: Colouring
  readonly passports: readonly string[]
  readonly only: Category | null
  readonly onOnly: (category: Category | null) => void
}

export function Legend({ colouring, passports, only, onOnly }: LegendProps) {
  const { words } = usePage()
  return (
    <ul class="legend" aria-label={words.say("map.legend")}>
      {colouring.legend.map(category => {
        const count = colouring.counts.get(category) ?? 0
        return (
          <li key={category}>
            <button
              type="button"
              aria-pressed={only === category}
              disabled={count === 0}
              onClick={() => onOnly(only === category ? null : category)}
            >
              <Swatch category={category} />
              <span class="name">{nameCategory(words, category, passports)}</span>
              <span class="count">{words.number(count)}</span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}
