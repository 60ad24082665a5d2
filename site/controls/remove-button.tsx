/** The button that removes a country from a list. */
import { usePage } from "../page-context.ts"
import { Icon } from "./icon.tsx"

export function RemoveButton({ code, onRemove }: { readonly code: string; readonly onRemove: () => void }) {
  const { words } = usePage()
  return (
    <button
      type="button"
      class="close remove"
      aria-label={words.say("picker.remove", { country: { country: code } })}
      onClick={onRemove}
    >
      <Icon name="close" />
    </button>
  )
}
