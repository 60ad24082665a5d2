/** A field that narrows a list of countries down to those that its text may mean. */
import { usePage } from "../page-context.ts"

interface FilterFieldProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

export function FilterField({ text, onChange }: FilterFieldProps) {
  const { words } = usePage()
  return (
    <label>
      <span class="unseen">{words.say("list.filter")}</span>
      <input
        type="search"
        placeholder={words.say("list.filter")}
        value={text}
        onInput={event => onChange(event.currentTarget.value)}
      />
    </label>
  )
}
