/**
 * Which pattern does each colour have, so that the map can be read without seeing colours?
 *
 * Each category is a colour and a pattern of its own; home and visa-free, the ends of most maps, are plain. Patterns keep their size on the
 * screen however far the map is magnified.
 */
import type { Category } from "../verdict/looks.ts"

/** The strokes of each pattern in a square of 6 pixels, and dots where there are any. */
const PATTERNS: Partial<Record<Category, string>> = {
  eta: "M0 1.5H6M0 4.5H6",
  visa_on_arrival: "M1.5 0V6M4.5 0V6",
  e_visa: "M1 1.5h1M4 4.5h1",
  visa_required: "M-1 7L7 -1M-1 1L1 -1M5 7L7 5",
  no_admission: "M0 0L6 6M6 0L0 6",
  unknown: "M-1 -1L7 7M-1 5L1 7M5 -1L7 1",
  border: "M1.5 0V6M4.5 0V6",
  online: "M1 1.5h1M4 4.5h1",
  consulate: "M-1 7L7 -1M-1 1L1 -1M5 7L7 5",
  stopped: "M0 0L6 6M6 0L0 6",
  condition: "M-1 7L7 -1",
  transit: "M-1 7L7 -1M-1 1L1 -1M5 7L7 5M0 0H6V6H0Z",
  ended: "M0 0L6 6M6 0L0 6",
}

/** Names the fill of a category, inside the drawing that holds the patterns under `prefix`. */
export function fillOf(prefix: string, category: Category): string {
  return `url(#${prefix}-${category})`
}

interface HatchingProps {
  /** The prefix of the ids; each drawing has its own. */
  readonly prefix: string
  readonly categories: readonly Category[]
  /** Units of the drawing a pixel. */
  readonly unit: number
}

/** The patterns of a drawing. */
export function Hatching({ prefix, categories, unit }: HatchingProps) {
  return (
    <defs>
      {categories.map(category => (
        <pattern
          key={category}
          id={`${prefix}-${category}`}
          patternUnits="userSpaceOnUse"
          width="6"
          height="6"
          patternTransform={`scale(${unit})`}
        >
          <rect class={`tint ${category}`} width="6" height="6" />
          {PATTERNS[category] && <path class={`hatch ${category}`} d={PATTERNS[category]} />}
        </pattern>
      ))}
    </defs>
  )
}

/** A square of a legend. */
export function Swatch({ category }: { readonly category: Category }) {
  const prefix = `swatch-${category}`
  return (
    <svg class="swatch" width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
      <Hatching prefix={prefix} categories={[category]} unit={1} />
      <rect width="18" height="18" rx="4" fill={fillOf(prefix, category)} />
    </svg>
  )
}
