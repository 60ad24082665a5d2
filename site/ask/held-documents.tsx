/** The documents of other countries that the traveller holds: pressed, they recolour the map, because other countries may ask for less. */
import { type Holding, isSameHolding, MOST_HOLDINGS, nameHolding, USUAL_HOLDINGS } from "../holdings.ts"
import { usePage } from "../page-context.ts"

interface HeldDocumentsProps {
  readonly held: readonly Holding[]
  readonly onChange: (held: readonly Holding[]) => void
}

export function HeldDocuments({ held, onChange }: HeldDocumentsProps) {
  const { words } = usePage()
  const isHeld = (document: Holding) => held.some(other => isSameHolding(other, document))
  const further = held.filter(document => !USUAL_HOLDINGS.some(usual => isSameHolding(usual, document)))
  return (
    <fieldset class="held-documents">
      <legend>{words.say("holding.title")}</legend>
      <div class="toggles">
        {[...USUAL_HOLDINGS, ...further].map(document => (
          <button
            key={`${document.kind} ${document.issuer}`}
            type="button"
            class="toggle"
            aria-pressed={isHeld(document)}
            disabled={!isHeld(document) && held.length >= MOST_HOLDINGS}
            onClick={() =>
              onChange(isHeld(document) ? held.filter(other => !isSameHolding(other, document)) : [...held, document])
            }
          >
            {nameHolding(words, document)}
          </button>
        ))}
      </div>
      {held.length > 0 && <p class="note">{words.say("holding.assumed")}</p>}
    </fieldset>
  )
}
